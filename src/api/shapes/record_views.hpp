// Views of everything but workloads: inventory, models, usage, projects, audit, identity, failures.
#pragma once

#include "views.hpp"

#include <fairlead/api/cluster_desk.hpp>
#include <fairlead/control/ports/engine_port.hpp>

namespace fairlead::api {

struct DeviceView {
  std::string cluster, node;
  model::Device device;
  MilliDevices free;
};

struct NodeView {
  model::Node node;
  std::vector<DeviceView> devices;
  MilliCpus cpusFree;
  Bytes memoryFree;
};

struct DeviceCount {
  std::string vendor, model;
  std::int64_t devices = 0, healthy = 0;
  MilliDevices capacity, free;
};

struct FindingView {
  control::Finding finding;
};

/// One connected cluster, or one that should be.
struct ClusterView {
  ClusterRecord record;
  control::EngineStatus status;
  std::string name;
  std::int64_t nodes = 0, nodesReady = 0;
  std::int64_t attempts = 0;  ///< that hold devices
  std::vector<DeviceCount> devices;
};

struct ServedByView {
  model::WorkloadId workload;
  std::string name;
  model::WorkloadState state = model::WorkloadState::queued;
};

struct VersionView {
  model::ModelVersion row;
  std::string workloadName;
  std::string askedFor;  ///< `32 h100`
  std::optional<CostView> cost;
  std::optional<model::ModelInput> builtOn;
  std::vector<ServedByView> servedBy;      ///< running with exactly these bytes
  std::vector<ServedByView> nextServedBy;  ///< not running yet, or not at present
};

struct ModelLine {
  std::string project, name;
  std::int64_t versions = 0;
  std::int32_t latest = 0;
  TimePoint latestAt;
};

struct ModelView {
  ModelLine line;
  std::vector<VersionView> versions;  ///< newest first
};

struct UsageLine {
  std::vector<std::pair<std::string, std::string>> group;  ///< dimension to value
  CostView cost;
};

struct UsageView {
  TimePoint from, to;
  std::vector<UsageLine> items;
  CostView total;
};

struct ProjectView {
  model::Project row;
  std::string yourRole;
};

struct AuditVerdictView {
  bool ok = false;
  std::uint64_t records = 0, checkpoints = 0;
  std::string problem;  ///< kind; empty: none
  std::uint64_t problemSequence = 0;
  std::string text;
};

struct WhoAmIView {
  model::Principal principal;
  std::vector<std::pair<std::string, std::string>> roles;  ///< project to role
};

struct VersionInfo {
  std::string version, commit, store;
  std::vector<std::string> apiVersions;
};

struct ErrorView {
  Error error;
};

struct ProblemView {
  std::string type, title, detail, remedy, requestId, rule;
  int status = 500;
  std::vector<ErrorView> errors;
};

template <>
const Shape<DeviceView>& shapeOf<DeviceView>();
template <>
const Shape<NodeView>& shapeOf<NodeView>();
template <>
const Shape<DeviceCount>& shapeOf<DeviceCount>();
template <>
const Shape<ClusterView>& shapeOf<ClusterView>();
template <>
const Shape<ServedByView>& shapeOf<ServedByView>();
template <>
const Shape<model::ModelInput>& shapeOf<model::ModelInput>();
template <>
const Shape<VersionView>& shapeOf<VersionView>();
template <>
const Shape<ModelLine>& shapeOf<ModelLine>();
template <>
const Shape<ModelView>& shapeOf<ModelView>();
template <>
const Shape<UsageLine>& shapeOf<UsageLine>();
template <>
const Shape<UsageView>& shapeOf<UsageView>();
template <>
const Shape<model::Price>& shapeOf<model::Price>();
template <>
const Shape<model::ProjectMember>& shapeOf<model::ProjectMember>();
template <>
const Shape<ProjectView>& shapeOf<ProjectView>();
template <>
const Shape<model::AuditRecord>& shapeOf<model::AuditRecord>();
template <>
const Shape<AuditVerdictView>& shapeOf<AuditVerdictView>();
template <>
const Shape<model::Event>& shapeOf<model::Event>();
template <>
const Shape<WhoAmIView>& shapeOf<WhoAmIView>();
template <>
const Shape<VersionInfo>& shapeOf<VersionInfo>();
template <>
const Shape<ErrorView>& shapeOf<ErrorView>();
template <>
const Shape<ProblemView>& shapeOf<ProblemView>();

}  // namespace fairlead::api
