#include "record_views.hpp"

#include <fairlead/codec/digest.hpp>

namespace fairlead::api {
namespace {

/// The fields of a version that every view of it has.
template <class T, class Get>
void addVersionFields(Shape<T>& shape, Get get) {
  shape.must("project", "Whose model.", [get](const T& v) -> const std::string& { return get(v).project; })
      .must("model", "Its name.", [get](const T& v) -> const std::string& { return get(v).model; })
      .must("version", "1, 2, 3 and so on.", [get](const T& v) { return get(v).version; })
      .must("uri", "Where the immutable bytes lie.", [get](const T& v) -> const std::string& { return get(v).uri; })
      .must("sha256", "Digest of the bytes.", [get](const T& v) { return codec::toHex(get(v).digest); })
      .must("sizeBytes", "Their size.", [get](const T& v) { return get(v).size; })
      .must("workload", "What made it.", [get](const T& v) { return get(v).workload; })
      .must("attempt", "The attempt that made it.", [get](const T& v) { return get(v).attempt; })
      .must("createdBy", "Who asked for it.", [get](const T& v) -> const std::string& { return get(v).createdBy; })
      .must("createdAt", "When.", [get](const T& v) { return get(v).createdAt; })
      .must("metrics", "Name to exact decimal text.", [get](const T& v) -> const auto& { return get(v).metrics; });
}

}  // namespace

template <>
const Shape<model::ModelVersion>& shapeOf<model::ModelVersion>() {
  static const Shape<model::ModelVersion> kShape = [] {
    Shape<model::ModelVersion> shape("ModelVersion", "One immutable version of a model.");
    addVersionFields(shape, [](const model::ModelVersion& v) -> const model::ModelVersion& { return v; });
    return shape;
  }();
  return kShape;
}

template <>
const Shape<ServedByView>& shapeOf<ServedByView>() {
  static const Shape<ServedByView> kShape =
      Shape<ServedByView>("ServedBy", "An inference workload that uses a version.")
          .must("workload", "Which.", &ServedByView::workload)
          .must("name", "Its name.", &ServedByView::name)
          .must("state", "Where it stands.", &ServedByView::state);
  return kShape;
}

template <>
const Shape<model::ModelInput>& shapeOf<model::ModelInput>() {
  static const Shape<model::ModelInput> kShape =
      Shape<model::ModelInput>("ModelInput", "A version taken as input.")
          .must("model", "Its model's name.", &model::ModelInput::model)
          .must("version", "1, 2, 3 and so on.", &model::ModelInput::version);
  return kShape;
}

template <>
const Shape<VersionView>& shapeOf<VersionView>() {
  static const Shape<VersionView> kShape = [] {
    Shape<VersionView> shape("ModelVersionDetail", "A version with what it took and who serves it.");
    addVersionFields(shape, [](const VersionView& v) -> const model::ModelVersion& { return v.row; });
    shape.may("workloadName", "Name of what made it.", &VersionView::workloadName)
        .may("askedFor", "Devices asked for, in words.", &VersionView::askedFor)
        .may("cost", "Device time and money of what made it.", &VersionView::cost)
        .may("builtOn", "The version that its maker started from.", &VersionView::builtOn)
        .must("servedBy", "Services that run with exactly these bytes.", &VersionView::servedBy)
        .must("nextServedBy", "Services that name this version and do not run yet, or not at present.",
              &VersionView::nextServedBy);
    return shape;
  }();
  return kShape;
}

template <>
const Shape<ModelLine>& shapeOf<ModelLine>() {
  static const Shape<ModelLine> kShape = Shape<ModelLine>("ModelLine", "A model as lists show it.")
                                             .must("project", "Whose.", &ModelLine::project)
                                             .must("name", "Its name.", &ModelLine::name)
                                             .must("versions", "How many there are.", &ModelLine::versions)
                                             .must("latestVersion", "The newest.", &ModelLine::latest)
                                             .must("latestAt", "When that came out.", &ModelLine::latestAt);
  return kShape;
}

template <>
const Shape<ModelView>& shapeOf<ModelView>() {
  static const Shape<ModelView> kShape =
      Shape<ModelView>("Model", "The thread from request to model, in one screen.")
          .must("project", "Whose.", [](const auto& v) -> const std::string& { return v.line.project; })
          .must("name", "Its name.", [](const auto& v) -> const std::string& { return v.line.name; })
          .must("versions", "Newest first.", [](const auto& v) -> const auto& { return v.versions; });
  return kShape;
}

template <>
const Shape<ledger::Money>& shapeOf<ledger::Money>() {
  static const Shape<ledger::Money> kShape = Shape<ledger::Money>("Money", "An amount in one currency.")
                                                 .must("costMicros", "In 1e-6 of the currency.", &ledger::Money::amount)
                                                 .must("currency", "ISO 4217.", &ledger::Money::currency);
  return kShape;
}

template <>
const Shape<CostView>& shapeOf<CostView>() {
  using model::PostingCategory;
  static const Shape<CostView> kShape =
      Shape<CostView>("Cost",
                      "Device time by what became of it (1e-6 device-seconds: thousandths of a device times "
                      "milliseconds), and its price.")
          .must("usedMicroDeviceSeconds", "Work that counts.",
                [](const auto& v) { return v.row.of(PostingCategory::used); })
          .must("idleMicroDeviceSeconds", "Held while nothing was done.",
                [](const auto& v) { return v.row.of(PostingCategory::idle); })
          .must("lostMicroDeviceSeconds", "Work thrown away by failures.",
                [](const auto& v) { return v.row.of(PostingCategory::lost); })
          .must("overheadMicroDeviceSeconds", "Starting and stopping.",
                [](const auto& v) { return v.row.of(PostingCategory::overhead); })
          .must("totalMicroDeviceSeconds", "Their sum; a device-hour is 3600000000.",
                [](const auto& v) { return v.row.total(); })
          .must("deviceHours", "The sum for people, with one decimal.",
                [](const auto& v) { return deviceHoursText(v.row.total()); })
          .may("unpricedMicroDeviceSeconds", "Of the sum: device time that no price covers.",
               [](const auto& v) { return v.row.unpriced; })
          .must("costMicros", "In 1e-6 of `currency`; the first where there are several.",
                [](const auto& v) { return v.row.cost.empty() ? 0 : v.row.cost.front().amount.count; })
          .may("currency", "ISO 4217; left out where nothing was priced.",
               [](const auto& v) { return v.row.cost.empty() ? std::string() : v.row.cost.front().currency; })
          .must("costs", "One amount for each currency.", [](const auto& v) -> const auto& { return v.row.cost; });
  return kShape;
}

template <>
const Shape<UsageLine>& shapeOf<UsageLine>() {
  static const Shape<UsageLine> kShape =
      Shape<UsageLine>("UsageLine", "Device time and money of one group.")
          .must("group", "Dimension to value, in the order asked for.", &UsageLine::group)
          .must("cost", "How much.", &UsageLine::cost);
  return kShape;
}

template <>
const Shape<UsageView>& shapeOf<UsageView>() {
  static const Shape<UsageView> kShape = Shape<UsageView>("Usage",
                                                          "What was held in a span of time, of the projects that the "
                                                          "caller may see; what runs now is counted up to now.")
                                             .must("from", "Begin of the span, included.", &UsageView::from)
                                             .must("to", "End of the span, not included.", &UsageView::to)
                                             .must("items", "In order of group.", &UsageView::items)
                                             .must("total", "Exactly the sum of the items.", &UsageView::total);
  return kShape;
}

template <>
const Shape<model::Price>& shapeOf<model::Price>() {
  static const Shape<model::Price> kShape =
      Shape<model::Price>("Price", "What a device of one model costs while valid.")
          .must("deviceModel", "Canonical name.", &model::Price::deviceModel)
          .must("perDeviceHourMicros", "1e-6 of the currency for a device-hour.", &model::Price::perDeviceHour)
          .must("currency", "ISO 4217.", &model::Price::currency)
          .may("from", "First moment; left out: always before `to`.", &model::Price::from)
          .may("to", "First moment after; left out: open end.", &model::Price::to);
  return kShape;
}

template <>
const Shape<model::ProjectMember>& shapeOf<model::ProjectMember>() {
  static const Shape<model::ProjectMember> kShape =
      Shape<model::ProjectMember>("ProjectMember", "Who has which role.")
          .must("name", "Of a user or a group.", &model::ProjectMember::name)
          .must("group", "True for a group.", &model::ProjectMember::isGroup)
          .must("role", "Rising: viewer, member, operator, admin.", &model::ProjectMember::role);
  return kShape;
}

template <>
const Shape<ProjectView>& shapeOf<ProjectView>() {
  static const Shape<ProjectView> kShape =
      Shape<ProjectView>("Project", "Node of the tenant tree.")
          .must("name", "Unique.", [](const auto& v) -> const std::string& { return v.row.name; })
          .may("parent", "Roles are inherited downwards.",
               [](const auto& v) -> const std::string& { return v.row.parent; })
          .must("members", "As declared.", [](const auto& v) -> const auto& { return v.row.members; })
          .must("yourRole", "The caller's own, inherited ones included.", &ProjectView::yourRole);
  return kShape;
}

template <>
const Shape<model::AuditRecord>& shapeOf<model::AuditRecord>() {
  static const Shape<model::AuditRecord> kShape =
      Shape<model::AuditRecord>("AuditRecord", "Who did what, allowed or denied by which rule; hash-chained.")
          .must("sequence", "1, 2, 3 and so on without gaps.", &model::AuditRecord::sequence)
          .must("at", "When.", &model::AuditRecord::at)
          .must("principal", "Who.", &model::AuditRecord::principal)
          .must("action", "What.", &model::AuditRecord::action)
          .may("object", "On what.", &model::AuditRecord::object)
          .may("project", "Where.", &model::AuditRecord::project)
          .must("allowed", "False: denied.", &model::AuditRecord::allowed)
          .must("rule", "What allowed or denied it.", &model::AuditRecord::rule)
          .may("detail", "More.", &model::AuditRecord::detail)
          .must("hash", "SHA-256 over the record before and this one.",
                [](const auto& v) { return codec::toHex(v.hash); });
  return kShape;
}

template <>
const Shape<AuditVerdictView>& shapeOf<AuditVerdictView>() {
  static const Shape<AuditVerdictView> kShape =
      Shape<AuditVerdictView>("AuditVerdict", "Whether the audit trail is what was written.")
          .must("ok", "True: whole and unchanged.", &AuditVerdictView::ok)
          .must("records", "Records looked at.", &AuditVerdictView::records)
          .must("checkpoints", "Signed checkpoints found in the chain.", &AuditVerdictView::checkpoints)
          .may("problem", "Kind of the first problem.", &AuditVerdictView::problem)
          .may("problemSequence", "The record it is about.", &AuditVerdictView::problemSequence)
          .may("text", "The problem in one sentence.", &AuditVerdictView::text);
  return kShape;
}

template <>
const Shape<model::Event>& shapeOf<model::Event>() {
  static const Shape<model::Event> kShape =
      Shape<model::Event>("Event", "One change; the stream's `data`, with `sequence` as the stream's `id`.")
          .must("sequence", "Rises over the whole daemon; streams of one project have gaps in it.",
                &model::Event::sequence)
          .must("at", "When.", &model::Event::at)
          .must("kind", "`workload.queued`, `attempt.running`, `model.created` and so on.", &model::Event::kind)
          .may("project", "Whose.", &model::Event::project)
          .may("workload", "About which workload.", &model::Event::workload)
          .may("attempt", "About which attempt.", &model::Event::attempt)
          .may("detail", "One line for people.", &model::Event::detail);
  return kShape;
}

template <>
const Shape<WhoAmIView>& shapeOf<WhoAmIView>() {
  static const Shape<WhoAmIView> kShape =
      Shape<WhoAmIView>("WhoAmI", "Who the daemon takes the caller for.")
          .must("name", "Principal name.", [](const auto& v) -> const std::string& { return v.principal.name; })
          .must("groups", "Its groups.", [](const auto& v) -> const auto& { return v.principal.groups; })
          .may("unixUser", "Whom its work runs as.",
               [](const auto& v) -> const std::string& { return v.principal.unixUser; })
          .must("siteAdmin", "True: all roles everywhere.", [](const auto& v) { return v.principal.siteAdmin; })
          .must("how", "What the identity rests on.",
                [](const auto& v) -> const std::string& { return v.principal.how; })
          .must("roles", "Project to role, inherited ones included.", &WhoAmIView::roles);
  return kShape;
}

template <>
const Shape<VersionInfo>& shapeOf<VersionInfo>() {
  static const Shape<VersionInfo> kShape = Shape<VersionInfo>("Version", "What answers.")
                                               .must("version", "Of the program.", &VersionInfo::version)
                                               .may("commit", "It was built from.", &VersionInfo::commit)
                                               .must("apiVersions", "That it speaks.", &VersionInfo::apiVersions)
                                               .may("store", "Where it keeps its rows.", &VersionInfo::store);
  return kShape;
}

template <>
const Shape<ErrorView>& shapeOf<ErrorView>() {
  static const Shape<ErrorView> kShape =
      Shape<ErrorView>("ErrorItem", "One thing that is wrong.")
          .must("code", "Stable token.", [](const auto& v) { return v.error.token(); })
          .must("message", "Names field, value and limit.",
                [](const auto& v) -> const std::string& { return v.error.message; })
          .may("field", "`spec.roles[0].devices.count`.",
               [](const auto& v) -> const std::string& { return v.error.field; })
          .may("value", "As given, cut.", [](const auto& v) -> const std::string& { return v.error.value; })
          .may("remedy", "What to do next.", [](const auto& v) -> const std::string& { return v.error.remedy; })
          .may("line", "1-based.", [](const auto& v) { return v.error.line; })
          .may("column", "1-based.", [](const auto& v) { return v.error.column; });
  return kShape;
}

template <>
const Shape<ProblemView>& shapeOf<ProblemView>() {
  static const Shape<ProblemView> kShape =
      Shape<ProblemView>("Problem", "RFC 9457: what went wrong.")
          .must("type", "`urn:fairlead:problem:` and the code of the first error.", &ProblemView::type)
          .must("title", "One line without values.", &ProblemView::title)
          .must("status", "The HTTP status.", &ProblemView::status)
          .must("detail", "What it is this time.", &ProblemView::detail)
          .may("remedy", "What to do next.", &ProblemView::remedy)
          .may("rule", "Of a denial: the rule that denied.", &ProblemView::rule)
          .must("errors", "All that is wrong, in the order of their places.", &ProblemView::errors)
          .may("requestId", "Look for it in the log.", &ProblemView::requestId);
  return kShape;
}

}  // namespace fairlead::api
