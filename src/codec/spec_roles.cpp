// Roles and devices of a workload document.
#include "spec_fields.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {
namespace {

using model::DeviceRequest;
using model::Role;
using model::SpecLimits;

constexpr std::int64_t kLeastMemory = 1 << 20;
constexpr std::int64_t kMostCpus = 100'000;

std::string modelOf(Decoder& decoder, const Field& field) {
  const auto given = decoder.text(field);
  if (!given) return {};
  auto name = modelName(*given);
  if (isModelName(name)) return name;
  decoder.error(field, kBadValue, fmt::format("`{}` is not a model's name", printable(*given, 80)),
                "use a name such as h100 or ascend-910b");
  return {};
}

std::optional<Fault> vendorFault(std::string_view text) {
  if (isModelName(text)) return {};
  return Fault{fmt::format("`{}` is not a vendor's name", printable(text, 80)),
               "use a name such as nvidia, amd or huawei"};
}

std::optional<Fault> imageFault(std::string_view text) {
  const bool plain =
      std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
  if (!text.empty() && text.size() <= 1024 && text.front() != '-' && plain) return {};
  return Fault{"is not an image reference", "write it such as registry.example/bert:cuda"};
}

Bytes memoryAtLeast(Decoder& decoder, const Field& field) {
  if (field && field.node->kind == NodeKind::text && field.node->text.starts_with(">=")) {
    auto rest = field.node->text.substr(2);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    Node amount = *field.node;
    amount.text = rest;
    const auto copy = Field{field.parent, &amount, field.key, field.index, field.secret};
    return decoder.bytes(copy).value_or(Bytes{});
  }
  return decoder.bytes(field).value_or(Bytes{});
}

DeviceRequest decodeRequest(Decoder& decoder, MapReader& map) {
  DeviceRequest request;
  request.vendor = checkedText(decoder, map.optional("vendor"), vendorFault);
  request.model = modelOf(decoder, map.optional("model"));
  request.memoryAtLeast = memoryAtLeast(decoder, map.optional("memory"));
  const auto count = map.optional("count");
  const auto share = map.optional("share");
  if (count && share) decoder.error(share, kConflict, "`count` and `share` exclude each other", "drop one of them");
  if (count && count.node->kind == NodeKind::integer && count.node->integer == 0)
    decoder.error(count, kOutOfRange, "0 is out of range", "leave `devices` out to ask for none");
  else
    request.count =
        static_cast<std::int32_t>(decoder.integer(count, 1, SpecLimits::devicesPerMember).value_or(share ? 0 : 1));
  request.share = MilliDevices{decoder.thousandths(share, 1, 999).value_or(0)};
  return request;
}

DeviceRequest decodeOneRequest(Decoder& decoder, const Field& field) {
  MapReader map(decoder, field);
  auto request = decodeRequest(decoder, map);
  map.done();
  return request;
}

void readAlternatives(Decoder& decoder, const Field& any, std::vector<DeviceRequest>& requests) {
  const auto items = decoder.list(any, SpecLimits::deviceAlternatives);
  if (!items) return;
  if (items->empty()) decoder.error(any, kBadValue, "is empty", "leave `devices` out to ask for none");
  for (std::size_t i = 0; i < items->size(); ++i) requests.push_back(decodeOneRequest(decoder, Decoder::item(any, i)));
}

std::string workingDirectory(Decoder& decoder, const Field& field, const SpecContext& context) {
  auto given = checkedText(decoder, field, pathFault);
  if (given.empty() || given.front() == '/') return given;
  if (context.baseDirectory.empty()) {
    decoder.error(field, kBadValue,
                  fmt::format("`{}` is relative, and to what is not known here", printable(given, 80)),
                  "write an absolute path, or submit with the command line, which knows its folder");
    return {};
  }
  while (given.starts_with("./")) given.erase(0, 2);
  if (given.empty() || given == ".") return context.baseDirectory;
  return context.baseDirectory + (context.baseDirectory.ends_with('/') ? "" : "/") + given;
}

void readProgram(Decoder& decoder, const Field& role, MapReader& map, Role& out) {
  const auto command = map.optional("command");
  const auto script = map.optional("script");
  out.command = commandWords(decoder, command);
  if (command && script)
    decoder.error(script, kConflict, "`command` and `script` exclude each other", "drop one of them");
  if (map.isMap() && !command && !script)
    decoder.error(role, kMissingField, "neither `command` nor `script`", "write command: [program, argument]");
  const auto text = decoder.text(script);
  if (!text) return;
  if (text->size() > SpecLimits::scriptBytes)
    decoder.error(script, kOutOfRange,
                  fmt::format("{} bytes, at most {} are taken", text->size(), SpecLimits::scriptBytes));
  else if (!text->starts_with("#!"))
    decoder.error(script, kBadValue, "does not begin with #!",
                  "name the interpreter in its first line, such as #!/bin/bash");
  out.script = std::string(*text);
}

void readCounts(Decoder& decoder, MapReader& map, Role& out) {
  out.count =
      static_cast<std::int32_t>(decoder.integer(map.optional("count"), 1, SpecLimits::membersPerRole).value_or(1));
  const auto minimum = map.optional("min");
  out.minimum = static_cast<std::int32_t>(decoder.integer(minimum, 1, SpecLimits::membersPerRole).value_or(out.count));
  if (out.minimum > out.count) {
    decoder.error(minimum, kOutOfRange, fmt::format("{} is more than the count of {}", out.minimum, out.count),
                  "lower it, or raise `count`");
    out.minimum = out.count;
  }
}

void readHostParts(Decoder& decoder, MapReader& map, Role& out) {
  out.cpus = MilliCpus{decoder.thousandths(map.optional("cpus"), 1, kMostCpus * 1000).value_or(0)};
  const auto memory = map.optional("memory");
  out.memory = decoder.bytes(memory).value_or(Bytes{});
  if (memory && out.memory.count > 0 && out.memory.count < kLeastMemory)
    decoder.error(memory, kOutOfRange, fmt::format("{} is less than 1MiB", toText(out.memory)),
                  "add the unit, such as 512MiB");
}

Role decodeRole(Decoder& decoder, const Field& field, const SpecContext& context, bool only) {
  Role role;
  MapReader map(decoder, field);
  const auto name = only ? map.optional("name") : map.required("name");
  role.name = name ? checkedText(decoder, name, nameFault) : "main";
  readCounts(decoder, map, role);
  role.devices = decodeDevices(decoder, map.optional("devices"));
  readHostParts(decoder, map, role);
  readProgram(decoder, field, map, role);
  role.images = textPairs(decoder, map.optional("images"), {64, 64 * 1024, nameFault, imageFault, false});
  role.env = textPairs(decoder, map.optional("env"),
                       {SpecLimits::envEntries, SpecLimits::envBytes, envNameFault, nullptr, true});
  role.workingDirectory = workingDirectory(decoder, map.optional("workingDirectory"), context);
  map.done();
  return role;
}

Error deviceTextError(std::string_view text) {
  return {&kBadValue,
          fmt::format("`{}` is not a request for devices", printable(text, 80)),
          {},
          printable(text),
          "write it such as h100:2, 2, share:0.5, h100:share=0.5 or nvidia/h100:2",
          0,
          0};
}

}  // namespace

