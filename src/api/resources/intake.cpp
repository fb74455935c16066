#include "intake.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

constexpr std::string_view kSubmitAction = "workload.submit";
constexpr std::size_t kMostErrors = 100;

Result<std::string> defaultProject(Service& service, const Call& call) {
  if (const auto named = call.text("project"); !named.empty()) return std::string(named);
  const auto projects = service.access().projects(call.who, kSubmitAction);
  if (projects.size() == 1) return projects.front().name;
  std::string names;
  for (const auto& project : projects) names += (names.empty() ? "" : ", ") + project.name;
  auto error = Error{&kNoProject,
                     projects.empty() ? "no project is named, and you are a member of none" : "no project is named",
                     "metadata.project",
                     {},
                     projects.empty() ? "ask an admin of a project to add you" : "name one of: " + names};
  return tl::unexpected(std::move(error));
}

/// Whoever asks for the newest version of a model gets the one that is newest now, whatever comes later.
model::SpecPtr pinModel(Service& service, const std::string& project, const model::SpecPtr& document) {
  const auto& input = document->spec.model;
  if (!input || input->version != 0) return document;
  const auto version = service.control().read([&](const control::State& state) {
    const auto* newest = state.findVersion(project, input->model, 0);
    return newest == nullptr ? 0 : newest->version;
  });
  if (version == 0) return document;  // control refuses it with the reason
  auto spec = document->spec;
  spec.model->version = version;
  return codec::makeSpecDocument(std::move(spec));
}

/// Collects the submissions of one command.
class CommandMaker {
 public:
  CommandMaker(Service& service, const Call& call, bool prefixItems)
      : service_(service), call_(call), prefixItems_(prefixItems) {}

  void add(const ReadyDocument& document, std::size_t index) {
    const auto project = document.project.empty() ? fallback() : Result<std::string>(document.project);
    if (!project) return error(project.error(), index);
    if (*project != lastProject_)
      if (auto asked = enter(*project, document.name); !asked) return error(asked.error(), index);
    if (auto asked = askPriority(*project, document); !asked) return error(asked.error(), index);
    command_.submissions.push_back(
        {document.name, *project, document.labels, pinModel(service_, *project, document.spec)});
  }

  Checked<control::SubmitCommand> finish() {
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    command_.actor = service_.actorOf(call_, std::move(rule_));
    command_.idempotency = idempotencyOf(call_);
    return std::move(command_);
  }
  [[nodiscard]] bool enough() const { return errors_.size() >= kMostErrors; }

 private:
  const Result<std::string>& fallback() {
    if (!fallback_) fallback_ = defaultProject(service_, call_);
    return *fallback_;
  }
  Result<void> enter(const std::string& project, const std::string& name) {
    auto rule = service_.allow(call_, kSubmitAction, project, name);
    if (rule && !service_.access().declared(project))
      rule = fail(kNotFound, fmt::format("there is no project {}", printable(project, 63)),
                  "list them with: fairlead get projects");
    if (!rule) return tl::unexpected(at("metadata.project", project, std::move(rule.error())));
    if (rule_.find(*rule) == std::string::npos) rule_ += (rule_.empty() ? "" : "; ") + *rule;
    lastProject_ = project;
    return {};
  }
  /// Ahead of others goes only who may put work there afterwards too.
  Result<void> askPriority(const std::string& project, const ReadyDocument& document) {
    const auto priority = document.spec->spec.priority;
    if (priority <= 0) return {};
    auto rule = service_.allow(call_, "workload.set-priority", project, document.name, call_.who.name);
    if (rule) return {};
    rule.error().remedy = "leave priority out, or ask an operator of the project to raise it";
    return tl::unexpected(at("spec.priority", std::to_string(priority), std::move(rule.error())));
  }
  static Error at(std::string field, std::string value, Error error) {
    error.field = std::move(field);
    error.value = std::move(value);
    return error;
  }
  void error(Error error, std::size_t index) {
    if (prefixItems_) error.field = fmt::format("[{}].{}", index, error.field);
    errors_.push_back(std::move(error));
  }

  Service& service_;
  const Call& call_;
  const bool prefixItems_;
  control::SubmitCommand command_;
  std::optional<Result<std::string>> fallback_;
  std::string lastProject_;
  std::string rule_;
  Errors errors_;
};

}  // namespace

Checked<control::SubmitCommand> makeCommand(Service& service, const Call& call, const std::vector<ReadyPtr>& documents,
                                            bool prefixItems) {
  CommandMaker maker(service, call, prefixItems);
  for (std::size_t i = 0; i < documents.size() && !maker.enough(); ++i) maker.add(*documents[i], i);
  return maker.finish();
}

std::optional<control::IdempotencyKey> idempotencyOf(const Call& call) {
  const auto key = call.text("Idempotency-Key");
  if (key.empty()) return {};
  control::IdempotencyKey made;
  made.key = codec::sha256(fmt::format("{}:{}\n{}", call.who.name.size(), call.who.name, key));
  codec::Sha256 body;
  body.update(fmt::format("{} {}\n", call.request.method, call.request.path));
  for (const auto& [name, value] : call.request.query)
    body.update(fmt::format("{}:{}={}:{}\n", name.size(), name, value.size(), value));
  body.update(call.request.headers.get("Content-Type").value_or(""));
  body.update("\n");
  body.update(call.request.body);
  made.body = body.finish();
  return made;
}

Param idempotencyParam() {
  return {.name = "Idempotency-Key",
          .place = ParamPlace::header,
          .doc =
              "Of the client's making, kept for a day: the same key with the same request gives the first answer "
              "again, with another request 409.",
          .maxBytes = 255};
}

}  // namespace fairlead::api
