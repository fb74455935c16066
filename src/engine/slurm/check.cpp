#include "slurm/check.hpp"

#include "local/identity.hpp"
#include "slurm/inventory.hpp"
#include "slurm/make_calls.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unistd.h>

namespace fairlead::engine::slurm {

namespace {

using control::Finding;
using control::FindingKind;

constexpr Milliseconds kHistoryLook{3'600'000};
constexpr std::int64_t kShortJobAge = 60;  // seconds

class Look {
 public:
  Look(SlurmCalls& calls, const SlurmOptions& options, const model::ClusterTerms& terms)
      : calls_(calls), options_(options), terms_(terms) {}

  std::vector<Finding> run() {
    if (!connection()) return std::move(findings_);
    jobs();
    nodes();
    partition();
    accounting();
    settings();
    if (!terms_.readOnly()) users();
    return std::move(findings_);
  }

 private:
  void fine(std::string topic, std::string text) {
    findings_.push_back({FindingKind::fine, std::move(topic), std::move(text), {}});
  }
  void note(std::string topic, std::string text, std::string remedy) {
    findings_.push_back({FindingKind::note, std::move(topic), std::move(text), std::move(remedy)});
  }
  void missing(std::string topic, std::string text, std::string remedy) {
    findings_.push_back({FindingKind::missing, std::move(topic), std::move(text), std::move(remedy)});
  }
  void missing(std::string topic, const Error& error, std::string remedy = {}) {
    missing(std::move(topic), error.message, remedy.empty() ? error.remedy : std::move(remedy));
  }

  bool connection() {
    const auto server = calls_.connect();
    if (!server) {
      missing("connection", server.error());
      return false;
    }
    fine("connection",
         fmt::format("Slurm {} by {}{}", server->release.empty() ? "of a release not told" : server->release,
                     server->way, server->cluster.empty() ? "" : ", cluster " + printable(server->cluster, 80)));
    if (!options_.slurmCluster.empty() && !server->cluster.empty() && server->cluster != options_.slurmCluster)
      missing("connection",
              fmt::format("cluster {} answers, {} was expected", printable(server->cluster, 80), options_.slurmCluster),
              "correct clusterName or the endpoint");
    return true;
  }

  void jobs() {
    const auto read = calls_.jobs({});
    if (!read) return missing("jobs", read.error());
    if (!read->answer.problems.empty())
      return missing("jobs", refusalOf(read->answer.problems.front(), "reading jobs"));
    std::map<std::string, int> users;
    for (const auto& job : read->records) ++users[job.user];
    fine("jobs", fmt::format("{} jobs of {} users in the queue", read->records.size(), users.size()));
    if (read->answer.setAside > 0)
      missing("jobs", fmt::format("{} jobs could not be read", read->answer.setAside),
              "tell us the release and one of them");
  }

  void nodes() {
    const auto read = calls_.nodes();
    if (!read) return missing("nodes", read.error());
    if (!read->answer.problems.empty())
      return missing("nodes", refusalOf(read->answer.problems.front(), "reading nodes"));
    const auto inventory = readInventory(options_.cluster, read->records);
    std::map<std::string, std::size_t> devices;
    for (const auto& node : inventory.nodes)
      for (const auto& device : node.devices) ++devices[device.model];
    std::string text;
    for (const auto& [model, count] : devices) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, model);
    fine("nodes", fmt::format("{} nodes; {}", inventory.nodes.size(), text.empty() ? "no accelerators" : text));
    for (const auto& kind : inventory.kinds)
      if (kind.model == "unknown")
        missing("devices", fmt::format("GRES {} has no type, so its model is not known", kind.gresName),
                fmt::format("slurm.conf: Gres={}:h100:8 on its nodes (the model's name), and Type=h100 in gres.conf",
                            kind.gresName));
    for (const auto& doubt : inventory.doubts) note("devices", doubt, "believed is the larger; look at the node");
    trackedDevices(read->records);
  }

  /// Without it slurmdbd keeps no devices, and no cost can be told.
  void trackedDevices(const std::vector<wire::SlurmNode>& nodes) {
    for (const auto& node : nodes)
      for (const auto& gres : node.gres) {
        if (gres.name != "gpu" || wire::tresCount(node.tres, "gres", "gpu")) continue;
        return missing("accounting", "GPUs are not tracked, so slurmdbd does not know who had them",
                       "slurm.conf: AccountingStorageTRES=gres/gpu");
      }
  }

