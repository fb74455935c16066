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
const Shape<model::NativeOrigin>& shapeOf<model::NativeOrigin>();
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
const Shape<model::ModelVersion>& shapeOf<model::ModelVersion>();

}  // namespace fairlead::api
