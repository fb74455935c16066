// Jobs of slurmdbd: `/slurmdb/v0.0.NN/jobs`, `sacct --json`.
#include "rest_list.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

namespace fairlead::codec::slurm {
namespace {

using namespace field;
using enum ApiVersion;
using J = SlurmAccountedJob;
using S = SlurmStep;

void required(FieldReader& in, J& job) {
  std::optional<std::uint32_t> value;
  readId(in, value);
  job.id = value.value_or(0);
}
template <auto Member>
void small(FieldReader& in, J& job) {
  std::optional<std::uint32_t> value;
  readId(in, value);
  job.*Member = value.value_or(0);
}
void state(FieldReader& in, J& job) { readJobState(in, job.state, job.flags, job.stateText, job.unknownStates); }

/// `batch`, 0, `72.batch`, `66+1.0`: what stands behind the last dot.
void stepId(FieldReader& in, S& step) {
  if (in.json.kind() == JsonKind::number) {
    JsonNumber number;
    in.json.readNumber(number);
    step.id = number.raw;
    return;
  }
  readText(in, step.id);
  if (const auto dot = step.id.rfind('.'); dot != std::string::npos) step.id.erase(0, dot + 1);
}
void stepState(FieldReader& in, S& step) {
  JobFlags flags;
  Words unknown;
  readJobState(in, step.state, flags, step.stateText, unknown);
}

constexpr std::array kStepRows = std::to_array<FieldRow<S>>({
    {"step.id", stepId},
    {"step.name", text<&S::name>},
    {"state", stepState},
    {"time.start", moment<&S::start>},
    {"time.end", moment<&S::end>},
    {"nodes.range", hosts<&S::nodes>},
    {"exit_code", exit<&S::exit>},
    {"tres.allocated", tresList<&S::allocated>},
});

constexpr std::size_t kMostSteps = 100'000;

void steps(FieldReader& in, J& job) {
  if (in.json.kind() != JsonKind::array) {
    in.json.skipValue();
    return;
  }
  in.json.array([&] {
    if (in.json.kind() != JsonKind::object || job.steps.size() >= kMostSteps) {
      in.json.skipValue();
      return;
    }
    in.steps->read(in, job.steps.emplace_back());
  });
}

constexpr std::array kRows = std::to_array<FieldRow<J>>({
    {"job_id", required},
    {"array.job_id", idNotZero<&J::arrayJobId>},
    {"array.task_id", id<&J::arrayTaskId>},
    {"array.task", text<&J::arrayTaskText>},
    {"het.job_id", idNotZero<&J::hetJobId>},
    {"het.job_offset", small<&J::hetOffset>},
    {"sluid", text<&J::sluid>, v45},
    {"original_sluid", text<&J::originalSluid>, v45},
    {"cluster", text<&J::cluster>},
    {"name", text<&J::name>},
    {"user", text<&J::user>},
    {"group", text<&J::group>},
    {"account", text<&J::account>},
    {"partition", text<&J::partition>},
    {"qos", text<&J::qos>},
    {"wckey.wckey", text<&J::wckey>},
    {"reservation.name", text<&J::reservation>},
    {"association.id", count<&J::associationId>, v41},
    {"state.current", state},
    {"state.reason", text<&J::reason>},
    {"kill_request_user", text<&J::cancelledBy>},
    {"time.submission", moment<&J::submitTime>},
    {"time.eligible", moment<&J::eligibleTime>},
    {"time.start", moment<&J::startTime>},
    {"time.end", moment<&J::endTime>},
    {"time.elapsed", seconds<&J::elapsed>},
    {"time.suspended", seconds<&J::suspended>},
    {"time.planned", seconds<&J::planned>, v41},
    {"time.limit", minutes<&J::limit>},
    {"nodes", hosts<&J::nodes>},
    {"allocation_nodes", count<&J::nodeCount>},
    {"required.CPUs", count<&J::cpus>},
    {"tres.requested", tresList<&J::requested>},
    {"tres.allocated", tresList<&J::allocated>},
    {"exit_code", exit<&J::exit>},
    {"derived_exit_code", exit<&J::derivedExit>},
    {"restart_cnt", small<&J::restarts>, v41},
    {"failed_node", text<&J::failedNode>, v40},
    {"priority", count<&J::priority>},
    {"comment.job", text<&J::comment>},
    {"comment.administrator", text<&J::adminComment>},
    {"comment.system", text<&J::systemComment>},
    {"constraints", text<&J::constraints>},
    {"working_directory", text<&J::workDir>},
    {"submit_line", text<&J::submitLine>, v39},
    {"licenses", text<&J::licenses>, v40},
    {"container", text<&J::container>},
    {"stdout", text<&J::stdoutPattern>, v40},
    {"stderr", text<&J::stderrPattern>, v40},
    {"stdout_expanded", text<&J::stdoutExpanded>, v41},
    {"stderr_expanded", text<&J::stderrExpanded>, v41},
    {"flags", words<&J::dbFlags>},
    {"steps", steps},
});

bool complete(FieldReader& in, J& job) {
  if (job.id == 0) {
    in.path = "job_id";
    in.wrong("no job id");
    return false;
  }
  if (!job.hetJobId) job.hetOffset = 0;
  if (const auto cpus = tresCount(job.allocated, "cpu")) job.cpus = cpus;
  if (in.version != v38) return true;
  // v0.0.38 says "SUCCESS, 0" of every end that was no signal: true only for COMPLETED.
  const auto lost = [](const std::optional<ExitCode>& exit) { return exit && exit->code == 0 && exit->signal == 0; };
  if (job.state != JobState::completed && lost(job.exit)) job.exit.reset();
  if (lost(job.derivedExit)) job.derivedExit.reset();
  for (auto& step : job.steps)
    if (step.state != JobState::completed && lost(step.exit)) step.exit.reset();
  return true;
}

constexpr std::array<std::string_view, 1> kLists = {"jobs"};
const ListShape<J> kShape{kRows, kLists, complete, [](J& job) { job.damaged = true; }};

}  // namespace

std::span<const FieldRow<SlurmStep>> stepRows() { return kStepRows; }

SlurmList<SlurmAccountedJob> decodeAccountedJobs(ApiVersion version, const RestAnswer& answer) {
  return readList(kShape, version, answer);
}

struct AccountedJobListDecoder::State {
  ListReader<SlurmAccountedJob> reader;
};

AccountedJobListDecoder::AccountedJobListDecoder(ApiVersion version, Sink sink, std::size_t maxRecordBytes)
    : state_(new State{{kShape, version, std::move(sink), maxRecordBytes}}) {}
AccountedJobListDecoder::~AccountedJobListDecoder() = default;
AccountedJobListDecoder::AccountedJobListDecoder(AccountedJobListDecoder&&) noexcept = default;
AccountedJobListDecoder& AccountedJobListDecoder::operator=(AccountedJobListDecoder&&) noexcept = default;
void AccountedJobListDecoder::feed(std::string_view piece) { state_->reader.feed(piece); }
SlurmAnswer AccountedJobListDecoder::finish() { return state_->reader.finish(); }

}  // namespace fairlead::codec::slurm
