#include <fairlead/net/http.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fairlead::net {
namespace {

TEST(Target, isDecodedAndNormalised) {
  const auto target = parseTarget("/api//v1/./a%20b/?q=x+y%2B&empty=&flag&=v#frag");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "/api/v1/a b");
  EXPECT_EQ(target->query, (QueryPairs{{"q", "x y+"}, {"empty", ""}, {"flag", ""}, {"", "v"}}));
  EXPECT_EQ(parseTarget("/")->path, "/");
  EXPECT_EQ(parseTarget("//")->path, "/");
  EXPECT_EQ(parseTarget("http://host:1/p?a=1")->path, "/p");
  EXPECT_EQ(parseTarget("http://host")->path, "/");
}

TEST(Target, refusesWhatCouldMeanTwoThings) {
  for (const std::string wrong : {"", "a", "*", "/..", "/a/../b", "/%2e%2e/x", "/a%2fb", "/%", "/%4", "/%zz", "/a%00",
                                  "/%ff", "/a\nb", "/%7f", "/?a=%ff", "/?%zz=1", "/?a=%00", "ftp://x/"})
    EXPECT_FALSE(parseTarget(wrong).has_value()) << wrong;
  std::string many = "/?a";
  for (int i = 0; i < 256; ++i) many += "&a";
  EXPECT_FALSE(parseTarget(many).has_value());
}

RC_GTEST_PROP(Target, everyNameSurvivesEncoding, ()) {
  const auto name = *rc::gen::container<std::string>(rc::gen::inRange<char>(0x20, 0x7e));
  const auto target = parseTarget("/x" + encodeQuery({{name, name}}));
  RC_ASSERT(target.has_value());
  RC_ASSERT(target->query == (QueryPairs{{name, name}}));
}

TEST(Headers, compareNamesWithoutCaseAndKeepTheOrder) {
  Headers headers;
  headers.add("Content-Type", "a");
  headers.add("X", "1");
  headers.add("x", "2");
  EXPECT_EQ(headers.get("content-TYPE"), "a");
  EXPECT_EQ(headers.all("X"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_FALSE(headers.get("Content").has_value());
  EXPECT_EQ(headers.at(2).second, "2");
}

TEST(Problem, isValidJsonForAnyDetail) {
  const auto problem = plainProblem(404, "say \"no\" to \\ and \n");
  EXPECT_EQ(problem.contentType, "application/problem+json");
  EXPECT_EQ(problem.body,
            R"({"type":"about:blank","title":"Not Found","status":404,"detail":"say \"no\" to \\ and \\x0a"})");
}

}  // namespace
}  // namespace fairlead::net
