#include "names.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/tokens.hpp>
#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace fairlead::auth {
namespace {

constexpr std::string_view kPrefix = "flt_";  // lets secret scanners find it in a repository
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kMostTokenBytes = 512;
constexpr std::size_t kMostTokens = 100'000;
constexpr std::size_t kMostGroups = 1'000;

Error tokenError(std::size_t index, std::string_view field, std::string_view value, std::string message,
                 std::string remedy = {}) {
  return Error{&kTokenInvalid, std::move(message), fmt::format("tokens[{}].{}", index, field), printable(value),
               std::move(remedy)};
}

void checkEntry(const TokenEntry& entry, std::size_t index, Errors& errors) {
  if (!isPlainName(entry.name))
    errors.push_back(tokenError(index, "name", entry.name, "not a token name",
                                "1 to 63 of a-z, 0-9, -, . and _, beginning and ending with a letter or digit"));
  if (!isPrincipalName(entry.principal))
    errors.push_back(tokenError(index, "principal", entry.principal, "not the name of a user"));
  if (!entry.unixUser.empty() && !isUnixName(entry.unixUser))
    errors.push_back(tokenError(index, "unixUser", entry.unixUser, "not the name of a Unix user",
                                "leave it out for a token that starts no processes"));
  if (entry.groups.size() > kMostGroups)
    errors.push_back(tokenError(index, "groups", "", fmt::format("more than {} groups", kMostGroups)));
  for (const auto& group : entry.groups)
    if (!isPrincipalName(group)) errors.push_back(tokenError(index, "groups", group, "not the name of a group"));
}

std::uint64_t prefixOf(const Digest& digest) {
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, digest.data(), sizeof prefix);
  return prefix;
}

std::string base64Url(const std::array<std::uint8_t, kRandomBytes>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t pending = 0;
  int bits = 0;
  for (const auto byte : bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 6; bits -= 6) text += kDigits[(pending >> (bits - 6)) & 63U];
  }
  if (bits > 0) text += kDigits[(pending << (6 - bits)) & 63U];
  return text;
}

std::string lineOf(const TokenEntry& entry) {
  auto line = fmt::format("- {{name: \"{}\", sha256: \"{}\", principal: \"{}\"", entry.name, codec::toHex(entry.sha256),
                          entry.principal);
  if (!entry.unixUser.empty()) line += fmt::format(", unixUser: \"{}\"", entry.unixUser);
  if (!entry.groups.empty()) line += fmt::format(", groups: [\"{}\"]", fmt::join(entry.groups, "\", \""));
  if (entry.expires) line += fmt::format(", expires: \"{}\"", toText(entry.expires));
  if (entry.siteAdmin) line += ", siteAdmin: true";
  return line + "}";
}

bool fitsQuotes(const std::string& text) { return text.find_first_of("\"\\") == std::string::npos; }

}  // namespace

Checked<TokenTable> TokenTable::make(std::vector<TokenEntry> entries) {
  Errors errors;
  std::set<std::string_view> names;
  std::set<Digest> digests;
  if (entries.size() > kMostTokens)
    errors.push_back(tokenError(kMostTokens, "name", "", fmt::format("more than {} tokens", kMostTokens)));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    checkEntry(entries[i], i, errors);
    if (!names.insert(entries[i].name).second)
      errors.push_back(tokenError(i, "name", entries[i].name, "two tokens have this name"));
    if (!digests.insert(entries[i].sha256).second)
      errors.push_back(tokenError(i, "sha256", "", "two entries are for the same token", "make a token for each"));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  TokenTable table;
  table.entries_ = std::move(entries);
  std::sort(table.entries_.begin(), table.entries_.end(),
            [](const auto& a, const auto& b) { return prefixOf(a.sha256) < prefixOf(b.sha256); });
  return table;
}

/// The search is by the digest's first bytes, which a caller cannot choose without knowing a token; the rest is
/// compared in constant time.
Result<Principal> TokenTable::principalOf(std::string_view token, TimePoint now) const {
  if (!token.empty() && token.size() <= kMostTokenBytes) {
    const auto digest = codec::sha256(token);
    const auto prefix = prefixOf(digest);
    auto entry = std::lower_bound(entries_.begin(), entries_.end(), prefix,
                                  [](const auto& e, std::uint64_t wanted) { return prefixOf(e.sha256) < wanted; });
    for (; entry != entries_.end() && prefixOf(entry->sha256) == prefix; ++entry) {
      if (CRYPTO_memcmp(entry->sha256.data(), digest.data(), digest.size()) != 0) continue;
      if (entry->expires && now >= entry->expires) break;
      return Principal{entry->principal, entry->groups, entry->unixUser, entry->siteAdmin, "token " + entry->name};
    }
  }
  return fail(kTokenRefused, "the token is unknown or has expired", "ask an administrator for a new token");
}

Result<NewToken> makeToken(TokenEntry entry) {
  Errors errors;
  checkEntry(entry, 0, errors);
  bool quotable = fitsQuotes(entry.principal);
  for (const auto& group : entry.groups) quotable = quotable && fitsQuotes(group);
  if (errors.empty() && !quotable)
    errors.push_back(tokenError(0, "principal", entry.principal, "quotes and backslashes cannot be written here"));
  if (!errors.empty()) return tl::unexpected(std::move(errors.front()));
  std::array<std::uint8_t, kRandomBytes> random{};
  FL_ASSERT(RAND_priv_bytes(random.data(), static_cast<int>(random.size())) == 1, "the system gives random bytes");
  Secret token(std::string(kPrefix) + base64Url(random));
  OPENSSL_cleanse(random.data(), random.size());
  entry.sha256 = codec::sha256(token.reveal());
  auto line = lineOf(entry);
  return NewToken{std::move(token), std::move(line)};
}

}  // namespace fairlead::auth
