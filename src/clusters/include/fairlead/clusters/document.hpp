// `kind: Cluster`: how a cluster is reached, and what may be done there.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/engine/slurm.hpp>
#include <fairlead/model/cluster.hpp>

#include <string>
#include <string_view>

namespace fairlead::clusters {

inline constexpr std::int32_t kMostDepth = 100'000;

struct ClusterDocument {
  std::string name;
  model::ClusterTerms terms;
  engine::SlurmOptions slurm;  ///< what a site writes down; stateDir, governs and log are the daemon's own
};

/// YAML or JSON; all errors at once. Everything but the name has a default: no endpoint means Slurm's own commands.
[[nodiscard]] Checked<ClusterDocument> decodeCluster(std::string_view text);
/// JSON that decodeCluster reads back; only what differs from the defaults. It names files and programs, never a
/// secret.
[[nodiscard]] std::string encodeCluster(const ClusterDocument& document);
/// True when the daemon would run programs that the document names, so that only those who are the daemon may give it.
[[nodiscard]] bool namesPrograms(const ClusterDocument& document);

}  // namespace fairlead::clusters
