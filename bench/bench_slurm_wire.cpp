// Reading what Slurm says: a list of 100,000 jobs as slurmrestd 26.05 sends it, and rows of sacct.
#include "benches.hpp"
#include "process.hpp"

#include <fairlead/codec/slurm/text_output.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <time.h>

namespace fairlead::bench {
namespace {

namespace json = boost::json;
namespace slurm = codec::slurm;

constexpr std::size_t kPiece = 64 * 1024;  // what comes from a socket at once
constexpr int kRounds = 3;

double threadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <class Work>
double medianSeconds(Work&& work) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = threadSeconds();
    work();
    rounds.push_back(threadSeconds() - begin);
  }
  return median(rounds);
}

std::string fixture(const std::string& name) {
  std::ifstream in(std::string(FAIRLEAD_SOURCE_DIR) + "/tests/golden/slurm/26.05/" + name, std::ios::binary);
  if (!in) throw Failed("tests/golden/slurm/26.05/" + name + " is not there");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void appendText(std::string& out, std::string_view text) {
  const auto quoted = json::serialize(json::string(text));
  for (const char c : quoted) {
    if (c == '/') out += '\\';  // slurmrestd escapes it
    out += c;
  }
}

/// As slurmrestd prints: two spaces a level, an empty list or object in one piece.
void appendPretty(std::string& out, const json::value& value, std::size_t level) {
  const auto line = [&](std::size_t depth) { (out += '\n').append(2 * depth, ' '); };
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    bool first = true;
    for (const auto& [key, item] : value.get_object()) {
      if (!std::exchange(first, false)) out += ',';
      line(level + 1);
      appendText(out, key);
      out += ": ";
      appendPretty(out, item, level + 1);
    }
    line(level);
    out += '}';
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    bool first = true;
    for (const auto& item : value.get_array()) {
      if (!std::exchange(first, false)) out += ',';
      line(level + 1);
      appendPretty(out, item, level + 1);
    }
    line(level);
    out += ']';
  } else if (value.is_string()) {
    appendText(out, value.get_string());
  } else {
    out += json::serialize(value);
  }
}

/// The recorded jobs one behind the other, without the brackets around them; and how many.
std::pair<std::string, std::size_t> recordedJobs(bool pretty) {
  const auto document = json::parse(fixture("rest-jobs.json"));
  std::string text;
  const auto& jobs = document.at("jobs").as_array();
  for (const auto& job : jobs) {
    if (!text.empty()) text += ',';
    if (pretty)
      appendPretty(text += "\n    ", job, 2);
    else
      text += json::serialize(job);
  }
  return {text, jobs.size()};
}

/// Feeds `count` jobs through a decoder in pieces; the jobs that came out.
std::size_t decodeJobs(const std::string& jobs, std::size_t perText, std::size_t count) {
  std::size_t seen = 0, checked = 0;
  slurm::JobListDecoder decoder(slurm::ApiVersion::v45, [&](slurm::SlurmJob& job) {
    ++seen;
    checked += job.allocated.size();
  });
  decoder.feed(R"({"jobs": [)");
  for (std::size_t told = 0; told < count; told += perText) {
    if (told > 0) decoder.feed(",");
    for (std::size_t at = 0; at < jobs.size(); at += kPiece) decoder.feed(std::string_view(jobs).substr(at, kPiece));
  }
  decoder.feed(R"(], "errors": [], "warnings": []})");
  if (const auto answer = decoder.finish(); !answer.isWhole() || checked == 0) throw Failed("the list is not whole");
  return seen;
}

/// The same bytes through Boost.JSON into its own values, a text of recorded jobs at a time.
void parseJobs(const std::string& jobs, std::size_t perText, std::size_t count) {
  const auto document = "[" + jobs + "]";
  std::vector<unsigned char> memory(64 << 20);
  for (std::size_t told = 0; told < count; told += perText) {
    json::monotonic_resource resource(memory.data(), memory.size());
    json::stream_parser parser;
    parser.reset(&resource);  // the values too live there: the quickest that it can be
    for (std::size_t at = 0; at < document.size(); at += kPiece)
      parser.write(std::string_view(document).substr(at, kPiece));
    parser.finish();
    if (parser.release().as_array().size() != perText) throw Failed("the parser lost jobs");
  }
}

