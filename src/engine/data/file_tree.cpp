#include "data/file_tree.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <memory>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace fairlead::engine::data {
using local::AsUser;
using local::errnoText;
using local::failErrno;
using local::listFolder;
using local::openAt;
using local::openFolder;
using local::removeTreeAt;
using local::writeAll;

namespace {

constexpr std::size_t kBlock = 1 << 20;
constexpr std::size_t kEntriesPerFolder = 1'000'000;
constexpr int kDepth = 64;

bool hasDotDot(std::string_view path) {
  while (!path.empty()) {
    const auto part = path.substr(0, path.find('/'));
    if (part == "..") return true;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return false;
}

bool plainName(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

Result<Fd> openResolved(int folder, const std::string& path, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  how.resolve = resolve;
  Fd fd(static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
  if (fd) return fd;
  if (errno == ELOOP || errno == EXDEV)
    return fail(kUnsafePath, fmt::format("{} goes through a symbolic link or out of its folder", printable(path)));
  return failErrno(printable(path));
}

Result<struct stat> statOf(const Fd& fd, std::string_view name) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return failErrno(printable(name));
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return fail(kUnsafePath, fmt::format("{} is neither a plain file nor a folder", printable(name)));
  return info;
}

/// Reads `fd` from its beginning in blocks.
template <class Take>
Result<void> forEachBlock(int fd, TreeBudget& budget, const Take& take) {
  const auto buffer = std::make_unique<char[]>(kBlock);
  off_t at = 0;
  for (;;) {
    const ssize_t n = ::pread(fd, buffer.get(), kBlock, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failErrno("cannot read");
    if (n == 0) return {};
    if (auto taken = budget.take(n, 0); !taken) return taken;
    if (auto done = take(std::string_view(buffer.get(), static_cast<std::size_t>(n))); !done) return done;
    at += n;
  }
}

Result<void> copyFile(const Fd& source, const struct stat& info, int folder, const std::string& name,
                      TreeBudget& budget) {
  auto target = openAt(folder, name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (!target) return tl::unexpected(target.error());
  if (::ioctl(target->get(), FICLONE, source.get()) == 0) {  // shares blocks where the file system can
    if (auto taken = budget.take(info.st_size, 0); !taken) return taken;
  } else {
    auto copied =
        forEachBlock(source.get(), budget, [&](std::string_view block) { return writeAll(target->get(), block); });
    if (!copied) return copied;
  }
  if (::fchmod(target->get(), (info.st_mode & 0111) != 0 ? 0555 : 0444) != 0)
    return failErrno("cannot make a copy read-only");
  return {};
}

Result<void> copyEntry(const Fd& source, int folder, const std::string& name, const Identity& identity,
                       TreeBudget& budget, int depth);

Result<void> copyFolder(const Fd& source, int folder, const std::string& name, const Identity& identity,
                        TreeBudget& budget, int depth) {
  if (depth == 0) return fail(kFileTooLarge, fmt::format("folders are nested deeper than {}", kDepth));
  if (::mkdirat(folder, name.c_str(), 0700) != 0) return failErrno("cannot make a folder");
  auto target = openAt(folder, name, O_RDONLY | O_DIRECTORY);
  if (!target) return tl::unexpected(target.error());
  auto names = [&] {
    const AsUser user(identity);
    return listFolder(source.get(), kEntriesPerFolder);
  }();
  if (!names) return tl::unexpected(names.error());
  for (const auto& child : *names) {
    auto opened = [&] {
      const AsUser user(identity);
      return openBelow(source.get(), child);
    }();
    if (!opened) return tl::unexpected(opened.error());
    if (auto copied = copyEntry(*opened, target->get(), child, identity, budget, depth - 1); !copied) return copied;
  }
  return ::fchmod(target->get(), 0555) == 0 ? Result<void>{} : failErrno("cannot make a copy read-only");
}

Result<void> copyEntry(const Fd& source, int folder, const std::string& name, const Identity& identity,
                       TreeBudget& budget, int depth) {
  if (!plainName(name)) return fail(kUnsafePath, fmt::format("the name {} has control characters", printable(name)));
  if (auto taken = budget.take(0, 1); !taken) return taken;
  const auto info = statOf(source, name);
  if (!info) return tl::unexpected(info.error());
  return S_ISDIR(info->st_mode) ? copyFolder(source, folder, name, identity, budget, depth)
                                : copyFile(source, *info, folder, name, budget);
}

Result<std::string> fileDigest(const Fd& file, TreeBudget& budget, TreeDigest& total) {
  codec::Sha256 hash;
  auto read = forEachBlock(file.get(), budget, [&](std::string_view block) -> Result<void> {
    hash.update(block);
    total.size.count += static_cast<std::int64_t>(block.size());
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  total.digest = hash.finish();
  return codec::toHex(total.digest);
}

Result<void> addLines(const Fd& folder, const std::string& prefix, std::vector<std::string>& lines, TreeBudget& budget,
                      TreeDigest& total, int depth) {
  if (depth == 0) return fail(kFileTooLarge, fmt::format("folders are nested deeper than {}", kDepth));
  auto names = listFolder(folder.get(), kEntriesPerFolder);
  if (!names) return tl::unexpected(names.error());
  for (const auto& name : *names) {
    if (!plainName(name)) return fail(kUnsafePath, fmt::format("the name {} has control characters", printable(name)));
    if (auto taken = budget.take(0, 1); !taken) return taken;
    auto child = openBelow(folder.get(), name);
    if (!child) return tl::unexpected(child.error());
    const auto info = statOf(*child, name);
    if (!info) return tl::unexpected(info.error());
    if (S_ISDIR(info->st_mode)) {
      if (auto added = addLines(*child, prefix + name + "/", lines, budget, total, depth - 1); !added) return added;
      continue;
    }
    auto hex = fileDigest(*child, budget, total);
    if (!hex) return tl::unexpected(hex.error());
    lines.push_back(*hex + "  " + prefix + name + "\n");
  }
  return {};
}

}  // namespace

Result<void> TreeBudget::take(std::int64_t moreBytes, std::int64_t moreEntries) {
  bytes -= moreBytes;
  entries -= moreEntries;
  if (bytes < 0) return fail(kFileTooLarge, fmt::format("{} is larger than is allowed", what));
  if (entries < 0) return fail(kFileTooLarge, fmt::format("{} has more entries than is allowed", what));
  return {};
}

Result<Fd> openBelow(int folder, const std::string& path) {
  if (path.empty() || path[0] == '/' || hasDotDot(path))
    return fail(kUnsafePath, fmt::format("{} leaves its folder", printable(path)));
  return openResolved(folder, path, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

Result<Fd> openBelow(const std::string& base, const std::string& path) {
  if (hasDotDot(path)) return fail(kUnsafePath, fmt::format("{} has `..` in it", printable(path)));
  if (path.starts_with('/')) return openResolved(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS);
  auto folder = openFolder(base);
  if (!folder) return tl::unexpected(folder.error());
  return openBelow(folder->get(), path);
}

Result<void> copyTree(const Fd& source, int folder, const std::string& name, const Identity& identity,
                      TreeBudget& budget) {
  auto copied = copyEntry(source, folder, name, identity, budget, kDepth);
  if (!copied) removeTreeAt(folder, name);
  return copied;
}

Result<TreeDigest> digestTree(const Fd& root, TreeBudget& budget) {
  TreeDigest total;
  const auto info = statOf(root, "it");
  if (!info) return tl::unexpected(info.error());
  if (!S_ISDIR(info->st_mode)) {
    auto hex = fileDigest(root, budget, total);
    if (!hex) return tl::unexpected(hex.error());
    return total;
  }
  std::vector<std::string> lines;
  if (auto added = addLines(root, "", lines, budget, total, kDepth); !added) return tl::unexpected(added.error());
  // By path, not by digest, so that a person can make the same list with sha256sum and sort.
  std::sort(lines.begin(), lines.end(),
            [](const std::string& a, const std::string& b) { return a.substr(64) < b.substr(64); });
  codec::Sha256 hash;
  for (const auto& line : lines) hash.update(line);
  total.digest = hash.finish();
  return total;
}

}  // namespace fairlead::engine::data
