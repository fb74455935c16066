#include "data/archive.hpp"
#include "local/fields.hpp"
#include "local/launch_order.hpp"

#include <fairlead/engine/errors.hpp>

namespace fairlead::engine::local {
namespace {

constexpr std::string_view kFirstLine = "fairlead-order=1\n";

template <class Archive>
void describe(Archive& a, std::string_view key, std::vector<std::pair<std::string, std::string>>& pairs) {
  a.count(key, pairs);
  for (auto& [name, value] : pairs) {
    a.value("name", name);
    a.value("value", value);
  }
}

template <class Archive>
void describe(Archive& a, model::Role& role) {
  a.value("role", role.name);
  a.value("folder", role.workingDirectory);
  a.value("script", role.script);
  data::describe(a, "command", role.command);
  describe(a, "env", role.env);
}

template <class Archive>
void describe(Archive& a, LaunchMember& member) {
  a.value("rank", member.rank);
  a.value("role", member.role);
  a.value("cpus", member.cpusMilli);
  a.value("memory", member.memory);
  a.value("share", member.deviceMilli);
  describe(a, "devices", member.deviceEnv);
}

template <class Archive>
void describe(Archive& a, LaunchOrder& o) {
  for (auto [key, text] :
       std::initializer_list<std::pair<std::string_view, std::string*>>{{"attempt", &o.attempt},
                                                                        {"intent", &o.intent},
                                                                        {"workload", &o.workload},
                                                                        {"name", &o.name},
                                                                        {"project", &o.project},
                                                                        {"user", &o.unixUser},
                                                                        {"cluster", &o.cluster},
                                                                        {"node", &o.node},
                                                                        {"arrayParent", &o.arrayParent},
                                                                        {"modelPath", &o.modelPath},
                                                                        {"modelDigest", &o.modelDigest},
                                                                        {"artifacts", &o.artifacts},
                                                                        {"cgroupRoot", &o.cgroupRoot},
                                                                        {"bootIdFile", &o.bootIdFile},
                                                                        {"stdout", &o.logs.standardOutput},
                                                                        {"stderr", &o.logs.standardError}})
    a.value(key, *text);
  int append = o.logs.append ? 1 : 0;
  a.value("append", append);
  o.logs.append = append != 0;
  a.value("arrayIndex", o.arrayIndex);
  a.value("number", o.number);
  a.value("timeLimit", o.timeLimitMs);
  a.value("stopSignal", o.stopSignal);
  a.value("stopGrace", o.stopGraceMs);
  a.value("logSegment", o.logSegment);
  a.value("logSegments", o.logSegments);
  a.value("artifactLimit", o.artifactLimit);
  data::describe(a, o.checkpoint);
  a.count("roles", o.roles);
  for (auto& role : o.roles) describe(a, role);
  a.count("members", o.members);
  for (auto& member : o.members) describe(a, member);
  a.count("outputs", o.outputs);
  for (auto& output : o.outputs) data::describe(a, output);
}

}  // namespace

std::string encodeOrder(const LaunchOrder& order) {
  data::FieldWriter writer;
  LaunchOrder copy = order;  // one description serves both directions
  describe(writer, copy);
  auto text = std::string(kFirstLine) + encodeFields(writer.fields, '\n') + "\n";
  return text + "checksum=" + checksum(text) + "\n";
}

Result<LaunchOrder> decodeOrder(std::string_view text) {
  const auto bad = [](std::string_view why) { return fail(kFileMalformed, "the order is " + std::string(why)); };
  if (!text.starts_with(kFirstLine)) return bad("of another version");
  const auto last = text.rfind("checksum=");
  if (last == std::string_view::npos || last == 0 || text.back() != '\n') return bad("torn");
  const auto body = text.substr(0, last);
  if (text.substr(last) != "checksum=" + checksum(body) + "\n") return bad("torn or edited");
  const auto fields = decodeFields(body.substr(kFirstLine.size(), body.size() - kFirstLine.size() - 1), '\n');
  if (!fields) return bad("malformed");
  data::FieldReader reader{*fields};
  LaunchOrder order;
  describe(reader, order);
  if (!reader.good || reader.at != fields->size()) return bad("malformed");
  for (const auto& member : order.members)
    if (member.role < 0 || static_cast<std::size_t>(member.role) >= order.roles.size()) return bad("malformed");
  return order;
}

}  // namespace fairlead::engine::local
