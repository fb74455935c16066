#include <fairlead/base/text.hpp>
#include <fairlead/net/http.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fairlead::net {
namespace {

constexpr std::size_t kMaxParams = 256;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

constexpr int hexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool isPlain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

tl::unexpected<Error> badTarget(std::string_view what, std::string_view text) {
  Error error{&kBadTarget, std::string(what), "target", printable(text), {}, 0, 0};
  return tl::unexpected<Error>(std::move(error));
}

/// Percent-decodes one path segment or query part.
Result<std::string> decode(std::string_view text, bool plusIsSpace) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plusIsSpace && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) return badTarget("a percent sign must be followed by two hexadecimal digits", text);
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!isUtf8(out)) return badTarget("decodes to text that is not UTF-8", text);
  return out;
}

Result<std::string> decodePath(std::string_view raw) {
  std::string path;
  path.reserve(raw.size());
  while (!raw.empty()) {
    raw.remove_prefix(1);  // the slash
    const auto end = std::min(raw.find('/'), raw.size());
    const auto segment = raw.substr(0, end);
    raw.remove_prefix(end);
    if (segment.empty()) continue;
    auto decoded = decode(segment, false);
    if (!decoded) return decoded;
    if (*decoded == ".") continue;
    if (*decoded == "..") return badTarget("`..` is not allowed in a path", segment);
    if (decoded->find('/') != std::string::npos) return badTarget("an escaped slash is not allowed in a path", segment);
    if (!isPlain(*decoded)) return badTarget("a control character is not allowed in a path", segment);
    path += '/';
    path += *decoded;
  }
  if (path.empty()) path = "/";
  return path;
}

Result<QueryPairs> decodeQuery(std::string_view raw) {
  QueryPairs pairs;
  while (!raw.empty()) {
    const auto end = std::min(raw.find('&'), raw.size());
    const auto part = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (part.empty()) continue;
    if (pairs.size() == kMaxParams) return badTarget(fmt::format("more than {} query parameters", kMaxParams), "");
    const auto split = std::min(part.find('='), part.size());
    auto name = decode(part.substr(0, split), true);
    if (!name) return tl::unexpected<Error>(name.error());
    auto value = decode(part.substr(std::min(split + 1, part.size())), true);
    if (!value) return tl::unexpected<Error>(value.error());
    if (name->find('\0') != std::string::npos || value->find('\0') != std::string::npos)
      return badTarget("a NUL character is not allowed in a query", part);
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

}  // namespace

bool sameNoCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

void Headers::add(std::string_view name, std::string_view value) {
  entries_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(name.size()),
                      static_cast<std::uint32_t>(value.size())});
  text_ += name;
  text_ += value;
}

std::pair<std::string_view, std::string_view> Headers::at(std::size_t index) const {
  const Entry& entry = entries_[index];
  const std::string_view text = text_;
  return {text.substr(entry.begin, entry.nameLength), text.substr(entry.begin + entry.nameLength, entry.valueLength)};
}

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (const auto [candidate, value] = at(i); sameNoCase(candidate, name)) return value;
  return {};
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (const auto [candidate, value] = at(i); sameNoCase(candidate, name)) values.push_back(value);
  return values;
}

std::optional<std::string_view> Request::param(std::string_view name) const {
  for (const auto& [candidate, value] : query)
    if (candidate == name) return value;
  return {};
}

std::string_view statusPhrase(int status) {
  static constexpr auto kPhrases =
      std::to_array<std::pair<int, std::string_view>>({{200, "OK"},
                                                       {201, "Created"},
                                                       {202, "Accepted"},
                                                       {204, "No Content"},
                                                       {206, "Partial Content"},
                                                       {301, "Moved Permanently"},
                                                       {302, "Found"},
                                                       {303, "See Other"},
                                                       {304, "Not Modified"},
                                                       {307, "Temporary Redirect"},
                                                       {308, "Permanent Redirect"},
                                                       {400, "Bad Request"},
                                                       {401, "Unauthorized"},
                                                       {403, "Forbidden"},
                                                       {404, "Not Found"},
                                                       {405, "Method Not Allowed"},
                                                       {406, "Not Acceptable"},
                                                       {408, "Request Timeout"},
                                                       {409, "Conflict"},
                                                       {410, "Gone"},
                                                       {411, "Length Required"},
                                                       {412, "Precondition Failed"},
                                                       {413, "Content Too Large"},
                                                       {414, "URI Too Long"},
                                                       {415, "Unsupported Media Type"},
                                                       {417, "Expectation Failed"},
                                                       {422, "Unprocessable Content"},
                                                       {428, "Precondition Required"},
                                                       {429, "Too Many Requests"},
                                                       {431, "Request Header Fields Too Large"},
                                                       {500, "Internal Server Error"},
                                                       {501, "Not Implemented"},
                                                       {502, "Bad Gateway"},
                                                       {503, "Service Unavailable"},
                                                       {504, "Gateway Timeout"},
                                                       {505, "HTTP Version Not Supported"},
                                                       {507, "Insufficient Storage"}});
  for (const auto& [code, phrase] : kPhrases)
    if (code == status) return phrase;
  return "Unknown";
}

Response plainProblem(int status, std::string_view detail) {
  Response response;
  response.status = status;
  response.contentType = "application/problem+json";
  response.body =
      fmt::format(R"({{"type":"about:blank","title":"{}","status":{},"detail":")", statusPhrase(status), status);
  for (const char c : printable(detail, 500)) {
    if (c == '"' || c == '\\') response.body += '\\';
    response.body += c;
  }
  response.body += "\"}";
  return response;
}

Result<Target> parseTarget(std::string_view target) {
  for (std::string_view scheme : {"http://", "https://"})
    if (target.size() > scheme.size() && sameNoCase(target.substr(0, scheme.size()), scheme)) {
      target.remove_prefix(scheme.size());
      target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
      if (target.empty()) target = "/";
      break;
    }
  target = target.substr(0, target.find('#'));
  const auto split = std::min(target.find('?'), target.size());
  const auto rawPath = target.substr(0, split);
  if (!rawPath.starts_with('/')) return badTarget("must start with a slash", target);
  auto path = decodePath(rawPath);
  if (!path) return tl::unexpected<Error>(path.error());
  auto query = decodeQuery(target.substr(std::min(split + 1, target.size())));
  if (!query) return tl::unexpected<Error>(query.error());
  return Target{std::move(*path), std::move(*query)};
}

std::string percentEncode(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool unreserved =
        (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string encodeQuery(const QueryPairs& pairs) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    out += out.empty() ? '?' : '&';
    out += percentEncode(name) + "=" + percentEncode(value);
  }
  return out;
}

}  // namespace fairlead::net
