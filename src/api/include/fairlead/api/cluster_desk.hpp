// What the API asks of whoever keeps the clusters.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/finding.hpp>
#include <fairlead/model/cluster.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::api {

struct ClusterRecord {
  std::string name;
  std::string engine;  ///< `slurm`, `local`
  model::ClusterTerms terms;
  std::string problem;       ///< why it is not connected; empty: it is
  std::string documentJson;  ///< as it was declared; empty: it comes from the daemon's own options
};

/// Any thread; may block for as long as the cluster's calls may take.
class ClusterDesk {
 public:
  virtual ~ClusterDesk() = default;
  /// By name.
  [[nodiscard]] virtual std::vector<ClusterRecord> list() const = 0;
  /// Connects, and keeps the document. `fromHost`: the caller is root or the daemon's own user on this host, who alone
  /// may name programs for it to run.
  [[nodiscard]] virtual Checked<ClusterRecord> add(std::string_view document, bool fromHost) = 0;
  /// Of a document that is not connected, or of a connected cluster. Changes nothing anywhere.
  [[nodiscard]] virtual Checked<std::vector<control::Finding>> check(std::string_view document, bool fromHost) = 0;
  [[nodiscard]] virtual Result<std::vector<control::Finding>> checkNamed(const std::string& name) = 0;
  [[nodiscard]] virtual Result<ClusterRecord> govern(const std::string& name, const model::ClusterTerms& terms) = 0;
  [[nodiscard]] virtual Result<void> remove(const std::string& name) = 0;
};

}  // namespace fairlead::api
