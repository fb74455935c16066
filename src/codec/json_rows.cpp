// Rows that are stored as JSON text: placements, ends, labels, metrics, lists of strings.
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/json.hpp>

#include <limits>

namespace fairlead::codec {
namespace {

using Int32 = std::numeric_limits<std::int32_t>;
using Int64 = std::numeric_limits<std::int64_t>;

/// Rows are ours, so they may be larger than what a user may send.
constexpr Limits kRowLimits{256 * 1024 * 1024, 64'000'000, 16, 1};

tl::unexpected<Error> badRow(std::string_view what, Errors errors) {
  Error error{&kBadRow,
              "stored " + std::string(what) + ": " + toText(errors.front()),
              {},
              {},
              "restore the database from a backup"};
  return tl::unexpected(std::move(error));
}

// Every value that the writers below take: a row that was once stored must never stop a start.
std::int32_t number32(Decoder& decoder, const Field& field) {
  return static_cast<std::int32_t>(decoder.integer(field, Int32::min(), Int32::max()).value_or(0));
}

std::int64_t number64(Decoder& decoder, const Field& field) {
  return decoder.integer(field, Int64::min(), Int64::max()).value_or(0);
}

std::string textOf(Decoder& decoder, const Field& field) { return std::string(decoder.text(field).value_or("")); }

/// Parses `json` and hands its root to `read(decoder, field)`.
template <class Row, class Read>
Result<Row> readRow(std::string_view what, std::string_view json, Read read) {
  auto tree = parseJson(json, kRowLimits);
  if (!tree) return badRow(what, std::move(tree.error()));
  Decoder decoder;
  auto row = read(decoder, decoder.root(tree->root()));
  if (decoder.failed()) return badRow(what, decoder.takeErrors());
  return row;
}

model::DeviceSlice readSlice(Decoder& decoder, const Field& field) {
  const auto pair = decoder.list(field, 2);
  if (!pair) return {};
  if (pair->size() != 2) {
    decoder.error(field, kWrongType, "not a pair of index and thousandths");
    return {};
  }
  return {number32(decoder, Decoder::item(field, 0)), MilliDevices{number64(decoder, Decoder::item(field, 1))}};
}

model::MemberPlacement readMember(Decoder& decoder, const Field& field) {
  model::MemberPlacement member;
  MapReader map(decoder, field);
  member.role = number32(decoder, map.required("role"));
  member.rank = number32(decoder, map.required("rank"));
  member.node = textOf(decoder, map.required("node"));
  member.vendor = textOf(decoder, map.optional("vendor"));
  member.model = textOf(decoder, map.optional("model"));
  member.cpus = MilliCpus{number64(decoder, map.optional("cpus"))};
  member.memory = Bytes{number64(decoder, map.optional("memory"))};
  const auto devices = map.optional("devices");
  const auto slices = decoder.list(devices, kRowLimits.values);
  for (std::size_t i = 0; slices && i < slices->size(); ++i)
    member.devices.push_back(readSlice(decoder, Decoder::item(devices, i)));
  map.done();
  return member;
}

model::MemberEnd readEnd(Decoder& decoder, const Field& field) {
  model::MemberEnd end;
  MapReader map(decoder, field);
  end.rank = number32(decoder, map.required("rank"));
  end.exitCode = number32(decoder, map.optional("exitCode"));
  end.signal = number32(decoder, map.optional("signal"));
  end.outOfMemory = decoder.boolean(map.optional("outOfMemory")).value_or(false);
  end.at = TimePoint{number64(decoder, map.required("at"))};
  map.done();
  return end;
}

template <class Item, class Read>
std::vector<Item> readList(Decoder& decoder, const Field& field, Read read) {
  std::vector<Item> items;
  const auto nodes = decoder.list(field, kRowLimits.values);
  if (!nodes) return items;
  items.reserve(nodes->size());
  for (std::size_t i = 0; i < nodes->size(); ++i) items.push_back(read(decoder, Decoder::item(field, i)));
  return items;
}

Result<TextPairs> pairsFromJson(std::string_view what, std::string_view json) {
  return readRow<TextPairs>(what, json, [](Decoder& decoder, const Field& root) {
    TextPairs pairs;
    MapReader map(decoder, root);
    if (!map.isMap()) return pairs;
    pairs.reserve(root.node->entries.size());
    for (const auto& entry : root.node->entries) {
      const Field field{&root, &entry.value, entry.key, -1, false};
      pairs.emplace_back(entry.key, textOf(decoder, field));
    }
    return pairs;
  });
}

}  // namespace

void writePlacement(JsonWriter& json, const std::vector<model::MemberPlacement>& placement) {
  json.beginArray();
  for (const auto& member : placement) {
    json.beginObject().member("role", member.role).member("rank", member.rank).member("node", member.node);
    if (!member.vendor.empty()) json.member("vendor", member.vendor);
    if (!member.model.empty()) json.member("model", member.model);
    if (member.cpus.count != 0) json.member("cpus", member.cpus.count);
    if (member.memory.count != 0) json.member("memory", member.memory.count);
    if (!member.devices.empty()) {
      json.key("devices").beginArray();
      for (const auto& slice : member.devices) json.beginArray().value(slice.index).value(slice.milli.count).endArray();
      json.endArray();
    }
    json.endObject();
  }
  json.endArray();
}

void writeEnds(JsonWriter& json, const std::vector<model::MemberEnd>& ends) {
  json.beginArray();
  for (const auto& end : ends) {
    json.beginObject().member("rank", end.rank);
    if (end.exitCode != 0) json.member("exitCode", end.exitCode);
    if (end.signal != 0) json.member("signal", end.signal);
    if (end.outOfMemory) json.member("outOfMemory", true);
    json.member("at", end.at.msSinceEpoch).endObject();
  }
  json.endArray();
}

void writePairs(JsonWriter& json, const TextPairs& pairs) {
  json.beginObject();
  for (const auto& [key, value] : pairs) json.member(key, value);
  json.endObject();
}

std::string placementToJson(const std::vector<model::MemberPlacement>& placement) {
  std::string out;
  JsonWriter json(out);
  writePlacement(json, placement);
  return out;
}

Result<std::vector<model::MemberPlacement>> placementFromJson(std::string_view json) {
  return readRow<std::vector<model::MemberPlacement>>("placement", json, [](Decoder& d, const Field& root) {
    return readList<model::MemberPlacement>(d, root, readMember);
  });
}

std::string endsToJson(const std::vector<model::MemberEnd>& ends) {
  std::string out;
  JsonWriter json(out);
  writeEnds(json, ends);
  return out;
}

Result<std::vector<model::MemberEnd>> endsFromJson(std::string_view json) {
  return readRow<std::vector<model::MemberEnd>>(
      "member ends", json, [](Decoder& d, const Field& root) { return readList<model::MemberEnd>(d, root, readEnd); });
}

std::string nativeToJson(const model::NativePtr& native) {
  std::string out;
  JsonWriter json(out);
  json.beginObject().member("cluster", native->cluster).member("id", native->id);
  for (const auto& [key, value] :
       {std::pair{"account", &native->account}, std::pair{"queue", &native->queue}, std::pair{"qos", &native->qos},
        std::pair{"state", &native->state}, std::pair{"reason", &native->reason}})
    if (!value->empty()) json.member(key, *value);
  if (native->jobs != 1) json.member("jobs", native->jobs);
  json.endObject();
  return out;
}

Result<model::NativePtr> nativeFromJson(std::string_view json) {
  return readRow<model::NativePtr>("native origin", json, [](Decoder& d, const Field& root) {
    auto native = std::make_shared<model::NativeOrigin>();
    MapReader map(d, root);
    native->cluster = textOf(d, map.required("cluster"));
    native->id = textOf(d, map.required("id"));
    native->account = textOf(d, map.optional("account"));
    native->queue = textOf(d, map.optional("queue"));
    native->qos = textOf(d, map.optional("qos"));
    native->state = textOf(d, map.optional("state"));
    native->reason = textOf(d, map.optional("reason"));
    if (const auto jobs = map.optional("jobs")) native->jobs = number32(d, jobs);
    map.done();
    return model::NativePtr(std::move(native));
  });
}

std::string labelsToJson(const model::Labels& labels) { return metricsToJson(labels); }

Result<model::Labels> labelsFromJson(std::string_view json) { return pairsFromJson("labels", json); }

std::string metricsToJson(const TextPairs& metrics) {
  std::string out;
  JsonWriter json(out);
  writePairs(json, metrics);
  return out;
}

Result<TextPairs> metricsFromJson(std::string_view json) { return pairsFromJson("metrics", json); }

std::string stringsToJson(const std::vector<std::string>& strings) {
  std::string out;
  JsonWriter json(out);
  json.beginArray();
  for (const auto& text : strings) json.value(text);
  json.endArray();
  return out;
}

Result<std::vector<std::string>> stringsFromJson(std::string_view json) {
  return readRow<std::vector<std::string>>("list of texts", json, [](Decoder& d, const Field& root) {
    return readList<std::string>(d, root, [](Decoder& decoder, const Field& item) { return textOf(decoder, item); });
  });
}

}  // namespace fairlead::codec
