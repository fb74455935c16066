// sacct -P. Neighbouring rows are much alike: a column that is equal to the one of the row before keeps its value.
#include "columns.hpp"
#include "job_ids.hpp"

#include <fairlead/codec/slurm/hostlist.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

using namespace column;
using J = SlurmAccountedJob;
using S = SlurmStep;

bool jobId(std::string_view value, J& job, const TextContext&) {
  const auto id = parseJobId(value);
  job.arrayJobId.reset();
  job.arrayTaskId.reset();
  job.hetJobId.reset();
  job.hetOffset = 0;
  job.arrayTaskText.clear();
  if (!id) return false;
  job.id = id->id;
  if (id->task || !id->tasks.empty()) job.arrayJobId = id->id;
  job.arrayTaskId = id->task;
  job.arrayTaskText = id->tasks;
  if (id->component) job.hetJobId = id->id;
  job.hetOffset = id->component.value_or(0);
  return true;
}
bool state(std::string_view value, J& job, const TextContext&) {
  job.stateText = value;
  readStateText(value, job.state, job.flags, job.unknownStates, &job.cancelledBy);
  return !value.empty();
}
bool minutesRaw(std::string_view value, J& job, const TextContext&) {
  if (value.empty() || !isDigit(value.front())) return readLimit(value, job.limit);
  const auto number = parseCount(value);
  job.limit = {};
  if (number && *number < 52'596'000) job.limit.span = Milliseconds{*number * 60'000};
  return number.has_value();
}
/// The clock form, only where no raw minutes were given.
bool minutesClock(std::string_view value, J& job, const TextContext&) { return readLimit(value, job.limit); }
bool nodes(std::string_view value, J& job, const TextContext&) {
  readHostSet(value, job.nodes);
  return !job.nodes.tooMany;
}

constexpr std::array kRows = std::to_array<ColumnRow<J>>({
    {"JobID", jobId},
    {"Cluster", text<&J::cluster>},
    {"JobName", text<&J::name>},
    {"User", text<&J::user>},
    {"UID", id<&J::uid>},
    {"Group", text<&J::group>},
    {"Account", text<&J::account>},
    {"Partition", text<&J::partition>},
    {"QOS", text<&J::qos>},
    {"WCKey", text<&J::wckey>},
    {"Reservation", text<&J::reservation>},
    {"AssocID", count<&J::associationId>},
    {"State", state},
    {"Reason", text<&J::reason>},
    {"ExitCode", column::exit<&J::exit>},
    {"DerivedExitCode", column::exit<&J::derivedExit>},
    {"Submit", moment<&J::submitTime>},
    {"Eligible", moment<&J::eligibleTime>},
    {"Start", moment<&J::startTime>},
    {"End", moment<&J::endTime>},
    {"Elapsed", span<&J::elapsed>},
    {"ElapsedRaw", seconds<&J::elapsed>},
    {"Suspended", span<&J::suspended>},
    {"Planned", span<&J::planned>},
    {"Reserved", span<&J::planned>},  // its name before 23.02
    {"Timelimit", minutesClock},
    {"TimelimitRaw", minutesRaw},
    {"NNodes", count<&J::nodeCount>},
    {"AllocNodes", count<&J::nodeCount>},
    {"NodeList", nodes},
    {"AllocCPUS", count<&J::cpus>},
    {"ReqTRES", tres<&J::requested>},
    {"AllocTRES", tres<&J::allocated>},
    {"Restarts", id<&J::restarts>},
    {"FailedNode", text<&J::failedNode>},
    {"Priority", count<&J::priority>},
    {"Comment", text<&J::comment>},
    {"AdminComment", text<&J::adminComment>},
    {"SystemComment", text<&J::systemComment>},
    {"Constraints", text<&J::constraints>},
    {"WorkDir", text<&J::workDir>},
    {"SubmitLine", text<&J::submitLine>},
    {"Licenses", text<&J::licenses>},
    {"Container", text<&J::container>},
    {"StdOut", text<&J::stdoutPattern>},
    {"StdErr", text<&J::stderrPattern>},
    {"SLUID", text<&J::sluid>},
    {"OriginalSLUID", text<&J::originalSluid>},
    {"Flags", words<&J::dbFlags>},
});

bool stepId(std::string_view value, S& step, const TextContext&) {
  const auto id = parseJobId(value);
  if (id) step.id = id->step;
  return id.has_value();
}
bool stepState(std::string_view value, S& step, const TextContext&) {
  JobFlags flags;
  Words unknown;
  step.stateText = value;
  readStateText(value, step.state, flags, unknown, nullptr);
  return true;
}
bool stepNodes(std::string_view value, S& step, const TextContext&) {
  readHostSet(value, step.nodes);
  return !step.nodes.tooMany;
}

constexpr std::array kStepRows = std::to_array<ColumnRow<S>>({
    {"JobID", stepId},
    {"JobName", text<&S::name>},
    {"State", stepState},
    {"Start", moment<&S::start>},
    {"End", moment<&S::end>},
    {"NodeList", stepNodes},
    {"ExitCode", column::exit<&S::exit>},
    {"AllocTRES", tres<&S::allocated>},
});

/// The row that a record was made of.
struct LastRow {
  std::string line;
  std::vector<std::uint32_t> ends;
};

bool isSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sameBytes(a.data(), b.data(), a.size());
}

