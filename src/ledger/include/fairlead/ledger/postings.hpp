// From the story of an attempt to the lines of the ledger.
//
// Every member holds its devices from `plannedAt` to `endedAt` of the attempt, and every instant of that is one
// category:
//
//   [planned, started)             overhead  being handed over and started; all of it when it never started
//   [started, own end or stop)     used      or `lost`, see below
//   [stop, own end)                overhead  told to stop: writing the last checkpoint, dying
//   [own end, attempt's end)       idle      this member is done, its gang is not
//
// Lost is the part of "used" behind the newest valid checkpoint, when the attempt's work is thrown away (`workLost`):
//
//   ended well                                             nothing is lost
//   cancelled by a person                                  nothing: who cancels decides that it was worth what it was
//   failed (exit, signal, memory, node, engine, limit)     since the checkpoint, else since the start
//   preempted or sent back to the queue                    since the checkpoint, else since the start
//   inference and platform work                            nothing: it delivered while it ran
//
// Sums over categories are exactly devices x (ended - planned), whatever order the instants come in: an instant outside
// its bounds counts as the bound. A checkpoint from before the start (one that was handed over) saves nothing.
#pragma once

#include <fairlead/model/records.hpp>
#include <fairlead/model/workload.hpp>

#include <span>
#include <vector>

namespace fairlead::ledger {

using model::Posting;
using model::PostingCategory;

/// All postings of an ended attempt, in a fixed order, sequence 0, without empty ones. Members with the same node,
/// device model and span share one. `workload.spec` must be set.
[[nodiscard]] std::vector<Posting> postingsOf(const model::Workload& workload, const model::Attempt& attempt,
                                              bool workLost);

/// What an attempt that still lives would post if it ended well at `now`; for reports, never stored. For an ended one:
/// nothing, since its postings are in the ledger.
[[nodiscard]] std::vector<Posting> accruedPostings(const model::Workload& workload, const model::Attempt& attempt,
                                                   TimePoint now);

/// True for classes whose work counts only when it is finished or saved.
[[nodiscard]] bool canLoseWork(model::TaskClass taskClass);

/// devices x span; negative for corrections.
[[nodiscard]] MicroDeviceSeconds amount(const Posting& posting);
/// The sum of the `lost` ones.
[[nodiscard]] MicroDeviceSeconds lostWork(std::span<const Posting> postings);
/// What this attempt lost, without the postings: for `describe`.
[[nodiscard]] MicroDeviceSeconds lostWork(const model::Workload& workload, const model::Attempt& attempt,
                                          bool workLost);

}  // namespace fairlead::ledger
