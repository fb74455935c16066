#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/tokens.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimePoint kNow{1'796'063'488'000};

TokenEntry entryFor(std::string_view token, std::string name = "ci") {
  TokenEntry entry;
  entry.name = std::move(name);
  entry.sha256 = codec::sha256(token);
  entry.principal = "ci-bot";
  entry.unixUser = "svc-ci";
  entry.groups = {"builders"};
  return entry;
}

TokenTable tableOf(std::vector<TokenEntry> entries) {
  auto table = TokenTable::make(std::move(entries));
  if (!table) ADD_FAILURE() << table.error().front().message;
  return table ? std::move(*table) : TokenTable{};
}

std::vector<std::string> problems(std::vector<TokenEntry> entries) {
  std::vector<std::string> out;
  if (const auto table = TokenTable::make(std::move(entries)); !table)
    for (const auto& error : table.error()) out.push_back(error.field);
  return out;
}

std::string file(std::string_view entries) {
  return fmt::format("apiVersion: fairlead.io/v1\nkind: TokenList\nmetadata: {{name: site}}\nspec:\n  tokens:\n{}",
                     entries);
}

TEST(TokenTable, givesThePrincipalOfAKnownToken) {
  const auto who = tableOf({entryFor("one"), entryFor("two", "other")}).principalOf("one", kNow);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->name, "ci-bot");
  EXPECT_EQ(who->unixUser, "svc-ci");
  EXPECT_THAT(who->groups, ElementsAre("builders"));
  EXPECT_FALSE(who->siteAdmin);
  EXPECT_EQ(who->how, "token ci");
}

