// Jobs of slurmctld: `/slurm/v0.0.NN/jobs`, `squeue --json`, `scontrol show job --json`.
#include "rest_list.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

namespace fairlead::codec::slurm {
namespace {

using namespace field;
using J = SlurmJob;
using enum ApiVersion;

void state(FieldReader& in, J& job) { readJobState(in, job.state, job.flags, job.stateText, job.unknownStates); }

void required(FieldReader& in, J& job) {
  std::optional<std::uint32_t> value;
  readId(in, value);
  job.id = value.value_or(0);
}

void hetOffset(FieldReader& in, J& job) {
  std::optional<std::uint32_t> value;
  readId(in, value);
  job.hetOffset = value.value_or(0);
}

void restarts(FieldReader& in, J& job) {
  std::optional<std::uint32_t> value;
  readId(in, value);
  job.restarts = value.value_or(0);
}

/// One text per node, in the order of the nodes.
void gresDetail(FieldReader& in, J& job) {
  job.gresDetail.clear();
  if (in.json.kind() != JsonKind::array) {
    in.json.skipValue();
    return;
  }
  in.json.array([&] { readGresText(in, job.gresDetail.emplace_back().gres); });
}

/// `none`: no other job may share its nodes. v0.0.38 has one word, later ones a list.
void shared(FieldReader& in, J& job) {
  Words found;
  readWords(in, found);
  for (const auto& word : found) job.exclusive |= word == "none" || word == "exclusive";
}

constexpr std::array kRows = std::to_array<FieldRow<J>>({
    {"job_id", required},
    {"array_job_id", idNotZero<&J::arrayJobId>},
    {"array_task_id", id<&J::arrayTaskId>},
    {"array_task_string", text<&J::arrayTaskText>},
    {"het_job_id", idNotZero<&J::hetJobId>},
    {"het_job_offset", hetOffset},
    {"het_job_id_set", text<&J::hetJobIdSet>},
    {"step_id.sluid", text<&J::sluid>, v45},
    {"cluster", text<&J::cluster>},
    {"federation_origin", text<&J::federationOrigin>},
    {"federation_siblings_active", text<&J::federationSiblings>},
    {"name", text<&J::name>},
    {"user_name", text<&J::user>},
    {"user_id", id<&J::uid>},
    {"group_id", id<&J::gid>},
    {"account", text<&J::account>},
    {"partition", text<&J::partition>},
    {"qos", text<&J::qos>},
    {"wckey", text<&J::wckey>},
    {"resv_name", text<&J::reservation>},
    {"job_state", state},
    {"state_reason", text<&J::reason>},
    {"state_description", text<&J::reasonDetail>},
    {"hold", flag<&J::held>, v39},
    {"submit_time", moment<&J::submitTime>},
    {"eligible_time", moment<&J::eligibleTime>},
    {"start_time", moment<&J::startTime>},
    {"end_time", moment<&J::endTime>},
    {"suspend_time", moment<&J::suspendTime>},
    {"deadline", moment<&J::deadline>},
    {"preempt_time", moment<&J::preemptTime>},
    {"pre_sus_time", seconds<&J::runTimeBeforeSuspend>},
    {"time_limit", minutes<&J::limit>},
    {"nodes", hosts<&J::nodes>},
    {"batch_host", text<&J::batchHost>},
    {"required_nodes", text<&J::requiredNodes>},
    {"excluded_nodes", text<&J::excludedNodes>},
    {"scheduled_nodes", text<&J::scheduledNodes>, v39},
    {"failed_node", text<&J::failedNode>, v39},
    {"node_count", count<&J::nodeCount>},
    {"cpus", count<&J::cpus>},
    {"tasks", count<&J::tasks>},
    {"memory_per_node", mib<&J::memoryPerNode>},
    {"memory_per_cpu", mib<&J::memoryPerCpu>},
    {"tres_req_str", tres<&J::requested>},
    {"tres_alloc_str", tres<&J::allocated>},
    {"gres_detail", gresDetail},
    {"tres_per_node", text<&J::tresPerNode>},
    {"tres_per_job", text<&J::tresPerJob>},
    {"tres_per_task", text<&J::tresPerTask>},
    {"tres_per_socket", text<&J::tresPerSocket>},
    {"features", text<&J::features>},
    {"licenses", text<&J::licenses>},
    {"licenses_allocated", text<&J::licensesAllocated>, v43},
    {"dependency", text<&J::dependency>},
    {"nice", count<&J::nice>},
    {"priority", count<&J::priority>},
    {"requeue", flag<&J::requeueAllowed>},
    {"batch_flag", flag<&J::batch>},
    {"shared", shared},
    {"exit_code", exit<&J::exit>},
    {"derived_exit_code", exit<&J::derivedExit>},
    {"restart_cnt", restarts},
    {"comment", text<&J::comment>},
    {"admin_comment", text<&J::adminComment>},
    {"system_comment", text<&J::systemComment>},
    {"command", text<&J::command>},
    {"submit_line", text<&J::submitLine>, v43},
    {"current_working_directory", text<&J::workDir>},
    {"standard_output", text<&J::stdoutPattern>},
    {"standard_error", text<&J::stderrPattern>},
    {"standard_input", text<&J::stdinPattern>},
    {"stdout_expanded", text<&J::stdoutExpanded>, v41},
    {"stderr_expanded", text<&J::stderrExpanded>, v41},
    {"container", text<&J::container>},
});

bool complete(FieldReader& in, J& job) {
  if (job.id == 0) {
    in.path = "job_id";
    in.wrong("no job id");
    return false;
  }
  if (!job.arrayTaskText.empty()) {
    job.pendingTasks = parseTasks(job.arrayTaskText);
    in.path = "array_task_string";
    if (!job.pendingTasks) in.wrong("not a list of tasks");
  }
  if (job.hetJobId == std::nullopt) job.hetOffset = 0;
  job.held |= job.state == JobState::pending && job.priority == 0;
  if (job.gresDetail.size() == job.nodes.names.size())
    for (std::size_t i = 0; i < job.gresDetail.size(); ++i) job.gresDetail[i].node = job.nodes.names[i];
  return true;
}

constexpr std::array<std::string_view, 1> kLists = {"jobs"};
const ListShape<J> kShape{kRows, kLists, complete, [](J& job) { job.damaged = true; }};

}  // namespace

SlurmList<SlurmJob> decodeJobs(ApiVersion version, const RestAnswer& answer) {
  return readList(kShape, version, answer);
}

struct JobListDecoder::State {
  ListReader<SlurmJob> reader;
};

JobListDecoder::JobListDecoder(ApiVersion version, Sink sink, std::size_t maxRecordBytes)
    : state_(new State{{kShape, version, std::move(sink), maxRecordBytes}}) {}
JobListDecoder::~JobListDecoder() = default;
JobListDecoder::JobListDecoder(JobListDecoder&&) noexcept = default;
JobListDecoder& JobListDecoder::operator=(JobListDecoder&&) noexcept = default;
void JobListDecoder::feed(std::string_view piece) { state_->reader.feed(piece); }
SlurmAnswer JobListDecoder::finish() { return state_->reader.finish(); }

}  // namespace fairlead::codec::slurm