std::vector<DeviceRequest> decodeDevices(Decoder& decoder, const Field& field) {
  std::vector<DeviceRequest> requests;
  if (!field) return requests;
  if (field.node->kind == NodeKind::text || field.node->kind == NodeKind::integer) {
    auto parsed = parseDevices(field.node->text);
    if (parsed) return std::move(*parsed);
    decoder.error(field, *parsed.error().code, parsed.error().message, parsed.error().remedy);
    return requests;
  }
  MapReader map(decoder, field);
  const auto any = map.optional("any");
  if (any) {
    readAlternatives(decoder, any, requests);
    map.done();
    return requests;
  }
  auto request = decodeRequest(decoder, map);
  map.done();
  if (map.isMap()) requests.push_back(std::move(request));
  return requests;
}

std::vector<Role> decodeRoles(Decoder& decoder, const Field& field, const SpecContext& context) {
  std::vector<Role> roles;
  const auto items = decoder.list(field, SpecLimits::roles);
  if (!items) return roles;
  if (items->empty()) decoder.error(field, kBadValue, "is empty", "add at least one role");
  roles.reserve(items->size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto item = Decoder::item(field, i);
    auto role = decodeRole(decoder, item, context, items->size() == 1);
    const bool twice =
        std::any_of(roles.begin(), roles.end(), [&](const Role& other) { return other.name == role.name; });
    if (twice && !role.name.empty())
      decoder.error(item, kBadValue, fmt::format("role `{}` stands twice", role.name), "give each its own name");
    roles.push_back(std::move(role));
  }
  return roles;
}

Result<std::vector<DeviceRequest>> parseDevices(std::string_view text) {
  if (text.empty() || text == "none") {
    if (text.empty()) return tl::unexpected(deviceTextError(text));
    return std::vector<DeviceRequest>{};
  }
  DeviceRequest request;
  auto rest = text;
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    request.vendor = std::string(rest.substr(0, slash));
    if (!isModelName(request.vendor)) return tl::unexpected(deviceTextError(text));
    rest.remove_prefix(slash + 1);
  }
  const auto colon = rest.rfind(':');
  auto head = colon == std::string_view::npos ? std::string_view{} : rest.substr(0, colon);
  auto amount = colon == std::string_view::npos ? rest : rest.substr(colon + 1);
  bool isShare = false;
  if (head == "share") {
    head = {};
    isShare = true;
  } else if (amount.starts_with("share=")) {
    amount.remove_prefix(6);
    isShare = true;
  } else if (colon == std::string_view::npos && amount.find_first_not_of("0123456789") != std::string_view::npos) {
    head = amount;
    amount = "1";
  }
  if (!head.empty()) {
    request.model = modelName(head);
    if (!isModelName(request.model)) return tl::unexpected(deviceTextError(text));
  } else if (colon != std::string_view::npos && !isShare) {
    return tl::unexpected(deviceTextError(text));
  }
  const auto value = parseThousandths(amount);
  const bool whole = value && *value % 1000 == 0 && amount.find('.') == std::string_view::npos;
  if (isShare && value && *value >= 1 && *value <= 999) {
    request.share = MilliDevices{*value};
  } else if (!isShare && whole && *value >= 1000 && *value <= SpecLimits::devicesPerMember * 1000) {
    request.count = static_cast<std::int32_t>(*value / 1000);
  } else {
    return tl::unexpected(deviceTextError(text));
  }
  return std::vector<DeviceRequest>{std::move(request)};
}

}  // namespace fairlead::codec
