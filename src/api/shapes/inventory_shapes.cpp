#include "record_views.hpp"

namespace fairlead::api {

template <>
const Shape<DeviceView>& shapeOf<DeviceView>() {
  static const Shape<DeviceView> kShape =
      Shape<DeviceView>("Device", "One accelerator.")
          .must("cluster", "Whose.", &DeviceView::cluster)
          .must("node", "Its host.", &DeviceView::node)
          .must("index", "As the vendor's visible-devices variable counts it.",
                [](const auto& v) { return v.device.index; })
          .may("uuid", "Where the vendor gives one.", [](const auto& v) -> const std::string& { return v.device.uuid; })
          .must("vendor", "`nvidia`, `amd`, `huawei` and so on.",
                [](const auto& v) -> const std::string& { return v.device.vendor; })
          .must("model", "Canonical name of the accelerator table.",
                [](const auto& v) -> const std::string& { return v.device.model; })
          .must("memoryBytes", "Device memory.", [](const auto& v) { return v.device.memory; })
          .must("milliDevices", "Its capacity; 1000 is a whole one.", [](const auto& v) { return v.device.capacity; })
          .must("freeMilliDevices", "What nobody holds.", &DeviceView::free)
          .must("shareIsolation", "How far shares of it are kept apart.",
                [](const auto& v) { return v.device.shareIsolation; })
          .must("healthy", "Only healthy ones are given out.", [](const auto& v) { return v.device.healthy; })
          .may("healthReason", "Why it is not.",
               [](const auto& v) -> const std::string& { return v.device.healthReason; })
          .may("declared", "True when written in the configuration, not found on the host.",
               [](const auto& v) { return v.device.declared; });
  return kShape;
}

template <>
const Shape<NodeView>& shapeOf<NodeView>() {
  static const Shape<NodeView> kShape =
      Shape<NodeView>("Node", "A host and its accelerators.")
          .must("cluster", "Whose.", [](const auto& v) -> const std::string& { return v.node.cluster; })
          .must("name", "Unique in its cluster.", [](const auto& v) -> const std::string& { return v.node.name; })
          .must("state", "Whether it takes work.", [](const auto& v) { return v.node.state; })
          .may("stateReason", "Why not.", [](const auto& v) -> const std::string& { return v.node.stateReason; })
          .must("milliCpus", "1000 is a core.", [](const auto& v) { return v.node.cpus; })
          .must("freeMilliCpus", "What nobody holds.", &NodeView::cpusFree)
          .must("memoryBytes", "Main memory.", [](const auto& v) { return v.node.memory; })
          .must("freeMemoryBytes", "What nobody holds.", &NodeView::memoryFree)
          .must("devices", "By index.", &NodeView::devices)
          .may("labels", "As the engine tells them.", [](const auto& v) -> const auto& { return v.node.labels; });
  return kShape;
}

template <>
const Shape<DeviceCount>& shapeOf<DeviceCount>() {
  static const Shape<DeviceCount> kShape =
      Shape<DeviceCount>("DeviceCount", "Accelerators of one model.")
          .must("vendor", "Lower case.", &DeviceCount::vendor)
          .must("model", "Canonical name.", &DeviceCount::model)
          .must("devices", "How many.", &DeviceCount::devices)
          .must("healthyDevices", "How many of them are healthy.", &DeviceCount::healthy)
          .must("milliDevices", "Capacity.", &DeviceCount::capacity)
          .must("freeMilliDevices", "What nobody holds.", &DeviceCount::free);
  return kShape;
}

template <>
const Shape<ClusterView>& shapeOf<ClusterView>() {
  static const Shape<ClusterView> kShape =
      Shape<ClusterView>("Cluster", "One engine installation.")
          .must("name", "Its name.", &ClusterView::name)
          .must("engine", "`slurm`, `local`; empty: not known here.",
                [](const auto& v) -> const std::string& { return v.record.engine; })
          .must("governsAll", "Work of every project may be started there.",
                [](const auto& v) { return v.record.terms.governsAll; })
          .may("projects", "Else that of these; none: it is only looked at.",
               [](const auto& v) -> const auto& { return v.record.terms.projects; })
          .may("depth", "How many may wait in the engine's own queue; left out: only what can start now goes there.",
               [](const auto& v) { return std::int64_t{v.record.terms.depth}; })
          .may("problem", "Why it is not connected.",
               [](const auto& v) -> const std::string& { return v.record.problem; })
          .must("answers", "Whether it was read lately enough to be believed.",
                [](const auto& v) { return v.status.answers; })
          .may("readAt", "When it was last read and believed.", [](const auto& v) { return v.status.readAt; })
          .may("product", "What runs there: `Slurm 24.11.5`.",
               [](const auto& v) -> const std::string& { return v.status.product; })
          .may("way", "How it is asked: `REST v0.0.42`, `command line`.",
               [](const auto& v) -> const std::string& { return v.status.way; })
          .may("trouble", "What fails now.", [](const auto& v) -> const std::string& { return v.status.trouble; })
          .may("notes", "What else to know: doubts about its answers, how far its history is read.",
               [](const auto& v) -> const auto& { return v.status.notes; })
          .must("nodes", "Nodes it has.", &ClusterView::nodes)
          .must("readyNodes", "Nodes that take work.", &ClusterView::nodesReady)
          .must("attempts", "Attempts that hold capacity on it.", &ClusterView::attempts)
          .must("devices", "By model.", &ClusterView::devices)
          .may("document", "As it was declared.", [](const auto& v) { return RawJson{v.record.documentJson}; });
  return kShape;
}

template <>
const Shape<FindingView>& shapeOf<FindingView>() {
  static const Shape<FindingView> kShape =
      Shape<FindingView>("Finding", "One line of a look at a cluster.")
          .must("kind", "`missing` is in the way of what the document wants.",
                [](const auto& v) { return v.finding.kind; })
          .must("topic", "What was looked at.", [](const auto& v) -> const std::string& { return v.finding.topic; })
          .must("text", "What was seen.", [](const auto& v) -> const std::string& { return v.finding.text; })
          .may("remedy", "The line that changes it.",
               [](const auto& v) -> const std::string& { return v.finding.remedy; });
  return kShape;
}

}  // namespace fairlead::api
