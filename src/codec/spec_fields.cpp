#include "spec_fields.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/signals.hpp>
#include <fairlead/model/ids.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {

using model::SpecLimits;

std::string checkedText(Decoder& decoder, const Field& field, Check check) {
  const auto given = decoder.text(field);
  if (!given) return {};
  if (auto fault = check(*given)) {
    decoder.error(field, kBadValue, std::move(fault->message), std::move(fault->remedy));
    return {};
  }
  return std::string(*given);
}

std::vector<std::string> commandWords(Decoder& decoder, const Field& field) {
  std::vector<std::string> words;
  if (field && field.node->kind == NodeKind::text) {
    decoder.error(field, kWrongType, "one text where a list of words is wanted",
                  "write [program, argument, ...], or [/bin/sh, -c, \"...\"] for a shell line");
    return words;
  }
  const auto items = decoder.list(field, SpecLimits::commandWords);
  if (!items) return words;
  if (items->empty()) decoder.error(field, kBadValue, "is empty", "name the program to run");
  std::size_t bytes = 0;
  words.reserve(items->size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto item = Decoder::item(field, i);
    const auto word = decoder.word(item);
    if (!word) continue;
    bytes += word->size() + 1;
    if (i == 0 && (word->empty() || word->front() == '-'))
      decoder.error(item, kBadValue, word->empty() ? "is empty" : "looks like an option", "name the program to run");
    words.emplace_back(*word);
  }
  if (bytes > SpecLimits::commandBytes)
    decoder.error(field, kOutOfRange, fmt::format("{} bytes, at most {} are taken", bytes, SpecLimits::commandBytes),
                  "put the arguments into a file");
  return words;
}

std::vector<std::pair<std::string, std::string>> textPairs(Decoder& decoder, const Field& field,
                                                           const PairRules& rules) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!field) return pairs;
  const MapReader map(decoder, field);
  if (!map.isMap()) return pairs;
  const auto& entries = field.node->entries;
  if (entries.size() > rules.limit) {
    decoder.error(field, kOutOfRange, fmt::format("{} entries, at most {} are taken", entries.size(), rules.limit));
    return pairs;
  }
  std::size_t bytes = 0;
  pairs.reserve(entries.size());
  for (const auto& entry : entries) {
    const Field item{&field, &entry.value, entry.key, -1, rules.secretValues};
    if (auto fault = rules.key(entry.key))
      decoder.error(item, kBadValue, std::move(fault->message), std::move(fault->remedy));
    const auto value = decoder.word(item);
    if (!value) continue;
    if (auto fault = rules.value == nullptr ? std::nullopt : rules.value(*value))
      decoder.error(item, kBadValue, std::move(fault->message), std::move(fault->remedy));
    bytes += entry.key.size() + value->size() + 2;
    pairs.emplace_back(entry.key, *value);
  }
  if (bytes > rules.valueBytes)
    decoder.error(field, kOutOfRange, fmt::format("{} bytes, at most {} are taken", bytes, rules.valueBytes),
                  "use a file");
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

int signalOf(Decoder& decoder, const Field& field, std::initializer_list<int> never) {
  const auto given = decoder.word(field);
  if (!given) return 0;
  const auto signal = parseSignal(*given);
  if (!signal) {
    decoder.error(field, kBadValue, fmt::format("`{}` is not a signal", printable(*given, 40)),
                  "use a name such as USR1, or 1 to 64");
    return 0;
  }
  if (std::find(never.begin(), never.end(), *signal) == never.end()) return *signal;
  decoder.error(field, kBadValue, fmt::format("{} cannot be caught by a program", signalName(*signal)),
                "use USR1, USR2 or TERM");
  return 0;
}

