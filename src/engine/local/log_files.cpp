#include "local/log_files.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kLogFolderLimit = 1'000'000;
constexpr std::size_t kChunkLimit = 16 << 20;

struct Segment {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::string name;
};

/// In order of start. Sizes are as of now; all but the last one are final.
std::vector<Segment> segmentsOf(int folder, const std::string& stream) {
  std::vector<Segment> found;
  auto names = listFolder(folder, kLogFolderLimit);
  if (!names) return found;
  for (auto& name : *names) {
    if (name.size() != stream.size() + 17 || !name.starts_with(stream + ".")) continue;
    Segment segment;
    const char* digits = name.data() + stream.size() + 1;
    if (std::from_chars(digits, digits + 16, segment.start, 16).ptr != digits + 16) continue;
    struct stat info{};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
    segment.size = static_cast<std::uint64_t>(info.st_size);
    segment.name = std::move(name);
    found.push_back(std::move(segment));
  }
  std::sort(found.begin(), found.end(), [](const Segment& a, const Segment& b) { return a.start < b.start; });
  return found;
}

std::string readPiece(int folder, const Segment& segment, std::uint64_t from, std::size_t limit) {
  auto file = openAt(folder, segment.name, O_RDONLY);
  if (!file) return {};  // rotated away meanwhile
  std::string bytes(std::min<std::uint64_t>(limit, segment.size - from), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::pread(file->get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

control::LogChunk readFrom(int folder, const std::vector<Segment>& segments, std::uint64_t offset, std::size_t limit) {
  control::LogChunk chunk;
  chunk.offset = chunk.end = std::max(offset, segments.front().start);
  for (const auto& segment : segments) {
    if (chunk.end >= segment.start + segment.size || chunk.bytes.size() >= limit) continue;
    if (chunk.end < segment.start) {  // a gap: an older segment went while we read
      if (!chunk.bytes.empty()) break;
      chunk.offset = chunk.end = segment.start;
    }
    const auto piece = readPiece(folder, segment, chunk.end - segment.start, limit - chunk.bytes.size());
    chunk.bytes += piece;
    chunk.end += piece.size();
  }
  return chunk;
}

/// Cuts to the first line that begins in it, where it begins in the middle of one.
void beginAtLine(control::LogChunk& chunk) {
  const auto newline = chunk.bytes.find('\n');
  if (newline == std::string::npos || newline + 1 == chunk.bytes.size()) return;
  chunk.bytes.erase(0, newline + 1);
  chunk.offset += newline + 1;
}

}  // namespace

std::string streamName(control::LogStream stream, std::int32_t rank) {
  return fmt::format("{}.{}", stream == control::LogStream::standardOutput ? "out" : "err", rank);
}

LogWriter::LogWriter(int folder, std::string stream, std::int64_t segmentBytes, std::int32_t segments)
    : folder_(folder),
      stream_(std::move(stream)),
      segmentBytes_(std::max<std::int64_t>(segmentBytes, 1)),
      segments_(std::max(segments, 1)) {}

bool LogWriter::openSegment() {
  auto file = openAt(folder_, fmt::format("{}.{:016x}", stream_, offset_), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!file) return false;
  file_ = std::move(*file);
  start_ = offset_;
  dropOldest();
  return true;
}

void LogWriter::dropOldest() {
  auto segments = segmentsOf(folder_, stream_);
  const auto keep = static_cast<std::size_t>(segments_);
  for (std::size_t i = 0; i + keep < segments.size(); ++i) ::unlinkat(folder_, segments[i].name.c_str(), 0);
}

bool LogWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    if ((!file_ || offset_ - start_ >= static_cast<std::uint64_t>(segmentBytes_)) && !openSegment()) {
      lost_ += bytes.size();
      return false;
    }
    const auto room = static_cast<std::uint64_t>(segmentBytes_) - (offset_ - start_);
    const ssize_t n = ::write(file_.get(), bytes.data(), std::min<std::uint64_t>(room, bytes.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      lost_ += bytes.size();
      return false;
    }
    offset_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void LogWriter::append(std::string_view bytes) {
  if (lost_ > 0) {
    const auto before = std::exchange(lost_, 0);
    if (!put(fmt::format("\n[fairlead: {} bytes of output were lost, the disk took none]\n", before))) {
      lost_ = before + bytes.size();
      return;
    }
  }
  put(bytes);
}

Result<control::LogChunk> readLogStream(int folder, const control::LogQuery& query, bool ended) {
  const auto segments = segmentsOf(folder, streamName(query.stream, query.rank));
  if (segments.empty()) {
    control::LogChunk nothing;
    nothing.complete = ended;
    return nothing;
  }
  const auto end = segments.back().start + segments.back().size;
  const auto limit = std::min(query.limit, kChunkLimit);
  control::LogChunk chunk;
  if (query.tailBytes < 0) {
    chunk = readFrom(folder, segments, std::min(query.offset, end), limit);
  } else {
    const auto tail =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(query.tailBytes), end - segments.front().start);
    const bool cut = tail < end;  // one byte more tells whether the tail begins at a line
    chunk = readFrom(folder, segments, cut && tail > 0 ? std::max(end - tail - 1, segments.front().start) : end - tail,
                     limit);
    if (cut && tail > 0) beginAtLine(chunk);
  }
  chunk.complete = ended && chunk.end == end;
  return chunk;
}

}  // namespace fairlead::engine::local
