#include "local/launch_order.hpp"
#include "local/posix.hpp"
#include "ranks/rank_environment.hpp"

#include <fairlead/engine/errors.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::local {
namespace {

Result<std::string> visibleList(const model::MemberPlacement& placed, const model::Node& host) {
  std::string list;
  for (const auto& slice : placed.devices) {
    const auto known = std::any_of(host.devices.begin(), host.devices.end(), [&](const model::Device& d) {
      return d.index == slice.index && d.vendor == placed.vendor;
    });
    if (!known)
      return fail(kOrderRefused, fmt::format("rank {} was given {} device {}, which this host does not have",
                                             placed.rank, placed.vendor, slice.index));
    list += fmt::format("{}{}", list.empty() ? "" : ",", slice.index);
  }
  return list;
}

Result<std::vector<std::pair<std::string, std::string>>> deviceEnvironment(const model::MemberPlacement& placed,
                                                                           const model::Node& host) {
  std::vector<std::pair<std::string, std::string>> env;
  auto list = visibleList(placed, host);
  if (!list) return tl::unexpected(list.error());
  std::vector<std::string> vendors;
  for (const auto& device : host.devices) vendors.push_back(device.vendor);
  std::sort(vendors.begin(), vendors.end());
  vendors.erase(std::unique(vendors.begin(), vendors.end()), vendors.end());
  for (const auto& vendor : vendors) {
    const auto variable = model::visibleVariable(vendor);
    if (variable.empty()) continue;
    const bool given = vendor == placed.vendor && !list->empty();
    env.emplace_back(variable, given ? *list : std::string(noDevice(vendor)));
  }
  // NVML and nvidia-smi count in PCI order, CUDA by default by speed: without this an index may mean another device.
  if (placed.vendor == "nvidia" && !list->empty()) env.emplace_back("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  return env;
}

Result<LaunchMember> makeMember(const model::MemberPlacement& placed, const control::StartOrder& order,
                                const model::Node& host) {
  const auto& roles = order.workload.spec->spec.roles;
  if (placed.role < 0 || static_cast<std::size_t>(placed.role) >= roles.size() || placed.rank < 0)
    return fail(kOrderRefused, fmt::format("rank {} has no role {}", placed.rank, placed.role));
  if (placed.node != host.name)
    return fail(kOrderRefused,
                fmt::format("rank {} was placed on node {}, this is {}", placed.rank, placed.node, host.name));
  auto env = deviceEnvironment(placed, host);
  if (!env) return tl::unexpected(env.error());
  LaunchMember member{placed.rank, placed.role, std::move(*env), placed.cpus.count, placed.memory.count, 0};
  if (placed.devices.size() == 1 && placed.devices[0].milli.count < 1000)
    member.deviceMilli = placed.devices[0].milli.count;
  return member;
}

constexpr std::string_view kFileScheme = "file://";

void takeSpec(LaunchOrder& launch, const model::Spec& spec) {
  for (const auto& role : spec.roles) {
    auto& kept = launch.roles.emplace_back();
    kept.name = role.name;
    kept.command = role.command;
    kept.script = role.script;
    kept.env = role.env;
    kept.workingDirectory = role.workingDirectory;
  }
  launch.timeLimitMs = spec.timeLimit.count;
  launch.checkpoint = spec.checkpoint;
  launch.stopSignal = spec.stopSignal;
  launch.stopGraceMs = spec.stopGrace.count;
  launch.outputs = spec.outputs;
  launch.logs = spec.logs;
}

void takeRows(LaunchOrder& launch, const control::StartOrder& order) {
  const auto& workload = order.workload;
  launch.attempt = toText(order.attempt.id);
  launch.intent = model::toText(order.intent.id);
  launch.workload = toText(workload.id);
  launch.name = workload.name;
  launch.project = workload.project;
  launch.unixUser = workload.unixUser;
  launch.number = static_cast<std::int32_t>(order.attempt.number);
  if (workload.arrayParent) launch.arrayParent = toText(workload.arrayParent);
  launch.arrayIndex = workload.arrayIndex;
}

void takeOptions(LaunchOrder& launch, const LocalOptions& options) {
  launch.cluster = options.cluster;
  launch.logSegment = options.logSegment.count;
  launch.logSegments = options.logSegments;
  launch.artifactLimit = options.artifactLimit.count;
  launch.artifacts = options.stateDir + "/artifacts";
  launch.cgroupRoot = options.cgroupRoot;
  launch.bootIdFile = options.bootIdFile;
}

}  // namespace

Result<LaunchOrder> makeLaunchOrder(const control::StartOrder& order, const LocalOptions& options,
                                    const model::Node& host) {
  if (order.intent.id.kind != model::IntentKind::start || order.intent.id.attempt != order.attempt.id)
    return fail(kOrderRefused, "the intent is not a start of this attempt");
  if (!order.workload.spec) return fail(kOrderRefused, "the order has no spec");
  if (order.attempt.placement.empty()) return fail(kOrderRefused, "the order places no member");
  LaunchOrder launch;
  takeRows(launch, order);
  takeOptions(launch, options);
  takeSpec(launch, order.workload.spec->spec);
  launch.node = host.name;
  for (const auto& placed : order.attempt.placement) {
    auto member = makeMember(placed, order, host);
    if (!member) return tl::unexpected(member.error());
    launch.members.push_back(std::move(*member));
  }
  std::sort(launch.members.begin(), launch.members.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
  if (order.modelUri.empty()) return launch;
  if (!order.modelUri.starts_with(kFileScheme))
    return fail(kOrderRefused, "this engine reads models from file:// only, not from " + order.modelUri);
  launch.modelPath = order.modelUri.substr(kFileScheme.size());
  launch.modelDigest = toHex({reinterpret_cast<const char*>(order.modelDigest.data()), order.modelDigest.size()});
  return launch;
}

}  // namespace fairlead::engine::local
