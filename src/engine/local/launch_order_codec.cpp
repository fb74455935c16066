#include "local/fields.hpp"
#include "local/launch_order.hpp"

#include <fairlead/engine/errors.hpp>

namespace fairlead::engine::local {
namespace {

constexpr std::string_view kFirstLine = "fairlead-order=1\n";

/// Writes what `describe` names.
struct OrderWriter {
  Fields fields;

  void value(std::string_view key, const std::string& text) { fields.emplace_back(std::string(key), text); }
  template <std::integral Number>
  void value(std::string_view key, Number number) {
    fields.emplace_back(std::string(key), std::to_string(number));
  }
  template <class Item>
  std::size_t count(std::string_view key, std::vector<Item>& list) {
    value(key, list.size());
    return list.size();
  }
};

/// Reads the same names in the same order.
struct OrderReader {
  const Fields& fields;
  std::size_t at = 0;
  bool good = true;

  std::string_view next(std::string_view key) {
    good = good && at < fields.size() && fields[at].first == key;
    return good ? std::string_view(fields[at++].second) : std::string_view();
  }
  void value(std::string_view key, std::string& text) { text = next(key); }
  template <std::integral Number>
  void value(std::string_view key, Number& number) {
    const auto parsed = parseNumber(next(key));
    good = good && parsed.has_value();
    if (parsed) number = static_cast<Number>(*parsed);
  }
  template <class Item>
  std::size_t count(std::string_view key, std::vector<Item>& list) {
    std::size_t size = 0;
    value(key, size);
    if (size > fields.size()) good = false;  // each item takes a field at least
    list.resize(good ? size : 0);
    return list.size();
  }
};

template <class Archive>
void describe(Archive& a, std::string_view key, std::vector<std::string>& words) {
  a.count(key, words);
  for (auto& word : words) a.value("word", word);
}

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
  describe(a, "command", role.command);
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
void describe(Archive& a, model::OutputRule& output) {
  a.value("output", output.name);
  a.value("path", output.path);
  a.value("metrics", output.metrics);
}

template <class Archive>
void describe(Archive& a, std::optional<model::CheckpointRule>& rule) {
  int present = rule ? 1 : 0;
  a.value("checkpoint", present);
  if (present == 0) return;
  if (!rule) rule.emplace();
  int kind = static_cast<int>(rule->valid.kind);
  a.value("path", rule->path);
  a.value("validKind", kind);
  rule->valid.kind = static_cast<model::CheckpointValidity::Kind>(kind);
  a.value("validFile", rule->valid.file);
  describe(a, "validCommand", rule->valid.command);
  a.value("signal", rule->signal);
  a.value("grace", rule->grace.count);
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
  describe(a, o.checkpoint);
  a.count("roles", o.roles);
  for (auto& role : o.roles) describe(a, role);
  a.count("members", o.members);
  for (auto& member : o.members) describe(a, member);
  a.count("outputs", o.outputs);
  for (auto& output : o.outputs) describe(a, output);
}

}  // namespace

std::string encodeOrder(const LaunchOrder& order) {
  OrderWriter writer;
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
  OrderReader reader{*fields};
  LaunchOrder order;
  describe(reader, order);
  if (!reader.good || reader.at != fields->size()) return bad("malformed");
  for (const auto& member : order.members)
    if (member.role < 0 || static_cast<std::size_t>(member.role) >= order.roles.size()) return bad("malformed");
  return order;
}

}  // namespace fairlead::engine::local
