// SlurmCalls over Slurm's own commands: argv only, never a shell; a fixed environment; output and time bounded.
#pragma once

#include "local/identity.hpp"
#include "slurm/calls.hpp"

#include <fairlead/net/subprocess.hpp>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

struct CommandOptions {
  std::string programs;   ///< folder of the commands; empty: through PATH
  std::string slurmConf;  ///< empty: Slurm's own way
  std::int32_t callsAtOnce = 4;
  Milliseconds timeout{60'000};
  Bytes answerLimit{1LL << 30};
};

class CommandCalls final : public SlurmCalls {
 public:
  explicit CommandCalls(CommandOptions options) : options_(std::move(options)) {}

  Result<ServerInfo> connect() override;
  Result<wire::SlurmList<wire::SlurmJob>> jobs(std::optional<TimePoint> changedSince) override;
  Result<wire::SlurmList<wire::SlurmNode>> nodes() override;
  Result<wire::SlurmList<wire::SlurmPartition>> partitions() override;
  Result<wire::SlurmList<wire::SlurmAccountedJob>> history(const HistoryQuery& query) override;
  Result<wire::SlurmSubmitted> submit(const wire::SlurmSubmit& job, const std::string& user) override;
  Result<void> cancel(std::uint32_t job, const std::string& user) override;
  Result<void> signal(std::uint32_t job, int number, wire::SignalScope scope, const std::string& user) override;
  Result<void> update(std::uint32_t job, const wire::SlurmJobUpdate& change, const std::string& user) override;
  Result<void> requeue(std::uint32_t job, const std::string& user) override;
  Result<std::vector<std::pair<std::string, std::string>>> settings() override;
  Result<void> setSuspended(std::uint32_t job, bool suspended) override;
  Result<void> orderNode(wire::NodeAction action, const std::string& node, const std::string& reason) override;
  void shutdown() override;

 private:
  struct Command {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  ///< beside the fixed one
    std::string input;
    std::string user;      ///< empty: the daemon's
    bool changes = false;  ///< an unknown outcome is then kSlurmUncertain
  };
  [[nodiscard]] Result<net::ProcessResult> run(Command command);
  /// The same, and an exit code other than 0 is the error that the command printed.
  [[nodiscard]] Result<std::string> outputOf(Command command, const std::string& what);
  [[nodiscard]] Result<void> change(std::vector<std::string> argv, const std::string& user, const std::string& what);

  [[nodiscard]] std::string release();

  CommandOptions options_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::int32_t running_ = 0;
  std::stop_source stop_;
  std::string release_;  ///< set by connect
};

}  // namespace fairlead::engine::slurm
