// One call under way: the request, who makes it, its checked parameters, and the duty to answer.
#pragma once

#include <fairlead/api/route.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/tenancy.hpp>
#include <fairlead/net/http_server.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::api {

class Service;

struct ParamValue {
  const Param* param = nullptr;
  std::string text;
  std::int64_t number = 0;  ///< integer; boolean as 0 and 1; time in milliseconds
};

/// Belongs to one thread at a time.
struct Call {
  Service* service = nullptr;
  const Route* route = nullptr;
  std::size_t routeIndex = 0;
  net::Request request;
  net::Responder responder;
  model::Principal who;
  std::vector<ParamValue> params;
  std::chrono::steady_clock::time_point begin;

  [[nodiscard]] const ParamValue* find(std::string_view name) const;
  /// Empty where absent.
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  [[nodiscard]] bool flag(std::string_view name) const { return integer(name) != 0; }
  [[nodiscard]] TimePoint time(std::string_view name) const { return {integer(name)}; }

  /// Each answers; once.
  void reply(int status, std::string json);
  void reply(net::Response response);
  void fail(const Error& error, std::string_view rule = {});
  void fail(const Errors& errors);
  [[nodiscard]] std::shared_ptr<net::EventStream> stream(net::StreamOptions options);
};
using CallPtr = std::shared_ptr<Call>;

template <class T>
void replyWith(Call& call, const T& view, int status = 0) {
  call.reply(status == 0 ? call.route->status : status, shapeOf<T>().text(view));
}

template <class T>
void replyPage(Call& call, const Page<T>& page) {
  std::string out;
  codec::JsonWriter json(out);
  json.beginObject().key("items");
  JsonOf<std::vector<T>>::write(json, page.items);
  if (!page.nextCursor.empty()) json.member("nextCursor", page.nextCursor);
  json.endObject();
  call.reply(200, std::move(out));
}

}  // namespace fairlead::api
