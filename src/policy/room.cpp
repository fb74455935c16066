#include "room.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/model/accelerators.hpp>
#include <fairlead/policy/free.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace fairlead::policy {

std::vector<ClusterRoom> makeRooms(const std::vector<NodeView>& views, bool whole) {
  std::vector<const NodeView*> order;
  for (const auto& view : views)
    if (whole || view.node.state == model::NodeState::ready) order.push_back(&view);
  std::sort(order.begin(), order.end(), [](const NodeView* a, const NodeView* b) {
    return std::tie(a->node.cluster, a->node.name) < std::tie(b->node.cluster, b->node.name);
  });
  std::vector<ClusterRoom> rooms;
  for (const auto* view : order) {
    if (rooms.empty() || rooms.back().cluster != view->node.cluster) rooms.push_back({view->node.cluster, {}});
    NodeRoom room{&view->node, view->deviceFree, view->cpusFree, view->memoryFree};
    if (whole) {
      room.cpus = view->node.cpus;
      room.memory = view->node.memory;
      for (std::size_t i = 0; i < room.free.size(); ++i) room.free[i] = view->node.devices[i].capacity;
    }
    rooms.back().nodes.push_back(std::move(room));
  }
  return rooms;
}

std::string kindText(const model::DeviceRequest& request) {
  std::string text = !request.model.empty()   ? request.model
                     : request.vendor.empty() ? "devices"
                                              : request.vendor + " devices";
  if (request.memoryAtLeast.count > 0) text += " with " + fairlead::toText(request.memoryAtLeast);
  return request.count == 0 ? "shares of " + text : text;
}

namespace {

/// Devices of one make that a role may use.
struct Kind {
  const model::DeviceRequest* request = nullptr;
  std::string vendor;
  std::string model;
};

/// What one member takes of one node, if it fits there.
std::optional<std::vector<model::DeviceSlice>> takeDevices(const NodeRoom& room, const Kind& kind) {
  std::vector<model::DeviceSlice> slices;
  if (kind.request == nullptr) return slices;
  const auto& request = *kind.request;
  const auto fits = [&](std::size_t i) {
    const auto& device = room.node->devices[i];
    return device.healthy && device.vendor == kind.vendor && device.model == kind.model &&
           model::deviceMatches(request, device);
  };
  if (request.count == 0) {  // a share: the fullest device that still has room for it
    std::size_t best = room.free.size();
    for (std::size_t i = 0; i < room.free.size(); ++i)
      if (fits(i) && room.free[i] >= request.share && (best == room.free.size() || room.free[i] < room.free[best]))
        best = i;
    if (best == room.free.size()) return {};
    slices.push_back({room.node->devices[best].index, request.share});
    return slices;
  }
  for (std::size_t i = 0; i < room.free.size() && std::ssize(slices) < request.count; ++i)
    if (fits(i) && room.free[i] == room.node->devices[i].capacity)
      slices.push_back({room.node->devices[i].index, room.free[i]});
  if (std::ssize(slices) < request.count) return {};
  return slices;
}

MilliDevices freeOf(const NodeRoom& room, const Kind& kind) {
  MilliDevices sum;
  if (kind.request == nullptr) return sum;
  for (std::size_t i = 0; i < room.free.size(); ++i) {
    const auto& device = room.node->devices[i];
    if (!device.healthy || device.model != kind.model || device.vendor != kind.vendor) continue;
    const bool whole = room.free[i] == device.capacity;
    if (model::deviceMatches(*kind.request, device) && (kind.request->count == 0 || whole)) sum += room.free[i];
  }
  return sum;
}

void takeFrom(NodeRoom& room, const model::MemberPlacement& member, int sign) {
  adjustFree(*room.node, room.free, room.cpus, room.memory, member, sign);
}

bool isAvoided(const NodeRoom& room, const std::vector<std::string>& avoid) {
  return std::find(avoid.begin(), avoid.end(), room.node->name) != avoid.end();
}

/// Searches a placement of all roles on one cluster: roles that need most per member first, kinds in order of
/// preference, with a bounded number of tries.
class GangSearch {
 public:
  GangSearch(ClusterRoom room, const model::Spec& spec, const std::vector<std::string>& avoid)
      : room_(std::move(room)), spec_(spec), avoid_(avoid), order_(spec.roles.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto weight = [&](std::size_t role) {
      const auto& r = spec_.roles[role];
      return std::make_tuple(r.devices.empty() ? 0 : std::max(r.devices.front().count, 1), r.cpus, r.memory);
    };
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  }

  bool run() { return placeFrom(0); }

