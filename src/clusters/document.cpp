#include <fairlead/base/text.hpp>
#include <fairlead/clusters/document.hpp>
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/codec/tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fairlead::clusters {

namespace {

using codec::Decoder;
using codec::Field;
using codec::JsonWriter;
using codec::MapReader;
using engine::SlurmOptions;

constexpr std::string_view kApiVersion = "fairlead.io/v1";
constexpr std::string_view kKind = "Cluster";
constexpr std::size_t kMostText = 4'096;
constexpr std::size_t kMostItems = 10'000;
constexpr std::size_t kMostName = 63;

// One line an option: reader and writer are made of it.
struct TextOption {
  std::string_view name;
  std::string SlurmOptions::* member;
};
constexpr TextOption kTexts[] = {
    {"endpoint", &SlurmOptions::endpoint},     {"clusterName", &SlurmOptions::slurmCluster},
    {"caFile", &SlurmOptions::caFile},         {"clientCertificate", &SlurmOptions::clientCertificate},
    {"clientKey", &SlurmOptions::clientKey},   {"reader", &SlurmOptions::reader},
    {"tokenFile", &SlurmOptions::tokenFile},   {"programs", &SlurmOptions::programs},
    {"slurmConf", &SlurmOptions::slurmConf},   {"account", &SlurmOptions::account},
    {"partition", &SlurmOptions::partition},   {"qos", &SlurmOptions::qos},
    {"homeFolder", &SlurmOptions::homeFolder}, {"runFolder", &SlurmOptions::runFolder},
};

struct SpanOption {
  std::string_view name;
  Milliseconds SlurmOptions::* member;
  std::int64_t least;  ///< ms
};
constexpr SpanOption kSpans[] = {
    {"tokenLifespan", &SlurmOptions::tokenLifespan, 60'000}, {"callTimeout", &SlurmOptions::callTimeout, 1'000},
    {"jobInterval", &SlurmOptions::jobInterval, 100},        {"nodeInterval", &SlurmOptions::nodeInterval, 1'000},
    {"staleAfter", &SlurmOptions::staleAfter, 1'000},        {"forgottenAfter", &SlurmOptions::forgottenAfter, 1'000},
    {"submitSettle", &SlurmOptions::submitSettle, 1'000},
};

using Pairs = std::vector<std::pair<std::string, std::string>>;
struct PairsOption {
  std::string_view name;
  Pairs SlurmOptions::* member;
};
constexpr PairsOption kPairs[] = {
    {"constraints", &SlurmOptions::constraints},  // device model to feature
    {"accounts", &SlurmOptions::projects},        // account to project
};

std::string plainText(Decoder& decoder, const Field& field) {
  const auto text = decoder.word(field);
  if (!text) return {};
  if (text->size() > kMostText)
    decoder.error(field, codec::kOutOfRange, fmt::format("is longer than {} bytes", kMostText));
  if (std::any_of(text->begin(), text->end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    decoder.error(field, codec::kBadValue, "holds a control character");
  return std::string(*text);
}

void readTexts(Decoder& decoder, MapReader& map, SlurmOptions& slurm) {
  for (const auto& option : kTexts)
    if (const auto field = map.optional(option.name)) slurm.*option.member = plainText(decoder, field);
  const auto& endpoint = slurm.endpoint;
  const bool known = endpoint.empty() || endpoint.starts_with("http://") || endpoint.starts_with("https://") ||
                     endpoint.starts_with("unix:///");
  if (!known)
    decoder.error(map.optional("endpoint"), codec::kBadValue,
                  fmt::format("\"{}\" is no address of a slurmrestd", printable(endpoint)),
                  "write http://host:6820, https://host:6820 or unix:///run/slurmrestd.socket; leave it out to use "
                  "Slurm's commands");
}

void readSpans(Decoder& decoder, MapReader& map, SlurmOptions& slurm) {
  for (const auto& option : kSpans) {
    const auto field = map.optional(option.name);
    const auto span = decoder.duration(field);
    if (!span) continue;
    if (span->count < option.least)
      decoder.error(field, codec::kOutOfRange,
                    fmt::format("is shorter than {}", toShortText(Milliseconds{option.least})));
    slurm.*option.member = *span;
  }
}

void readPairs(Decoder& decoder, MapReader& map, SlurmOptions& slurm) {
  for (const auto& option : kPairs) {
    const auto field = map.optional(option.name);
    if (!field) continue;
    if (field.node->kind != codec::NodeKind::map || field.node->entries.size() > kMostItems) {
      decoder.error(field, codec::kBadValue, "is not a map of names", "write one `name: value` a line");
      continue;
    }
    for (const auto& entry : field.node->entries) {
      const Field item{&field, &entry.value, entry.key, -1, false};
      (slurm.*option.member).emplace_back(entry.key, plainText(decoder, item));
    }
    std::sort((slurm.*option.member).begin(), (slurm.*option.member).end());
  }
}

std::vector<std::string> readWords(Decoder& decoder, const Field& field) {
  std::vector<std::string> words;
  const auto items = decoder.list(field, kMostItems);
  for (std::size_t i = 0; items && i < items->size(); ++i) words.push_back(plainText(decoder, Decoder::item(field, i)));
  return words;
}

void readSlurm(Decoder& decoder, const Field& field, SlurmOptions& slurm) {
  if (!field) return;
  MapReader map(decoder, field);
  readTexts(decoder, map, slurm);
  readSpans(decoder, map, slurm);
  readPairs(decoder, map, slurm);
  slurm.tokenCommand = readWords(decoder, map.optional("tokenCommand"));
  slurm.callsAtOnce =
      static_cast<std::int32_t>(decoder.integer(map.optional("callsAtOnce"), 1, 64).value_or(slurm.callsAtOnce));
  slurm.requeue = decoder.boolean(map.optional("requeue")).value_or(slurm.requeue);
  slurm.container = decoder.choice<engine::SlurmContainer>(map.optional("container")).value_or(slurm.container);
  slurm.historyFrom = decoder.time(map.optional("historyFrom")).value_or(slurm.historyFrom);
  map.done();
}

model::ClusterTerms readTerms(Decoder& decoder, MapReader& spec) {
  model::ClusterTerms terms;
  if (const auto field = spec.optional("govern")) {
    MapReader map(decoder, field);
    terms.governsAll = decoder.boolean(map.optional("all")).value_or(false);
    terms.projects = readWords(decoder, map.optional("projects"));
    std::sort(terms.projects.begin(), terms.projects.end());
    map.done();
  }
  const auto depth = spec.optional("depth");
  if (depth && depth.node->kind == codec::NodeKind::text) {
    if (depth.node->text != "fit")
      decoder.error(depth, codec::kBadValue, fmt::format("`{}` is no depth", printable(depth.node->text, 80)),
                    "write `fit`, or how many may wait in the engine's own queue");
  } else {
    terms.depth = static_cast<std::int32_t>(decoder.integer(depth, 0, kMostDepth).value_or(0));
  }
  return terms;
}

bool isName(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > kMostName || !plain(name.front()) || !plain(name.back())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-' || c == '.'; });
}

void expect(Decoder& decoder, const Field& field, std::string_view wanted) {
  const auto text = decoder.text(field);
  if (text && *text != wanted)
    decoder.error(field, codec::kBadValue, fmt::format("`{}` is not {}", printable(*text, 80), wanted),
                  fmt::format("write {}", wanted));
}

ClusterDocument readDocument(Decoder& decoder, const codec::Node& root) {
  ClusterDocument document;
  MapReader top(decoder, decoder.root(root));
  expect(decoder, top.required("apiVersion"), kApiVersion);
  expect(decoder, top.required("kind"), kKind);
  MapReader metadata(decoder, top.required("metadata"));
  const auto name = metadata.required("name");
  document.name = decoder.text(name).value_or("");
  if (name && !isName(document.name))
    decoder.error(name, codec::kBadValue, "is no name of a cluster",
                  "use up to 63 lower case letters, digits, `-` and `.`");
  metadata.done();
  MapReader spec(decoder, top.required("spec"));
  expect(decoder, spec.required("engine"), "slurm");
  document.terms = readTerms(decoder, spec);
  readSlurm(decoder, spec.optional("slurm"), document.slurm);
  document.slurm.cluster = document.name;
  spec.done();
  top.done();
  return document;
}

void writeWords(JsonWriter& json, std::string_view key, const std::vector<std::string>& words) {
  if (words.empty()) return;
  json.key(key).beginArray();
  for (const auto& word : words) json.value(word);
  json.endArray();
}

void writeSlurm(JsonWriter& json, const SlurmOptions& slurm) {
  const SlurmOptions usual;
  json.key("slurm").beginObject();
  for (const auto& option : kTexts)
    if (slurm.*option.member != usual.*option.member) json.member(option.name, slurm.*option.member);
  for (const auto& option : kSpans)
    if (slurm.*option.member != usual.*option.member) json.member(option.name, toText(slurm.*option.member));
  for (const auto& option : kPairs) {
    if ((slurm.*option.member).empty()) continue;
    json.key(option.name);
    codec::writePairs(json, slurm.*option.member);
  }
  writeWords(json, "tokenCommand", slurm.tokenCommand);
  if (slurm.callsAtOnce != usual.callsAtOnce) json.member("callsAtOnce", slurm.callsAtOnce);
  if (slurm.requeue) json.member("requeue", true);
  if (slurm.container != usual.container) json.member("container", toText(slurm.container));
  if (slurm.historyFrom) json.member("historyFrom", toText(slurm.historyFrom));
  json.endObject();
}

}  // namespace

Checked<ClusterDocument> decodeCluster(std::string_view text) {
  const auto tree = codec::parseYaml(text);
  if (!tree) return tl::unexpected(tree.error());
  Decoder decoder;
  auto document = readDocument(decoder, tree->root());
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return document;
}

std::string encodeCluster(const ClusterDocument& document) {
  std::string out;
  JsonWriter json(out);
  json.beginObject().member("apiVersion", kApiVersion).member("kind", kKind);
  json.key("metadata").beginObject().member("name", document.name).endObject();
  json.key("spec").beginObject().member("engine", "slurm");
  const auto& terms = document.terms;
  if (!terms.readOnly()) {
    json.key("govern").beginObject();
    if (terms.governsAll) json.member("all", true);
    writeWords(json, "projects", terms.projects);
    json.endObject();
  }
  if (terms.depth > 0) json.member("depth", terms.depth);
  writeSlurm(json, document.slurm);
  json.endObject().endObject();
  return out;
}

bool namesPrograms(const ClusterDocument& document) {
  return !document.slurm.tokenCommand.empty() || !document.slurm.programs.empty();
}

}  // namespace fairlead::clusters