template <class Record>
using Bound = std::vector<const ColumnRow<Record>*>;

template <class Record, std::size_t N>
const ColumnRow<Record>* rowNamed(const std::array<ColumnRow<Record>, N>& rows, std::string_view name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

/// Whether code 9 may have been 137.
void markTopBit(std::optional<ExitCode>& exit, JobState state, TopBit topBit) {
  if (exit)
    exit->topBitUncertain =
        topBit == TopBit::lost && exit->signal == 0 && exit->code < 128 && state != JobState::completed;
}

constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kMostLine = std::size_t{1} << 20;

}  // namespace

struct SacctDecoder::State {
  TextContext context;
  Sink sink;
  SlurmAnswer answer;
  std::string pending;
  std::size_t line = 0;
  std::size_t columns = 0;  // 0: the header has not come
  Bound<J> jobColumns;
  Bound<S> stepColumns;
  J job;
  bool hasJob = false;
  LastRow lastJob;
  std::vector<LastRow> lastSteps;
  std::vector<S> spare;   // by place in the job: the step that `lastSteps` is the row of
  std::size_t rawId = 0;  // the column of the raw id, which wins over the other; `columns` where there is none
  std::vector<std::uint32_t> ends;

  void takeLines(std::string_view text);
  void takeLine(std::string_view text);
  bool takeHeader(std::string_view text);
  template <class Record>
  bool readRow(std::string_view text, const Bound<Record>& bound, LastRow& last, Record& record);
  void takeJob(std::string_view text);
  void takeStep(std::string_view text);
  void tell();
};

/// Reads the columns that differ from the row before; false when one could not be read.
template <class Record>
bool SacctDecoder::State::readRow(std::string_view text, const Bound<Record>& bound, LastRow& last, Record& record) {
  const bool comparable = last.ends.size() == ends.size();
  bool good = true;
  for (std::size_t c = 0; c < bound.size(); ++c) {
    if (bound[c] == nullptr) continue;
    const auto value = columnOf(text, ends, c);
    if (comparable && isSame(columnOf(last.line, last.ends, c), value)) continue;
    if (bound[c]->read(value, record, context)) continue;
    answer.report(fmt::format("line {}, {}", line, bound[c]->name), value, "cannot be read");
    good = false;
  }
  last.line.assign(text);
  last.ends = ends;
  if (!good) last.ends.clear();  // nothing of it is taken for the next row
  return good;
}

bool SacctDecoder::State::takeHeader(std::string_view text) {
  if (columnOf(text, ends, 0) != "JobID" && columnOf(text, ends, 0) != "JobIDRaw") return false;
  columns = ends.size();
  const auto has = [&](std::string_view name) {
    for (std::size_t c = 0; c < columns; ++c)
      if (columnOf(text, ends, c) == name) return true;
    return false;
  };
  // Of columns that mean the same the raw one is read.
  const bool rawLimit = has("TimelimitRaw"), rawElapsed = has("ElapsedRaw"), shown = has("JobID");
  rawId = columns;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto name = columnOf(text, ends, c);
    const bool doubled = (name == "Timelimit" && rawLimit) || (name == "Elapsed" && rawElapsed);
    if (name == "JobIDRaw" && shown) rawId = c;
    jobColumns.push_back(doubled || rawId == c ? nullptr
                                               : rowNamed(kRows, shown                ? name
                                                                 : name == "JobIDRaw" ? "JobID"
                                                                                      : name));
    stepColumns.push_back(rowNamed(kStepRows, name == "JobIDRaw" && !shown ? "JobID" : name));
  }
  return true;
}

