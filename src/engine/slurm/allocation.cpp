#include "slurm/allocation.hpp"

#include <fairlead/model/accelerators.hpp>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

constexpr MilliDevices kWhole{1000};
constexpr std::int64_t kMostDevices = 4096;  // of a node
constexpr std::int64_t kMostOfJob = std::int64_t{1} << 20;

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

bool isOf(const wire::GresEntry& gres, const DeviceKind& kind) {
  return kind.gresName == gres.name && (gres.type.empty() || kind.gresType == gres.type);
}

/// Shards are parts of `gpu` devices, told as so many of each.
void takeShards(const wire::GresEntry& gres, const NodeDevices& node, std::vector<MilliDevices>& taken) {
  if (node.shardsPerDevice <= 0) return;
  std::size_t nth = 0;
  for (std::size_t i = 0; i < node.kinds.size() && nth < gres.perIndex.size(); ++i) {
    if (node.kinds[i].gresName != "gpu") continue;
    const MilliDevices part{gres.perIndex[nth++] * std::int64_t{1000} / node.shardsPerDevice};
    taken[i] = std::min(taken[i] + part, kWhole);
  }
}

/// How many of its named devices could be marked.
std::int64_t takeNamed(const wire::GresEntry& gres, const NodeDevices& node, std::vector<MilliDevices>& taken) {
  std::int64_t marked = 0;
  std::int32_t nth = 0;
  for (std::size_t i = 0; i < node.kinds.size(); ++i) {
    if (node.kinds[i].gresName != gres.name) continue;
    const bool named = std::binary_search(gres.indices.begin(), gres.indices.end(), nth++);
    if (!named || !isOf(gres, node.kinds[i]) || taken[i] == kWhole) continue;
    taken[i] = kWhole;
    ++marked;
  }
  return marked;
}

void takeCounted(const wire::GresEntry& gres, std::int64_t count, const NodeDevices& node,
                 std::vector<MilliDevices>& taken) {
  for (const bool onlyUsed : {true, false})
    for (std::size_t i = 0; i < node.kinds.size() && count > 0; ++i) {
      const bool used = i < node.used.size() && node.used[i].count > 0;
      if (!isOf(gres, node.kinds[i]) || taken[i].count > 0 || (onlyUsed && !used)) continue;
      taken[i] = kWhole;
      --count;
    }
}

/// A node that the inventory does not have, or not any more: with the devices that the job was given there.
NodeDevices assumedNode(const std::vector<wire::GresEntry>& gres) {
  NodeDevices node;
  for (const auto& entry : gres) {
    const auto kind = deviceKindOf(entry);
    if (!kind) continue;
    std::int64_t has = entry.count;
    if (!entry.indices.empty()) has = std::max(has, entry.indices.back() + std::int64_t{1});
    node.kinds.insert(node.kinds.end(), static_cast<std::size_t>(std::clamp<std::int64_t>(has, 0, kMostDevices)),
                      *kind);
  }
  return node;
}

std::int64_t roomFor(const wire::GresEntry& gres, const NodeDevices* node) {
  if (node == nullptr) return kMostDevices;
  return std::count_if(node->kinds.begin(), node->kinds.end(), [&](const auto& kind) { return isOf(gres, kind); });
}

/// `entry.count` devices over the nodes, one after the other, no node more than it has.
void spread(const wire::GresEntry& entry, const std::vector<const NodeDevices*>& nodes,
            std::vector<std::vector<wire::GresEntry>>& out) {
  std::vector<std::int64_t> room, given(nodes.size(), 0);
  for (const auto* node : nodes) room.push_back(roomFor(entry, node));
  auto left = std::min(entry.count, kMostOfJob);
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (std::size_t i = 0; i < nodes.size() && left > 0; ++i) {
      if (given[i] >= room[i]) continue;
      ++given[i];
      --left;
      moved = true;
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (given[i] == 0) continue;
    auto part = entry;
    part.count = given[i];
    out[i].push_back(std::move(part));
  }
}

/// More is no number that a cluster has; thousandfolds of it stay within 64 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 50;
std::int64_t countOf(const wire::Tres& tres, std::string_view type) {
  return std::clamp<std::int64_t>(wire::tresCount(tres, type).value_or(0), 0, kMost);
}

std::int64_t partOf(std::int64_t total, std::size_t parts, std::size_t i) {
  const auto n = static_cast<std::int64_t>(parts);
  return total / n + (static_cast<std::int64_t>(i) < total % n ? 1 : 0);
}

/// Adds the node's devices to the member of their kind, which is made where it is missing.
void addMembers(const NodeShare& share, std::vector<model::MemberPlacement>& members) {
  const auto first = members.size();
  members.emplace_back().node = share.node;
  for (std::size_t i = 0; i < share.taken.size(); ++i) {
    if (share.taken[i].count == 0) continue;
    const auto& kind = share.devices.kinds[i];
    auto member = std::find_if(members.begin() + static_cast<std::ptrdiff_t>(first), members.end(), [&](const auto& m) {
      return m.vendor.empty() || (m.vendor == kind.vendor && m.model == kind.model);
    });
    if (member == members.end()) {
      members.emplace_back().node = share.node;
      member = members.end() - 1;
    }
    member->vendor = kind.vendor;
    member->model = kind.model;
    member->devices.push_back({static_cast<std::int32_t>(i), share.taken[i]});
  }
}

