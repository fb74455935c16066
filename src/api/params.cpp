#include "params.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fairlead::api {
namespace {

constexpr std::size_t kMostValues = 64;  // of one parameter that may stand several times

std::string_view placeName(ParamPlace place) {
  switch (place) {
    case ParamPlace::path:
      return "path";
    case ParamPlace::query:
      return "query";
    case ParamPlace::header:
      return "header";
  }
  return {};
}

std::string fieldOf(const Param& param) { return fmt::format("{}.{}", placeName(param.place), param.name); }

Error bad(const Param& param, std::string_view value, std::string message, std::string remedy = {}) {
  return Error{&kBadParameter, std::move(message), fieldOf(param), printable(value), std::move(remedy)};
}

std::string choicesText(const Param& param) { return fmt::format("{}", fmt::join(param.choices, ", ")); }

std::optional<Error> parseInteger(const Param& param, std::string_view text, ParamValue& value) {
  const auto* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value.number);
  if (failed != std::errc() || stop != end || value.number < param.minimum || value.number > param.maximum)
    return bad(param, text, fmt::format("not a whole number from {} to {}", param.minimum, param.maximum));
  return {};
}

std::optional<Error> parseValue(const Param& param, std::string_view text, ParamValue& value) {
  value.param = &param;
  value.text = text;
  switch (param.kind) {
    case ParamKind::text:
      if (text.size() > param.maxBytes) return bad(param, text, fmt::format("longer than {} bytes", param.maxBytes));
      break;
    case ParamKind::integer:
      return parseInteger(param, text, value);
    case ParamKind::boolean:
      if (text != "true" && text != "false") return bad(param, text, "neither true nor false");
      value.number = text == "true" ? 1 : 0;
      break;
    case ParamKind::time: {
      const auto moment = parseTime(text);
      if (!moment) return bad(param, text, "not a time", "write it as RFC 3339: 2026-11-30T18:00:00Z");
      value.number = moment->msSinceEpoch;
      break;
    }
    case ParamKind::choice:
      if (std::find(param.choices.begin(), param.choices.end(), text) == param.choices.end()) {
        const auto meant = nearest(text, param.choices);
        return bad(param, text, "none of: " + choicesText(param), meant ? fmt::format("did you mean {}?", *meant) : "");
      }
      break;
  }
  return {};
}

class Taker {
 public:
  explicit Taker(Call& call) : call_(call) {}

  void take(const Param& param, std::string_view text) {
    if (!param.several) return one(param, text);
    while (true) {
      const auto comma = text.find(',');
      one(param, text.substr(0, comma));
      if (comma == std::string_view::npos) return;
      text.remove_prefix(comma + 1);
    }
  }
  void error(Error error) { errors_.push_back(std::move(error)); }
  Errors&& errors() { return std::move(errors_); }

 private:
  void one(const Param& param, std::string_view text) {
    const auto count =
        std::count_if(call_.params.begin(), call_.params.end(), [&](const auto& v) { return v.param == &param; });
    if (!param.several && count > 0) return error(bad(param, text, "given twice"));
    if (static_cast<std::size_t>(count) >= kMostValues)
      return error(bad(param, text, fmt::format("more than {} values", kMostValues)));
    ParamValue value;
    if (auto wrong = parseValue(param, text, value)) return error(std::move(*wrong));
    call_.params.push_back(std::move(value));
  }

  Call& call_;
  Errors errors_;
};

Error unknown(const Route& route, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& param : route.params)
    if (param.place == ParamPlace::query) names.push_back(param.name);
  const auto meant = nearest(name, names);
  auto remedy = meant           ? fmt::format("did you mean {}?", *meant)
                : names.empty() ? std::string("it takes none")
                                : fmt::format("known are: {}", fmt::join(names, ", "));
  return Error{&kUnknownParameter, fmt::format("{} takes no parameter of this name", route.operation),
               fmt::format("query.{}", printable(name, 64)), printable(name), std::move(remedy)};
}

void takeQuery(Taker& taker, const Call& call) {
  const auto& route = *call.route;
  for (const auto& [name, value] : call.request.query) {
    const auto found = std::find_if(
        route.params.begin(), route.params.end(),
        [&, key = std::string_view(name)](const Param& p) { return p.place == ParamPlace::query && p.name == key; });
    if (found == route.params.end())
      taker.error(unknown(route, name));
    else
      taker.take(*found, value);
  }
}

}  // namespace

Errors takeParams(Call& call, const std::vector<std::string_view>& path) {
  Taker taker(call);
  std::size_t variable = 0;
  for (const auto& param : call.route->params) {
    if (param.place == ParamPlace::path) {
      FL_ASSERT(variable < path.size(), "a declared path variable stands in the template");
      taker.take(param, path[variable++]);
    } else if (param.place == ParamPlace::header) {
      if (const auto value = call.request.headers.get(param.name)) taker.take(param, *value);
    }
  }
  if (!call.request.query.empty()) takeQuery(taker, call);
  return taker.errors();
}

Errors checkBody(const Call& call) {
  const auto& spec = call.route->body;
  const auto& body = call.request.body;
  if (spec.contentTypes.empty()) {
    if (body.empty()) return {};
    return {Error{&kUnexpectedBody, fmt::format("{} takes no body", call.route->operation), {}, {}, "send none"}};
  }
  if (body.size() > spec.maxBytes)
    return {Error{&kBodyTooLarge,
                  fmt::format("the body has {} bytes, at most {} are taken", body.size(), spec.maxBytes),
                  {},
                  {},
                  {}}};
  auto type = call.request.headers.get("Content-Type").value_or(spec.contentTypes.front());
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  for (const auto accepted : spec.contentTypes)
    if (net::sameNoCase(accepted, type)) return {};
  return {Error{&kContentType, fmt::format("{} is not taken", printable(type, 64)), "header.Content-Type",
                printable(type), fmt::format("send one of: {}", fmt::join(spec.contentTypes, ", "))}};
}

const ParamValue* Call::find(std::string_view name) const {
  for (const auto& value : params)
    if (value.param->name == name) return &value;
  return nullptr;
}

std::string_view Call::text(std::string_view name) const {
  const auto* value = find(name);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

std::vector<std::string> Call::texts(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& value : params)
    if (value.param->name == name) all.push_back(value.text);
  return all;
}

std::int64_t Call::integer(std::string_view name, std::int64_t fallback) const {
  const auto* value = find(name);
  return value == nullptr ? fallback : value->number;
}

}  // namespace fairlead::api