  [[nodiscard]] std::vector<model::MemberPlacement> members() const {
    auto sorted = placed_;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return std::tie(a.role, a.rank) < std::tie(b.role, b.rank); });
    std::int32_t rank = 0;
    for (auto& member : sorted) member.rank = rank++;
    return sorted;
  }

  [[nodiscard]] std::size_t bestPlaced() const { return bestPlaced_; }
  [[nodiscard]] std::size_t blockedRole() const { return blockedRole_; }
  [[nodiscard]] const ClusterRoom& room() const { return room_; }

 private:
  static constexpr int kMaxTries = 256;

  bool placeFrom(std::size_t step) {
    if (step == order_.size()) return true;
    const auto role = order_[step];
    const auto kinds = kindsOf(spec_.roles[role]);
    for (const auto& kind : kinds) {
      if (++tries_ > kMaxTries) return false;
      const auto before = placed_.size();
      if (placeRole(role, kind) && placeFrom(step + 1)) return true;
      undoTo(before);
    }
    if (kinds.empty()) note(role);
    return false;
  }

  bool placeRole(std::size_t roleIndex, const Kind& kind) {
    const auto& role = spec_.roles[roleIndex];
    std::int32_t got = 0;
    for (; got < role.count; ++got)
      if (!placeMember(roleIndex, got, kind)) break;
    if (got >= role.minimum) return true;
    note(roleIndex);
    return false;
  }

  /// Best fit: the node that has least left of this kind and still takes the member.
  bool placeMember(std::size_t roleIndex, std::int32_t number, const Kind& kind) {
    const auto& role = spec_.roles[roleIndex];
    NodeRoom* best = nullptr;
    std::optional<std::vector<model::DeviceSlice>> bestSlices;
    for (auto& node : room_.nodes) {
      if (node.cpus < role.cpus || node.memory < role.memory || isAvoided(node, avoid_) || !onRequiredNode(node))
        continue;
      if (best != nullptr &&
          std::make_pair(freeOf(node, kind), node.cpus) >= std::make_pair(freeOf(*best, kind), best->cpus))
        continue;
      auto slices = takeDevices(node, kind);
      if (!slices) continue;
      best = &node;
      bestSlices = std::move(slices);
    }
    if (best == nullptr) return false;
    model::MemberPlacement member{static_cast<std::int32_t>(roleIndex),
                                  number,
                                  best->node->name,
                                  kind.vendor,
                                  kind.model,
                                  std::move(*bestSlices),
                                  role.cpus,
                                  role.memory};
    takeFrom(*best, member, -1);
    placed_.push_back(std::move(member));
    return true;
  }

  /// `topology.require: node` keeps all members on the node of the first.
  bool onRequiredNode(const NodeRoom& node) const {
    return spec_.topology.require != "node" || placed_.empty() || placed_.front().node == node.node->name;
  }

  std::vector<Kind> kindsOf(const model::Role& role) const {
    std::vector<Kind> kinds;
    if (role.devices.empty()) return {Kind{}};
    for (const auto& request : role.devices) {
      std::vector<std::pair<std::string, std::string>> seen;
      for (const auto& node : room_.nodes)
        for (const auto& device : node.node->devices)
          if (model::deviceMatches(request, device)) seen.emplace_back(device.vendor, device.model);
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (auto& [vendor, name] : seen) kinds.push_back({&request, vendor, name});
    }
    return kinds;
  }

  void undoTo(std::size_t size) {
    while (placed_.size() > size) {
      for (auto& node : room_.nodes)
        if (node.node->name == placed_.back().node) takeFrom(node, placed_.back(), +1);
      placed_.pop_back();
    }
  }

  void note(std::size_t role) {
    if (placed_.size() < bestPlaced_) return;
    bestPlaced_ = placed_.size();
    blockedRole_ = role;
  }

  ClusterRoom room_;
  const model::Spec& spec_;
  const std::vector<std::string>& avoid_;
  std::vector<std::size_t> order_;
  std::vector<model::MemberPlacement> placed_;
  std::size_t bestPlaced_ = 0;
  std::size_t blockedRole_ = 0;
  int tries_ = 0;
};

/// What is free of the devices that a role may use.
struct FreeDevices {
  MilliDevices all;
  MilliDevices mostOnNode;     ///< of one kind
  MilliDevices mostForMember;  ///< for a share: on one device; else as mostOnNode
};

