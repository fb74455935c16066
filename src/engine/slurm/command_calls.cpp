#include "slurm/command_calls.hpp"

#include "local/posix.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/slurm/text_output.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace fairlead::engine::slurm {
namespace {

constexpr std::size_t kMessageBytes = 64 << 10;

/// The variables of a job in a file that its user alone reads, for as long as sbatch needs it.
class EnvironmentFile {
 public:
  static Result<EnvironmentFile> write(const std::string& text, const local::Identity& user) {
    std::string path = "/tmp/.fairlead-env-XXXXXX";
    const local::Fd file(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) return local::failErrno("cannot make a file for the job's environment");
    EnvironmentFile made(path);
    if (auto written = local::writeAll(file.get(), text); !written) return tl::unexpected(written.error());
    if (user.switches && ::fchown(file.get(), user.uid, user.gid) != 0)
      return local::failErrno("cannot give the job's environment to its user");
    return made;
  }
  EnvironmentFile(EnvironmentFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  EnvironmentFile& operator=(EnvironmentFile&&) = delete;
  ~EnvironmentFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit EnvironmentFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// What a release's commands print: the version, and whether it can be asked for.
struct JsonForm {
  wire::ApiVersion version = wire::ApiVersion::v38;
  std::string option = "--json";
  bool nodesByScontrol = false;
};

JsonForm formOf(const std::string& text) {
  const auto release = wire::parseRelease(text);
  const auto asked = [](wire::ApiVersion version) { return JsonForm{version, "--json=" + toText(version), true}; };
  if (!release) return {};
  if (*release >= wire::SlurmRelease{24, 11}) return asked(wire::ApiVersion::v42);
  if (*release >= wire::SlurmRelease{24, 5}) return asked(wire::ApiVersion::v41);
  if (*release >= wire::SlurmRelease{23, 11}) return asked(wire::ApiVersion::v40);
  if (*release >= wire::SlurmRelease{23, 2}) return {wire::ApiVersion::v39, "--json", true};
  return {};
}

wire::RestAnswer view(const std::string& output) { return {0, "", output}; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

std::string CommandCalls::release() {
  const std::lock_guard guard(mutex_);
  return release_;
}

void CommandCalls::shutdown() {
  stop_.request_stop();
  free_.notify_all();
}

Result<net::ProcessResult> CommandCalls::run(Command command) {
  net::ProcessSpec spec;
  spec.argv = std::move(command.argv);
  if (!options_.programs.empty()) spec.argv[0] = options_.programs + "/" + spec.argv[0];
  spec.env = std::move(command.environment);
  spec.env.insert(spec.env.end(), {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", "LC_ALL=C"});
  // JSON holds numbers anyway, and sacct --json of 22.05 prints its own --starttime by this format, then cannot read
  // it. What it prints without names no zone: in UTC no hour comes twice.
  const bool json =
      std::any_of(spec.argv.begin(), spec.argv.end(), [](const auto& word) { return word.starts_with("--json"); });
  spec.env.emplace_back(json ? "TZ=UTC" : "SLURM_TIME_FORMAT=%s");
  if (!options_.slurmConf.empty()) spec.env.push_back("SLURM_CONF=" + options_.slurmConf);
  spec.cwd = "/";
  spec.input = std::move(command.input);
  spec.timeout = options_.timeout;
  spec.maxOutput = options_.answerLimit;
  spec.stop = stop_.get_token();
  if (!command.user.empty()) {
    const auto identity = local::resolveIdentity(command.user);
    if (!identity) return tl::unexpected(identity.error());
    if (identity->name != command.user)
      return fail(kUnknownUser, fmt::format("the daemon runs as {} and cannot act as {}", identity->name, command.user),
                  "run the daemon as root");
    if (identity->switches)
      spec.user = net::UnixUser{identity->uid, identity->gid, {identity->groups.begin(), identity->groups.end()}};
  }
  std::unique_lock guard(mutex_);
  free_.wait(guard, [&] { return stop_.stop_requested() || running_ <= options_.callsAtOnce; });
  if (stop_.stop_requested()) return fail(kSlurmUnreachable, "the engine is shutting down");
  ++running_;
  guard.unlock();
  auto result = net::runProcess(spec);
  guard.lock();
  --running_;
  guard.unlock();
  free_.notify_one();
  if (!result) return fail(kSlurmUnreachable, result.error().message, "install Slurm's client programs on this host");
  if (result->timedOut || result->stopped)
    return fail(command.changes ? kSlurmUncertain : kSlurmUnreachable,
                fmt::format("{} did not end in time", spec.argv[0]), "look at slurmctld and munge");
  return result;
}

Result<std::string> CommandCalls::outputOf(Command command, const std::string& what) {
  const bool changes = command.changes;
  auto result = run(std::move(command));
  if (!result) return tl::unexpected(result.error());
  if (result->truncated) return fail(kSlurmMalformed, what + ": the answer is over the limit");
  if (result->succeeded()) return std::move(result->output);
  const auto problem = wire::problemOfCommand(std::string_view(result->errors).substr(0, kMessageBytes));
  if (problem) return tl::unexpected(changes ? refusedChange(*problem, what) : refusalOf(*problem, what));
  return fail(changes ? kSlurmUncertain : kSlurmUnreachable,
              fmt::format("{}: exit code {} and no message", what, result->exitCode));
}

Result<ServerInfo> CommandCalls::connect() {
  const auto version = outputOf({{"squeue", "--version"}, {}, {}, {}, false}, "asking for the release");
  if (!version) return tl::unexpected(version.error());
  if (!wire::parseRelease(*version))
    return fail(kSlurmMalformed, "squeue --version printed " + printable(*version, 80));
  const auto text = outputOf({{"scontrol", "ping"}, {}, {}, {}, false}, "pinging slurmctld");
  if (!text) return tl::unexpected(text.error());
  const auto pings = wire::decodePingText(*text);
  if (std::none_of(pings.records.begin(), pings.records.end(), [](const auto& p) { return p.responding; }))
    return fail(kSlurmUnreachable, "slurmctld is down: " + printable(*text), "start it");
  auto release = version->substr(version->find_first_of("0123456789"));
  release = release.substr(0, release.find_first_not_of("0123456789."));
  const std::lock_guard guard(mutex_);
  release_ = release;
  return ServerInfo{"command line", std::move(release), {}};
}

Result<wire::SlurmList<wire::SlurmJob>> CommandCalls::jobs(std::optional<TimePoint>) {
  const auto form = formOf(release());
  // Newer releases leave out what has ended unless they are asked for every state; 22.05 never does.
  const auto text = outputOf({{"squeue", "--all", "--states=all", form.option}, {}, {}, {}, false}, "reading jobs");
  if (!text) return tl::unexpected(text.error());
  return wire::decodeJobs(form.version, view(*text));
}

Result<wire::SlurmList<wire::SlurmNode>> CommandCalls::nodes() {
  const auto form = formOf(release());
  std::vector<std::string> argv{"sinfo", "--all", "-N", form.option};
  if (form.nodesByScontrol) argv = {"scontrol", "show", "nodes", "--all", form.option};
  const auto text = outputOf({std::move(argv), {}, {}, {}, false}, "reading nodes");
  if (!text) return tl::unexpected(text.error());
  return wire::decodeNodes(form.version, view(*text));
}

Result<wire::SlurmList<wire::SlurmPartition>> CommandCalls::partitions() {
  const auto form = formOf(release());
  if (!form.nodesByScontrol) {
    const auto printed =
        outputOf({wire::showCommand("partitions", false).argv, {}, {}, {}, false}, "reading partitions");
    if (!printed) return tl::unexpected(printed.error());
    return wire::decodeShowPartitions(*printed, {});
  }
  const auto text =
      outputOf({{"scontrol", "show", "partitions", "--all", form.option}, {}, {}, {}, false}, "reading partitions");
  if (!text) return tl::unexpected(text.error());
  return wire::decodePartitions(form.version, view(*text));
}

Result<wire::SlurmList<wire::SlurmAccountedJob>> CommandCalls::history(const HistoryQuery& query) {
  const auto form = formOf(release());
  std::vector<std::string> argv{"sacct", "--allusers", form.option};
  if (query.everyRun) argv.emplace_back("--duplicates");
  if (query.from) argv.push_back(fmt::format("--starttime=uts{}", query.from->msSinceEpoch / 1000));
  if (query.to) argv.push_back(fmt::format("--endtime=uts{}", query.to->msSinceEpoch / 1000));
  if (!query.names.empty()) argv.push_back("--name=" + joined(query.names));
  std::vector<std::string> ids;
  for (const auto id : query.ids) ids.push_back(std::to_string(id));
  if (!ids.empty()) argv.push_back("--jobs=" + joined(ids));
  const auto text = outputOf({std::move(argv), {}, {}, {}, false}, "asking slurmdbd");
  if (!text) return tl::unexpected(text.error());
  auto read = wire::decodeAccountedJobs(form.version, view(*text));
  std::erase_if(read.answer.problems, [](const auto& p) { return p.kind == wire::ProblemKind::notFound; });
  return read;
}

Result<wire::SlurmSubmitted> CommandCalls::submit(const wire::SlurmSubmit& job, const std::string& user) {
  const auto identity = local::resolveIdentity(user);
  if (!identity) return tl::unexpected(identity.error());
  const auto file = EnvironmentFile::write(wire::environmentFileText(job), *identity);
  if (!file) return fail(kSlurmUnreachable, file.error().message);
  auto command = wire::sbatchCommand(job, file->path());
  if (!command) return tl::unexpected(wrongRequest(command.error(), "the job cannot be handed over"));
  const auto text =
      outputOf({std::move(command->argv), {}, std::move(command->input), user, true}, "submitting the job");
  if (!text) return tl::unexpected(text.error());
  const auto id = wire::parseSubmitted(*text);
  if (!id) return fail(kSlurmUncertain, "sbatch printed no job id: " + printable(*text, 80));
  return wire::SlurmSubmitted{*id, {}};
}

Result<void> CommandCalls::change(std::vector<std::string> argv, const std::string& user, const std::string& what) {
  auto text = outputOf({std::move(argv), {}, {}, user, true}, what);
  if (!text) return tl::unexpected(text.error());
  return {};
}

Result<void> CommandCalls::cancel(std::uint32_t job, const std::string& user) {
  return change(wire::cancelCommand({job, {}, {}}).argv, user, fmt::format("cancelling job {}", job));
}

Result<void> CommandCalls::signal(std::uint32_t job, int number, wire::SignalScope scope, const std::string& user) {
  return change(wire::signalCommand({job, {}, {}}, number, scope).argv, user,
                fmt::format("sending signal {} to job {}", number, job));
}

Result<void> CommandCalls::update(std::uint32_t job, const wire::SlurmJobUpdate& changed, const std::string& user) {
  if (changed.hold) {
    const auto action = *changed.hold ? wire::JobAction::hold : wire::JobAction::release;
    auto done = change(wire::actionCommand(action, {job, {}, {}}).argv, user, fmt::format("changing job {}", job));
    auto rest = changed;
    rest.hold.reset();
    if (!done || rest == wire::SlurmJobUpdate{}) return done;
  }
  auto command = wire::updateCommand({job, {}, {}}, changed);
  if (!command) return tl::unexpected(wrongRequest(command.error(), "the change cannot be handed over"));
  return change(std::move(command->argv), user, fmt::format("changing job {}", job));
}

Result<void> CommandCalls::requeue(std::uint32_t job, const std::string& user) {
  return change(wire::actionCommand(wire::JobAction::requeue, {job, {}, {}}).argv, user,
                fmt::format("requeuing job {}", job));
}

Result<std::vector<std::pair<std::string, std::string>>> CommandCalls::settings() {
  const auto text = outputOf({{"scontrol", "show", "config"}, {}, {}, {}, false}, "reading the configuration");
  if (!text) return tl::unexpected(text.error());
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto equals = line.find(" = ");
    if (equals == std::string_view::npos) continue;
    const auto name = line.substr(0, line.find_first_of(" ="));
    settings.emplace_back(name, line.substr(equals + 3));
  }
  return settings;
}

Result<void> CommandCalls::setSuspended(std::uint32_t job, bool suspended) {
  const auto action = suspended ? wire::JobAction::suspend : wire::JobAction::resume;
  return change(wire::actionCommand(action, {job, {}, {}}).argv, {},
                fmt::format("{} job {}", suspended ? "suspending" : "resuming", job));
}

Result<void> CommandCalls::orderNode(wire::NodeAction action, const std::string& node, const std::string& reason) {
  auto command = wire::nodeCommand(action, node, reason);
  if (!command) return tl::unexpected(wrongRequest(command.error(), "the node cannot be changed"));
  return change(std::move(command->argv), {}, fmt::format("changing node {}", printable(node, 80)));
}

}  // namespace fairlead::engine::slurm
