// The clusters of one daemon: their documents in a folder, their engines in control.
#pragma once

#include <fairlead/api/cluster_desk.hpp>
#include <fairlead/clusters/document.hpp>
#include <fairlead/control/control.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::clusters {

struct RegistryOptions {
  std::string folder;          ///< absolute; one document a file, `*.yaml` or `*.json`. Made when missing
  std::string stateDirectory;  ///< absolute; engines keep theirs in `slurm/NAME` of it
  /// A cluster that is part of the daemon's options, for the list. Empty: none.
  std::string localCluster;
  /// Lines for the daemon's log about one cluster. May be empty. Any thread.
  std::function<void(const std::string& cluster, engine::LogSeverity, const std::string& line)> log;
  /// Makes an engine of options; empty: the real one.
  std::function<Result<std::unique_ptr<control::EnginePort>>(engine::SlurmOptions)> makeEngine;
};

/// Any thread.
class Registry final : public api::ClusterDesk {
 public:
  /// `control` outlives it.
  Registry(RegistryOptions options, control::Control& control);
  ~Registry() override;

  /// Reads the folder and connects what stands in it; what cannot be is listed with its problem. After control has
  /// started. Again: connects what is new, takes over changed terms, leaves the rest as it is.
  void load();

  [[nodiscard]] std::vector<api::ClusterRecord> list() const override;
  [[nodiscard]] Checked<api::ClusterRecord> add(std::string_view document, bool fromHost) override;
  [[nodiscard]] Checked<std::vector<control::Finding>> check(std::string_view document, bool fromHost) override;
  [[nodiscard]] Result<std::vector<control::Finding>> checkNamed(const std::string& name) override;
  [[nodiscard]] Result<api::ClusterRecord> govern(const std::string& name, const model::ClusterTerms& terms) override;
  [[nodiscard]] Result<void> remove(const std::string& name) override;

 private:
  struct Entry;

  void loadFile(const std::string& path);
  [[nodiscard]] Result<void> connect(Entry& entry);
  [[nodiscard]] Result<void> save(const Entry& entry) const;
  [[nodiscard]] engine::SlurmOptions optionsOf(const Entry& entry) const;
  [[nodiscard]] Result<void> setTerms(Entry& entry, const model::ClusterTerms& terms);
  [[nodiscard]] std::shared_ptr<Entry> find(const std::string& name) const;

  RegistryOptions options_;
  control::Control& control_;
  std::mutex changing_;       ///< one change at a time; held while an engine is asked
  mutable std::mutex mutex_;  ///< of entries_
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace fairlead::clusters
