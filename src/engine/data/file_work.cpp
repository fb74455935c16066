#include "data/file_work.hpp"

#include "data/archive.hpp"
#include "data/model_input.hpp"
#include "data/outputs.hpp"
#include "data/user_task.hpp"
#include "local/spawn.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/net/subprocess.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fairlead::engine::data {

using local::Fields;

namespace {

constexpr Bytes kAnswer{64 << 20};

template <class Archive>
void describe(Archive& a, AttemptFiles& files) {
  a.value("intent", files.intent);
  a.value("user", files.user);
  a.value("folder", files.workingDirectory);
  data::describe(a, files.checkpoint);
  a.count("outputs", files.outputs);
  for (auto& output : files.outputs) data::describe(a, output);
  a.value("artifacts", files.artifacts);
  a.value("artifactLimit", files.artifactLimit);
  a.value("modelPath", files.modelPath);
  a.value("modelDigest", files.modelDigest);
}

/// Runs the program for one piece of work.
Result<Fields> runProgram(const std::vector<std::string>& program, const std::string& work, const AttemptFiles& files,
                          Milliseconds limit, const std::stop_token& stop) {
  net::ProcessSpec spec;
  spec.argv = program;
  spec.argv.emplace_back(kFileWorkWord);
  spec.env = local::supervisorEnvironment();
  spec.cwd = "/";
  spec.input = local::encodeFields({{"work", work}, {"files", encodeFiles(files)}}, '\n');
  spec.timeout = limit;
  spec.maxOutput = kAnswer;
  spec.stop = stop;
  const auto done = net::runProcess(spec);
  if (!done) return tl::unexpected(done.error());
  if (done->stopped) return fail(kProcessFailed, "it was stopped");
  if (done->timedOut) return fail(kProcessFailed, "it did not end in time");
  const auto last = done->output.rfind('\n');
  const auto body = std::string_view(done->output).substr(0, last);
  if (!done->succeeded() || last == std::string::npos || done->output.substr(last + 1) != local::checksum(body))
    return fail(kProcessFailed, "the program that reads files ended without an answer" +
                                    (done->errors.empty() ? "" : ": " + printable(done->errors, 200)));
  auto fields = local::decodeFields(body, '\n');
  if (!fields) return fail(kProcessFailed, "the program that reads files answered with something malformed");
  return std::move(*fields);
}

/// As runProgram, with what is wrong for the work itself as the error kNotFound.
Result<Fields> work(const std::vector<std::string>& program, const std::string& name, const AttemptFiles& files,
                    Milliseconds limit, const std::stop_token& stop) {
  auto fields = runProgram(program, name, files, limit, stop);
  if (!fields) return fields;
  if (auto problem = local::textField(*fields, "unreachable"); !problem.empty())
    return fail(kNotFound, std::move(problem));
  return fields;
}

Fields unreachable(const std::string& problem) { return {{"unreachable", problem}}; }

Fields lookForCheckpoint(const AttemptFiles& files, const local::Identity& identity) {
  if (!local::becomeForGood(identity)) return unreachable("cannot become the workload's user");
  const bool absolute = files.checkpoint && files.checkpoint->path.starts_with('/');
  if (!absolute)
    if (const auto folder = local::openFolder(files.workingDirectory); !folder)
      return unreachable(folder.error().message);
  if (!files.checkpoint) return {};
  const auto newest = newestCheckpoint(*files.checkpoint, files.workingDirectory);
  return {{"path", newest.path}, {"at", std::to_string(newest.completed.msSinceEpoch)}};
}

Fields copyOutputs(const AttemptFiles& files, const local::Identity& identity) {
  const auto folder = local::openFolder(files.artifacts);
  if (!folder) return unreachable(folder.error().message);
  const auto lockName = ".lock." + files.intent;
  const auto lock = local::openAt(folder->get(), lockName, O_RDWR | O_CREAT);
  if (!lock) return unreachable(lock.error().message);
  // The program of a daemon that died may still be copying for this attempt.
  while (::flock(lock->get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  Fields fields;
  const ArtifactStore store{files.artifacts, files.artifactLimit, files.intent};
  for (const auto& output : takeOutputs(files.outputs, store, identity, files.workingDirectory))
    fields.emplace_back("output", encodeOutput(output));
  ::unlinkat(folder->get(), lockName.c_str(), 0);
  return fields;
}

Fields doWork(const std::string& work, const AttemptFiles& files) {
  const auto identity = local::resolveIdentity(files.user);
  if (!identity) return unreachable(identity.error().message);
  if (identity->name != files.user)
    return unreachable(fmt::format("the daemon runs as {} and cannot read as {}", identity->name, files.user));
  if (work == "checkpoint") return lookForCheckpoint(files, *identity);
  if (work == "outputs") return copyOutputs(files, *identity);
  if (work == "model") return verifyModel({files.modelPath, files.modelDigest, files.artifactLimit}, *identity);
  return unreachable("unknown work " + work);
}

/// What a program left that was ended in the middle of it.
void removeHalfCopies(const AttemptFiles& files) {
  const auto store = local::openFolder(files.artifacts);
  if (!store) return;
  for (const auto& rule : files.outputs) local::removeTreeAt(store->get(), halfName(files.intent, rule.name));
}

}  // namespace

std::string encodeFiles(const AttemptFiles& files) {
  FieldWriter writer;
  auto copy = files;  // one description serves both directions
  describe(writer, copy);
  return local::encodeFields(writer.fields, '\n');
}

std::optional<AttemptFiles> decodeFiles(std::string_view text) {
  const auto fields = local::decodeFields(text, '\n');
  if (!fields) return {};
  FieldReader reader{*fields};
  AttemptFiles files;
  describe(reader, files);
  if (!reader.good || reader.at != fields->size()) return {};
  return files;
}

FileWork::FileWork(std::vector<std::string> program, std::stop_token stop)
    : program_(program.empty() ? local::supervisorProgram() : std::move(program)), stop_(std::move(stop)) {}

Result<FoundCheckpoint> FileWork::newestCheckpoint(const AttemptFiles& files) const {
  const auto fields = work(program_, "checkpoint", files, kCheckpointTime, stop_);
  if (!fields) return tl::unexpected(fields.error());
  FoundCheckpoint found{local::textField(*fields, "path"), {}};
  if (!found.path.empty()) found.completed.msSinceEpoch = local::numberField(*fields, "at");
  return found;
}

std::vector<model::OutputArtifact> FileWork::takeOutputs(const AttemptFiles& files) const {
  std::vector<model::OutputArtifact> outputs;
  if (files.outputs.empty()) return outputs;
  const auto fields = work(program_, "outputs", files, kOutputTime, stop_);
  if (fields)
    for (const auto& [key, text] : *fields)
      if (auto output = decodeOutput(text)) outputs.push_back(std::move(*output));
  if (outputs.size() == files.outputs.size()) return outputs;
  removeHalfCopies(files);
  outputs.clear();
  const auto why = fields ? std::string("the answer is not whole") : fields.error().message;
  for (const auto& rule : files.outputs)
    outputs.push_back({rule.name, {}, {}, {}, {}, "it could not be taken: " + why});
  return outputs;
}

Result<void> FileWork::verifyModel(const AttemptFiles& files) const {
  const auto fields = work(program_, "model", files, kVerifyTime, stop_);
  if (!fields) return tl::unexpected(fields.error());
  const auto problem = local::textField(*fields, "problem");
  if (problem.empty()) return {};
  if (local::findField(*fields, "absent")) return fail(kNotFound, problem);
  return fail(kDigestMismatch, problem);
}

int fileWorkMain() {
  constexpr std::size_t kOrderBytes = 16 << 20;
  const auto text = local::readPath("/proc/self/fd/0", kOrderBytes);
  const auto fields = text ? local::decodeFields(*text, '\n') : std::nullopt;
  const auto files = fields ? decodeFiles(local::textField(*fields, "files")) : std::nullopt;
  if (!files) return 2;
  const auto answer = local::encodeFields(doWork(local::textField(*fields, "work"), *files), '\n');
  return local::writeAll(1, answer + "\n" + local::checksum(answer)) ? 0 : 1;
}

}  // namespace fairlead::engine::data
