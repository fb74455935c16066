// squeue -o without a header, the declared columns in their order.
#include "columns.hpp"
#include "job_ids.hpp"

#include <fairlead/codec/slurm/hostlist.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

using namespace column;
using J = SlurmJob;

bool shownId(std::string_view value, J& job, const TextContext&) {
  const auto id = parseJobId(value);
  if (!id || !id->step.empty()) return false;
  if (id->component) job.hetJobId = id->id;
  job.hetOffset = id->component.value_or(0);
  if (id->task || !id->tasks.empty()) job.arrayJobId = id->id;
  job.arrayTaskId = id->task;
  job.arrayTaskText = id->tasks;
  if (!job.arrayTaskText.empty()) job.pendingTasks = parseTasks(job.arrayTaskText);
  return job.arrayTaskText.empty() || job.pendingTasks;
}
bool state(std::string_view value, J& job, const TextContext&) {
  job.stateText = value;
  readStateText(value, job.state, job.flags, job.unknownStates, nullptr);
  return !value.empty();
}
bool nodes(std::string_view value, J& job, const TextContext&) {
  readHostSet(value, job.nodes);
  return !job.nodes.tooMany;
}
bool memory(std::string_view value, J& job, const TextContext&) {
  Tres amount;
  if (isUnsetText(value) || value == "0") return true;
  if (!readTres(fmt::format("mem={}", value), amount) || amount.size() != 1) return false;
  job.memoryPerNode = Bytes{amount[0].count};
  return true;
}
bool oversubscribe(std::string_view value, J& job, const TextContext&) {
  job.exclusive = value == "NO";
  return true;
}

struct Column {
  std::string_view symbol;
  ColumnRow<J> row;
};

constexpr std::array kColumns = std::to_array<Column>({
    {"%A", {"JOBID", id<&J::id>}},
    {"%i", {"SHOWN", shownId}},
    {"%T", {"STATE", state}},
    {"%r", {"REASON", text<&J::reason>}},
    {"%u", {"USER", text<&J::user>}},
    {"%U", {"UID", id<&J::uid>}},
    {"%a", {"ACCOUNT", text<&J::account>}},
    {"%P", {"PARTITION", text<&J::partition>}},
    {"%q", {"QOS", text<&J::qos>}},
    {"%D", {"NODES", count<&J::nodeCount>}},
    {"%N", {"NODELIST", nodes}},
    {"%B", {"EXEC_HOST", text<&J::batchHost>}},
    {"%C", {"CPUS", count<&J::cpus>}},
    {"%m", {"MIN_MEMORY", memory}},
    {"%b", {"TRES_PER_NODE", text<&J::tresPerNode>}},
    {"%l", {"TIME_LIMIT", limit<&J::limit>}},
    {"%V", {"SUBMIT_TIME", moment<&J::submitTime>}},
    {"%S", {"START_TIME", moment<&J::startTime>}},
    {"%e", {"END_TIME", moment<&J::endTime>}},
    {"%Q", {"PRIORITY", count<&J::priority>}},
    {"%y", {"NICE", count<&J::nice>}},
    {"%h", {"OVER_SUBSCRIBE", oversubscribe}},
    {"%E", {"DEPENDENCY", text<&J::dependency>}},
    {"%v", {"RESERVATION", text<&J::reservation>}},
    {"%f", {"FEATURES", text<&J::features>}},
    {"%W", {"LICENSES", text<&J::licenses>}},
    {"%w", {"WCKEY", text<&J::wckey>}},
    {"%j", {"NAME", text<&J::name>}},
    {"%k", {"COMMENT", text<&J::comment>}},
    {"%Z", {"WORK_DIR", text<&J::workDir>}},
});

constexpr auto rowsOf() {
  std::array<ColumnRow<J>, kColumns.size()> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = kColumns[i].row;
  return rows;
}
constexpr auto kRows = rowsOf();

bool complete(J& job) {
  job.held = job.state == JobState::pending && job.priority == 0;
  return job.id != 0 && !job.stateText.empty();
}

}  // namespace

SlurmCommand squeueCommand() {
  std::string format;
  for (const auto& column : kColumns) {
    if (!format.empty()) format += kColumnDelimiter;
    format += column.symbol;
  }
  return {{"squeue", "--noheader", "--all", "--states=all", "--format=" + format}, {}};
}

SlurmList<SlurmJob> decodeSqueue(std::string_view text, const TextContext& context) {
  return readColumns<J>(text, context, kRows, false, complete);
}

}  // namespace fairlead::codec::slurm
