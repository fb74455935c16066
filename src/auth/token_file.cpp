#include "documents.hpp"
#include "text_file.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/tokens.hpp>
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/codec/tree.hpp>

namespace fairlead::auth {
namespace {

using codec::Decoder;
using codec::Field;
using codec::MapReader;

constexpr std::size_t kFileBytes = 32 * 1024 * 1024;
constexpr std::size_t kMostItems = 100'000;

/// A digest that cannot be read may be a token that somebody put in the wrong place: it is not shown.
void decodeDigest(Decoder& decoder, Field field, Digest& digest) {
  field.secret = true;
  const auto text = decoder.text(field);
  if (!text) return;
  const auto read = codec::digestFromHex(*text);
  if (read)
    digest = *read;
  else
    decoder.error(field, codec::kBadValue, "not a SHA-256 of 64 hexadecimal digits",
                  "make the entry with `fairlead token new`; the token itself never stands in this file");
}

TokenEntry decodeEntry(Decoder& decoder, const Field& field) {
  TokenEntry entry;
  MapReader map(decoder, field);
  entry.name = decoder.text(map.required("name")).value_or("");
  decodeDigest(decoder, map.required("sha256"), entry.sha256);
  entry.principal = decoder.text(map.required("principal")).value_or("");
  entry.unixUser = decoder.text(map.optional("unixUser")).value_or("");
  const auto groups = map.optional("groups");
  entry.expires = decoder.time(map.optional("expires")).value_or(TimePoint{});
  entry.siteAdmin = decoder.boolean(map.optional("siteAdmin")).value_or(false);
  map.done();
  const auto items = decoder.list(groups, kMostItems);
  for (std::size_t i = 0; items && i < items->size(); ++i)
    entry.groups.emplace_back(decoder.text(Decoder::item(groups, i)).value_or(""));
  return entry;
}

std::vector<TokenEntry> decodeEntries(Decoder& decoder, const Field& root) {
  MapReader document(decoder, root);
  expectKind(decoder, document, "TokenList");
  const auto metadata = document.optional("metadata");
  const auto specField = document.required("spec");
  document.done();
  if (metadata) {
    MapReader map(decoder, metadata);
    static_cast<void>(decoder.text(map.optional("name")));
    map.done();
  }
  std::vector<TokenEntry> entries;
  if (!specField) return entries;
  MapReader spec(decoder, specField);
  const auto tokens = spec.required("tokens");
  spec.done();
  const auto items = decoder.list(tokens, kMostItems);
  for (std::size_t i = 0; items && i < items->size(); ++i)
    entries.push_back(decodeEntry(decoder, Decoder::item(tokens, i)));
  return entries;
}

}  // namespace

Checked<TokenTable> parseTokens(std::string_view yaml) {
  codec::Limits limits;
  limits.textBytes = kFileBytes;
  limits.values = 2'000'000;
  const auto tree = codec::parseYaml(yaml, limits);
  if (!tree) return tl::unexpected(tree.error());
  Decoder decoder;
  auto entries = decodeEntries(decoder, decoder.root(tree->root()));
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return TokenTable::make(std::move(entries));
}

Checked<TokenTable> loadTokens(const std::string& path) {
  const auto text = readTextFile(path, kFileBytes, 022);
  if (!text) return tl::unexpected(Errors{text.error()});
  return parseTokens(*text);
}

}  // namespace fairlead::auth