FreeDevices countFree(const ClusterRoom& room, const model::Role& role, const std::vector<std::string>& avoid) {
  FreeDevices count;
  const bool shares = role.devices.front().count == 0;
  for (const auto& node : room.nodes) {
    if (isAvoided(node, avoid)) continue;
    std::map<std::pair<std::string_view, std::string_view>, MilliDevices> byKind;
    for (std::size_t i = 0; i < node.free.size(); ++i) {
      const auto& device = node.node->devices[i];
      const bool wanted = std::any_of(role.devices.begin(), role.devices.end(),
                                      [&](const auto& r) { return model::deviceMatches(r, device); });
      if (!device.healthy || !wanted || (!shares && node.free[i] != device.capacity)) continue;
      count.all += node.free[i];
      auto& ofKind = byKind[{device.vendor, device.model}];
      ofKind += node.free[i];
      count.mostOnNode = std::max(count.mostOnNode, ofKind);
      count.mostForMember = std::max(count.mostForMember, shares ? node.free[i] : ofKind);
    }
  }
  return count;
}

std::optional<model::Reason> deviceShortage(const ClusterRoom& room, const model::Spec& spec, const model::Role& role,
                                            const std::vector<std::string>& avoid) {
  if (role.devices.empty()) return {};
  const auto& request = role.devices.front();
  const auto perMember = request.count == 0 ? request.share : MilliDevices{1000} * request.count;
  const auto wanted = perMember * role.minimum;
  const auto free = countFree(room, role, avoid);
  const bool oneNode = spec.topology.require == "node";
  if (free.all < wanted)
    return model::Reason{model::ReasonCode::devicesShort, {wanted.count, free.all.count, kindText(request)}};
  if (free.mostForMember < perMember)
    return model::Reason{model::ReasonCode::devicesFragmented,
                         {perMember.count, free.mostForMember.count, kindText(request)}};
  if (oneNode && free.mostOnNode < wanted)
    return model::Reason{model::ReasonCode::devicesFragmented,
                         {wanted.count, free.mostOnNode.count, kindText(request)}};
  return {};
}

/// Why a role found no room in a cluster. Never empty: where each need alone could be met, cpus and memory are not
/// where the devices are.
std::vector<model::Reason> shortage(const ClusterRoom& room, const model::Spec& spec, std::size_t roleIndex,
                                    const std::vector<std::string>& avoid) {
  using model::ReasonCode;
  const auto& role = spec.roles[roleIndex];
  std::vector<model::Reason> reasons;
  MilliCpus mostCpus;
  Bytes mostMemory;
  for (const auto& node : room.nodes) {
    if (isAvoided(node, avoid)) continue;
    mostCpus = std::max(mostCpus, node.cpus);
    mostMemory = std::max(mostMemory, node.memory);
  }
  if (auto devices = deviceShortage(room, spec, role, avoid)) reasons.push_back(std::move(*devices));
  const bool elsewhere = reasons.empty();
  if (mostCpus < role.cpus || (elsewhere && role.cpus.count > 0))
    reasons.push_back({ReasonCode::cpusShort, {role.cpus.count, mostCpus.count}});
  if (mostMemory < role.memory || (elsewhere && role.memory.count > 0))
    reasons.push_back({ReasonCode::memoryShort, {role.memory.count, mostMemory.count}});
  for (const auto& node : room.nodes)
    if (isAvoided(node, avoid)) reasons.push_back({ReasonCode::nodeAvoided, {node.node->name}});
  return reasons;
}

}  // namespace

FitResult fitGang(const std::vector<ClusterRoom>& rooms, const model::Spec& spec, const std::vector<std::string>& avoid,
                  const Closed& closed) {
  FitResult result;
  std::size_t bestPlaced = 0;
  std::string shut;
  for (const auto& room : rooms) {
    if (closed.has(room.cluster)) {
      shut += (shut.empty() ? "" : ", ") + room.cluster;
      continue;
    }
    GangSearch search(room, spec, avoid);
    if (search.run()) {
      result.placement = Placement{room.cluster, search.members()};
      result.reasons.clear();
      return result;
    }
    if (!result.reasons.empty() && search.bestPlaced() <= bestPlaced) continue;
    bestPlaced = search.bestPlaced();
    result.reasons = shortage(room, spec, search.blockedRole(), avoid);
    if (bestPlaced > 0)
      result.reasons.push_back(
          {model::ReasonCode::gangIncomplete,
           {static_cast<std::int64_t>(bestPlaced), static_cast<std::int64_t>(model::memberMinimum(spec))}});
  }
  if (rooms.empty()) result.reasons.push_back({model::ReasonCode::noCluster, {}});
  if (result.reasons.empty()) result.reasons.push_back({model::ReasonCode::notGoverned, {closed.project, shut}});
  return result;
}

void adjust(std::vector<ClusterRoom>& rooms, const std::string& cluster,
            const std::vector<model::MemberPlacement>& members, int sign) {
  for (auto& room : rooms) {
    if (room.cluster != cluster) continue;
    for (const auto& member : members)
      for (auto& node : room.nodes)
        if (node.node->name == member.node) takeFrom(node, member, sign);
  }
}

}  // namespace fairlead::policy
