// Bearer tokens: a random text that a client holds, of which the daemon's file knows only the SHA-256.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/base/secret.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/spec.hpp>
#include <fairlead/model/tenancy.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::auth {

using model::Digest;
using model::Principal;

struct TokenEntry {
  std::string name;  ///< unique; for people and the audit
  Digest sha256{};   ///< of the token's text
  std::string principal;
  std::string unixUser;  ///< empty: may not start processes here
  std::vector<std::string> groups;
  TimePoint expires;  ///< 0: never
  bool siteAdmin = false;
};

/// Immutable: a reload makes another one; any thread.
class TokenTable {
 public:
  TokenTable() = default;  ///< no token is accepted
  /// Refused, all errors at once, fields as `tokens[i].name`: bad or repeated names, a digest twice, too many entries.
  [[nodiscard]] static Checked<TokenTable> make(std::vector<TokenEntry> entries);
  /// Error: kTokenRefused, always with the same words. The time it takes tells nothing about tokens that exist.
  [[nodiscard]] Result<Principal> principalOf(std::string_view token, TimePoint now) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::vector<TokenEntry> entries_;  ///< by digest
};

/// A `kind: TokenList` document. Every error with line, column and field; none shows a digest.
[[nodiscard]] Checked<TokenTable> parseTokens(std::string_view yaml);
/// Reads such a file; refused when others than its owner may write it.
[[nodiscard]] Checked<TokenTable> loadTokens(const std::string& path);

struct NewToken {
  Secret token;          ///< `flt_` and 43 characters: 256 random bits; shown once to the one who asked
  std::string fileLine;  ///< the entry for the file's list of tokens
};
/// `entry.sha256` is filled in. The texts of `entry` must be valid as TokenTable::make wants them, else kTokenInvalid.
[[nodiscard]] Result<NewToken> makeToken(TokenEntry entry);

}  // namespace fairlead::auth
