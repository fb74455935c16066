#include "device_text.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <map>

namespace fairlead::api {
namespace {

using Totals = std::map<std::string, std::int64_t>;  // kind to milli-devices

std::string kindOf(const model::DeviceRequest& request) {
  if (!request.model.empty()) return request.model;
  return request.vendor.empty() ? "devices" : request.vendor;
}

std::string textOf(const Totals& totals) {
  std::string text;
  for (const auto& [kind, milli] : totals)
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", thousandthsToText(milli), kind);
  return text;
}

std::int64_t perMember(const model::DeviceRequest& request) {
  return request.count > 0 ? std::int64_t{request.count} * 1000 : request.share.count;
}

}  // namespace

std::string wantedDevicesText(const model::Spec& spec) {
  Totals totals;
  for (const auto& role : spec.roles)
    if (!role.devices.empty()) totals[kindOf(role.devices.front())] += perMember(role.devices.front()) * role.count;
  return textOf(totals);
}

MilliDevices wantedDevices(const model::Spec& spec) {
  MilliDevices total;
  for (const auto& role : spec.roles)
    if (!role.devices.empty()) total += MilliDevices{perMember(role.devices.front())} * role.count;
  return total;
}

std::string placedDevicesText(const std::vector<model::MemberPlacement>& placement) {
  Totals totals;
  for (const auto& member : placement)
    for (const auto& slice : member.devices) totals[member.model] += slice.milli.count;
  return textOf(totals);
}

}  // namespace fairlead::api
