// SlurmCalls over slurmrestd.
#pragma once

#include "slurm/rest_transport.hpp"

#include <fairlead/codec/slurm/rest.hpp>

#include <atomic>

namespace fairlead::engine::slurm {

class RestCalls final : public SlurmCalls {
 public:
  explicit RestCalls(RestOptions options) : transport_(std::move(options)) {}

  /// Error kSlurmOptions.
  [[nodiscard]] Result<void> check() const { return transport_.check(); }

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
  void shutdown() override { transport_.shutdown(); }

 private:
  [[nodiscard]] Result<std::string> path(std::string_view service, std::string_view rest) const;
  template <class Decode>
  [[nodiscard]] auto list(std::string_view service, const std::string& rest, Decode decode)
      -> Result<decltype(decode(wire::ApiVersion::v38, wire::RestAnswer{}))>;
  [[nodiscard]] Result<void> change(RestRequest request, std::string_view rest, const std::string& what);

  RestTransport transport_;
  std::atomic<int> version_{0};  ///< ApiVersion; 0: not known
  /// Asked first when connecting: the one in use, or where an earlier try got no answer, so that a bad line is crossed.
  std::atomic<int> next_{static_cast<int>(wire::kNewestApi)};
};

}  // namespace fairlead::engine::slurm
