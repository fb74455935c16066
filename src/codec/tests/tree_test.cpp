#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/tree.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fairlead::codec {
namespace {

std::string firstToken(const Errors& errors) { return errors.empty() ? "" : std::string(errors.front().token()); }

template <class Parse>
std::string failureOf(Parse parse, const std::string& text, const Limits& limits = {}) {
  const auto tree = parse(text, limits);
  return tree ? "fine" : firstToken(tree.error());
}

const auto kJson = [](const std::string& text, const Limits& limits) { return parseJson(text, limits); };
const auto kYaml = [](const std::string& text, const Limits& limits) { return parseYaml(text, limits); };

TEST(JsonTree, KeepsPlacesAndSpelling) {
  const auto tree = parseJson("{\n  \"a\": [1, -2.50, \"x\\n\"],\n  \"b\": null}");
  ASSERT_TRUE(tree);
  const auto* list = tree->root().find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[0].integer, 1);
  EXPECT_EQ(list->items[1].kind, NodeKind::decimal);
  EXPECT_EQ(list->items[1].text, "-2.50");
  EXPECT_EQ(list->items[2].text, "x\n");
  EXPECT_EQ(list->items[2].place.line, 2);
  EXPECT_EQ(list->items[2].place.column, 19);
  EXPECT_EQ(tree->root().entries[1].place.line, 3);
}

TEST(JsonTree, IntegersKeepAllTheirBits) {
  const auto tree = parseJson("[9223372036854775807, -9223372036854775808, 9223372036854775808, -0, 1e2]");
  ASSERT_TRUE(tree);
  const auto& items = tree->root().items;
  EXPECT_EQ(items[0].integer, INT64_MAX);
  EXPECT_EQ(items[1].integer, INT64_MIN);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(items[i].kind, NodeKind::decimal) << i;
}

TEST(JsonTree, RefusesWhatTheGrammarDoes) {
  for (const auto* text : {"",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "tru",
                           "01",
                           "1.",
                           "+1",
                           "'a'",
                           "\"a",
                           "\"\\x\"",
                           "[1] 2",
                           "{a:1}",
                           "\"\t\"",
                           "nullx",
                           "-",
                           "\"\\u12\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "NaN"})
    EXPECT_EQ(failureOf(kJson, text), "codec/syntax") << text;
}

TEST(JsonTree, TenThousandLevelsAreRefusedQuickly) {
  EXPECT_EQ(failureOf(kJson, std::string(10'000, '[')), "codec/too-deep");
  std::string objects;
  for (int i = 0; i < 10'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(failureOf(kJson, objects), "codec/too-deep");
}

TEST(Tree, TenMegabytesAreRefusedQuickly) {
  const std::string large = "[\"" + std::string(10 * 1024 * 1024, 'a') + "\"]";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(failureOf(kJson, large), "codec/text-too-large");
  EXPECT_EQ(failureOf(kYaml, large), "codec/text-too-large");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST(Tree, ManyValuesAreRefused) {
  std::string list = "[0";
  for (int i = 0; i < 200'000; ++i) list += ",0";
  list += "]";
  EXPECT_EQ(failureOf(kJson, list), "codec/too-many-values");
  EXPECT_EQ(failureOf(kYaml, list), "codec/too-many-values");
}

TEST(Tree, EncodingIsChecked) {
  EXPECT_EQ(failureOf(kJson, "\"\xff\""), "codec/encoding");
  EXPECT_EQ(failureOf(kJson, "\"\xc0\x80\""), "codec/encoding");
  EXPECT_EQ(failureOf(kYaml, std::string("a: b\0c", 6)), "codec/encoding");
  EXPECT_EQ(failureOf(kYaml, "a: \x04"), "codec/encoding");
  EXPECT_EQ(failureOf(kYaml,
                      "\xff\xfe"
                      "a"),
            "codec/encoding");
  EXPECT_EQ(failureOf(kJson, "\xEF\xBB\xBF{}"), "fine");
  EXPECT_EQ(failureOf(kYaml,
                      "\xEF\xBB\xBF"
                      "a: b"),
            "fine");
}

TEST(Tree, DuplicateKeysNameBothPlaces) {
  const auto tree = parseYaml("a: 1\nb: 2\na: 3\n");
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().front().line, 3);
  EXPECT_NE(tree.error().front().message.find("1:1"), std::string::npos);
  std::string many = "{";
  for (int i = 0; i < 50; ++i) many += "\"k" + std::to_string(i % 40) + "\":0,";
  many.back() = '}';
  const auto json = parseJson(many);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().size(), 10U);
}

TEST(YamlTree, OnlyCanonicalScalarsHaveATypeOfTheirOwn) {
  const auto tree = parseYaml("[true, 12, -3, 0.5, yes, True, 010, 0x1F, 1e3, .5, 1:30, '12', ~, +1, -0, 1_0]");
  ASSERT_TRUE(tree);
  const std::vector<NodeKind> wanted{NodeKind::boolean, NodeKind::integer, NodeKind::integer, NodeKind::decimal,
                                     NodeKind::text,    NodeKind::text,    NodeKind::text,    NodeKind::text,
                                     NodeKind::text,    NodeKind::text,    NodeKind::text,    NodeKind::text,
                                     NodeKind::null,    NodeKind::text,    NodeKind::text,    NodeKind::text};
  ASSERT_EQ(tree->root().items.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(tree->root().items[i].kind, wanted[i]) << i;
  EXPECT_EQ(tree->root().items[6].text, "010");
}

TEST(YamlTree, AliasesShareAndAreCounted) {
  const auto small = parseYaml("a: &x [1, 2]\nb: *x\n");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->root().find("b")->items.data(), small->root().find("a")->items.data());
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const auto before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + before + ", *a" + before + "]\n";
  }
  EXPECT_EQ(failureOf(kYaml, bomb), "codec/too-many-values");
  std::string tower = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i)
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_EQ(failureOf(kYaml, tower), "codec/too-deep");
}

TEST(YamlTree, DeepNestingIsRefused) {
  EXPECT_EQ(failureOf(kYaml, std::string(10'000, '[')), "codec/too-deep");
  std::string maps;
  for (int i = 0; i < 200; ++i) maps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(failureOf(kYaml, maps), "codec/too-deep");
}

TEST(YamlTree, SeveralDocuments) {
  const auto trees = parseYamlDocuments("a: 1\n---\n---\nb: 2\n...\n");
  ASSERT_TRUE(trees);
  ASSERT_EQ(trees->size(), 2U);
  EXPECT_NE((*trees)[1].root().find("b"), nullptr);
  EXPECT_EQ(failureOf(kYaml, "a: 1\n---\nb: 2\n"), "codec/syntax");
}

}  // namespace
}  // namespace fairlead::codec
