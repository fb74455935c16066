#include "slurm/inventory.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fairlead::engine::slurm {
namespace {

using wire::NodeFlag;

/// More CPUs or bytes than this are no number that a node has.
constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 50;

Bytes memoryOf(const DeviceKind& kind) {
  const auto* row = model::findAccelerator(kind.model);
  return row != nullptr ? Bytes{row->memoryGib << 30} : Bytes{};
}

model::NodeState stateOf(const wire::SlurmNode& node) {
  const auto has = [&](NodeFlag flag) { return node.flags.has(flag); };
  if (node.state == wire::NodeState::down || node.state == wire::NodeState::error)
    return has(NodeFlag::notResponding) && node.reason.empty() ? model::NodeState::unknown : model::NodeState::down;
  if (node.state == wire::NodeState::unknown) return model::NodeState::unknown;
  if (node.state == wire::NodeState::future || has(NodeFlag::poweredDown) || has(NodeFlag::invalid) ||
      has(NodeFlag::invalidReg))
    return model::NodeState::down;
  if (has(NodeFlag::notResponding)) return model::NodeState::unknown;
  if (has(NodeFlag::drain) || has(NodeFlag::fail) || has(NodeFlag::maintenance) || has(NodeFlag::poweringDown) ||
      has(NodeFlag::rebootIssued) || has(NodeFlag::blocked))
    return model::NodeState::draining;
  return model::NodeState::ready;
}

void addDevices(model::Node& out, const wire::SlurmNode& node, ClusterInventory& all) {
  std::int32_t next = 0;
  auto& devices = all.devices[node.name];
  std::int64_t shards = 0, shared = 0;
  for (const auto& gres : node.gres) {
    if (gres.name == "shard") shards += gres.count;
    if (gres.name == "gpu") shared += gres.count;
    const auto kind = deviceKindOf(gres);
    if (!kind) continue;
    if (std::find(all.kinds.begin(), all.kinds.end(), *kind) == all.kinds.end()) all.kinds.push_back(*kind);
    constexpr std::int64_t kMostDevices = 4096;
    for (std::int64_t i = 0; i < std::min(gres.count, kMostDevices); ++i) {
      model::Device device;
      device.index = next++;
      device.vendor = kind->vendor;
      device.model = kind->model;
      device.memory = memoryOf(*kind);
      out.devices.push_back(std::move(device));
      devices.kinds.push_back(*kind);
    }
  }
  if (shared > 0) devices.shardsPerDevice = shards / shared;
}

/// How many of a resource are in use, by each of Slurm's two words about it.
struct TwoCounts {
  std::int64_t byGres = 0;
  std::optional<std::int64_t> byTres;
};
TwoCounts countsOf(const wire::SlurmNode& node, const std::string& name) {
  TwoCounts counts;
  for (const auto& gres : node.gresUsed)
    if (gres.name == name) counts.byGres += gres.count;
  counts.byTres = wire::tresCount(node.tresUsed, "gres", name);
  return counts;
}

/// Of the accelerators that a node has or says are in use.
std::vector<std::string> gresNames(const wire::SlurmNode& node) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    wire::GresEntry entry;
    entry.name = name;
    if (deviceKindOf(entry) && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& gres : node.gres) add(gres.name);
  for (const auto& gres : node.gresUsed) add(gres.name);
  for (const auto& count : node.tresUsed)
    if (count.type == "gres") add(count.name);
  return names;
}

void addUse(model::Node& out, const wire::SlurmNode& node, ClusterInventory& all) {
  auto& devices = all.devices[node.name];
  std::vector<MilliDevices> used;
  takeDevices(node.gresUsed, devices, used);
  for (const auto& name : gresNames(node)) {
    const auto [byGres, byTres] = countsOf(node, name);
    if (!byTres || *byTres == byGres) continue;
    all.doubts.push_back(fmt::format("node {}: {} {} in use by GresUsed, {} by AllocTRES", printable(node.name, 80),
                                     byGres, name, *byTres));
    wire::GresEntry more;
    more.name = name;
    more.count = *byTres - byGres;
    takeDevices({more}, devices, used);
  }
  devices.used = out.used.devices = std::move(used);
  const auto amount = [&](std::int64_t told, const char* type) {
    const auto both = std::max(told, wire::tresCount(node.tresUsed, type).value_or(0));
    return std::clamp<std::int64_t>(both, 0, kMostOfAnything);
  };
  out.used.cpus = {amount(node.cpusAllocated, "cpu") * 1000};
  out.used.memory = {amount(node.memoryAllocated.count, "mem")};
}

void addLabels(model::Node& out, const wire::SlurmNode& node) {
  const auto joined = [](const wire::Words& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
  };
  const auto put = [&](std::string_view key, std::string value) {
    if (!value.empty()) out.labels.emplace_back(key, std::move(value));
  };
  put("slurm.features", joined(node.features));
  put("slurm.partitions", joined(node.partitions));
  put("slurm.reservation", node.reservation);
  put("slurm.topology", node.topologyAddress);
  std::sort(out.labels.begin(), out.labels.end());
}

}  // namespace

ClusterInventory readInventory(const std::string& cluster, const std::vector<wire::SlurmNode>& nodes) {
  ClusterInventory all;
  for (const auto& node : nodes) {
    model::Node out;
    out.cluster = cluster;
    out.name = node.name;
    out.state = stateOf(node);
    if (out.state != model::NodeState::ready)
      out.stateReason = node.reason.empty() ? node.stateText : node.stateText + ": " + printable(node.reason);
    out.cpus = {(node.cpusEffective > 0 ? node.cpusEffective : node.cpus) * 1000};
    out.memory = node.memory;
    addDevices(out, node, all);
    addLabels(out, node);
    addUse(out, node, all);
    all.nodes.push_back(std::move(out));
  }
  std::sort(all.nodes.begin(), all.nodes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(all.kinds.begin(), all.kinds.end(), [](const DeviceKind& a, const DeviceKind& b) {
    return std::tie(a.gresName, a.gresType) < std::tie(b.gresName, b.gresType);
  });
  return all;
}

}  // namespace fairlead::engine::slurm
