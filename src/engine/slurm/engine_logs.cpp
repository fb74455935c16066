#include "slurm/slurm_engine.hpp"
#include "slurm/user_files.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

std::string pathOf(const AttemptMemory& memory, const control::LogQuery& query) {
  auto path = query.stream == control::LogStream::standardError ? memory.errorPattern : memory.outputPattern;
  const auto put = [&](std::string_view mark, const std::string& value) {
    for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark, at + value.size()))
      path.replace(at, mark.size(), value);
  };
  put("%j", std::to_string(memory.job));
  put("%t", std::to_string(query.rank));
  return path;
}

/// From a place before the end, at the begin of a line.
Result<FilePart> readTail(const local::Identity& user, const std::string& path, std::uint64_t size,
                          const control::LogQuery& query, std::uint64_t& offset) {
  const auto wanted = static_cast<std::uint64_t>(query.tailBytes);
  offset = size > wanted ? size - wanted : 0;
  auto part = readUserFile(user, path, offset > 0 ? offset - 1 : 0, query.limit + 1);
  if (!part || offset == 0) return part;
  const auto line = part->bytes.find('\n');
  const auto drop = line == std::string::npos ? part->bytes.size() : line + 1;
  part->bytes.erase(0, drop);
  offset = offset - 1 + drop;
  return part;
}

}  // namespace

Result<control::LogChunk> SlurmEngine::readLog(const control::LogQuery& query) {
  auto stored = folder_ ? folder_->load(query.attempt) : Result<std::optional<AttemptMemory>>();
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored)
    return fail(kNotFound,
                fmt::format("attempt {} has no logs on cluster {}", toText(query.attempt), options_.cluster));
  const auto& memory = **stored;
  control::LogChunk chunk;
  chunk.offset = chunk.end = query.offset;
  chunk.complete = memory.over;
  if (memory.job == 0) return chunk;
  const bool merged = memory.errorPattern == memory.outputPattern;
  if ((merged && query.stream == control::LogStream::standardError) || (memory.batchStyle && query.rank > 0)) {
    chunk.offset = chunk.end = 0;  // what there is stands in the other stream, or in rank 0's
    return chunk;
  }
  const auto path = pathOf(memory, query);
  const auto where = fmt::format("the log of rank {} is {} on cluster {}", query.rank, path, options_.cluster);
  const auto identity = local::resolveIdentity(memory.user);
  if (!identity || identity->name != memory.user)
    return fail(kNotFound, fmt::format("{}, and this host cannot read it as {}", where, memory.user),
                "read it on a host of the cluster");
  const auto size = userFileSize(*identity, path);
  if (!size) {
    const std::lock_guard guard(mutex_);
    const auto found = tracked_.find(query.attempt);
    const bool begun = found == tracked_.end() || found->second.told == Told::started;
    if (!begun) return chunk;
    return fail(kNotFound, fmt::format("{}, and cannot be read here: {}", where, size.error().message),
                "mount the file system on this host, or read it on a host of the cluster");
  }
  std::uint64_t offset = query.offset;
  auto part = query.tailBytes >= 0 ? readTail(*identity, path, *size, query, offset)
                                   : readUserFile(*identity, path, offset, query.limit);
  if (!part) return tl::unexpected(part.error());
  chunk.bytes = std::move(part->bytes);
  if (chunk.bytes.size() > query.limit) chunk.bytes.resize(query.limit);
  chunk.offset = std::min<std::uint64_t>(offset, *size);
  chunk.end = chunk.offset + chunk.bytes.size();
  chunk.complete = memory.over && chunk.end >= part->size;
  return chunk;
}

}  // namespace fairlead::engine::slurm