TEST(TokenTable, refusesUnknownExpiredAndMalformedTokensWithTheSameWords) {
  auto expired = entryFor("old", "old");
  expired.expires = kNow;
  const auto table = tableOf({entryFor("one"), expired});
  std::set<std::string> texts;
  for (const auto& token : {std::string("two"), std::string("old"), std::string(), std::string(100'000, 'x'),
                            std::string("one "), std::string("one\0", 4), codec::toHex(codec::sha256("one"))}) {
    const auto who = table.principalOf(token, kNow);
    ASSERT_FALSE(who) << printable(token, 20);
    EXPECT_EQ(who.error().code, &kTokenRefused);
    texts.insert(toText(who.error()));
  }
  EXPECT_EQ(texts.size(), 1U);
  EXPECT_TRUE(table.principalOf("old", kNow - Milliseconds{1})) << "valid until the instant it expires";
  EXPECT_FALSE(TokenTable{}.principalOf("one", kNow));
}

TEST(TokenTable, aTokenWithoutUnixUserStartsNothing) {
  auto entry = entryFor("one");
  entry.unixUser.clear();
  EXPECT_EQ(tableOf({entry}).principalOf("one", kNow)->unixUser, "");
}

TEST(TokenTable, refusesBadEntries) {
  const auto with = [](auto change) {
    auto entry = entryFor("one");
    change(entry);
    return problems({entry});
  };
  EXPECT_THAT(with([](auto& e) { e.name = "A b"; }), ElementsAre("tokens[0].name"));
  EXPECT_THAT(with([](auto& e) { e.principal = ""; }), ElementsAre("tokens[0].principal"));
  EXPECT_THAT(with([](auto& e) { e.principal = "a\nb"; }), ElementsAre("tokens[0].principal"));
  EXPECT_THAT(with([](auto& e) { e.groups = {"ok", "-x"}; }), ElementsAre("tokens[0].groups"));
  for (const auto* user : {"0", "1000", "-u", "a b", "../x", "root;"})
    EXPECT_THAT(with([&](auto& e) { e.unixUser = user; }), ElementsAre("tokens[0].unixUser")) << user;
  EXPECT_THAT(problems({entryFor("one"), entryFor("two")}), ElementsAre("tokens[1].name"));
  EXPECT_THAT(problems({entryFor("one"), entryFor("one", "b")}), ElementsAre("tokens[1].sha256"));
}

TEST(ParseTokens, readsAFileThatMakeTokenWroteLineByLine) {
  auto full = entryFor("");
  full.expires = kNow;
  full.siteAdmin = true;
  const auto one = makeToken(full).value();
  TokenEntry plain;
  plain.name = "plain";
  plain.principal = "li";
  const auto two = makeToken(plain).value();
  const auto table = parseTokens(file("    " + one.fileLine + "\n    " + two.fileLine + "\n"));
  ASSERT_TRUE(table) << table.error().front().message;
  EXPECT_EQ(table->size(), 2U);
  const auto who = table->principalOf(one.token.reveal(), kNow - Milliseconds{1});
  ASSERT_TRUE(who);
  EXPECT_TRUE(who->siteAdmin);
  EXPECT_FALSE(table->principalOf(one.token.reveal(), kNow));
  EXPECT_EQ(table->principalOf(two.token.reveal(), kNow)->name, "li");
}

TEST(ParseTokens, namesWhatIsWrongAndNeverShowsATokenPutInThePlaceOfItsDigest) {
  const auto errorText = [](std::string_view yaml) {
    const auto table = parseTokens(yaml);
    if (table) return std::string("ok");
    std::string text;
    for (const auto& error : table.error()) text += error.field + ": " + toText(error) + "\n";
    return text;
  };
  const auto leaked = errorText(file("    - {name: a, principal: p, sha256: flt_topsecret}\n"));
  EXPECT_THAT(leaked, HasSubstr("spec.tokens[0].sha256"));
  EXPECT_THAT(leaked, Not(HasSubstr("topsecret")));
  EXPECT_THAT(errorText(file("    - {name: a, principal: p}\n")), HasSubstr("sha256"));
  EXPECT_THAT(errorText(file("    - {name: a, principal: p, sha256: \"x\", expires: soon, admin: true}\n")),
              ::testing::AllOf(HasSubstr("sha256"), HasSubstr("expires"), HasSubstr("admin")));
  EXPECT_THAT(errorText("apiVersion: fairlead.io/v1\nkind: Project\nspec: {tokens: []}\n"), HasSubstr("kind"));
  EXPECT_EQ(errorText("apiVersion: fairlead.io/v1\nkind: TokenList\nspec: {tokens: []}\n"), "ok");
  EXPECT_NE(errorText(""), "ok");
}

TEST(MakeToken, isLongRandomAndItsLineDoesNotHoldIt) {
  const auto first = makeToken(entryFor("")).value();
  const auto second = makeToken(entryFor("")).value();
  EXPECT_EQ(first.token.reveal().size(), 47U);
  EXPECT_TRUE(first.token.reveal().starts_with("flt_"));
  EXPECT_NE(first.token.reveal(), second.token.reveal());
  EXPECT_THAT(first.fileLine, Not(HasSubstr(first.token.reveal())));
  EXPECT_THAT(first.fileLine, HasSubstr(codec::toHex(codec::sha256(first.token.reveal()))));
}

TEST(MakeToken, refusesTextsThatWouldBreakTheFile) {
  auto entry = entryFor("");
  entry.principal = "x\", siteAdmin: true, y: \"";
  EXPECT_FALSE(makeToken(entry));
  entry.principal = "a\"b";
  EXPECT_EQ(makeToken(entry).error().code, &kTokenInvalid);
  entry = entryFor("");
  entry.groups = {"a\\"};
  EXPECT_FALSE(makeToken(entry));
}

TEST(LoadTokens, refusesAFileThatOthersMayWrite) {
  std::string pattern = (std::filesystem::temp_directory_path() / "fairlead-tokens-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const auto path = (folder / "tokens.yaml").string();
  std::ofstream(path) << "apiVersion: fairlead.io/v1\nkind: TokenList\nspec: {tokens: []}\n";
  for (const mode_t mode : {0600U, 0644U}) {
    ::chmod(path.c_str(), mode);
    EXPECT_TRUE(loadTokens(path)) << mode;
  }
  for (const mode_t mode : {0620U, 0602U}) {
    ::chmod(path.c_str(), mode);
    const auto table = loadTokens(path);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().front().code, &kFileUnsafe);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fairlead::auth
