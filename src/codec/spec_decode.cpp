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

std::int32_t priorityOf(Decoder& decoder, Field const& field) {
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

model::TopologyRule decodeTopology(Decoder& decoder, Field const& field) {
  model::TopologyRule rule;
  MapReader map(decoder, field);
  rule.require = checkedText(decoder, map.optional("require"), nameFault);
  rule.prefer = checkedText(decoder, map.optional("prefer"), nameFault);
  map.done();
  return rule;
}

void readGang(Decoder& decoder, Field const& field, Spec& spec) {
  auto const given = decoder.choice<GangRule>(field);
  bool const elastic = model::memberMinimum(spec) < model::memberCount(spec);
  spec.gang = given.value_or(elastic ? GangRule::min : GangRule::all);
  if (given == GangRule::all && elastic)
    decoder.error(field, kConflict, "a role has a `min` below its `count`, and `all` starts every member or none",
                  "write gang: min, or drop `min`");
}

void readTimes(Decoder& decoder, MapReader& map, Spec& spec) {
  auto const limit = map.optional("timeLimit");
  if (auto const span = decoder.duration(limit)) {
    spec.timeLimit = *span;
    if (span->count < 1000)
      decoder.error(limit, kOutOfRange, "is shorter than a second", "use at least 1s, or leave it out for no limit");
  }
  if (auto const moment = decoder.time(map.optional("notBefore"))) spec.notBefore = *moment;
  spec.startHeld = decoder.boolean(map.optional("startHeld")).value_or(false);
  auto const stopSignal = map.optional("stopSignal");
  if (stopSignal) spec.stopSignal = signalOf(decoder, stopSignal, {19});
  auto const grace = map.optional("stopGrace");
  if (auto const span = decoder.duration(grace)) {
    spec.stopGrace = *span;
    if (span->count > 86'400'000) decoder.error(grace, kOutOfRange, "is longer than a day", "use at most 1d");
  }
}

Spec decodeSpec(Decoder& decoder, Field const& field, SpecContext const& context) {
  Spec spec;
  if (!field) return spec;
  MapReader map(decoder, field);
  spec.taskClass = decoder.choice<model::TaskClass>(map.optional("class")).value_or(model::TaskClass::training);
  spec.priority = priorityOf(decoder, map.optional("priority"));
  spec.roles = decodeRoles(decoder, map.required("roles"), context);
  readGang(decoder, map.optional("gang"), spec);
  if (auto const topology = map.optional("topology")) spec.topology = decodeTopology(decoder, topology);
  readTimes(decoder, map, spec);
  if (auto const checkpoint = map.optional("checkpoint")) spec.checkpoint = decodeCheckpoint(decoder, checkpoint);
  spec.retry = decodeRetry(decoder, map.optional("retry"));
  spec.outputs = decodeOutputs(decoder, map.optional("outputs"));
  spec.dependencies = decodeDependencies(decoder, map.optional("dependencies"));
  if (auto const array = map.optional("array")) spec.array = decodeArray(decoder, array);
  if (auto const input = map.optional("model")) spec.model = decodeModelInput(decoder, input);
  if (auto const logs = map.optional("logs")) spec.logs = decodeLogs(decoder, logs);
  map.done();
  return spec;
}

void requireText(Decoder& decoder, Field const& field, std::string_view wanted) {
  auto const given = decoder.text(field);
  if (given && *given != wanted)
    decoder.error(field, kBadValue, fmt::format("`{}` is not known here", printable(*given, 80)),
                  fmt::format("write {}", wanted));
}

void readMetadata(Decoder& decoder, Field const& field, WorkloadDocument& document) {
  if (!field) return;
  MapReader map(decoder, field);
  document.name = checkedText(decoder, map.required("name"), nameFault);
  document.project = checkedText(decoder, map.optional("project"), nameFault);
  document.labels =
      textPairs(decoder, map.optional("labels"), {SpecLimits::labels, 16 * 1024, nameFault, labelValueFault, false});
  map.done();
}

}  // namespace

Checked<WorkloadDocument> decodeWorkload(Tree const& tree, SpecContext const& context) {
  Decoder decoder;
  WorkloadDocument document;
  auto const root = decoder.root(tree.root());
  MapReader map(decoder, root);
  requireText(decoder, map.required("apiVersion"), kApiVersion);
  requireText(decoder, map.required("kind"), kKind);
  readMetadata(decoder, map.required("metadata"), document);
  document.spec = decodeSpec(decoder, map.required("spec"), context);
  map.done();
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return document;
}

Checked<WorkloadDocument> decodeWorkloadJson(std::string_view body, SpecContext const& context) {
  auto const tree = parseJson(body);
  if (!tree) return tl::unexpected(tree.error());
  return decodeWorkload(*tree, context);
}

Checked<Spec> decodeSpecJson(std::string_view json) {
  auto const tree = parseJson(json);
  if (!tree) return tl::unexpected(tree.error());
  Decoder decoder;
  auto spec = decodeSpec(decoder, decoder.root(tree->root()), {});
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return spec;
}

}  // namespace fairlead::codec
