#include <fairlead/base/text.hpp>
#include <fairlead/clusters/errors.hpp>
#include <fairlead/clusters/registry.hpp>
#include <fairlead/control/errors.hpp>
#include <fairlead/engine/slurm_check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

namespace fairlead::clusters {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMostDocument = 1 << 20;

/// Terms that the engine's threads look at.
class TermsCell {
 public:
  explicit TermsCell(model::ClusterTerms terms) : terms_(std::move(terms)) {}
  [[nodiscard]] model::ClusterTerms get() const {
    const std::lock_guard lock(mutex_);
    return terms_;
  }
  void set(model::ClusterTerms terms) {
    const std::lock_guard lock(mutex_);
    terms_ = std::move(terms);
  }

 private:
  mutable std::mutex mutex_;
  model::ClusterTerms terms_;
};

/// Gives a change to control and waits for its answer.
template <class Give>
Result<void> waitFor(Give&& give) {
  std::promise<Result<void>> promise;
  std::forward<Give>(give)([&promise](Result<void> reply) { promise.set_value(std::move(reply)); });
  return promise.get_future().get();
}

Result<std::string> readDocument(const fs::path& path) {
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed || size > kMostDocument)
    return fail(kDocumentFile, fmt::format("{}: {}", path.string(), failed ? failed.message() : "is over 1 MiB"));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fail(kDocumentFile, fmt::format("{}: cannot be read", path.string()), "give it to the daemon's user");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string firstOf(const Errors& errors) { return errors.empty() ? std::string() : toText(errors.front()); }

Errors oneError(const ErrorCode& code, std::string message, std::string remedy) {
  return {Error{&code, std::move(message), {}, {}, std::move(remedy)}};
}

}  // namespace

struct Registry::Entry {
  ClusterDocument document;
  std::string file;  ///< where it stands
  std::shared_ptr<TermsCell> terms;
  std::shared_ptr<control::EnginePort> engine;
  std::string problem;

  [[nodiscard]] api::ClusterRecord record() const {
    return {document.name, "slurm", document.terms, problem, encodeCluster(document)};
  }
};

Registry::Registry(RegistryOptions options, control::Control& control)
    : options_(std::move(options)), control_(control) {
  if (!options_.makeEngine) options_.makeEngine = engine::makeSlurmEngine;
}

Registry::~Registry() = default;

engine::SlurmOptions Registry::optionsOf(const Entry& entry) const {
  auto slurm = entry.document.slurm;
  slurm.stateDir = fmt::format("{}/slurm/{}", options_.stateDirectory, entry.document.name);
  slurm.governs = [terms = entry.terms](const std::string& project) { return terms->get().governs(project); };
  if (options_.log)
    slurm.log = [log = options_.log, name = entry.document.name](
                    engine::LogSeverity severity, const std::string& line) { log(name, severity, line); };
  return slurm;
}

Result<void> Registry::connect(Entry& entry) {
  entry.terms = std::make_shared<TermsCell>(entry.document.terms);
  auto engine = options_.makeEngine(optionsOf(entry));
  if (!engine) return tl::unexpected(engine.error());
  entry.engine = std::move(*engine);
  auto connected = waitFor([&](auto reply) { control_.connect(entry.engine, entry.document.terms, std::move(reply)); });
  if (!connected) entry.engine.reset();
  return connected;
}

Result<void> Registry::save(const Entry& entry) const {
  std::error_code failed;
  fs::create_directories(options_.folder, failed);
  const auto next = entry.file + ".new";
  std::ofstream file(next, std::ios::binary | std::ios::trunc);
  file << encodeCluster(entry.document) << '\n';
  file.close();
  if (!file.good())
    return fail(kDocumentFile, fmt::format("{}: cannot be written", entry.file), "look at the disk and its rights");
  fs::rename(next, entry.file, failed);
  if (failed) return fail(kDocumentFile, fmt::format("{}: {}", entry.file, failed.message()));
  return {};
}

void Registry::load() {
  const std::lock_guard changing(changing_);
  std::error_code failed;
  fs::create_directories(options_.folder, failed);
  std::vector<std::string> files;
  for (const auto& file : fs::directory_iterator(options_.folder, failed))
    if (file.path().extension() == ".yaml" || file.path().extension() == ".json") files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) loadFile(file);
}

