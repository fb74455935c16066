#include "fields.hpp"
#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>

#include <fmt/format.h>

namespace fairlead::codec::slurm {
namespace {

constexpr std::int64_t kMostSeconds = 253'402'300'799;
constexpr std::int64_t kMostMinutes = 52'596'000;  // a hundred years
constexpr std::int64_t kMostMiB = std::int64_t{1} << 40;
constexpr std::size_t kMostWords = 4096;

/// A number that is set; nothing for unset, infinite (`infinite` is then true) and what is no number.
std::optional<std::int64_t> number(FieldReader& in, bool& infinite) {
  JsonNumber value;
  infinite = false;
  if (!in.json.readNumber(value)) return {};
  if (value.wrong) in.wrong("not a number");
  infinite = value.infinite || (value.set && (value.value == 0xFFFF'FFFF || value.raw == "18446744073709551615"));
  if (!value.set || infinite || isUnsetMarker(value.value)) return {};
  return value.value;
}

std::optional<std::int64_t> number(FieldReader& in) {
  bool infinite = false;
  return number(in, infinite);
}

std::optional<std::int64_t> numberUpTo(FieldReader& in, std::int64_t most) {
  const auto value = number(in);
  if (!value || *value <= most) return value;
  in.wrong("out of range");
  return {};
}

/// A text; empty for null and for what is none.
std::string_view viewOf(FieldReader& in) {
  std::string_view text;
  switch (in.json.kind()) {
    case JsonKind::string:
      in.json.readString(text);
      return text;
    case JsonKind::null:
      in.json.skipValue();
      return {};
    default:
      in.json.skipValue();
      if (in.json.good()) in.wrong("not a text");
      return {};
  }
}

/// Calls `each` for every text of a list, or of one text with commas.
template <class Each>
void eachWord(FieldReader& in, Each&& each) {
  if (in.json.kind() != JsonKind::array) {
    auto rest = viewOf(in);
    while (!rest.empty()) each(trim(takeUntil(rest, ',')));
    return;
  }
  std::size_t count = 0;
  in.json.array([&] {
    if (in.json.kind() != JsonKind::string) {
      in.json.skipValue();
      if (in.json.good()) in.wrong("not a list of texts");
      return;
    }
    std::string_view text;
    if (in.json.readString(text) && ++count <= kMostWords) each(text);
  });
}

}  // namespace

void readText(FieldReader& in, std::string& out) {
  if (in.json.kind() == JsonKind::number) {  // v0.0.38 has 0 where there is no name
    JsonNumber value;
    in.json.readNumber(value);
    out = value.value == 0 ? std::string_view{} : value.raw;
    return;
  }
  out = viewOf(in);
}

void readWords(FieldReader& in, Words& out) {
  out.clear();
  eachWord(in, [&](std::string_view word) {
    if (!word.empty()) out.emplace_back(word);
  });
}

void readCount(FieldReader& in, std::optional<std::int64_t>& out) { out = number(in); }
void readCount(FieldReader& in, std::int64_t& out) { out = number(in).value_or(0); }

void readId(FieldReader& in, std::optional<std::uint32_t>& out) {
  const auto value = numberUpTo(in, 0xFFFF'FFFF);
  out = value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

void readIdNotZero(FieldReader& in, std::optional<std::uint32_t>& out) {
  readId(in, out);
  if (out == 0U) out.reset();
}

void readMiB(FieldReader& in, std::optional<Bytes>& out) {
  const auto value = numberUpTo(in, kMostMiB);
  out = value ? std::optional(Bytes{*value << 20}) : std::nullopt;
}

void readMiB(FieldReader& in, Bytes& out) { out = {numberUpTo(in, kMostMiB).value_or(0) << 20}; }

void readMoment(FieldReader& in, std::optional<TimePoint>& out) {
  const auto value = numberUpTo(in, kMostSeconds);
  out = value && *value != 0 ? std::optional(TimePoint{*value * 1000}) : std::nullopt;
}

void readSeconds(FieldReader& in, std::optional<Milliseconds>& out) {
  const auto value = numberUpTo(in, kMostSeconds);
  out = value ? std::optional(Milliseconds{*value * 1000}) : std::nullopt;
}

void readMinutes(FieldReader& in, TimeLimit& out) {
  const auto value = number(in, out.unlimited);
  out.span.reset();
  if (!value) return;
  if (*value > kMostMinutes)
    in.wrong("out of range");
  else
    out.span = Milliseconds{*value * 60'000};
}

void readFlag(FieldReader& in, bool& out) {
  bool wrong = false;
  if (in.json.kind() == JsonKind::number) {  // v0.0.38: 0 and 1
    out = number(in).value_or(0) != 0;
    return;
  }
  in.json.readBool(out, wrong);
  if (wrong) in.wrong("neither true nor false");
}

void readExit(FieldReader& in, std::optional<ExitCode>& out) {
  out.reset();
  if (in.json.kind() != JsonKind::object) {
    if (const auto status = number(in)) out = exitFromWaitStatus(*status);
    return;
  }
  ExitCode exit;
  std::optional<std::int64_t> code, signal;
  in.json.object([&](std::string_view key) {
    if (key == "return_code") {
      code = number(in);
    } else if (key == "signal" && in.json.kind() == JsonKind::object) {
      in.json.object([&](std::string_view inner) {
        if (inner == "id" || inner == "signal_id")
          signal = number(in);
        else
          in.json.skipValue();
      });
    } else if (key == "status") {
      eachWord(in, [&](std::string_view word) { exit.coreDumped |= word == "CORE_DUMPED"; });
    } else {
      in.json.skipValue();
    }
  });
  if (!code && !signal) return;
  if (code.value_or(0) > 255 || signal.value_or(0) > 127) return in.wrong("out of range");
  exit.code = static_cast<std::int32_t>(code.value_or(0));
  exit.signal = static_cast<std::int32_t>(signal.value_or(0));
  out = exit;
}

void readTresText(FieldReader& in, Tres& out) {
  if (!slurm::readTres(viewOf(in), out) && in.json.good()) in.wrong("not a list of resources");
}

void readTresList(FieldReader& in, Tres& out) {
  out.clear();
  if (in.json.kind() != JsonKind::array) {
    in.json.skipValue();
    if (in.json.good()) in.wrong("not a list of resources");
    return;
  }
  in.json.array([&] {
    TresCount entry;
    std::optional<std::int64_t> count;
    in.json.object([&](std::string_view key) {
      if (key == "type") {
        readText(in, entry.type);
      } else if (key == "name") {
        readText(in, entry.name);
      } else if (key == "id") {
        entry.id = static_cast<std::int32_t>(numberUpTo(in, 0x7FFF'FFFF).value_or(0));
      } else if (key == "count") {
        count = number(in);
      } else {
        in.json.skipValue();
      }
    });
    if (!in.json.good() || !count || out.size() >= kMaxTres) return;
    if (entry.type == "mem" && *count > kMostMiB) return in.wrong("out of range");
    entry.count = entry.type == "mem" ? *count << 20 : *count;
    out.push_back(std::move(entry));
  });
}

void readGresText(FieldReader& in, std::vector<GresEntry>& out) {
  if (!slurm::readGres(viewOf(in), out) && in.json.good()) in.wrong("not a list of generic resources");
}

void readHosts(FieldReader& in, HostSet& out) {
  if (in.json.kind() == JsonKind::array) {
    out.names.clear();
    eachWord(in, [&](std::string_view name) { out.names.emplace_back(name); });
    out.text = compressHosts(out.names);
    out.tooMany = false;
    return;
  }
  readHostSet(viewOf(in), out);
  if (out.tooMany && in.json.good()) in.wrong("not a list of hosts, or too many");
}

void readJobState(FieldReader& in, JobState& state, JobFlags& flags, std::string& text, Words& unknown) {
  text.clear();
  eachWord(in, [&](std::string_view word) {
    if (word.empty()) return;
    if (!text.empty()) text += ',';
    text += word;
    const auto* row = findJobState(word);
    if (row == nullptr) {
      unknown.emplace_back(word);
      in.unknown.emplace_back(in.path, word);
    } else if (row->flag >= 0) {
      flags.add(static_cast<JobFlag>(row->flag));
    } else {
      state = row->state;
    }
  });
}

void readNodeState(FieldReader& in, NodeState& state, NodeFlags& flags, std::string& text, Words& unknown) {
  eachWord(in, [&](std::string_view word) {
    if (word.empty()) return;
    if (!text.empty()) text += '+';
    text += word;
    const auto* row = findNodeState(word);
    if (row == nullptr) {
      unknown.emplace_back(word);
      in.unknown.emplace_back(in.path, word);
    } else if (row->flag >= 0) {
      flags.add(static_cast<NodeFlag>(row->flag));
    } else {
      state = row->state;
    }
  });
}

void reportFields(const FieldReader& in, std::string_view list, std::size_t index, SlurmAnswer& answer) {
  for (const auto& [path, why] : in.bad) answer.report(fmt::format("{}[{}].{}", list, index, path), {}, why);
  for (const auto& [path, word] : in.unknown)
    answer.report(fmt::format("{}[{}].{}", list, index, path), word, "a word that is not declared");
}

}  // namespace fairlead::codec::slurm
