#include "data/outputs.hpp"

#include "data/file_tree.hpp"
#include "data/metrics.hpp"
#include "local/fields.hpp"

#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace fairlead::engine::data {

using local::AsUser;
using local::decodeFields;
using local::encodeFields;
using local::failErrno;
using local::Fields;
using local::numberField;
using local::openAt;
using local::openFolder;
using local::removeTreeAt;
using local::syncFd;
using local::textField;
using local::toHex;

namespace {

Result<Fd> openAsUser(const Identity& identity, const std::string& folder, const std::string& path) {
  const AsUser user(identity);
  return openBelow(folder, path);
}

Result<std::string> readWhole(const Fd& file, std::size_t limit) {
  std::string text(limit + 1, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::pread(file.get(), text.data() + got, text.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failErrno("cannot read");
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

/// Moves a finished copy to its place. A place that is taken by the same bytes is the same artifact; by others it is
/// set aside.
Result<void> publish(int store, const std::string& beside, const std::string& name, const model::Digest& digest,
                     TreeBudget budget) {
  if (auto before = openAt(store, name, O_RDONLY | O_NONBLOCK)) {
    const auto found = digestTree(*before, budget);
    if (found && found->digest == digest) {
      removeTreeAt(store, beside);
      return {};
    }
    const auto aside = fmt::format("{}.damaged.{}", name, ::getpid());
    if (::renameat(store, name.c_str(), store, aside.c_str()) != 0)
      return failErrno("cannot set a damaged artifact aside");
  }
  if (::syncfs(store) != 0) return failErrno("cannot make the artifact durable");
  if (::renameat(store, beside.c_str(), store, name.c_str()) != 0) return failErrno("cannot publish the artifact");
  return syncFd(store, "the artifact store");
}

Result<void> takeContent(const ArtifactStore& to, const model::OutputRule& rule, const Identity& identity,
                         const std::string& folder, int store, model::OutputArtifact& output) {
  auto source = openAsUser(identity, folder, rule.path);
  if (!source) return tl::unexpected(source.error());
  const auto beside = halfName(to.intent, rule.name);
  removeTreeAt(store, beside);
  TreeBudget budget{to.limit, 1'000'000, "it"};
  if (auto copied = copyTree(*source, store, beside, identity, budget); !copied) return copied;
  auto copy = openAt(store, beside, O_RDONLY | O_NONBLOCK);
  if (!copy) return tl::unexpected(copy.error());
  budget.bytes = to.limit;
  const auto digest = digestTree(*copy, budget);  // of what is kept, not of what was read
  Result<void> published = digest ? Result<void>{} : tl::unexpected(digest.error());
  const auto name = digest ? codec::toHex(digest->digest) : std::string();
  if (published) published = publish(store, beside, name, digest->digest, {to.limit, 1'000'000, "it"});
  if (!published) {
    removeTreeAt(store, beside);
    return published;
  }
  output.uri = "file://" + to.path + "/" + name;
  output.digest = digest->digest;
  output.size = digest->size;
  return {};
}

Result<void> takeMetrics(const model::OutputRule& rule, const Identity& identity, const std::string& folder,
                         model::OutputArtifact& output) {
  if (rule.metrics.empty()) return {};
  auto file = openAsUser(identity, folder, rule.metrics);
  if (!file) return tl::unexpected(file.error());
  auto text = readWhole(*file, kMetricsBytes);
  if (!text) return tl::unexpected(text.error());
  auto metrics = parseMetrics(*text);
  if (!metrics) return tl::unexpected(metrics.error());
  output.metrics = std::move(*metrics);
  return {};
}

}  // namespace

std::string halfName(const std::string& intent, const std::string& output) {
  return fmt::format(".{}.{}", intent, output);
}

std::string encodeOutput(const model::OutputArtifact& output) {
  const std::string_view digest(reinterpret_cast<const char*>(output.digest.data()), output.digest.size());
  Fields fields{{"name", output.name},
                {"uri", output.uri},
                {"digest", toHex(digest)},
                {"size", std::to_string(output.size.count)},
                {"problem", output.problem}};
  for (const auto& [name, value] : output.metrics) {
    fields.emplace_back("metric", name);
    fields.emplace_back("value", value);
  }
  return encodeFields(fields, '\n');
}

std::optional<model::OutputArtifact> decodeOutput(std::string_view text) {
  const auto fields = decodeFields(text, '\n');
  if (!fields) return {};
  model::OutputArtifact output{textField(*fields, "name"), textField(*fields, "uri"), {}, {}, {}, {}};
  output.size.count = numberField(*fields, "size");
  output.problem = textField(*fields, "problem");
  const auto digest = textField(*fields, "digest");
  if (digest.size() != output.digest.size() * 2) return {};
  for (std::size_t i = 0; i < output.digest.size(); ++i)
    output.digest[i] = static_cast<std::uint8_t>(std::stoi("0" + digest.substr(2 * i, 2), nullptr, 16));
  for (std::size_t i = 0; i + 1 < fields->size(); ++i)
    if ((*fields)[i].first == "metric") output.metrics.emplace_back((*fields)[i].second, (*fields)[i + 1].second);
  return output;
}

std::vector<model::OutputArtifact> takeOutputs(const std::vector<model::OutputRule>& rules, const ArtifactStore& to,
                                               const Identity& identity, const std::string& workingDirectory) {
  std::vector<model::OutputArtifact> outputs;
  auto store = openFolder(to.path);
  for (const auto& rule : rules) {
    auto& output = outputs.emplace_back();
    output.name = rule.name;
    if (!store) {
      output.problem = store.error().message;
      continue;
    }
    // Metrics first: a version without the numbers that were asked for would never get them.
    if (auto taken = takeMetrics(rule, identity, workingDirectory, output); !taken)
      output.problem = "metrics " + rule.metrics + ": " + taken.error().message;
    else if (auto content = takeContent(to, rule, identity, workingDirectory, store->get(), output); !content)
      output.problem = "output " + rule.name + ": " + content.error().message;
  }
  return outputs;
}

}  // namespace fairlead::engine::data
