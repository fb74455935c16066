// GET /nodes and /devices, and what clusters have. Inventory belongs to the site: any authenticated caller sees it, but
// not who holds what.
#include "inventory.hpp"

#include "../service.hpp"
#include "../shapes/record_views.hpp"
#include "tables.hpp"

#include <algorithm>
#include <map>

namespace fairlead::api {
namespace {

std::vector<NodeView> readNodes(Service& service, std::string_view cluster) {
  auto snapshot = service.control().read([](const control::State& state) { return state.snapshot(0); });
  std::vector<NodeView> nodes;
  for (auto& view : snapshot.nodes) {
    if (!cluster.empty() && view.node.cluster != cluster) continue;
    NodeView node;
    node.cpusFree = view.cpusFree;
    node.memoryFree = view.memoryFree;
    for (std::size_t i = 0; i < view.node.devices.size(); ++i)
      node.devices.push_back({view.node.cluster, view.node.name, view.node.devices[i], view.deviceFree[i]});
    node.node = std::move(view.node);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.node.cluster, a.node.name) < std::tie(b.node.cluster, b.node.name);
  });
  return nodes;
}

void listNodes(Service& service, CallPtr call) {
  replyPage(*call, Page<NodeView>{readNodes(service, call->text("cluster")), {}});
}

void listDevices(Service& service, CallPtr call) {
  const auto model = call->text("model");
  Page<DeviceView> page;
  for (auto& node : readNodes(service, call->text("cluster")))
    for (auto& device : node.devices)
      if (model.empty() || device.device.model == model) page.items.push_back(std::move(device));
  replyPage(*call, page);
}

void countNode(ClusterView& cluster, const NodeView& node) {
  ++cluster.nodes;
  if (node.node.state == model::NodeState::ready) ++cluster.nodesReady;
  for (const auto& device : node.devices) {
    auto found = std::find_if(cluster.devices.begin(), cluster.devices.end(), [&](const auto& count) {
      return count.vendor == device.device.vendor && count.model == device.device.model;
    });
    if (found == cluster.devices.end())
      found = cluster.devices.insert(found, DeviceCount{device.device.vendor, device.device.model, 0, 0, {}, {}});
    ++found->devices;
    if (device.device.healthy) ++found->healthy;
    found->capacity += device.device.capacity;
    found->free += device.free;
  }
}

}  // namespace

std::vector<ClusterView> readClusters(Service& service) {
  std::map<std::string, ClusterView> clusters;
  for (auto& record : service.deps().clusters.list()) clusters[record.name].record = std::move(record);
  for (auto& [name, status] : service.control().engineStatus()) clusters[name].status = std::move(status);
  for (const auto& node : readNodes(service, {})) countNode(clusters[node.node.cluster], node);
  service.control().read([&](const control::State& state) {
    for (const auto& [name, nodes] : state.clusters()) clusters[name].name = name;
    for (const auto id : state.liveAttempts())
      if (const auto* attempt = state.attempt(id)) ++clusters[attempt->cluster].attempts;
  });
  std::vector<ClusterView> all;
  for (auto& [name, cluster] : clusters) {
    cluster.name = name;
    std::sort(cluster.devices.begin(), cluster.devices.end(),
              [](const auto& a, const auto& b) { return std::tie(a.vendor, a.model) < std::tie(b.vendor, b.model); });
    if (!cluster.record.problem.empty()) cluster.status.answers = false;
    all.push_back(std::move(cluster));
  }
  return all;
}

namespace {

Param clusterParam() { return {.name = "cluster", .doc = "Only of this cluster.", .maxBytes = 63}; }

}  // namespace

void addInventoryRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/nodes",
                   .operation = "listNodes",
                   .tag = "inventory",
                   .summary = "List nodes with their devices and what is free",
                   .access = CallerCheck::authenticated,
                   .action = "inventory.read",
                   .params = {clusterParam()},
                   .answer = &shapeOf<NodeView>(),
                   .page = true,
                   .handler = listNodes});
  table.push_back({.method = "GET",
                   .path = "/api/v1/devices",
                   .operation = "listDevices",
                   .tag = "inventory",
                   .summary = "List accelerators one by one",
                   .access = CallerCheck::authenticated,
                   .action = "inventory.read",
                   .params = {clusterParam(), {.name = "model", .doc = "Only of this model.", .maxBytes = 63}},
                   .answer = &shapeOf<DeviceView>(),
                   .page = true,
                   .handler = listDevices});
}

}  // namespace fairlead::api
