#include "print.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

/// Doubles do not occur in our answers; indentation of two, keys as they came.
void pretty(std::string& out, const json::value& value, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  if (value.is_object() && !value.as_object().empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& [key, member] : value.as_object()) {
      out += (first ? "" : ",\n") + inner + json::serialize(json::string(key)) + ": ";
      pretty(out, member, indent + 2);
      first = false;
    }
    out += "\n" + std::string(indent, ' ') + "}";
  } else if (value.is_array() && !value.as_array().empty()) {
    out += "[\n";
    bool first = true;
    for (const auto& item : value.as_array()) {
      out += (first ? "" : ",\n") + inner;
      pretty(out, item, indent + 2);
      first = false;
    }
    out += "\n" + std::string(indent, ' ') + "]";
  } else {
    out += json::serialize(value);
  }
}

void emit(YAML::Emitter& yaml, const json::value& value) {
  if (value.is_object()) {
    yaml << YAML::BeginMap;
    for (const auto& [key, member] : value.as_object()) {
      yaml << YAML::Key << std::string(key) << YAML::Value;
      emit(yaml, member);
    }
    yaml << YAML::EndMap;
  } else if (value.is_array()) {
    yaml << YAML::BeginSeq;
    for (const auto& item : value.as_array()) emit(yaml, item);
    yaml << YAML::EndSeq;
  } else if (value.is_string()) {
    const std::string plain(value.as_string());
    const bool looksLikeOther = plain.empty() || plain.find_first_not_of("0123456789.+-eE:_") == std::string::npos ||
                                plain == "true" || plain == "false" || plain == "null" || plain == "yes" ||
                                plain == "no";
    if (looksLikeOther) yaml << YAML::DoubleQuoted;
    yaml << plain;
  } else if (value.is_bool()) {
    yaml << value.as_bool();
  } else if (value.is_null()) {
    yaml << YAML::Null;
  } else {
    yaml << json::serialize(value);
  }
}

void printNames(const json::value& value) {
  if (const auto* items = member(value, "items"); items != nullptr && items->is_array()) {
    for (const auto& item : items->as_array()) printNames(item);
  } else {
    print(text(value, "id", text(value, "name")) + "\n");
  }
}

}  // namespace

std::size_t displayWidth(std::string_view plain) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '\x1b') {
      while (i < plain.size() && plain[i] != 'm') ++i;
      continue;
    }
    if ((static_cast<unsigned char>(plain[i]) & 0xC0) != 0x80) ++width;  // each character once; wide ones are rare here
  }
  return width;
}

std::string Table::text() const {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!columns_[c].wide || context_.format == Format::wide) shown.push_back(c);
  std::vector<std::size_t> width(columns_.size());
  for (const auto c : shown) {
    width[c] = context_.noHeaders ? 0 : columns_[c].title.size();
    for (const auto& cells : rows_) width[c] = std::max(width[c], displayWidth(cells.at(c)));
  }
  std::string out;
  const auto line = [&](const auto& cellOf) {
    std::string one;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto c = shown[i];
      const std::string& cell = cellOf(c);
      const std::string pad(width[c] - displayWidth(cell), ' ');
      one += columns_[c].right ? pad + cell : cell + pad;
      if (i + 1 < shown.size()) one += "  ";
    }
    while (!one.empty() && one.back() == ' ') one.pop_back();
    out += one + "\n";
  };
  if (!context_.noHeaders) line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& cells : rows_) line([&](std::size_t c) -> const std::string& { return cells[c]; });
  return out;
}

bool wantsTable(const Context& context) { return context.format == Format::table || context.format == Format::wide; }

bool printed(const Context& context, const json::value& value) {
  switch (context.format) {
    case Format::table:
    case Format::wide:
      return false;
    case Format::json: {
      std::string out;
      pretty(out, value, 0);
      print(out + "\n");
      return true;
    }
    case Format::yaml: {
      YAML::Emitter yaml;
      emit(yaml, value);
      print(std::string(yaml.c_str()) + "\n");
      return true;
    }
    case Format::name:
      printNames(value);
      return true;
  }
  return false;
}

void print(std::string_view out) {
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

void printError(std::string_view out) {
  std::fwrite(out.data(), 1, out.size(), stderr);
  std::fputc('\n', stderr);
}

std::string age(const std::string& time) {
  const auto moment = parseTime(time);
  return moment ? toShortText(SystemClock().now() - *moment) : std::string();
}

std::string relative(const std::string& time) {
  const auto moment = parseTime(time);
  if (!moment) return {};
  const auto span = *moment - SystemClock().now();
  return span.count >= 0 ? "in " + toShortText(span) : toShortText(Milliseconds{-span.count}) + " ago";
}

std::string clockText(const std::string& time) {
  const auto moment = parseTime(time);
  if (!moment) return {};
  const std::time_t then = moment->msSinceEpoch / 1000;
  const std::time_t now = SystemClock().now().msSinceEpoch / 1000;
  std::tm local{}, today{};
  localtime_r(&then, &local);
  localtime_r(&now, &today);
  const bool sameDay = local.tm_year == today.tm_year && local.tm_yday == today.tm_yday;
  std::array<char, 32> buffer{};
  std::strftime(buffer.data(), buffer.size(), sameDay ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &local);
  return buffer.data();
}

std::string devicesText(std::int64_t milliDevices) { return thousandthsToText(milliDevices); }

std::string hoursText(std::int64_t microDeviceSeconds) {
  constexpr std::int64_t kThousandth = kMicroDeviceSecondsPerDeviceHour / 1000;
  const auto thousandths = (microDeviceSeconds + kThousandth / 2) / kThousandth;
  if (microDeviceSeconds < 0 || thousandths >= 10'000) return deviceHoursText({microDeviceSeconds});
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string moneyOf(const json::value& cost) {
  std::string all;
  for (const auto& money : list(cost, "costs"))
    all += (all.empty() ? "" : " + ") + moneyText({number(money, "costMicros")}, text(money, "currency"));
  if (all.empty() && number(cost, "unpricedMicroDeviceSeconds") > 0) return "no price";
  return all;
}

std::string coloured(const Context& context, const std::string& state) {
  if (!context.colour) return state;
  const char* code = state == "running" || state == "succeeded" || state == "ready" ? "32"
                     : state == "failed" || state == "down"                         ? "31"
                     : state == "unknown" || state == "stopping" || state == "held" ? "33"
                     : state == "cancelled"                                         ? "2"
                                                                                    : "";
  return *code == '\0' ? state : fmt::format("\x1b[{}m{}\x1b[0m", code, state);
}

}  // namespace fairlead::cli
