#include <fairlead/model/states.hpp>

#include <array>

namespace fairlead::model {
namespace {

using W = WorkloadState;
using A = AttemptState;
constexpr std::optional<W> kNo;   // not allowed
constexpr std::optional<A> kNot;  // not allowed

// Columns in the order of WorkloadEvent:
// hold, release, place, start, succeed, retry, fail, cancel, stopped, requeue, loseContact, regainContact
constexpr std::array<std::array<std::optional<W>, 12>, 9> kWorkloadTable{{
    // held
    {W::held, W::queued, kNo, kNo, kNo, kNo, kNo, W::cancelled, kNo, kNo, kNo, kNo},
    // queued; `fail` when a dependency can never be fulfilled
    {W::held, kNo, W::starting, kNo, kNo, kNo, W::failed, W::cancelled, kNo, kNo, kNo, kNo},
    // starting; it may end before anybody saw it run
    {kNo, kNo, kNo, W::running, W::succeeded, W::queued, W::failed, W::stopping, kNo, W::stopping, W::unknown, kNo},
    // running
    {kNo, kNo, kNo, W::running, W::succeeded, W::queued, W::failed, W::stopping, kNo, W::stopping, W::unknown,
     W::running},
    // stopping; it may end well before the stop reaches it; a cancel overrides a requeue
    {kNo, kNo, kNo, W::stopping, W::succeeded, W::queued, W::failed, W::stopping, W::cancelled, kNo, W::unknown,
     W::stopping},
    // unknown; facts that arrive late still count; a cancel waits as a stop intent until the engine answers
    {kNo, kNo, kNo, W::running, W::succeeded, W::queued, W::failed, W::stopping, W::cancelled, W::stopping, W::unknown,
     W::running},
    // succeeded
    {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, W::queued, kNo, kNo},
    // failed
    {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, W::queued, kNo, kNo},
    // cancelled
    {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, W::queued, kNo, kNo},
}};

// Columns in the order of AttemptEvent: accept, refuse, start, stop, succeed, fail, stopped, loseContact, regainContact
constexpr std::array<std::array<std::optional<A>, 9>, 8> kAttemptTable{{
    // planned
    {A::accepted, A::failed, A::running, A::stopping, A::succeeded, A::failed, A::cancelled, A::unknown, kNot},
    // accepted
    {A::accepted, A::failed, A::running, A::stopping, A::succeeded, A::failed, A::cancelled, A::unknown, A::accepted},
    // running
    {kNot, kNot, A::running, A::stopping, A::succeeded, A::failed, A::cancelled, A::unknown, A::running},
    // stopping; stays so until it has ended
    {A::stopping, A::cancelled, A::stopping, A::stopping, A::succeeded, A::failed, A::cancelled, A::unknown,
     A::stopping},
    // unknown
    {A::unknown, A::failed, A::running, A::stopping, A::succeeded, A::failed, A::cancelled, A::unknown, A::running},
    // succeeded
    {kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot},
    // failed
    {kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot},
    // cancelled
    {kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot, kNot},
}};

static_assert(kEnumNames<WorkloadState>.size() == kWorkloadTable.size());
static_assert(kEnumNames<WorkloadEvent>.size() == kWorkloadTable[0].size());
static_assert(kEnumNames<AttemptState>.size() == kAttemptTable.size());
static_assert(kEnumNames<AttemptEvent>.size() == kAttemptTable[0].size());

}  // namespace

std::optional<WorkloadState> next(WorkloadState state, WorkloadEvent event) {
  return kWorkloadTable.at(static_cast<std::size_t>(state)).at(static_cast<std::size_t>(event));
}

std::optional<AttemptState> next(AttemptState state, AttemptEvent event) {
  return kAttemptTable.at(static_cast<std::size_t>(state)).at(static_cast<std::size_t>(event));
}

}  // namespace fairlead::model
