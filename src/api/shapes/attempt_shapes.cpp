#include "views.hpp"

namespace fairlead::api {

template <>
const Shape<model::DeviceSlice>& shapeOf<model::DeviceSlice>() {
  static const Shape<model::DeviceSlice> kShape =
      Shape<model::DeviceSlice>("DeviceSlice", "A device, or a share of one.")
          .must("index", "As the node counts its devices.", &model::DeviceSlice::index)
          .must("milliDevices", "1000 is a whole one.", &model::DeviceSlice::milli);
  return kShape;
}

template <>
const Shape<DevicePlaceView>& shapeOf<DevicePlaceView>() {
  static const Shape<DevicePlaceView> kShape =
      Shape<DevicePlaceView>("MemberPlacement", "Where one member runs and what it holds.")
          .must("rank", "Over all roles, from 0.", &DevicePlaceView::rank)
          .must("role", "Its role.", &DevicePlaceView::role)
          .must("node", "The host.", &DevicePlaceView::node)
          .may("vendor", "Of its devices.", &DevicePlaceView::vendor)
          .may("model", "Of its devices.", &DevicePlaceView::model)
          .must("devices", "What it sees.", &DevicePlaceView::devices)
          .must("milliCpus", "1000 is a core; 0: not limited.", &DevicePlaceView::cpus)
          .must("memoryBytes", "0: not limited.", &DevicePlaceView::memory);
  return kShape;
}

template <>
const Shape<model::MemberEnd>& shapeOf<model::MemberEnd>() {
  static const Shape<model::MemberEnd> kShape =
      Shape<model::MemberEnd>("MemberEnd", "How one member ended.")
          .must("rank", "Which.", &model::MemberEnd::rank)
          .must("exitCode", "Meaningful when no signal ended it.", &model::MemberEnd::exitCode)
          .may("signal", "Number of the signal that ended it.", &model::MemberEnd::signal)
          .may("outOfMemory", "True when its memory limit ended it.", &model::MemberEnd::outOfMemory)
          .must("at", "When.", &model::MemberEnd::at);
  return kShape;
}

template <>
const Shape<AttemptView>& shapeOf<AttemptView>() {
  using model::FailureCategory;
  static const Shape<AttemptView> kShape =
      Shape<AttemptView>("Attempt", "One try at running a workload.")
          .must("id", "Short, typed and permanent.", [](const auto& v) { return v.row.id; })
          .must("workload", "Of which it is a try.", [](const auto& v) { return v.row.workload; })
          .must("number", "1 is the first.", [](const auto& v) { return v.row.number; })
          .must("cluster", "Where it runs.", [](const auto& v) -> const std::string& { return v.row.cluster; })
          .must("state", "Where it stands.", [](const auto& v) { return v.row.state; })
          .may("failure", "Why it ended badly.",
               [](const auto& v) {
                 return v.row.failure == FailureCategory::none ? std::optional<FailureCategory>() : v.row.failure;
               })
          .may("nativeId", "The engine's name for it.",
               [](const auto& v) -> const std::string& { return v.row.nativeId; })
          .may("nativeState", "The engine's own word.",
               [](const auto& v) -> const std::string& { return v.row.nativeState; })
          .may("nativeReason", "The engine's reason.",
               [](const auto& v) -> const std::string& { return v.row.nativeReason; })
          .must("placement", "By rank.", [](const auto& v) -> const auto& { return v.placement; })
          .must("ends", "Members that have ended.", [](const auto& v) -> const auto& { return v.row.ends; })
          .must("plannedAt", "When its devices were given to it.", [](const auto& v) { return v.row.plannedAt; })
          .may("startedAt", "When all its members ran.", [](const auto& v) { return v.row.startedAt; })
          .may("stopAt", "When it was told to stop.", [](const auto& v) { return v.row.stopAt; })
          .may("endedAt", "When its devices were free again.", [](const auto& v) { return v.row.endedAt; })
          .may("resumedFrom", "Checkpoint it started from.",
               [](const auto& v) -> const std::string& { return v.row.resumedFrom; })
          .may("checkpoint", "Newest valid checkpoint at its end.",
               [](const auto& v) -> const std::string& { return v.row.checkpoint; })
          .may("checkpointAt", "When that was complete.", [](const auto& v) { return v.row.checkpointAt; });
  return kShape;
}

}  // namespace fairlead::api