/// One member of a role; false where it was given less than it must have.
bool takeMember(const RoleShape& role, std::int64_t nth, const std::vector<NodeShare>& shares,
                model::MemberPlacement& out) {
  const auto at = static_cast<std::size_t>(nth / role.tasksPerNode);
  if (at >= shares.size()) return false;
  const auto& share = shares[at];
  out.node = share.node;
  std::int64_t skip = nth % role.tasksPerNode * role.devices;
  for (std::size_t i = 0; i < share.taken.size(); ++i) {
    if (share.taken[i].count == 0 || skip-- > 0) continue;
    if (static_cast<std::int64_t>(out.devices.size()) == role.devices) break;
    out.vendor = share.devices.kinds[i].vendor;
    out.model = share.devices.kinds[i].model;
    out.devices.push_back({static_cast<std::int32_t>(i), share.taken[i]});
  }
  return static_cast<std::int64_t>(out.devices.size()) == role.devices;
}

}  // namespace

std::optional<DeviceKind> deviceKindOf(const wire::GresEntry& gres) {
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

bool sameDevices(const ClusterDevices& a, const ClusterDevices& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.kinds == y.second.kinds &&
           x.second.shardsPerDevice == y.second.shardsPerDevice;
  });
}

void takeDevices(const std::vector<wire::GresEntry>& gres, const NodeDevices& node, std::vector<MilliDevices>& taken) {
  taken.resize(node.kinds.size());
  for (const auto& entry : gres) {
    if (entry.name == "shard") {
      takeShards(entry, node, taken);
      continue;
    }
    const auto named = entry.indexed ? takeNamed(entry, node, taken) : 0;
    takeCounted(entry, entry.count - named, node, taken);
  }
}

std::vector<wire::GresEntry> deviceCounts(const wire::Tres& tres) {
  std::vector<wire::GresEntry> typed, all;
  for (const auto& count : tres) {
    if (count.type != "gres" || count.count <= 0) continue;
    wire::GresEntry entry;
    const auto colon = count.name.find(':');
    entry.name = count.name.substr(0, colon);
    if (colon != std::string::npos) entry.type = count.name.substr(colon + 1);
    entry.count = count.count;
    if (deviceKindOf(entry)) (entry.type.empty() ? all : typed).push_back(std::move(entry));
  }
  for (auto& entry : all) {
    for (const auto& other : typed)
      if (other.name == entry.name) entry.count -= other.count;
  }
  for (auto& entry : all)
    if (entry.count > 0) typed.push_back(std::move(entry));
  return typed;
}

std::vector<NodeShare> sharesOf(const Allocation& allocation, const ClusterDevices& cluster) {
  std::vector<const NodeDevices*> known;
  for (const auto& name : allocation.nodes) {
    const auto found = cluster.find(name);
    known.push_back(found == cluster.end() ? nullptr : &found->second);
  }
  std::vector<std::vector<wire::GresEntry>> gres(known.size());
  if (!known.empty() && allocation.gres.size() == known.size())
    for (std::size_t i = 0; i < known.size(); ++i) gres[i] = allocation.gres[i].gres;
  else
    for (const auto& entry : deviceCounts(allocation.counts)) spread(entry, known, gres);
  std::vector<NodeShare> shares(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    shares[i].node = allocation.nodes[i];
    shares[i].devices = known[i] != nullptr ? *known[i] : assumedNode(gres[i]);
    takeDevices(gres[i], shares[i].devices, shares[i].taken);
  }
  return shares;
}

std::vector<model::MemberPlacement> placementOf(const Allocation& allocation, const ClusterDevices& cluster) {
  std::vector<model::MemberPlacement> members;
  const auto shares = sharesOf(allocation, cluster);
  const auto cpus = countOf(allocation.counts, "cpu"), memory = countOf(allocation.counts, "mem");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto first = members.size();
    addMembers(shares[i], members);
    members[first].cpus = {partOf(cpus, shares.size(), i) * 1000};
    members[first].memory = {partOf(memory, shares.size(), i)};
  }
  for (std::size_t i = 0; i < members.size(); ++i) members[i].rank = static_cast<std::int32_t>(i);
  return members;
}

std::vector<model::MemberPlacement> placementOf(const std::vector<RoleShape>& roles,
                                                const std::vector<Allocation>& components,
                                                const ClusterDevices& cluster) {
  std::vector<model::MemberPlacement> members;
  if (roles.empty() || roles.size() != components.size()) return {};
  for (std::size_t k = 0; k < roles.size(); ++k) {
    const auto& role = roles[k];
    if (role.members <= 0 || role.tasksPerNode <= 0) return {};
    const auto shares = sharesOf(components[k], cluster);
    const auto cpus = countOf(components[k].counts, "cpu"), memory = countOf(components[k].counts, "mem");
    for (std::int64_t nth = 0; nth < role.members; ++nth) {
      auto& member = members.emplace_back();
      if (!takeMember(role, nth, shares, member)) return {};
      member.role = role.role;
      member.rank = static_cast<std::int32_t>(members.size() - 1);
      member.cpus = {cpus * 1000 / role.members};
      member.memory = {memory / role.members};
    }
  }
  return members;
}

}  // namespace fairlead::engine::slurm