  void partition() {
    const auto read = calls_.partitions();
    if (!read) return missing("partitions", read.error());
    const auto named = [&](const auto& p) {
      return options_.partition.empty() ? p.isDefault : p.name == options_.partition;
    };
    const auto found = std::find_if(read->records.begin(), read->records.end(), named);
    if (found != read->records.end())
      return fine("partitions", fmt::format("{}; work goes to {}", read->records.size(), printable(found->name, 80)));
    const auto what =
        options_.partition.empty() ? std::string("no default partition") : "no partition " + options_.partition;
    if (terms_.readOnly()) return note("partitions", what, "name one with `partition` before governing is switched on");
    missing("partitions", what,
            options_.partition.empty() ? "slurm.conf: Default=YES on one, or name it with `partition`"
                                       : "correct `partition`");
  }

  void accounting() {
    HistoryQuery query;
    query.from = TimePoint{SystemClock().now()} - kHistoryLook;
    const auto read = calls_.history(query);
    if (!read)
      return missing("accounting", read.error(),
                     "slurm.conf: AccountingStorageType=accounting_storage/slurmdbd, and start slurmdbd");
    if (!read->answer.problems.empty())
      return missing("accounting", refusalOf(read->answer.problems.front(), "asking slurmdbd"));
    fine("accounting", fmt::format("slurmdbd answers; {} jobs in the last hour", read->records.size()));
  }

  void settings() {
    const auto read = calls_.settings();
    if (!read)
      return note("settings", read.error().message, "check PrivateData and MinJobAge with: scontrol show config");
    const auto value = [&](std::string_view name) {
      for (const auto& [key, text] : *read)
        if (key == name) return text;
      return std::string();
    };
    privateData(value("PrivateData"));
    const auto age = value("MinJobAge");  // `300 sec`
    std::int64_t seconds = 0;
    std::from_chars(age.data(), age.data() + age.size(), seconds);
    if (seconds < kShortJobAge)
      note("settings",
           fmt::format("MinJobAge is {}: ended jobs leave the queue at once, and slurmdbd is asked for each",
                       printable(age, 40)),
           "slurm.conf: MinJobAge=300");
    if (!options_.requeue && value("JobRequeue") == "1")
      note("settings", "JobRequeue is on: Slurm may start native jobs again by itself",
           "nothing is needed; ours say --no-requeue");
  }

  void privateData(const std::string& value) {
    if (value.find("jobs") == std::string::npos) return fine("settings", "jobs of all users are seen");
    if (::geteuid() == 0) return fine("settings", "PrivateData hides jobs, but not from root");
    note("settings",
         fmt::format("PrivateData={} hides other users' jobs from who is no operator", printable(value, 80)),
         fmt::format("sacctmgr -i modify user where name={} set AdminLevel=Operator", options_.reader));
  }

  /// Governing: jobs run as their submitters.
  void users() {
    if (options_.endpoint.empty()) {
      if (::geteuid() == 0) return fine("users", "jobs are submitted as their owners");
      return missing("users", "the daemon is not root, so it can submit as nobody but itself",
                     "run it as root, or connect the cluster through slurmrestd with tokens for each user");
    }
    if (options_.tokenCommand.empty() && options_.tokenFile.empty())
      return missing("users", "no way to a token for each user is configured",
                     "tokenCommand: [scontrol, token, username=%u, lifespan=%s] (as root or SlurmUser), or tokenFile: "
                     "/run/tokens/%u");
    fine("users", "jobs are submitted with tokens of their owners");
  }

  SlurmCalls& calls_;
  const SlurmOptions& options_;
  const model::ClusterTerms& terms_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check(SlurmCalls& calls, const SlurmOptions& options, const model::ClusterTerms& terms) {
  return Look(calls, options, terms).run();
}

}  // namespace fairlead::engine::slurm

namespace fairlead::engine {

std::vector<control::Finding> checkSlurm(const SlurmOptions& options, const model::ClusterTerms& terms) {
  const auto calls = slurm::makeCalls(options);
  if (!calls) return {{control::FindingKind::missing, "options", calls.error().message, calls.error().remedy}};
  return slurm::check(**calls, options, terms);
}

}  // namespace fairlead::engine
