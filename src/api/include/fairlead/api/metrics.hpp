// What the API counts.
#pragma once

#include <fairlead/obs/metrics.hpp>

namespace fairlead::api {

using obs::MetricDef;
using obs::MetricKind;

inline constexpr MetricDef kHttpRequests{.name = "fairlead_http_requests_total",
                                         .help = "Requests answered, by operation and class of status.",
                                         .kind = MetricKind::counter,
                                         .labels = {"operation", "status"}};
inline constexpr MetricDef kHttpDuration{
    .name = "fairlead_http_request_duration_seconds",
    .help = "From the whole request to the answer, by operation; streams are not counted.",
    .kind = MetricKind::histogram,
    .labels = {"operation"},
    .perUnit = 1'000'000,
    .buckets = obs::kLatencyBucketsUs};
inline constexpr MetricDef kDenials{.name = "fairlead_http_denials_total",
                                    .help = "Calls that a rule denied, by action.",
                                    .kind = MetricKind::counter,
                                    .labels = {"action"}};
inline constexpr MetricDef kEventStreams{
    .name = "fairlead_event_streams", .help = "Event streams open.", .kind = MetricKind::gauge};
inline constexpr MetricDef kLogFollowers{
    .name = "fairlead_log_followers", .help = "Followed logs open.", .kind = MetricKind::gauge};
inline constexpr MetricDef kWorkloads{
    .name = "fairlead_workloads", .help = "Workloads known, by state.", .kind = MetricKind::gauge, .labels = {"state"}};
inline constexpr MetricDef kQueueLength{
    .name = "fairlead_queue_length", .help = "Workloads that stand in the queue.", .kind = MetricKind::gauge};
inline constexpr MetricDef kDevices{
    .name = "fairlead_milli_devices",
    .help = "Capacity in thousandths of a device, by cluster, model and whether it is free.",
    .kind = MetricKind::gauge,
    .labels = {"cluster", "model", "use"}};
inline constexpr MetricDef kCommands{.name = "fairlead_control_commands_total",
                                     .help = "Commands taken in by the control core.",
                                     .kind = MetricKind::counter};
inline constexpr MetricDef kCommits{
    .name = "fairlead_control_commits_total", .help = "Durable transactions.", .kind = MetricKind::counter};
inline constexpr MetricDef kCommitFailures{.name = "fairlead_control_commit_failures_total",
                                           .help = "Transactions that could not be made durable.",
                                           .kind = MetricKind::counter};
inline constexpr MetricDef kPlans{
    .name = "fairlead_control_plans_total", .help = "Plannings.", .kind = MetricKind::counter};
inline constexpr MetricDef kPlanTime{.name = "fairlead_control_last_plan_seconds",
                                     .help = "Duration of the newest planning.",
                                     .kind = MetricKind::gauge,
                                     .perUnit = 1'000'000};
inline constexpr MetricDef kCommitTime{.name = "fairlead_control_last_commit_seconds",
                                       .help = "Duration of the newest durable transaction.",
                                       .kind = MetricKind::gauge,
                                       .perUnit = 1'000'000};
inline constexpr MetricDef kInbox{.name = "fairlead_control_inbox_commands",
                                  .help = "Commands that wait for the control core.",
                                  .kind = MetricKind::gauge};

}  // namespace fairlead::api
