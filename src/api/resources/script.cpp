#include "script.hpp"

#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/sbatch.hpp>

namespace fairlead::api {
namespace {

constexpr std::int64_t kMostOffset = 14 * 60;

codec::SbatchContext contextOf(ScriptContext from) {
  codec::SbatchContext context;
  context.submitDirectory = std::move(from.directory);
  context.scriptName = std::move(from.scriptName);
  context.user = std::move(from.user);
  context.now = from.now;
  context.zoneOffsetMinutes = from.zoneOffsetMinutes;
  return context;
}

Checked<DecodedInput> decodeWith(std::string_view script, const codec::SbatchContext& context) {
  auto decoded = codec::decodeSbatch(script, context);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  DecodedInput input;
  input.documents.push_back(makeReady(std::move(decoded->document)));
  for (auto& item : decoded->notMapped)
    input.notMapped.push_back({std::move(item.directive), std::move(item.value), std::move(item.why)});
  return input;
}

void takeEnv(codec::Decoder& decoder, const codec::Field& env, codec::SbatchContext& context) {
  if (!env) return;
  if (env.node->kind != codec::NodeKind::map) return decoder.error(env, codec::kWrongType, "must be a map of texts");
  for (const auto& entry : env.node->entries) {
    const codec::Field field{&env, &entry.value, entry.key, -1};
    if (const auto value = decoder.text(field)) context.env.emplace_back(entry.key, *value);
  }
}

}  // namespace

Checked<DecodedInput> decodeScript(std::string_view script, ScriptContext from) {
  return decodeWith(script, contextOf(std::move(from)));
}

Checked<DecodedInput> decodeScriptJson(std::string_view body, ScriptContext from) {
  auto tree = codec::parseJson(body);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  auto context = contextOf(std::move(from));
  codec::Decoder decoder;
  codec::MapReader map(decoder, decoder.root(tree->root()));
  const auto script = decoder.text(map.required("script"));
  if (const auto name = decoder.text(map.optional("scriptName"))) context.scriptName = *name;
  const auto directory = map.optional("workingDirectory");
  if (const auto path = decoder.text(directory)) {
    if (!path->starts_with('/')) decoder.error(directory, codec::kBadValue, "is not an absolute path");
    context.submitDirectory = *path;
  }
  const auto args = map.optional("args");
  if (const auto items = decoder.list(args, model::SpecLimits::commandWords))
    for (std::size_t i = 0; i < items->size(); ++i)
      if (const auto word = decoder.text(codec::Decoder::item(args, i))) context.args.emplace_back(*word);
  takeEnv(decoder, map.optional("env"), context);
  if (const auto offset = decoder.integer(map.optional("zoneOffsetMinutes"), -kMostOffset, kMostOffset))
    context.zoneOffsetMinutes = static_cast<std::int32_t>(*offset);
  map.done();
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return decodeWith(*script, context);
}

}  // namespace fairlead::api
