#include "context.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/net/http_client.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string defaultAddress() {
  if (auto address = environment("FAIRLEAD_ADDRESS"); !address.empty()) return address;
  if (::geteuid() == 0) return "unix:///run/fairlead/fairlead.sock";
  const auto runtime = environment("XDG_RUNTIME_DIR");
  return "unix://" + (runtime.empty() ? fmt::format("/tmp/fairlead-{}", ::geteuid()) : runtime + "/fairlead") +
         "/fairlead.sock";
}

std::string readToken(const Context& context) {
  const auto path = context.tokenFile.empty() ? environment("FAIRLEAD_TOKEN_FILE") : context.tokenFile;
  if (path.empty()) return environment("FAIRLEAD_TOKEN");
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token) || token.empty())
    throw Stop{Exit::usage, fmt::format("token file {} cannot be read or is empty", printable(path))};
  return token;
}

net::HttpClient openClient(const Context& context) {
  net::ClientOptions options;
  options.endpoint = context.address.empty() ? defaultAddress() : context.address;
  options.caFile = context.caFile;
  options.bearerToken = readToken(context);
  options.hint = "is the daemon running? start it with: fairlead serve; or name it with --address or FAIRLEAD_ADDRESS";
  auto client = net::HttpClient::open(std::move(options));
  if (!client) throw Stop{Exit::usage, toText(client.error())};
  return std::move(*client);
}

std::string targetText(std::string_view target, const Query& query) {
  std::string text(target);
  char separator = '?';
  for (const auto& [key, value] : query) {
    text += separator + percentEncode(key) + "=" + percentEncode(value);
    separator = '&';
  }
  return text;
}

Exit exitOf(int status) {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return Exit::usage;
    case 401:
    case 403:
      return Exit::denied;
    case 404:
    case 410:
      return Exit::notFound;
    case 409:
    case 412:
      return Exit::conflict;
    case 429:
    case 503:
    case 504:
      return Exit::notReady;
    default:
      return Exit::failed;
  }
}

/// The problem document as lines: place, field, message, and in brackets what to do.
std::string problemText(const json::value& problem, int status) {
  std::string lines;
  for (const auto& error : list(problem, "errors")) {
    if (!lines.empty()) lines += "\n";
    if (number(error, "line") > 0) lines += fmt::format("{}:{}: ", number(error, "line"), number(error, "column"));
    if (!text(error, "field").empty()) lines += text(error, "field") + ": ";
    lines += text(error, "message");
    if (!text(error, "remedy").empty()) lines += " (" + text(error, "remedy") + ")";
  }
  if (!lines.empty()) return lines;
  lines = text(problem, "detail", text(problem, "title", fmt::format("the daemon answered {}", status)));
  if (!text(problem, "remedy").empty()) lines += " (" + text(problem, "remedy") + ")";
  return lines;
}

json::value parseBody(const std::string& body) {
  if (body.empty()) return nullptr;
  boost::system::error_code failed;
  auto value = json::parse(body, failed);
  if (failed) return nullptr;
  return value;
}

Exit exitOf(const Error& error) { return error.kind() == ErrorKind::invalid ? Exit::usage : Exit::notReady; }

}  // namespace

Answer call(const Context& context, std::string_view method, std::string_view target, const Query& query,
            std::string body, std::string_view contentType,
            const std::vector<std::pair<std::string, std::string>>& headers) {
  auto client = openClient(context);
  net::ClientRequest request;
  request.method = method;
  request.target = targetText(target, query);
  request.headers = headers;
  request.contentType = contentType;
  request.body = std::move(body);
  auto response = client.send(request);
  if (!response) throw Stop{exitOf(response.error()), toText(response.error())};
  Answer answer{response->status, parseBody(response->body), {}};
  if (const auto etag = response->headers.get("ETag")) answer.etag = *etag;
  if (response->status >= 300) throw Stop{exitOf(response->status), problemText(answer.body, response->status)};
  return answer;
}

json::value get(const Context& context, std::string_view target, const Query& query) {
  return call(context, "GET", target, query).body;
}

json::array getAll(const Context& context, std::string_view target, Query query) {
  json::array all;
  const auto base = query;
  while (true) {
    const auto page = get(context, target, query);
    for (const auto& item : list(page, "items")) all.push_back(item);
    const auto cursor = text(page, "nextCursor");
    if (cursor.empty()) return all;
    query = base;
    query.emplace_back("cursor", cursor);
  }
}

void stream(const Context& context, std::string_view target, const Query& query,
            const std::function<bool(std::string_view)>& onChunk) {
  auto client = openClient(context);
  net::ClientRequest request;
  request.target = targetText(target, query);
  request.timeout = Milliseconds{120'000};
  auto response = client.stream(request, onChunk);
  if (!response) throw Stop{exitOf(response.error()), toText(response.error())};
  if (response->status >= 300)
    throw Stop{exitOf(response->status), problemText(parseBody(response->body), response->status)};
}

std::string percentEncode(std::string_view plain) {
  std::string encoded;
  for (const char c : plain) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                      c == '_' || c == '.' || c == '~';
    encoded += safe ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

const json::value* member(const json::value& object, std::string_view field) {
  return object.is_object() ? object.as_object().if_contains(field) : nullptr;
}

std::string text(const json::value& object, std::string_view field, std::string_view fallback) {
  const auto* value = member(object, field);
  if (value == nullptr || !value->is_string()) return std::string(fallback);
  return std::string(value->as_string());
}

std::int64_t number(const json::value& object, std::string_view field, std::int64_t fallback) {
  const auto* value = member(object, field);
  if (value == nullptr || !value->is_number()) return fallback;
  boost::system::error_code failed;
  const auto whole = value->to_number<std::int64_t>(failed);
  return failed ? fallback : whole;
}

bool flag(const json::value& object, std::string_view field) {
  const auto* value = member(object, field);
  return value != nullptr && value->is_bool() && value->as_bool();
}

const json::array& list(const json::value& object, std::string_view field) {
  static const json::array kNone;
  const auto* value = member(object, field);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

}  // namespace fairlead::cli
