#include <fairlead/net/sse.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fairlead::net {
namespace {

std::vector<SseEvent> parse(SseParser& parser, std::string_view bytes) {
  auto events = parser.feed(bytes);
  EXPECT_TRUE(events.has_value());
  return events ? *events : std::vector<SseEvent>{};
}

TEST(Sse, readsFieldsAsTheStandardSays) {
  SseParser parser;
  const auto events = parse(parser,
                            "\xEF\xBB\xBF: comment\n\nid: 7\nevent: job\ndata: a\ndata:b\nunknown: x\n\ndata\n\nretry: "
                            "1500\nid:8\r\ndata:  two\r\n\r\n"
                            "data: cut");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].id, "7");
  EXPECT_EQ(events[0].event, "job");
  EXPECT_EQ(events[0].data, "a\nb");
  EXPECT_EQ(events[1].id, "7") << "the last id stays";
  EXPECT_EQ(events[1].event, "message");
  EXPECT_EQ(events[1].data, "");
  EXPECT_EQ(events[2].data, " two");
  EXPECT_EQ(parser.lastId(), "8");
  EXPECT_EQ(parser.retry(), Milliseconds{1500});
}

TEST(Sse, commentsAloneAreNoEvent) {
  SseParser parser;
  EXPECT_TRUE(parse(parser, ": keep-alive\n\n: keep-alive\n\nid: 3\n\n").empty());
}

TEST(Sse, isBounded) {
  SseParser parser({100});
  const auto endless = parser.feed("data: " + std::string(200, 'x'));
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().code, &kEventTooLarge);
  SseParser lines({100});
  std::string many;
  for (int i = 0; i < 50; ++i) many += "data: xxxxxxx\n";
  EXPECT_FALSE(lines.feed(many).has_value());
}

RC_GTEST_PROP(Sse, whatIsFormattedIsReadBackFromAnyPieces, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::element('a', 'b', ':', ' ', '\n'));
  const auto data = *text;
  const auto event = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '-'));
  const auto bytes = formatEvent("12", event, data);
  SseParser parser;
  std::vector<SseEvent> events;
  for (std::size_t next = 0; next < bytes.size();) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 9);
    const auto more = parse(parser, std::string_view(bytes).substr(next, size));
    events.insert(events.end(), more.begin(), more.end());
    next += size;
  }
  RC_ASSERT(events.size() == 1U);
  RC_ASSERT(events[0].id == "12");
  RC_ASSERT(events[0].data == data);
  RC_ASSERT(events[0].event == (event.empty() ? "message" : event));
}

TEST(Sse, lineBreaksCannotForgeFields) {
  EXPECT_EQ(formatEvent("1\ndata: x", "e\r\nid: 9", "a\r\nb\rc"),
            "id: 1 data: x\nevent: e  id: 9\ndata: a\ndata: b\ndata: c\n\n");
}

}  // namespace
}  // namespace fairlead::net
