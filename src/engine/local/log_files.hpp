// Rotated logs: a stream is a row of segment files named by the offset of their first byte over all that was ever
// written, so rotation renames nothing and a reader needs no index.
#pragma once

#include "local/posix.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/engine_port.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead::engine::local {

[[nodiscard]] std::string streamName(control::LogStream stream, std::int32_t rank);

/// One writer per stream.
class LogWriter {
 public:
  /// `folder` must outlive it.
  LogWriter(int folder, std::string stream, std::int64_t segmentBytes, std::int32_t segments);
  /// Never fails the caller: what the disk does not take is counted, and told in the log when it takes bytes again.
  void append(std::string_view bytes);

 private:
  bool openSegment();
  bool put(std::string_view bytes);
  void dropOldest();

  int folder_;
  std::string stream_;
  std::int64_t segmentBytes_;
  std::int32_t segments_;
  Fd file_;
  std::uint64_t start_ = 0;   ///< of the open segment
  std::uint64_t offset_ = 0;  ///< over all
  std::uint64_t lost_ = 0;
};

/// Answers `query` from the log folder. `ended` says that nobody writes any more. kNotFound when the stream has no file
/// and has not ended in silence.
[[nodiscard]] Result<control::LogChunk> readLogStream(int folder, const control::LogQuery& query, bool ended);

}  // namespace fairlead::engine::local