namespace {

model::CheckpointValidity decodeValidity(Decoder& decoder, const Field& field) {
  using Kind = model::CheckpointValidity::Kind;
  model::CheckpointValidity valid;
  if (!field) return valid;
  MapReader map(decoder, field);
  const auto marker = map.optional("marker");
  const auto manifest = map.optional("manifest");
  const auto command = map.optional("command");
  map.done();
  const int given = (marker ? 1 : 0) + (manifest ? 1 : 0) + (command ? 1 : 0);
  if (map.isMap() && given != 1)
    decoder.error(field, given == 0 ? kMissingField : kConflict,
                  fmt::format("{} ways to tell a complete checkpoint", given == 0 ? "no" : "several"),
                  "give one of marker, manifest or command");
  if (command) {
    valid.kind = Kind::command;
    valid.command = commandWords(decoder, command);
  } else {
    valid.kind = manifest ? Kind::manifest : Kind::marker;
    valid.file = checkedText(decoder, manifest ? manifest : marker, fileNameFault);
  }
  return valid;
}

/// `exit:75` or the name of a category.
void readRetryCause(Decoder& decoder, const Field& item, model::RetryRule& rule) {
  const auto given = decoder.text(item);
  if (!given) return;
  if (given->starts_with("exit:")) {
    const auto node = parseThousandths(given->substr(5));
    if (node && *node % 1000 == 0 && *node >= 1000 && *node <= 255'000)
      rule.exitCodes.push_back(static_cast<std::int32_t>(*node / 1000));
    else
      decoder.error(item, kBadValue, fmt::format("`{}` is not an exit code", printable(*given, 40)),
                    "use exit:1 to exit:255");
    return;
  }
  using model::FailureCategory;
  const auto category =
      *given == "application-exit" ? FailureCategory::applicationExit : parseEnum<FailureCategory>(*given);
  if (category && *category != FailureCategory::none && *category != FailureCategory::cancelled) {
    rule.categories.push_back(*category);
    return;
  }
  decoder.error(
      item, kBadValue, fmt::format("`{}` is not a cause of failure that can be tried again", printable(*given, 40)),
      "use exit, exit:CODE, signal, out-of-memory, node-lost, engine-lost, preempted, time-limit or start-failed");
}

template <class T>
void sortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

model::OutputRule decodeOutput(Decoder& decoder, const Field& field) {
  using Kind = model::OutputRule::Kind;
  model::OutputRule output;
  MapReader map(decoder, field);
  output.name = checkedText(decoder, map.required("name"), nameFault);
  output.path = checkedText(decoder, map.required("path"), pathFault);
  const auto kind = decoder.choice<Kind>(map.optional("kind"));
  const auto modelField = map.optional("model");
  output.model = checkedText(decoder, modelField, nameFault);
  output.metrics = checkedText(decoder, map.optional("metrics"), pathFault);
  map.done();
  output.kind = kind.value_or(modelField ? Kind::model : Kind::artifact);
  if (output.kind == Kind::model && map.isMap() && !modelField)
    decoder.error(modelField, kMissingField, "is missing", "name the model that this output becomes a version of");
  if (output.kind == Kind::artifact && modelField)
    decoder.error(modelField, kConflict, "an artifact makes no model version", "write kind: model, or drop `model`");
  return output;
}

}  // namespace

model::CheckpointRule decodeCheckpoint(Decoder& decoder, const Field& field) {
  model::CheckpointRule rule;
  MapReader map(decoder, field);
  const auto path = map.optional("path");
  rule.path = checkedText(decoder, path, pathFault);
  const auto valid = map.optional("valid");
  rule.valid = decodeValidity(decoder, valid);
  const auto signal = map.optional("signal");
  rule.signal = signalOf(decoder, signal, {9, 19});
  const auto grace = map.optional("grace");
  const auto span = decoder.duration(grace);
  map.done();
  if (map.isMap() && !path && (valid || !signal))
    decoder.error(path, kMissingField, "is missing", "name the folder that holds the checkpoints");
  if (path && !valid)
    decoder.error(valid, kMissingField, "is missing", "say how a complete one is told, such as valid: {marker: DONE}");
  if (grace && !signal)
    decoder.error(grace, kConflict, "a grace without a signal", "add signal: USR1, or drop `grace`");
  rule.grace = !signal ? Milliseconds{} : span.value_or(kDefaultCheckpointGrace);
  return rule;
}

model::RetryRule decodeRetry(Decoder& decoder, const Field& field) {
  model::RetryRule rule;
  rule.categories = defaultRetryCategories();
  if (!field) return rule;
  MapReader map(decoder, field);
  rule.limit =
      static_cast<std::int32_t>(decoder.integer(map.optional("limit"), 0, SpecLimits::retries).value_or(rule.limit));
  const auto on = map.optional("on");
  if (const auto items = decoder.list(on, 300)) {
    rule.categories.clear();
    for (std::size_t i = 0; i < items->size(); ++i) readRetryCause(decoder, Decoder::item(on, i), rule);
  }
  const auto backoff = map.optional("backoff");
  if (const auto span = decoder.duration(backoff)) rule.backoff = *span;
  if (rule.backoff.count > 86'400'000) decoder.error(backoff, kOutOfRange, "is longer than a day", "use at most 1d");
  map.done();
  sortUnique(rule.categories);
  sortUnique(rule.exitCodes);
  return rule;
}

std::vector<model::OutputRule> decodeOutputs(Decoder& decoder, const Field& field) {
  std::vector<model::OutputRule> outputs;
  const auto items = decoder.list(field, SpecLimits::outputs);
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const auto item = Decoder::item(field, i);
    auto output = decodeOutput(decoder, item);
    const bool twice =
        std::any_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == output.name; });
    if (twice && !output.name.empty())
      decoder.error(item, kBadValue, fmt::format("output `{}` stands twice", output.name), "give each its own name");
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::vector<model::Dependency> decodeDependencies(Decoder& decoder, const Field& field) {
  std::vector<model::Dependency> dependencies;
  const auto items = decoder.list(field, SpecLimits::dependencies);
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const auto item = Decoder::item(field, i);
    MapReader map(decoder, item);
    const auto id = map.required("workload");
    model::Dependency dependency;
    if (const auto text = decoder.text(id)) {
      dependency.workload = std::string(*text);
      if (!parseId<model::WorkloadTag>(*text))
        decoder.error(id, kBadValue, fmt::format("`{}` is not a workload's id", printable(*text, 40)),
                      "use an id such as w-7k3f9");
    }
    dependency.condition =
        decoder.choice<model::Dependency::Condition>(map.optional("condition")).value_or(dependency.condition);
    map.done();
    dependencies.push_back(std::move(dependency));
  }
  return dependencies;
}

