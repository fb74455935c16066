// A Slurm cluster as an engine, through slurmrestd or through Slurm's own commands.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/engine/local.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::engine {

/// How a role's container image is run. `none`: a role with an image is refused.
enum class SlurmContainer : std::uint8_t { none, pyxis, apptainer, oci };

/// Texts may hold `%u` (Unix user) and `%p` (project) where that is said.
struct SlurmOptions {
  std::string cluster = "slurm";  ///< its name in Fairlead
  std::string slurmCluster;       ///< Slurm's ClusterName; answers of another one are not believed. Empty: any
  std::string stateDir;           ///< absolute; made when missing. Holds `attempts/`, `artifacts/` and `history`
  /// Whether work of a project may be started there now; empty: of none. Any thread.
  std::function<bool(const std::string& project)> governs;

  /// Account to project; an account that is not named is a project of its own name.
  std::vector<std::pair<std::string, std::string>> projects;
  TimePoint historyFrom;  ///< jobs that ended since are read from slurmdbd; 0: only what the queue shows

  // The way in: slurmrestd where `endpoint` is given, else the commands.
  std::string endpoint;  ///< `http://host:6820`, `https://...`, `unix:///run/slurmrestd.socket`
  std::string caFile, clientCertificate, clientKey;
  std::string reader = "root";            ///< the user whose token reads
  std::vector<std::string> tokenCommand;  ///< argv, %u and %s (seconds); see token_source.hpp
  std::string tokenFile;                  ///< %u
  Milliseconds tokenLifespan{1'800'000};
  std::string programs;   ///< folder of squeue and its kin; empty: through PATH
  std::string slurmConf;  ///< SLURM_CONF of the commands; empty: Slurm's own way
  std::int32_t callsAtOnce = 4;
  Milliseconds callTimeout{60'000};
  Bytes answerLimit{1LL << 30};

  // What a submission carries.
  std::string account;                                           ///< %p, %u; empty: the user's default
  std::string partition;                                         ///< empty: the cluster's default
  std::string qos;                                               ///< empty: the user's default
  std::vector<std::pair<std::string, std::string>> constraints;  ///< device model to feature
  std::string homeFolder = "/home/%u";              ///< %u; used where this host does not know the user's home
  std::string runFolder = "%h/.fairlead/attempts";  ///< %h (home), %u; on a file system that all nodes share
  bool requeue = false;                             ///< whether Slurm itself may start a job again
  SlurmContainer container = SlurmContainer::none;

  Bytes artifactLimit{1LL << 40};       ///< one output, or a model that is compared, may be so large
  std::vector<std::string> supervisor;  ///< argv of what reads users' files; empty: as LocalOptions::supervisor says

  Milliseconds historyAgain{86'400'000};  ///< so much of the past is read again every hour, for late changes
  Milliseconds historyPause{1'000};  ///< between two readings of it, or four times what one took where that is longer

  Milliseconds jobInterval{2'000};
  Milliseconds nodeInterval{15'000};
  Milliseconds staleAfter{120'000};           ///< no whole read for so long: what runs there is unreachable
  Milliseconds forgottenAfter{60'000};        ///< absent from whole reads for so long, and no end known
  Milliseconds submitSettle{10'000};          ///< after a submission with an unknown answer, before another may follow
  Milliseconds retention{14LL * 86'400'000};  ///< how long the file of a settled attempt stays
  /// Lines for the daemon's log. May be empty. Any thread.
  std::function<void(LogSeverity, const std::string&)> log;
};

/// Error kSlurmOptions. Does nothing before `EnginePort::start`. Thread-safe as the port says.
[[nodiscard]] Result<std::unique_ptr<control::EnginePort>> makeSlurmEngine(SlurmOptions options);

}  // namespace fairlead::engine

namespace fairlead {
template <>
inline constexpr auto kEnumNames<engine::SlurmContainer> =
    std::to_array<std::pair<engine::SlurmContainer, std::string_view>>({
        {engine::SlurmContainer::none, "none"},
        {engine::SlurmContainer::pyxis, "pyxis"},
        {engine::SlurmContainer::apptainer, "apptainer"},
        {engine::SlurmContainer::oci, "oci"},
    });
}  // namespace fairlead
