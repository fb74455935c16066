#include "request_check.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>
#include <fairlead/codec/slurm/requests.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec::slurm {
namespace {

constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostScript = std::size_t{4} << 20;  // MaxScriptSize unless the site says otherwise
constexpr std::int64_t kMostNodes = 1'000'000;

bool isVariableName(std::string_view name) {
  return !name.empty() && name.size() <= 1024 && (name[0] < '0' || name[0] > '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

void checkComponent(const SlurmComponent& c, const std::string& path, Errors& errors) {
  checkWord(c.partition, path + ".partition", errors);
  checkWord(c.account, path + ".account", errors);
  checkWord(c.qos, path + ".qos", errors);
  checkWord(c.reservation, path + ".reservation", errors);
  checkLine(c.constraint, path + ".constraint", errors);
  checkLine(c.licenses, path + ".licenses", errors);
  if (c.nodes < 1 || c.nodes > kMostNodes || (c.maxNodes != 0 && (c.maxNodes < c.nodes || c.maxNodes > kMostNodes)))
    errors.push_back(requestError(kOutOfRange, path + ".nodes", fmt::format("{}-{}", c.nodes, c.maxNodes),
                                  "not a count of nodes", "ask for 1 to 1,000,000 nodes"));
  if (c.tasksPerNode < 0 || c.tasksPerNode > 65'533 || c.cpusPerTask < 0 || c.cpusPerTask > 65'533)
    errors.push_back(requestError(kOutOfRange, path + ".tasksPerNode",
                                  fmt::format("{} with {} CPUs", c.tasksPerNode, c.cpusPerTask), "out of range",
                                  "ask for at most 65,533 tasks a node and CPUs a task"));
  for (const auto& gres : c.gresPerNode) {
    const auto isName = [](std::string_view text) {
      return std::all_of(text.begin(), text.end(), [](char ch) {
        return static_cast<unsigned char>(ch) > ' ' && ch != '\x7f' &&
               std::string_view(",:=()/").find(ch) == std::string_view::npos;
      });
    };
    if (gres.name.empty() || !isName(gres.name) || !isName(gres.type) || gres.count < 0)
      errors.push_back(requestError(kBadValue, path + ".gresPerNode", gres.name + ":" + gres.type,
                                    "not the name of a generic resource", "write it as gpu, or gpu and h100"));
  }
  for (const auto* list : {&c.requiredNodes, &c.excludedNodes})
    if (!list->empty() && !countHosts(*list))
      errors.push_back(
          requestError(kBadValue, path + ".requiredNodes", *list, "not a list of hosts", "write it as n[1-4],m7"));
}

}  // namespace

Error requestError(const ErrorCode& code, std::string field, std::string_view value, std::string_view what,
                   std::string remedy) {
  Error error;
  error.code = &code;
  error.value = printable(value);
  error.message = fmt::format("{} `{}` is {}", field, error.value, what);
  error.field = std::move(field);
  error.remedy = std::move(remedy);
  return error;
}

void checkLine(std::string_view text, std::string field, Errors& errors) {
  const bool control =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (control)
    errors.push_back(requestError(kBadValue, std::move(field), text, "not one line of text",
                                  "take line breaks and control characters out of it"));
  else if (text.size() > kMostText)
    errors.push_back(requestError(kOutOfRange, std::move(field), text.substr(0, 60), "too long",
                                  fmt::format("use at most {} bytes", kMostText)));
}

void checkWord(std::string_view text, std::string field, Errors& errors) {
  const bool odd = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '\'' || c == '"' || c == '`' || c == '=';
  });
  if (odd || text.starts_with('-'))
    errors.push_back(requestError(kBadValue, std::move(field), text, "not a name of Slurm's",
                                  "use the name as `sacctmgr` or `sinfo` shows it"));
  else
    checkLine(text, std::move(field), errors);
}

Errors checkSubmit(const SlurmSubmit& submit) {
  Errors errors;
  if (!submit.script.starts_with("#!"))
    errors.push_back(requestError(kBadValue, "script", submit.script.substr(0, 40), "not a script",
                                  "begin it with a line such as #!/bin/bash"));
  if (submit.script.size() > kMostScript || submit.script.find('\0') != std::string::npos)
    errors.push_back(requestError(kOutOfRange, "script", fmt::format("{} bytes", submit.script.size()),
                                  "too large, or holds a zero byte", "at most 4 MiB of text"));
  checkLine(submit.name, "name", errors);
  checkLine(submit.comment, "comment", errors);
  checkLine(submit.dependency, "dependency", errors);
  checkLine(submit.stdoutPattern, "stdoutPattern", errors);
  checkLine(submit.stderrPattern, "stderrPattern", errors);
  checkLine(submit.stdinPattern, "stdinPattern", errors);
  checkLine(submit.container, "container", errors);
  checkWord(submit.wckey, "wckey", errors);
  checkLine(submit.workDir, "workDir", errors);
  if (!submit.workDir.starts_with('/'))
    errors.push_back(requestError(kBadValue, "workDir", submit.workDir, "not absolute", "begin it with /"));
  if (submit.components.empty())
    errors.push_back(requestError(kMissingField, "components", "", "empty", "name at least one"));
  for (std::size_t i = 0; i < submit.components.size(); ++i)
    checkComponent(submit.components[i], fmt::format("components[{}]", i), errors);
  if (submit.components.size() > 1 && !submit.array.empty())
    errors.push_back(requestError(kConflict, "array", submit.array, "not possible with more than one component",
                                  "make it a list of jobs"));
  for (const auto& [name, value] : submit.environment)  // the value may be a secret: it is never shown
    if (!isVariableName(name) || value.find('\0') != std::string::npos)
      errors.push_back(requestError(kBadValue, "environment", name, "not a variable", "use letters, digits and _"));
  for (const auto& [name, value] : submit.pluginOptions) {
    checkWord(name, "pluginOptions", errors);
    checkLine(value, "pluginOptions." + name, errors);
  }
  if (!submit.openMode.empty() && submit.openMode != "append" && submit.openMode != "truncate")
    errors.push_back(requestError(kBadValue, "openMode", submit.openMode, "neither append nor truncate", "use one"));
  if (submit.signal &&
      (*submit.signal < 1 || *submit.signal > 64 || submit.signalSeconds < 0 || submit.signalSeconds > 65'535))
    errors.push_back(requestError(kOutOfRange, "signal", fmt::format("{}@{}", *submit.signal, submit.signalSeconds),
                                  "out of range", "signals are 1 to 64, at most 65,535 seconds before the end"));
  return errors;
}

}  // namespace fairlead::codec::slurm
