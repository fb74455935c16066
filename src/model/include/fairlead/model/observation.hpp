// The facts that engines report: about attempts, and about jobs that people started there themselves.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::model {

/// A file or folder that a successful attempt left.
struct OutputArtifact {
  std::string name;  ///< of the OutputRule
  std::string uri;   ///< file:///... of the immutable copy
  Digest digest{};   ///< SHA-256 over the content (folders: over the sorted manifest)
  Bytes size;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< name to exact decimal text
  std::string problem;                                       ///< why it could not be taken; empty: fine
};

enum class ObservationKind : std::uint8_t {
  accepted,     ///< the start order was taken
  refused,      ///< will never start; `category` and `reason` say why
  started,      ///< all members run
  memberEnded,  ///< one member ended, others go on
  ended,        ///< all members ended; `category` is none for success
  lost,         ///< positively dead without an exit record: `category` nodeLost or engineLost
  unreachable,  ///< cannot be seen at present; says nothing about its life
  alive,        ///< seen to run
};

/// An idempotent fact. Per attempt, `sequence` rises; one at or below Attempt::observed was already taken in.
struct Observation {
  AttemptId attempt;
  ObservationKind kind = ObservationKind::alive;
  std::uint64_t sequence = 0;
  TimePoint at;
  std::string nativeId;
  std::string nativeState;
  std::string reason;
  FailureCategory category = FailureCategory::none;
  std::vector<MemberEnd> ends;
  std::string resumedFrom;
  std::string checkpoint;
  TimePoint checkpointAt;
  std::vector<OutputArtifact> outputs;
  std::vector<MemberPlacement> placement;  ///< where an engine that places by itself put the members; empty: as planned
};

/// A native job as its engine sees it now: whole, so that telling it twice does nothing.
struct NativeJob {
  NativeOrigin origin;
  TimePoint submittedAt;  ///< with cluster and id: who it is
  std::string name;
  std::string user;
  std::string project;  ///< what the cluster's account stands for here
  SpecPtr spec;         ///< class, devices asked for and time limit; one document for equal ones
  WorkloadState state = WorkloadState::queued;      ///< held, queued, running, stopping, or final
  std::uint32_t run = 1;                            ///< grows when the engine sends it back to its queue
  std::vector<MemberPlacement> placement;           ///< of this run, as allocated
  TimePoint startedAt;                              ///< of this run; 0: not started
  TimePoint endedAt;                                ///< 0 while not final
  FailureCategory failure = FailureCategory::none;  ///< of the run that ended last
  std::vector<MemberEnd> ends;
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::ObservationKind> =
    std::to_array<std::pair<model::ObservationKind, std::string_view>>({
        {model::ObservationKind::accepted, "accepted"},
        {model::ObservationKind::refused, "refused"},
        {model::ObservationKind::started, "started"},
        {model::ObservationKind::memberEnded, "member-ended"},
        {model::ObservationKind::ended, "ended"},
        {model::ObservationKind::lost, "lost"},
        {model::ObservationKind::unreachable, "unreachable"},
        {model::ObservationKind::alive, "alive"},
    });
}  // namespace fairlead
