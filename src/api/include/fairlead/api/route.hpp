// The one declaration of an endpoint. Routing, validation, authorisation, OpenAPI and the reference page are made from
// it.
#pragma once

#include <fairlead/api/schema.hpp>
#include <fairlead/base/result.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fairlead::api {

class Service;
struct Call;

enum class ParamPlace : std::uint8_t { path, query, header };
enum class ParamKind : std::uint8_t { text, integer, boolean, time, choice };

/// One parameter. Anything else in the query is refused with the nearest known name.
struct Param {
  std::string_view name = {};
  ParamPlace place = ParamPlace::query;
  ParamKind kind = ParamKind::text;
  std::string_view doc = {};
  std::int64_t minimum = 0;  ///< integer
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::size_t maxBytes = 256;                  ///< text
  std::vector<std::string_view> choices = {};  ///< choice
  bool several = false;                        ///< may stand more than once, or hold a comma list
  std::string_view fallback = {};              ///< as text; empty: none
};

enum class RunsOn : std::uint8_t {
  io,      ///< quick and never blocking
  worker,  ///< the bounded pool for what may be slow
  engine,  ///< the pool for what waits for an engine's answer
};

/// Whether and how the caller must be known.
enum class CallerCheck : std::uint8_t {
  open,           ///< for probes: nobody is asked
  authenticated,  ///< any known principal; the handler shows only what the principal may see
  guarded,        ///< the handler asks auth about `action` on the object's project
};

struct BodySpec {
  std::vector<std::string_view> contentTypes = {};  ///< accepted ones, the first is the default; empty: no body
  std::string_view doc = {};
  std::size_t maxBytes = 0;
  const ShapeInfo* shape = nullptr;  ///< null: see doc
};

/// Answers the call, now or later, on this or another thread.
using RouteHandler = void (*)(Service&, std::shared_ptr<Call>);

struct Route {
  std::string_view method = {};
  std::string_view path = {};       ///< template, `/api/v1/workloads/{id}:cancel`
  std::string_view operation = {};  ///< camelCase, unique: OpenAPI's operationId
  std::string_view tag = {};        ///< resource, groups the documentation
  std::string_view summary = {};
  std::string_view doc = {};
  CallerCheck access = CallerCheck::guarded;
  std::string_view action = {};  ///< what auth is asked for, `workload.cancel`
  RunsOn runsOn = RunsOn::worker;
  std::vector<Param> params = {};
  BodySpec body = {};
  int status = 200;
  std::string_view contentType = "application/json";
  const ShapeInfo* answer = nullptr;   ///< null: not JSON
  bool page = false;                   ///< the answer is {items: [answer], nextCursor}
  std::vector<ErrorKind> errors = {};  ///< beside those that any call may have
  RouteHandler handler = nullptr;
};

/// All endpoints, in the order of the documentation.
[[nodiscard]] std::span<const Route> routes();

}  // namespace fairlead::api
