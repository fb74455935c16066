#include "sbatch_text.hpp"

#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fairlead::codec {
namespace {

using model::SpecLimits;

/// Absolute and without `.` and `..`, by the text alone. Empty when `path` is relative and `base` is not absolute.
std::string resolved(std::string_view base, std::string_view path) {
  std::string whole = path.starts_with('/') ? std::string(path) : fmt::format("{}/{}", base, path);
  if (!whole.starts_with('/')) return {};
  std::vector<std::string_view> parts;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const auto slash = std::min(rest.find('/'), rest.size());
    const auto part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  return parts.empty() ? "/" : fmt::format("/{}", fmt::join(parts, "/"));
}

std::string asName(std::string_view text) {
  std::string name;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || c == '.' || c == '_')
      name += c;
    else if (!name.ends_with('-'))
      name += '-';
  }
  name.resize(std::min(name.size(), SpecLimits::nameBytes));
  const auto isEdge = [](char c) { return c == '-' || c == '.' || c == '_'; };
  while (!name.empty() && isEdge(name.back())) name.pop_back();
  const auto first = std::find_if_not(name.begin(), name.end(), isEdge);
  name.erase(name.begin(), first);
  return name.empty() ? "sbatch" : name;
}

std::string logFile(SbatchWork& work, const SbatchOption<std::string>& option, const std::string& directory) {
  std::string path = *option;
  if (path == "/dev/null" || path == "none") return {};
  if (path.starts_with("../") || path.find("/../") != std::string::npos) path = resolved(directory, path);
  if (auto fault = logPatternFault(path)) {
    work.fault(option.given, kBadValue, std::move(fault->message), std::move(fault->remedy));
    return {};
  }
  return path;
}

class EnvironmentMaker {
 public:
  explicit EnvironmentMaker(SbatchWork& work) : work_(work) {}

  void carryAll() {
    for (const auto& [name, value] : work_.context.env)
      if (!envNameFault(name) && isUtf8(value) && value.find('\0') == std::string::npos) values_[name] = value;
  }

  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }

  /// `ALL`, `NONE`, `NIL`, or a list of NAME and NAME=VALUE.
  void carry(const SbatchOption<std::string>& option) {
    if (!option) return carryAll();
    std::string_view rest = *option;
    if (rest == "NONE" || rest == "NIL") return;
    for (;;) {
      const auto end = std::min(rest.find(','), rest.size());
      one(option.given, rest.substr(0, end));
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  std::vector<std::pair<std::string, std::string>> take() {
    std::size_t bytes = 0;
    for (const auto& [name, value] : values_) bytes += name.size() + value.size() + 2;
    if (values_.size() > SpecLimits::envEntries || bytes > SpecLimits::envBytes)
      work_.fault({"--export", "ALL", true, {}}, kOutOfRange,
                  fmt::format("{} variables in {} bytes, at most {} in {} are taken", values_.size(), bytes,
                              SpecLimits::envEntries, SpecLimits::envBytes),
                  "use --export=NONE, or name the variables that matter");
    return {values_.begin(), values_.end()};
  }

 private:
  void one(const SbatchGiven& given, std::string_view entry) {
    if (entry == "ALL") return carryAll();
    const auto equals = entry.find('=');
    const std::string name(entry.substr(0, equals));
    if (auto fault = envNameFault(name))
      return work_.fault(given, kBadValue, fmt::format("`{}` {}", printable(name, 60), fault->message),
                         std::move(fault->remedy));
    if (equals != std::string_view::npos) return set(name, std::string(entry.substr(equals + 1)));
    const auto& env = work_.context.env;
    const auto found = std::find_if(env.begin(), env.end(), [&](const auto& pair) { return pair.first == name; });
    if (found != env.end() && isUtf8(found->second)) set(name, found->second);
  }

  SbatchWork& work_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::string sbatchName(SbatchWork& work) {
  const auto& option = work.request.jobName;
  const auto given = option ? *option : work.context.scriptName;
  auto name = asName(given.empty() ? "sbatch" : given);
  if (option && name != given)
    work.notMap(option.given,
                fmt::format("names are lower-case letters, digits, `-`, `.` and `_`; it became {}", name));
  return name;
}

std::string sbatchDirectory(SbatchWork& work) {
  const auto& chdir = work.request.chdir;
  if (!chdir) return work.context.submitDirectory;
  auto directory = resolved(work.context.submitDirectory, *chdir);
  const auto fault = directory.empty() ? Fault{"is relative, and to what is not known here", "write an absolute path"}
                                       : pathFault(directory).value_or(Fault{});
  if (fault.message.empty()) return directory;
  work.fault(chdir.given, kBadValue, fault.message, fault.remedy);
  return {};
}

model::LogFiles sbatchLogs(SbatchWork& work) {
  const auto& request = work.request;
  const auto directory =
      request.chdir ? resolved(work.context.submitDirectory, *request.chdir) : work.context.submitDirectory;
  model::LogFiles logs;
  logs.standardOutput = request.output  ? logFile(work, request.output, directory)
                        : request.array ? "slurm-%A_%a.out"
                                        : "slurm-%j.out";
  logs.standardError =
      request.error ? logFile(work, request.error, directory) : logs.standardOutput;  // one file for both
  logs.append = request.append && *request.append;
  return logs;
}

std::vector<std::pair<std::string, std::string>> sbatchEnvironment(SbatchWork& work, const SbatchCounts& counts) {
  EnvironmentMaker env(work);
  env.carry(work.request.exportList);
  const auto& request = work.request;
  if (!work.context.submitDirectory.empty()) env.set("SLURM_SUBMIT_DIR", work.context.submitDirectory);
  env.set("SLURM_JOB_NAME", request.jobName                   ? *request.jobName
                            : work.context.scriptName.empty() ? "sbatch"
                                                              : work.context.scriptName);
  env.set("SLURM_JOB_NUM_NODES", std::to_string(counts.nodes));
  env.set("SLURM_NNODES", std::to_string(counts.nodes));
  env.set("SLURM_NTASKS", std::to_string(request.tasks ? *request.tasks : counts.tasksPerNode * counts.nodes));
  if (request.tasksPerNode) env.set("SLURM_NTASKS_PER_NODE", std::to_string(*request.tasksPerNode));
  if (request.cpusPerTask) env.set("SLURM_CPUS_PER_TASK", std::to_string(*request.cpusPerTask));
  if (counts.devices > 0) env.set("SLURM_GPUS_ON_NODE", std::to_string(counts.devices));
  return env.take();
}

}  // namespace fairlead::codec
