#include "slurm/inventory.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fairlead::engine::slurm {
namespace {

using wire::NodeFlag;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Resources that stand for an accelerator whatever their type says; empty vendor: only the type tells it.
struct GresName {
  std::string_view name, vendor;
};
constexpr GresName kGresNames[] = {{"gpu", ""},          {"npu", "huawei"},    {"dcu", "hygon"},
                                   {"mlu", "cambricon"}, {"xpu", "kunlunxin"}, {"gcu", "enflame"}};

const GresName* findGresName(const std::string& name) {
  for (const auto& row : kGresNames)
    if (row.name == name) return &row;
  return nullptr;
}

const model::AcceleratorModel* rowOfFamily(std::string_view name) {
  for (const auto& row : model::acceleratorTable())
    if (model::modelMatches(name, row.name)) return &row;
  return nullptr;
}

/// The kind that a resource is; nothing for what is no accelerator.
std::optional<DeviceKind> kindOf(const wire::GresEntry& gres) {
  const auto* named = findGresName(gres.name);
  if (named == nullptr) return {};
  DeviceKind kind{gres.name, gres.type, std::string(named->vendor), {}};
  const auto canonical = gres.type.empty() ? std::string_view() : model::canonicalModelOrFamily(gres.type);
  kind.model = canonical.empty() ? lower(gres.type) : std::string(canonical);
  if (const auto* row = canonical.empty() ? nullptr : rowOfFamily(canonical)) kind.vendor = std::string(row->vendor);
  if (kind.vendor.empty()) kind.vendor = "nvidia";  // a resource `gpu` of a type nobody knows
  if (kind.model.empty()) kind.model = "unknown";
  return kind;
}

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
  for (const auto& gres : node.gres) {
    const auto kind = kindOf(gres);
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
    }
  }
}

/// `gresUsed` against `tresUsed`: both are Slurm's word about the same devices.
void compare(const wire::SlurmNode& node, ClusterInventory& all) {
  for (const auto& row : kGresNames) {
    std::int64_t byGres = 0;
    for (const auto& gres : node.gresUsed)
      if (gres.name == row.name) byGres += gres.count;
    const auto byTres = wire::tresCount(node.tresUsed, "gres", row.name);
    if (byTres && *byTres != byGres)
      all.doubts.push_back(fmt::format("node {}: {} {} in use by GresUsed, {} by AllocTRES", printable(node.name, 80),
                                       byGres, row.name, *byTres));
  }
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
    compare(node, all);
    all.nodes.push_back(std::move(out));
  }
  std::sort(all.nodes.begin(), all.nodes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(all.kinds.begin(), all.kinds.end(), [](const DeviceKind& a, const DeviceKind& b) {
    return std::tie(a.gresName, a.gresType) < std::tie(b.gresName, b.gresType);
  });
  return all;
}

}  // namespace fairlead::engine::slurm
