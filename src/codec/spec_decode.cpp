#include "spec_fields.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <fmt/format.h>

namespace fairlead::codec {
namespace {

using model::GangRule;
using model::Spec;
using model::SpecLimits;

constexpr std::string_view kApiVersion = "fairlead.io/v1";
constexpr std::string_view kKind = "Workload";
/// A stored script may be six times as long as it was, escaped.
constexpr Limits kStoredLimits{64 * 1024 * 1024, 1'000'000, 64, 1};

std::int32_t priorityOf(Decoder& decoder, const Field& field) {
  if (!field) return 0;
  if (field.node->kind != NodeKind::text)
    return static_cast<std::int32_t>(decoder.integer(field, -SpecLimits::priority, SpecLimits::priority).value_or(0));
  if (field.node->text == "low") return -100;
  if (field.node->text == "normal") return 0;
  if (field.node->text == "high") return 100;
  decoder.error(
      field, kBadValue, fmt::format("`{}` is not a priority", printable(field.node->text, 80)),
      fmt::format("use low, normal, high, or an integer from {} to {}", -SpecLimits::priority, SpecLimits::priority));
  return 0;
}

model::TopologyRule decodeTopology(Decoder& decoder, const Field& field) {
  model::TopologyRule rule;
  MapReader map(decoder, field);
  rule.require = checkedText(decoder, map.optional("require"), nameFault);
  rule.prefer = checkedText(decoder, map.optional("prefer"), nameFault);
  map.done();
  return rule;
}

void readGang(Decoder& decoder, const Field& field, Spec& spec) {
  const auto given = decoder.choice<GangRule>(field);
  const bool elastic = model::memberMinimum(spec) < model::memberCount(spec);
  spec.gang = given.value_or(elastic ? GangRule::min : GangRule::all);
  if (given == GangRule::all && elastic)
    decoder.error(field, kConflict, "a role has a `min` below its `count`, and `all` starts every member or none",
                  "write gang: min, or drop `min`");
}

void readTimes(Decoder& decoder, MapReader& map, Spec& spec) {
  const auto limit = map.optional("timeLimit");
  if (const auto span = decoder.duration(limit)) {
    spec.timeLimit = *span;
    if (span->count < 1000)
      decoder.error(limit, kOutOfRange, "is shorter than a second", "use at least 1s, or leave it out for no limit");
  }
  if (const auto moment = decoder.time(map.optional("notBefore"))) spec.notBefore = *moment;
  spec.startHeld = decoder.boolean(map.optional("startHeld")).value_or(false);
  const auto stopSignal = map.optional("stopSignal");
  if (stopSignal) spec.stopSignal = signalOf(decoder, stopSignal, {19});
  const auto grace = map.optional("stopGrace");
  if (const auto span = decoder.duration(grace)) {
    spec.stopGrace = *span;
    if (span->count > 86'400'000) decoder.error(grace, kOutOfRange, "is longer than a day", "use at most 1d");
  }
}

Spec decodeSpec(Decoder& decoder, const Field& field, const SpecContext& context) {
  Spec spec;
  if (!field) return spec;
  MapReader map(decoder, field);
  spec.taskClass = decoder.choice<model::TaskClass>(map.optional("class")).value_or(model::TaskClass::training);
  spec.priority = priorityOf(decoder, map.optional("priority"));
  spec.roles = decodeRoles(decoder, map.required("roles"), context);
  readGang(decoder, map.optional("gang"), spec);
  if (const auto topology = map.optional("topology")) spec.topology = decodeTopology(decoder, topology);
  readTimes(decoder, map, spec);
  if (const auto checkpoint = map.optional("checkpoint")) spec.checkpoint = decodeCheckpoint(decoder, checkpoint);
  spec.retry = decodeRetry(decoder, map.optional("retry"));
  spec.outputs = decodeOutputs(decoder, map.optional("outputs"));
  spec.dependencies = decodeDependencies(decoder, map.optional("dependencies"));
  if (const auto array = map.optional("array")) spec.array = decodeArray(decoder, array);
  if (const auto input = map.optional("model")) spec.model = decodeModelInput(decoder, input);
  if (const auto logs = map.optional("logs")) spec.logs = decodeLogs(decoder, logs);
  if (const auto slurm = map.optional("slurm")) spec.slurm = decodeSlurmHints(decoder, slurm);
  map.done();
  return spec;
}

void requireText(Decoder& decoder, const Field& field, std::string_view wanted) {
  const auto given = decoder.text(field);
  if (given && *given != wanted)
    decoder.error(field, kBadValue, fmt::format("`{}` is not known here", printable(*given, 80)),
                  fmt::format("write {}", wanted));
}

void readMetadata(Decoder& decoder, const Field& field, WorkloadDocument& document) {
  if (!field) return;
  MapReader map(decoder, field);
  document.name = checkedText(decoder, map.required("name"), nameFault);
  document.project = checkedText(decoder, map.optional("project"), nameFault);
  document.labels =
      textPairs(decoder, map.optional("labels"), {SpecLimits::labels, 16 * 1024, nameFault, labelValueFault, false});
  map.done();
}

}  // namespace

Checked<WorkloadDocument> decodeWorkload(const Tree& tree, const SpecContext& context) {
  Decoder decoder;
  WorkloadDocument document;
  const auto root = decoder.root(tree.root());
  MapReader map(decoder, root);
  requireText(decoder, map.required("apiVersion"), kApiVersion);
  requireText(decoder, map.required("kind"), kKind);
  readMetadata(decoder, map.required("metadata"), document);
  document.spec = decodeSpec(decoder, map.required("spec"), context);
  map.done();
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return document;
}

Checked<WorkloadDocument> decodeWorkloadJson(std::string_view body, const SpecContext& context) {
  const auto tree = parseJson(body);
  if (!tree) return tl::unexpected(tree.error());
  return decodeWorkload(*tree, context);
}

Checked<Spec> decodeSpecJson(std::string_view json) {
  const auto tree = parseJson(json, kStoredLimits);
  if (!tree) return tl::unexpected(tree.error());
  Decoder decoder;
  auto spec = decodeSpec(decoder, decoder.root(tree->root()), {});
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return spec;
}

}  // namespace fairlead::codec
