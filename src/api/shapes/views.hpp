// What the API shows: plain values copied out of live state, one shape each (shapes/*.cpp).
#pragma once

#include <fairlead/api/schema.hpp>
#include <fairlead/ledger/usage.hpp>
#include <fairlead/model/inventory.hpp>
#include <fairlead/model/reason.hpp>
#include <fairlead/model/records.hpp>
#include <fairlead/model/tenancy.hpp>
#include <fairlead/model/workload.hpp>
#include <fairlead/policy/plan.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fairlead::api {

/// Device time by what became of it, and money. Its `key` is not shown.
struct CostView {
  ledger::UsageRow row;
};

struct DevicePlaceView {
  std::string node;
  std::int32_t rank = 0;
  std::string role;
  std::string vendor, model;
  std::vector<model::DeviceSlice> devices;
  MilliCpus cpus;
  Bytes memory;
};

struct AttemptView {
  model::Attempt row;
  std::vector<DevicePlaceView> placement;
};

/// One line of a list.
struct WorkloadLine {
  model::Workload row;
  std::string devices;  ///< `32 h100`
  MilliDevices milliDevices;
  std::int32_t members = 0;
  std::string cluster;     ///< of the newest attempt
  std::string waitingFor;  ///< `12 h100 more`
};

struct WorkloadView {
  WorkloadLine line;
  std::size_t queuePosition = 0;
  std::vector<AttemptView> attempts;
  std::optional<policy::Decision> decision;
  std::optional<CostView> cost;
  std::vector<model::ModelVersion> versions;
};

struct ExplanationView {
  WorkloadLine line;
  policy::Decision decision;
  struct Holder {
    model::WorkloadId workload;
    std::string name, project;
    bool hidden = false;  ///< the caller may not see whose it is
    MilliDevices devices;
    TimePoint endsBy;
  };
  std::vector<Holder> holders;
  std::optional<model::WorkloadId> reservedFor;
  std::size_t queueLength = 0;
};

struct NotMappedView {
  std::string directive, value, why;
};

struct SubmittedItem {
  model::WorkloadId id;
  std::string name, project;
  model::TaskClass taskClass = model::TaskClass::training;
  model::WorkloadState state = model::WorkloadState::queued;
  std::int32_t elements = 1;
  std::string devices;
  std::uint64_t revision = 1;
  std::size_t queuePosition = 0;
  std::optional<policy::Decision> decision;  ///< of a dry run
};

struct SubmittedView {
  std::vector<SubmittedItem> items;
  std::vector<NotMappedView> notMapped;
  bool repeated = false;
  bool dryRun = false;
};

struct BatchView {
  model::WorkloadId first;
  std::uint32_t count = 0;
  bool repeated = false;
  std::vector<model::WorkloadId> ids;
};

struct ActView {
  model::WorkloadId id;
  model::WorkloadState state = model::WorkloadState::queued;
  std::uint64_t revision = 0;
  bool changed = true;
};

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

struct ClusterView {
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
  std::vector<ServedByView> servedBy;
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
const Shape<ledger::Money>& shapeOf<ledger::Money>();
template <>
const Shape<CostView>& shapeOf<CostView>();
template <>
const Shape<model::DeviceSlice>& shapeOf<model::DeviceSlice>();
template <>
const Shape<DevicePlaceView>& shapeOf<DevicePlaceView>();
template <>
const Shape<model::MemberEnd>& shapeOf<model::MemberEnd>();
template <>
const Shape<AttemptView>& shapeOf<AttemptView>();
template <>
const Shape<WorkloadLine>& shapeOf<WorkloadLine>();
template <>
const Shape<WorkloadView>& shapeOf<WorkloadView>();
template <>
const Shape<model::Reason>& shapeOf<model::Reason>();
template <>
const Shape<policy::Decision>& shapeOf<policy::Decision>();
template <>
const Shape<ExplanationView::Holder>& shapeOf<ExplanationView::Holder>();
template <>
const Shape<ExplanationView>& shapeOf<ExplanationView>();
template <>
const Shape<NotMappedView>& shapeOf<NotMappedView>();
template <>
const Shape<SubmittedItem>& shapeOf<SubmittedItem>();
template <>
const Shape<SubmittedView>& shapeOf<SubmittedView>();
template <>
const Shape<BatchView>& shapeOf<BatchView>();
template <>
const Shape<ActView>& shapeOf<ActView>();
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
const Shape<VersionView>& shapeOf<VersionView>();
template <>
const Shape<ModelLine>& shapeOf<ModelLine>();
template <>
const Shape<ModelView>& shapeOf<ModelView>();
template <>
const Shape<model::ModelVersion>& shapeOf<model::ModelVersion>();
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
