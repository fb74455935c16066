// Short ways to write down a snapshot. For tests.
#pragma once

#include <fairlead/policy/plan.hpp>

#include <string>
#include <utility>

namespace fairlead::policy::testing {

inline NodeView node(const std::string& name, int devices, const std::string& model = "h100-sxm5-80gb",
                     const std::string& vendor = "nvidia") {
  NodeView view;
  view.node.cluster = "local";
  view.node.name = name;
  view.node.cpus = {64'000};
  view.node.memory = {512LL << 30};
  for (int i = 0; i < devices; ++i) {
    model::Device device;
    device.index = i;
    device.vendor = vendor;
    device.model = model;
    device.memory = {80LL << 30};
    view.node.devices.push_back(device);
    view.deviceFree.push_back({1000});
  }
  view.cpusFree = view.node.cpus;
  view.memoryFree = view.node.memory;
  return view;
}

/// A spec of one role; its digest tells its shape.
inline model::SpecPtr spec(int members, int devices, Milliseconds limit = {}, const std::string& model = "h100") {
  auto document = std::make_shared<model::SpecDocument>();
  model::Role role;
  role.name = "worker";
  role.count = role.minimum = members;
  if (devices > 0) role.devices.push_back({{}, model, {}, devices, {}});
  role.command = {"true"};
  document->spec.roles.push_back(role);
  document->spec.timeLimit = limit;
  document->digest[0] = static_cast<std::uint8_t>(members);
  document->digest[1] = static_cast<std::uint8_t>(devices);
  document->digest[2] = static_cast<std::uint8_t>(limit.count / 1000);
  document->digest[3] = static_cast<std::uint8_t>(limit.count / 1000 / 256);
  document->digest[4] = static_cast<std::uint8_t>(model.size());
  return document;
}

inline QueueEntry entry(std::uint64_t id, model::SpecPtr what, std::int64_t queuedAt, std::int32_t priority = 0) {
  return {{id}, "p", priority, {queuedAt}, std::move(what), {}, 1, 0};
}

}  // namespace fairlead::policy::testing
