#include "slurm/user_files.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/net/subprocess.hpp>

#include <fmt/format.h>

#include <charconv>

namespace fairlead::engine::slurm {
namespace {

constexpr Milliseconds kTime{20'000};

Result<std::string> runAs(const local::Identity& user, std::vector<std::string> argv, std::size_t output,
                          const std::string& path) {
  net::ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.env = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"};
  spec.cwd = "/";
  spec.timeout = kTime;
  spec.maxOutput = {static_cast<std::int64_t>(output)};
  if (user.switches) spec.user = net::UnixUser{user.uid, user.gid, {user.groups.begin(), user.groups.end()}};
  const auto result = net::runProcess(spec);
  if (!result) return fail(kFileFailed, path + ": " + result.error().message);
  if (result->timedOut) return fail(kFileFailed, path + ": the file system did not answer in time");
  if (!result->succeeded()) {
    auto word = printable(result->errors.substr(0, result->errors.find('\n')));
    if (const auto colon = word.rfind(": "); colon != std::string::npos) word = word.substr(colon + 2);
    return fail(kNotFound, fmt::format("{}: {} (looked at as {})", path, word, user.name));
  }
  return std::move(result->output);
}

}  // namespace

Result<std::uint64_t> userFileSize(const local::Identity& user, const std::string& path) {
  auto text = runAs(user, {"stat", "-L", "-c", "%s %F", "--", path}, 256, path);
  if (!text) return tl::unexpected(text.error());
  std::uint64_t size = 0;
  const auto [at, error] = std::from_chars(text->data(), text->data() + text->size(), size);
  if (error != std::errc() || std::string_view(at).find("regular") == std::string_view::npos)
    return fail(kNotFound, path + " is not a plain file");
  return size;
}

Result<FilePart> readUserFile(const local::Identity& user, const std::string& path, std::uint64_t offset,
                              std::size_t limit) {
  const auto size = userFileSize(user, path);
  if (!size) return tl::unexpected(size.error());
  FilePart part{{}, *size};
  if (offset >= *size || limit == 0) return part;
  auto bytes = runAs(user,
                     {"dd", "if=" + path, "bs=65536", "iflag=skip_bytes,count_bytes,fullblock,nonblock",
                      fmt::format("skip={}", offset), fmt::format("count={}", limit), "status=none"},
                     limit, path);
  if (!bytes) return tl::unexpected(bytes.error());
  part.bytes = std::move(*bytes);
  return part;
}

Result<void> makeUserFolder(const local::Identity& user, const std::string& path) {
  const auto made = runAs(user, {"mkdir", "-p", "-m", "0700", "--", path}, 256, path);
  if (!made) return tl::unexpected(made.error());
  return {};
}

}  // namespace fairlead::engine::slurm