void Registry::loadFile(const std::string& path) {
  const auto complain = [&](const std::string& text) {
    if (options_.log) options_.log(fs::path(path).stem().string(), engine::LogSeverity::error, text);
  };
  const auto text = readDocument(path);
  if (!text) return complain(toText(text.error()));
  auto document = decodeCluster(*text);
  if (!document) return complain(path + ": " + firstOf(document.error()));
  if (const auto known = find(document->name)) {
    if (known->document.terms != document->terms)
      if (auto set = setTerms(*known, document->terms); !set) complain(toText(set.error()));
    return;
  }
  auto entry = std::make_shared<Entry>();
  entry->document = std::move(*document);
  entry->file = path;
  if (auto connected = connect(*entry); !connected) {
    entry->problem = toText(connected.error());
    complain(entry->problem);
  }
  const std::lock_guard lock(mutex_);
  entries_.emplace(entry->document.name, entry);
}

std::shared_ptr<Registry::Entry> Registry::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

std::vector<api::ClusterRecord> Registry::list() const {
  std::vector<api::ClusterRecord> all;
  if (!options_.localCluster.empty()) all.push_back({options_.localCluster, "local", {.governsAll = true}, {}, {}});
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) all.push_back(entry->record());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

namespace {

Checked<ClusterDocument> takeDocument(std::string_view text, bool fromHost) {
  auto document = decodeCluster(text);
  if (document && namesPrograms(*document) && !fromHost)
    return tl::unexpected(
        oneError(kProgramsRefused, "the document names programs for the daemon to run",
                 "give it as root or as the daemon's own user through its socket on that host, or put "
                 "the file into the daemon's folder of clusters"));
  return document;
}

}  // namespace

Checked<api::ClusterRecord> Registry::add(std::string_view document, bool fromHost) {
  auto decoded = takeDocument(document, fromHost);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  const std::lock_guard changing(changing_);
  if (find(decoded->name) != nullptr || decoded->name == options_.localCluster)
    return tl::unexpected(oneError(control::kClusterKnown, fmt::format("there is a cluster {}", decoded->name),
                                   "give this one another name, or remove that one first"));
  auto entry = std::make_shared<Entry>();
  entry->document = std::move(*decoded);
  entry->file = fmt::format("{}/{}.json", options_.folder, entry->document.name);
  if (auto saved = save(*entry); !saved) return tl::unexpected(Errors{saved.error()});
  if (auto connected = connect(*entry); !connected) {
    std::error_code ignored;
    fs::remove(entry->file, ignored);
    return tl::unexpected(Errors{connected.error()});
  }
  const std::lock_guard lock(mutex_);
  return entries_.emplace(entry->document.name, entry).first->second->record();
}

Checked<std::vector<control::Finding>> Registry::check(std::string_view document, bool fromHost) {
  auto decoded = takeDocument(document, fromHost);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  return engine::checkSlurm(decoded->slurm, decoded->terms);
}

Result<std::vector<control::Finding>> Registry::checkNamed(const std::string& name) {
  const auto entry = find(name);
  if (entry == nullptr)
    return fail(kNoCluster, fmt::format("there is no cluster {} with a document", printable(name, 80)));
  return engine::checkSlurm(optionsOf(*entry), entry->document.terms);
}

Result<api::ClusterRecord> Registry::govern(const std::string& name, const model::ClusterTerms& terms) {
  const std::lock_guard changing(changing_);
  const auto entry = find(name);
  if (entry == nullptr)
    return fail(kNoCluster, fmt::format("there is no cluster {} with a document", printable(name, 80)));
  auto next = *entry;
  next.document.terms = terms;
  if (auto saved = save(next); !saved) return tl::unexpected(saved.error());
  if (auto set = setTerms(*entry, terms); !set) return tl::unexpected(set.error());
  const std::lock_guard lock(mutex_);
  return entry->record();
}

Result<void> Registry::setTerms(Entry& entry, const model::ClusterTerms& terms) {
  if (entry.engine != nullptr) {
    auto set = waitFor([&](auto reply) { control_.setTerms(entry.document.name, terms, std::move(reply)); });
    if (!set) return set;
    entry.terms->set(terms);
  }
  const std::lock_guard lock(mutex_);
  entry.document.terms = terms;
  return {};
}

Result<void> Registry::remove(const std::string& name) {
  const std::lock_guard changing(changing_);
  const auto entry = find(name);
  if (entry == nullptr)
    return fail(kNoCluster, fmt::format("there is no cluster {} with a document", printable(name, 80)));
  if (entry->engine != nullptr) {
    auto gone = waitFor([&](auto reply) { control_.disconnect(name, std::move(reply)); });
    if (!gone) return gone;
    entry->engine->shutdown();
  }
  std::error_code failed;
  fs::remove(entry->file, failed);
  const std::lock_guard lock(mutex_);
  entries_.erase(name);
  return {};
}

}  // namespace fairlead::clusters
