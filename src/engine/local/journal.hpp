// The append-only journal of one attempt: each record is one observation of it. Written by whoever holds the attempt's
// lock.
#pragma once

#include "local/fields.hpp"
#include "local/posix.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/observation.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::engine::local {

/// What a record says beside the observation; only the first one (kind accepted, written before anything is run) has
/// it.
struct LaunchFacts {
  std::string boot;             ///< boot id
  std::int64_t supervisor = 0;  ///< process id
  std::uint64_t supervisorStart = 0;
  std::string cgroup;  ///< folder of the attempt's cgroup; empty: none
};

struct JournalRecord {
  std::uint64_t number = 0;  ///< 1, 2, 3 ...
  model::Observation observation;
  LaunchFacts launch;
};

struct Journal {
  std::vector<JournalRecord> records;
  std::size_t wholeBytes = 0;  ///< where a torn tail begins, or the end

  /// The record that says that processes may have run; nullptr: none ever did.
  [[nodiscard]] const JournalRecord* launched() const;
  /// The record that ends the attempt (ended, lost, refused); nullptr: it goes on.
  [[nodiscard]] const JournalRecord* final() const;
};

/// Observation::sequence of record n: far apart, so that `alive` reports find room between two records.
inline constexpr std::uint64_t kSequenceStep = 1 << 16;

[[nodiscard]] bool isFinal(model::ObservationKind kind);
[[nodiscard]] std::string encodeRecord(const JournalRecord& record);
/// A missing journal is an empty one. Stops at the first record that is torn, out of order or malformed.
[[nodiscard]] Result<Journal> readJournal(int attemptFolder, model::AttemptId attempt);
[[nodiscard]] Journal parseJournal(std::string_view text, model::AttemptId attempt);

/// Appends; one writer at a time, which holds the lock.
class JournalWriter {
 public:
  /// Cuts off a torn tail.
  [[nodiscard]] static Result<JournalWriter> open(int attemptFolder, const Journal& journal);
  /// Sets number and sequence. Durable when it returns.
  [[nodiscard]] Result<void> append(model::Observation observation, const LaunchFacts& launch = {});

 private:
  Fd fd_;
  /// Folders in which the first record's file and folder are named. Synced after the file, when a journalling file
  /// system has nothing left to write for them: one wait for the disk before a start, not two.
  std::vector<Fd> newNames_;
  std::uint64_t next_ = 1;
};

}  // namespace fairlead::engine::local
