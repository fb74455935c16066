// Canonical JSON of a spec: keys in byte order, defaults left out. What is written here must be read back equal by
// spec_decode.
#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/codec/spec_codec.hpp>

namespace fairlead::codec {
namespace {

using model::Spec;

void member(JsonWriter& json, std::string_view key, const std::string& text) {
  if (!text.empty()) json.member(key, text);
}

void words(JsonWriter& json, std::string_view key, const std::vector<std::string>& list) {
  if (list.empty()) return;
  json.key(key).beginArray();
  for (const auto& word : list) json.value(word);
  json.endArray();
}

void pairs(JsonWriter& json, std::string_view key, const TextPairs& list) {
  if (list.empty()) return;
  json.key(key);
  writePairs(json, list);
}

void writeRequest(JsonWriter& json, const model::DeviceRequest& request) {
  json.beginObject();
  if (request.count != 0) json.member("count", request.count);
  if (request.memoryAtLeast.count != 0) json.member("memory", toText(request.memoryAtLeast));
  member(json, "model", request.model);
  if (request.share.count != 0) json.key("share").raw(thousandthsToText(request.share.count));
  member(json, "vendor", request.vendor);
  json.endObject();
}

void writeDevices(JsonWriter& json, const std::vector<model::DeviceRequest>& devices) {
  if (devices.empty()) return;
  json.key("devices");
  if (devices.size() == 1) return writeRequest(json, devices.front());
  json.beginObject().key("any").beginArray();
  for (const auto& request : devices) writeRequest(json, request);
  json.endArray().endObject();
}

void writeRole(JsonWriter& json, const model::Role& role) {
  json.beginObject();
  words(json, "command", role.command);
  if (role.count != 1) json.member("count", role.count);
  if (role.cpus.count != 0) json.key("cpus").raw(thousandthsToText(role.cpus.count));
  writeDevices(json, role.devices);
  pairs(json, "env", role.env);
  pairs(json, "images", role.images);
  if (role.memory.count != 0) json.member("memory", toText(role.memory));
  if (role.minimum != role.count) json.member("min", role.minimum);
  json.member("name", role.name);
  member(json, "script", role.script);
  member(json, "workingDirectory", role.workingDirectory);
  json.endObject();
}

void writeCheckpoint(JsonWriter& json, const model::CheckpointRule& rule) {
  using Kind = model::CheckpointValidity::Kind;
  json.key("checkpoint").beginObject();
  if (rule.signal != 0 && rule.grace != kDefaultCheckpointGrace) json.member("grace", toText(rule.grace));
  member(json, "path", rule.path);
  if (rule.signal != 0) json.member("signal", rule.signal);
  if (!rule.path.empty()) {
    json.key("valid").beginObject();
    if (rule.valid.kind == Kind::command)
      words(json, "command", rule.valid.command);
    else
      json.member(rule.valid.kind == Kind::manifest ? "manifest" : "marker", rule.valid.file);
    json.endObject();
  }
  json.endObject();
}

void writeRetry(JsonWriter& json, const model::RetryRule& rule) {
  model::RetryRule usual;
  usual.categories = defaultRetryCategories();
  if (rule == usual) return;
  json.key("retry").beginObject();
  if (rule.backoff != usual.backoff) json.member("backoff", toText(rule.backoff));
  if (rule.limit != usual.limit) json.member("limit", rule.limit);
  if (rule.categories != usual.categories || !rule.exitCodes.empty()) {
    json.key("on").beginArray();
    for (const auto category : rule.categories) json.value(toText(category));
    for (const auto code : rule.exitCodes) json.value("exit:" + std::to_string(code));
    json.endArray();
  }
  json.endObject();
}

void writeArray(JsonWriter& json, const model::ArrayRule& rule) {
  json.key("array").beginObject().member("indices", arrayIndicesText(rule.ranges));
  if (rule.parallel != 0) json.member("parallel", rule.parallel);
  json.endObject();
}

void writeDependencies(JsonWriter& json, const std::vector<model::Dependency>& dependencies) {
  if (dependencies.empty()) return;
  json.key("dependencies").beginArray();
  for (const auto& dependency : dependencies) {
    json.beginObject();
    if (dependency.condition != model::Dependency::Condition::succeeded)
      json.member("condition", toText(dependency.condition));
    json.member("workload", dependency.workload).endObject();
  }
  json.endArray();
}

void writeOutputs(JsonWriter& json, const std::vector<model::OutputRule>& outputs) {
  if (outputs.empty()) return;
  json.key("outputs").beginArray();
  for (const auto& output : outputs) {
    json.beginObject();
    if (output.kind == model::OutputRule::Kind::model) json.member("kind", "model");
    member(json, "metrics", output.metrics);
    member(json, "model", output.model);
    json.member("name", output.name).member("path", output.path).endObject();
  }
  json.endArray();
}

void writeLogs(JsonWriter& json, const model::LogFiles& logs) {
  if (logs == model::LogFiles{}) return;
  json.key("logs").beginObject();
  if (logs.append) json.member("append", true);
  member(json, "error", logs.standardError);
  member(json, "output", logs.standardOutput);
  json.endObject();
}

void writeModel(JsonWriter& json, const model::ModelInput& input) {
  json.key("model").beginObject().member("name", input.model);
  if (input.version != 0) json.member("version", input.version);
  json.endObject();
}

void writeSlurmHints(JsonWriter& json, const model::SlurmHints& hints) {
  if (hints == model::SlurmHints{}) return;
  json.key("slurm").beginObject();
  member(json, "constraint", hints.constraint);
  if (hints.exclusive) json.member("exclusive", true);
  member(json, "licenses", hints.licenses);
  member(json, "partition", hints.partition);
  member(json, "qos", hints.qos);
  member(json, "reservation", hints.reservation);
  if (hints.switches > 0) json.member("switches", hints.switches);
  json.endObject();
}

void writeTopology(JsonWriter& json, const model::TopologyRule& rule) {
  if (rule == model::TopologyRule{}) return;
  json.key("topology").beginObject();
  member(json, "prefer", rule.prefer);
  member(json, "require", rule.require);
  json.endObject();
}

void writeSpec(JsonWriter& json, const Spec& spec) {
  const Spec usual;
  const bool elastic = model::memberMinimum(spec) < model::memberCount(spec);
  json.beginObject();
  if (spec.array) writeArray(json, *spec.array);
  if (spec.checkpoint) writeCheckpoint(json, *spec.checkpoint);
  if (spec.taskClass != usual.taskClass) json.member("class", toText(spec.taskClass));
  writeDependencies(json, spec.dependencies);
  if (spec.gang != (elastic ? model::GangRule::min : model::GangRule::all)) json.member("gang", toText(spec.gang));
  writeLogs(json, spec.logs);
  if (spec.model) writeModel(json, *spec.model);
  if (spec.notBefore) json.member("notBefore", toText(spec.notBefore));
  writeOutputs(json, spec.outputs);
  if (spec.priority != 0) json.member("priority", spec.priority);
  writeRetry(json, spec.retry);
  json.key("roles").beginArray();
  for (const auto& role : spec.roles) writeRole(json, role);
  json.endArray();
  writeSlurmHints(json, spec.slurm);
  if (spec.startHeld) json.member("startHeld", true);
  if (spec.stopGrace != usual.stopGrace) json.member("stopGrace", toText(spec.stopGrace));
  if (spec.stopSignal != usual.stopSignal) json.member("stopSignal", spec.stopSignal);
  if (spec.timeLimit.count != 0) json.member("timeLimit", toText(spec.timeLimit));
  writeTopology(json, spec.topology);
  json.endObject();
}

}  // namespace

std::string canonicalJson(const Spec& spec) {
  std::string out;
  out.reserve(512);
  JsonWriter json(out);
  writeSpec(json, spec);
  return out;
}

std::string workloadJson(const WorkloadDocument& document) {
  std::string out;
  out.reserve(768);
  JsonWriter json(out);
  json.beginObject().member("apiVersion", "fairlead.io/v1").member("kind", "Workload").key("metadata").beginObject();
  pairs(json, "labels", document.labels);
  json.member("name", document.name);
  member(json, "project", document.project);
  json.endObject().key("spec");
  writeSpec(json, document.spec);
  json.endObject();
  return out;
}

model::Digest specDigest(const Spec& spec) { return sha256(canonicalJson(spec)); }

model::SpecPtr makeSpecDocument(Spec spec) {
  auto document = std::make_shared<model::SpecDocument>();
  document->json = canonicalJson(spec);
  document->digest = sha256(document->json);
  document->spec = std::move(spec);
  return document;
}

}  // namespace fairlead::codec
