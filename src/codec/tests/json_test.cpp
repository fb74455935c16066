#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/codec/signals.hpp>
#include <fairlead/codec/tree.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace fairlead::codec {
namespace {

std::string jsonText(std::string_view text) {
  std::string out;
  appendJsonString(out, text);
  return out;
}

TEST(JsonWriter, CommasAndEscapes) {
  std::string out;
  JsonWriter json(out);
  json.beginObject()
      .member("a", 1)
      .member("b", true)
      .key("c")
      .beginArray()
      .value("x")
      .null()
      .beginObject()
      .endObject()
      .endArray();
  json.member("d", std::int64_t{-5}).member("e", std::string("q\"\\\n\x01")).endObject();
  EXPECT_EQ(out, R"({"a":1,"b":true,"c":["x",null,{}],"d":-5,"e":"q\"\\\n\u0001"})");
}

TEST(JsonWriter, InvalidTextBecomesReplacementCharacters) {
  EXPECT_EQ(jsonText("a\xff"
                     "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(jsonText(std::string_view("\0", 1)), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(jsonText("\xe2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(jsonText("模型 é"), "\"模型 é\"");
}

TEST(JsonWriter, AnyBytesGiveAReadableString) {
  rc::check([](const std::string& bytes) {
    const auto text = jsonText(bytes);
    const auto tree = parseJson(text);
    RC_ASSERT(tree.has_value());
    if (isUtf8(bytes) && bytes.find('\0') == std::string::npos) RC_ASSERT(tree->root().text == bytes);
  });
}

// A row that was written once must never stop a later start.
TEST(Rows, EveryNumberThatCanBeWrittenCanBeRead) {
  using Int32 = std::numeric_limits<std::int32_t>;
  using Int64 = std::numeric_limits<std::int64_t>;
  for (const auto& [small, large] : {std::pair{Int32::min(), Int64::min()}, std::pair{Int32::max(), Int64::max()},
                                     std::pair{std::int32_t{-1}, std::int64_t{-1}}}) {
    model::MemberPlacement member;
    member.role = member.rank = small;
    member.devices = {{small, MilliDevices{large}}};
    member.cpus = MilliCpus{large};
    member.memory = Bytes{large};
    EXPECT_EQ(placementFromJson(placementToJson({member})).value(), std::vector{member});
    const std::vector<model::MemberEnd> ends{{small, small, small, true, TimePoint{large}}};
    EXPECT_EQ(endsFromJson(endsToJson(ends)).value(), ends);
  }
}

TEST(Rows, PlacementEndsAndListsComeBackEqual) {
  model::MemberPlacement member;
  member.role = 1;
  member.rank = 3;
  member.node = "n\"1";
  member.vendor = "nvidia";
  member.model = "h100";
  member.devices = {{0, MilliDevices{1000}}, {7, MilliDevices{500}}};
  member.cpus = MilliCpus{32'000};
  member.memory = Bytes{1LL << 40};
  const std::vector<model::MemberPlacement> placement{member, {}};
  EXPECT_EQ(placementFromJson(placementToJson(placement)).value(), placement);
  const std::vector<model::MemberEnd> ends{{0, -1, 0, false, TimePoint{5}},
                                           {1, 0, 9, true, TimePoint{1'796'000'000'000}}};
  EXPECT_EQ(endsFromJson(endsToJson(ends)).value(), ends);
  const auto native = std::make_shared<const model::NativeOrigin>(
      model::NativeOrigin{"lab", "12_[3-7%3]", "research", "gpu", "", "PENDING", "JobArrayTaskLimit", 5});
  EXPECT_EQ(*nativeFromJson(nativeToJson(native)).value(), *native);
  const TextPairs pairs{{"b", "2"}, {"a", "0.125"}};
  EXPECT_EQ(metricsFromJson(metricsToJson(pairs)).value(), pairs);
  EXPECT_EQ(labelsFromJson(labelsToJson(pairs)).value(), pairs);
  const std::vector<std::string> strings{"", "x", "a\nb"};
  EXPECT_EQ(stringsFromJson(stringsToJson(strings)).value(), strings);
  EXPECT_TRUE(placementFromJson("[]").value().empty());
}

TEST(Rows, DamageIsAnErrorAndNotACrash) {
  for (const auto* text : {"", "{}", "[1]", "[{\"role\":1}]", "[{\"role\":2147483648,\"rank\":0,\"node\":\"a\"}]",
                           "[{\"role\":0,\"rank\":0,\"node\":\"a\",\"x\":1}]"}) {
    const auto row = placementFromJson(text);
    ASSERT_FALSE(row) << text;
    EXPECT_EQ(row.error().token(), kBadRow.token);
  }
  EXPECT_FALSE(labelsFromJson("[]"));
  EXPECT_FALSE(stringsFromJson("[1]"));
}

TEST(Digests, KnownAnswerAndHex) {
  const auto digest = sha256(std::string_view("abc"));
  const auto hex = toHex(digest);
  EXPECT_EQ(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digestFromHex(hex), digest);
  EXPECT_FALSE(digestFromHex(hex.substr(1)));
  EXPECT_FALSE(digestFromHex("g" + hex.substr(1)));
  Sha256 pieces;
  pieces.update("a");
  pieces.update("bc");
  EXPECT_EQ(pieces.finish(), digest);
}

TEST(Signals, NamesAndNumbers) {
  EXPECT_EQ(parseSignal("USR1"), 10);
  EXPECT_EQ(parseSignal("sigterm"), 15);
  EXPECT_EQ(parseSignal("9"), 9);
  EXPECT_EQ(signalName(12), "USR2");
  for (const auto* text : {"", "0", "65", "SIG", "USR3", "-1", "1x"}) EXPECT_FALSE(parseSignal(text)) << text;
}

}  // namespace
}  // namespace fairlead::codec
