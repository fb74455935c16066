// What every client command shares: where the daemon is, how to print, which exit code.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::cli {

/// Exit codes, stated in `fairlead --help` and docs/cli.md.
enum class Exit : int { done = 0, failed = 1, usage = 2, notFound = 3, denied = 4, conflict = 5, notReady = 6 };

enum class Format : std::uint8_t { table, wide, json, yaml, name };

/// Global options, as parsed.
struct Context {
  std::string address;  ///< empty: FAIRLEAD_ADDRESS, else the daemon's default socket
  std::string caFile;
  std::string tokenFile;  ///< a token is never given on the command line
  std::string project;    ///< empty: FAIRLEAD_PROJECT, else what the daemon makes of it
  Format format = Format::table;
  bool noHeaders = false;
  bool colour = false;  ///< on a terminal, unless NO_COLOR is set
  std::string program = "fairlead";
};

/// Thrown by helpers to end a command; the message is already for people. Caught in main.
struct Stop {
  Exit code = Exit::failed;
  std::string message;
};

using Query = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  int status = 0;
  boost::json::value body;
  std::string etag;
};

/// One request; throws Stop with the daemon's own explanation when it is refused. `target` without query.
[[nodiscard]] Answer call(const Context& context, std::string_view method, std::string_view target,
                          const Query& query = {}, std::string body = {}, std::string_view contentType = {},
                          const std::vector<std::pair<std::string, std::string>>& headers = {});
[[nodiscard]] boost::json::value get(const Context& context, std::string_view target, const Query& query = {});
/// All pages of a list.
[[nodiscard]] boost::json::array getAll(const Context& context, std::string_view target, Query query = {});

/// Streams bytes to `onChunk` until the server ends it. False from `onChunk` stops.
void stream(const Context& context, std::string_view target, const Query& query,
            const std::function<bool(std::string_view)>& onChunk);

[[nodiscard]] std::string percentEncode(std::string_view text);

// Fields of answers; missing ones give the fallback.
[[nodiscard]] std::string text(const boost::json::value& object, std::string_view field,
                               std::string_view fallback = {});
[[nodiscard]] std::int64_t number(const boost::json::value& object, std::string_view field, std::int64_t fallback = 0);
[[nodiscard]] bool flag(const boost::json::value& object, std::string_view field);
[[nodiscard]] const boost::json::value* member(const boost::json::value& object, std::string_view field);
[[nodiscard]] const boost::json::array& list(const boost::json::value& object, std::string_view field);

}  // namespace fairlead::cli