model::ArrayRule decodeArray(Decoder& decoder, const Field& field) {
  model::ArrayRule rule;
  MapReader map(decoder, field);
  const auto indices = map.optional("indices");
  const auto count = map.optional("count");
  rule.parallel =
      static_cast<std::int32_t>(decoder.integer(map.optional("parallel"), 1, SpecLimits::arrayElements).value_or(0));
  map.done();
  if (indices && count) decoder.error(count, kConflict, "`count` and `indices` exclude each other", "drop one of them");
  if (map.isMap() && !indices && !count)
    decoder.error(field, kMissingField, "neither `count` nor `indices`", "write count: 10");
  if (const auto elements = decoder.integer(count, 1, SpecLimits::arrayElements))
    rule.ranges.push_back({0, static_cast<std::int32_t>(*elements) - 1, 1});
  if (const auto text = decoder.word(indices)) {
    auto parsed = parseArrayIndices(*text);
    if (parsed.fault)
      decoder.error(indices, kBadValue, std::move(parsed.fault->message), std::move(parsed.fault->remedy));
    rule.ranges = std::move(parsed.ranges);
  }
  return rule;
}

model::ModelInput decodeModelInput(Decoder& decoder, const Field& field) {
  model::ModelInput input;
  MapReader map(decoder, field);
  input.model = checkedText(decoder, map.required("name"), nameFault);
  const auto version = map.optional("version");
  map.done();
  if (const auto given = decoder.word(version); given && *given != "latest") {
    const auto digits = given->starts_with('v') ? given->substr(1) : *given;
    const auto number = parseThousandths(digits);
    if (number && *number % 1000 == 0 && *number >= 1000 && *number <= 1'000'000'000'000 &&
        digits.find('.') == digits.npos)
      input.version = static_cast<std::int32_t>(*number / 1000);
    else
      decoder.error(version, kBadValue, fmt::format("`{}` is not a version", printable(*given, 40)),
                    "write v7, 7, or latest");
  }
  return input;
}

model::LogFiles decodeLogs(Decoder& decoder, const Field& field) {
  model::LogFiles logs;
  MapReader map(decoder, field);
  logs.standardOutput = checkedText(decoder, map.optional("output"), logPatternFault);
  logs.standardError = checkedText(decoder, map.optional("error"), logPatternFault);
  logs.append = decoder.boolean(map.optional("append")).value_or(false);
  map.done();
  return logs;
}

model::SlurmHints decodeSlurmHints(Decoder& decoder, const Field& field) {
  constexpr std::int64_t kMostSwitches = 10'000;
  MapReader map(decoder, field);
  model::SlurmHints hints;
  hints.partition = checkedText(decoder, map.optional("partition"), slurmWordFault);
  hints.qos = checkedText(decoder, map.optional("qos"), slurmWordFault);
  hints.constraint = checkedText(decoder, map.optional("constraint"), slurmWordFault);
  hints.reservation = checkedText(decoder, map.optional("reservation"), slurmWordFault);
  hints.licenses = checkedText(decoder, map.optional("licenses"), slurmWordFault);
  hints.exclusive = decoder.boolean(map.optional("exclusive")).value_or(false);
  hints.switches = static_cast<std::int32_t>(decoder.integer(map.optional("switches"), 1, kMostSwitches).value_or(0));
  map.done();
  return hints;
}

}  // namespace fairlead::codec