void SacctDecoder::State::tell() {
  if (!hasJob) return;
  hasJob = false;
  markTopBit(job.exit, job.state, context.topBit);
  markTopBit(job.derivedExit, job.state, context.topBit);
  sink(job);
  if (spare.size() < job.steps.size()) spare.resize(job.steps.size());
  for (std::size_t i = 0; i < job.steps.size(); ++i) spare[i] = std::move(job.steps[i]);
  job.steps.clear();
}

void SacctDecoder::State::takeJob(std::string_view text) {
  tell();
  job.damaged = false;
  if (!readRow(text, jobColumns, lastJob, job)) job.damaged = true;
  if (rawId < columns) {  // an element of an array has an id of its own
    const auto id = parseJobId(columnOf(text, ends, rawId));
    job.id = id ? id->id : 0;
  }
  if (job.id == 0 || job.stateText.empty()) {
    ++answer.setAside;
    answer.report(fmt::format("line {}", line), text, "without a job id or state");
    lastJob.ends.clear();
    job.id = 0;
    return;
  }
  for (const auto& word : job.unknownStates)
    answer.report(fmt::format("line {}, State", line), word, "a word that is not declared");
  hasJob = true;
}

void SacctDecoder::State::takeStep(std::string_view text) {
  const auto slot = job.steps.size();
  if (!hasJob || slot >= kMostSteps) {
    ++answer.setAside;
    answer.report(fmt::format("line {}", line), text, "a step without its job");
    return;
  }
  if (lastSteps.size() <= slot) lastSteps.emplace_back();
  if (slot < spare.size())
    job.steps.push_back(std::move(spare[slot]));
  else
    job.steps.emplace_back();
  if (!readRow(text, stepColumns, lastSteps[slot], job.steps.back())) job.damaged = true;
  markTopBit(job.steps.back().exit, job.steps.back().state, context.topBit);
}

void SacctDecoder::State::takeLine(std::string_view text) {
  ++line;
  if (text.empty()) return;
  splitColumns(text, context.delimiter, ends);
  if (columns == 0) {
    (void)takeHeader(text);
    return;
  }
  if (ends.size() != columns) {
    if (text.starts_with("shell-init:") || text.starts_with("chdir:")) return;
    ++answer.setAside;
    answer.report(fmt::format("line {}", line), text, fmt::format("{} columns instead of {}", ends.size(), columns));
    return;
  }
  const auto first = columnOf(text, ends, 0);
  if (first.find('.') == std::string_view::npos)
    takeJob(text);
  else
    takeStep(text);
}

void SacctDecoder::State::takeLines(std::string_view text) {
  while (!text.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
    if (end == nullptr) break;
    const auto length = static_cast<std::size_t>(end - text.data());
    takeLine(text.substr(0, length));
    text.remove_prefix(length + 1);
  }
  pending.assign(text);
}

SacctDecoder::SacctDecoder(const TextContext& context, Sink sink) : state_(std::make_unique<State>()) {
  state_->context = context;
  state_->sink = std::move(sink);
}
SacctDecoder::~SacctDecoder() = default;
SacctDecoder::SacctDecoder(SacctDecoder&&) noexcept = default;
SacctDecoder& SacctDecoder::operator=(SacctDecoder&&) noexcept = default;

void SacctDecoder::feed(std::string_view piece) {
  auto& s = *state_;
  if (!s.pending.empty()) {
    const auto end = piece.find('\n');
    if (end == std::string_view::npos) {
      s.pending += piece;
    } else {
      s.pending += piece.substr(0, end);
      const auto line = std::exchange(s.pending, {});
      s.takeLine(line);
      s.takeLines(piece.substr(end + 1));
    }
  } else {
    s.takeLines(piece);
  }
  if (s.pending.size() <= kMostLine) return;
  ++s.answer.setAside;
  s.answer.report(fmt::format("line {}", s.line + 1), s.pending.substr(0, 80), "a line over 1 MiB");
  s.pending.clear();
}

SlurmAnswer SacctDecoder::finish() {
  auto& s = *state_;
  const bool cut = !s.pending.empty();
  if (cut) s.answer.report(fmt::format("line {}", s.line + 1), s.pending, "the last line is not whole");
  s.tell();
  s.answer.complete = s.columns != 0 && !cut;
  return std::move(s.answer);
}

SlurmList<SlurmAccountedJob> decodeSacct(std::string_view text, const TextContext& context) {
  SlurmList<SlurmAccountedJob> list;
  SacctDecoder decoder(context, [&](const SlurmAccountedJob& job) { list.records.push_back(job); });
  decoder.feed(text);
  list.answer = decoder.finish();
  return list;
}

}  // namespace fairlead::codec::slurm