/// Rows of `jobs` jobs with a batch step each, as a busy site has them.
std::string sacctRows(std::size_t jobs) {
  std::string text =
      "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|ExitCode|Reason|Submit|Eligible|Start|End|ElapsedRaw|"
      "TimelimitRaw|NNodes|NodeList|AllocCPUS|ReqTRES|AllocTRES|Comment|Constraints|Priority|WorkDir\n";
  for (std::size_t i = 1; i <= jobs; ++i) {
    const auto start = 1'796'000'000 + i * 7;
    const auto node = i * 37 % 900, devices = std::size_t{1} << (i % 4);
    text += fmt::format(
        "{0}|{0}|train-{0}|user{1}|acct{2}|gpu|normal|COMPLETED|0:0|None|{3}|{3}|{4}|{5}|{6}|240|1|n{7}|16|billing=16,"
        "cpu=16,gres/gpu:h100={8},gres/gpu={8},mem=200G,node=1|billing=16,cpu=16,gres/gpu:h100={8},gres/gpu={8},"
        "mem=200G,node=1|key=w-{0}|h100|{9}|/home/user{1}/run\n",
        i, i % 50, i % 9, start, start + 30, start + 3'000 + i % 500, 2'970 + i % 500, node, devices, 10'000 + i % 700);
    text += fmt::format(
        "{0}.batch|{0}.batch|batch||acct{2}|||COMPLETED|0:0||{4}|{4}|{4}|{5}|{6}||1|n{7}|16||cpu=16,gres/gpu:h100={8},"
        "gres/gpu={8},mem=200G,node=1||||\n",
        i, 0, i % 9, 0, start + 30, start + 3'000 + i % 500, 2'970 + i % 500, node, devices);
  }
  return text;
}

double sacctMegabytesPerSecond(std::size_t jobs) {
  const auto text = sacctRows(jobs);
  std::size_t seen = 0;
  const auto seconds = medianSeconds([&] {
    seen = 0;
    slurm::SacctDecoder decoder({}, [&](const slurm::SlurmAccountedJob& job) { seen += job.steps.size(); });
    for (std::size_t at = 0; at < text.size(); at += kPiece) decoder.feed(std::string_view(text).substr(at, kPiece));
    if (!decoder.finish().isWhole()) throw Failed("the rows are not whole");
  });
  if (seen != jobs) throw Failed("rows were lost");
  return static_cast<double>(text.size()) / 1e6 / seconds;
}

}  // namespace

void benchSlurmWire(const Setting& setting, Report& report) {
  const auto count = std::max<std::size_t>(1'000, static_cast<std::size_t>(100'000 * setting.scale));
  const auto [printed, perText] = recordedJobs(true);
  const auto [plain, same] = recordedJobs(false);
  const auto texts = static_cast<double>((count + perText - 1) / perText);
  report.note(fmt::format("{} jobs: {:.0f} MB as slurmrestd prints them, {:.0f} MB without white space", count,
                          texts * static_cast<double>(printed.size()) / 1e6,
                          texts * static_cast<double>(plain.size()) / 1e6));
  const auto decode = medianSeconds([&, &text = printed, &n = perText] { (void)decodeJobs(text, n, count); });
  const auto parse = medianSeconds([&, &text = printed, &n = perText] { parseJobs(text, n, count); });
  const auto tight = medianSeconds([&, &text = plain, &n = same] { (void)decodeJobs(text, n, count); });
  report.add({"slurm.list100k_s", decode, "s", Better::lower, 1.0, {}});
  report.add({"slurm.list_parser_ratio", decode / parse, "", Better::lower, 2.0, {}});
  report.add({"slurm.list_parser_s", parse, "s", Better::lower, {}, {}});
  report.add({"slurm.list100k_tight_s", tight, "s", Better::lower, {}, {}});
  report.add({"slurm.sacct_mb_per_s", sacctMegabytesPerSecond(count), "MB/s", Better::higher, 500.0, {}});
}

}  // namespace fairlead::bench
