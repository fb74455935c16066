// Rows that are written once: events, audit records, ledger postings, prices, model versions.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::model {

/// One change that a stream tells. `sequence` rises by one from event to event of the whole daemon.
struct Event {
  std::uint64_t sequence = 0;
  TimePoint at;
  std::string kind;  ///< `workload.queued`, `attempt.running`, `model.created`
  std::string project;
  WorkloadId workload;
  AttemptId attempt;
  std::string detail;  ///< one line for people, may be empty
};

/// Who did what, allowed by which rule. Hash-chained: hash = SHA-256(previous hash, canonical bytes of the record).
struct AuditRecord {
  std::uint64_t sequence = 0;  ///< 1, 2, 3 ... without gaps
  TimePoint at;
  std::string principal;
  std::string action;  ///< `workload.submit`, `workload.cancel`, `project.read`
  std::string object;  ///< id or name
  std::string project;
  bool allowed = true;
  std::string rule;    ///< what allowed or denied it
  std::string detail;  ///< never a secret
  Digest hash{};
};

/// A signed statement that the chain had this head. Truncation behind it, and any rewrite, shows.
struct AuditCheckpoint {
  std::uint64_t sequence = 0;  ///< of the last record covered
  TimePoint at;
  Digest hash{};                        ///< of that record
  std::string keyId;                    ///< which public key checks it
  std::vector<std::uint8_t> signature;  ///< Ed25519 over sequence, time and hash
};

enum class PostingCategory : std::uint8_t {
  used,      ///< work that counts
  idle,      ///< held while its member did nothing any more, or waited for its gang
  lost,      ///< work thrown away by a failure: since the newest valid checkpoint
  overhead,  ///< starting and stopping
};

/// Who held what kind of device from when to when. Half-open span. Corrections are postings with negative milliDevices.
struct Posting {
  std::uint64_t sequence = 0;
  WorkloadId workload;
  AttemptId attempt;
  std::string project;
  std::string user;
  TaskClass taskClass = TaskClass::training;
  std::string cluster;
  std::string node;
  std::string vendor;
  std::string deviceModel;
  MilliDevices devices;
  TimePoint from;
  TimePoint to;
  PostingCategory category = PostingCategory::used;
};

/// Price of one device model per device-hour while valid. Half-open span; to = 0: open end.
struct Price {
  std::string deviceModel;
  MicroCurrency perDeviceHour;
  std::string currency;  ///< ISO 4217
  TimePoint from;
  TimePoint to;
};

/// One immutable version of a model.
struct ModelVersion {
  std::string project;
  std::string model;
  std::int32_t version = 0;  ///< 1, 2, 3 ... per model
  std::string uri;
  Digest digest{};
  Bytes size;
  WorkloadId workload;
  AttemptId attempt;
  std::string createdBy;  ///< the workload's submitter
  TimePoint createdAt;
  std::vector<std::pair<std::string, std::string>> metrics;
};

/// What an idempotency key stands for.
struct IdempotencyRecord {
  Digest key{};      ///< SHA-256 of principal and key
  Digest body{};     ///< SHA-256 of method, path and body
  WorkloadId first;  ///< answer: the workloads made, first .. first+count-1
  std::uint32_t count = 0;
  TimePoint at;
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::PostingCategory> =
    std::to_array<std::pair<model::PostingCategory, std::string_view>>({
        {model::PostingCategory::used, "used"},
        {model::PostingCategory::idle, "idle"},
        {model::PostingCategory::lost, "lost"},
        {model::PostingCategory::overhead, "overhead"},
    });
}  // namespace fairlead
