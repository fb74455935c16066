// Work on the files of an attempt for an engine with threads: each piece by a program of its own that reads with the
// user's rights, bounded in time. A file system that hangs costs that program, never the daemon.
#pragma once

#include "data/checkpoint.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/observation.hpp>
#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine::data {

/// Which files an attempt has.
struct AttemptFiles {
  std::string intent;  ///< of its start
  std::string user;    ///< Unix user whose files they are
  std::string workingDirectory;
  std::optional<model::CheckpointRule> checkpoint;
  std::vector<model::OutputRule> outputs;
  std::string artifacts;           ///< folder of the store, ours
  std::int64_t artifactLimit = 0;  ///< bytes of one output or of the model
  std::string modelPath;           ///< empty: no model
  std::string modelDigest;         ///< hexadecimal

  /// Whether anything is to be done when the attempt ends.
  [[nodiscard]] bool atEnd() const { return checkpoint.has_value() || !outputs.empty(); }
};
[[nodiscard]] std::string encodeFiles(const AttemptFiles& files);
[[nodiscard]] std::optional<AttemptFiles> decodeFiles(std::string_view text);

/// Any thread; the calls block until the program has ended, was stopped or is out of time.
class FileWork {
 public:
  /// `program`: argv of a supervisor; empty: as LocalOptions::supervisor says.
  explicit FileWork(std::vector<std::string> program, std::stop_token stop = {});

  /// Up to kCheckpointTime. An empty path: none is valid. Error: it could not be looked for.
  [[nodiscard]] Result<FoundCheckpoint> newestCheckpoint(const AttemptFiles& files) const;
  /// One for each rule, those that could not be taken with their problem. Up to kOutputTime.
  [[nodiscard]] std::vector<model::OutputArtifact> takeOutputs(const AttemptFiles& files) const;
  /// Up to kVerifyTime. Errors: kDigestMismatch with what is wrong; kNotFound: it cannot be opened from here as the
  /// user; others: it could not be compared.
  [[nodiscard]] Result<void> verifyModel(const AttemptFiles& files) const;

 private:
  std::vector<std::string> program_;
  std::stop_token stop_;
};

/// The program's side: `superviseMain({kFileWorkWord})`. Reads one order from standard input, writes its answer to
/// standard output. Returns the exit code.
inline constexpr std::string_view kFileWorkWord = "files";
[[nodiscard]] int fileWorkMain();

}  // namespace fairlead::engine::data
