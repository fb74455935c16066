#include "views.hpp"

namespace fairlead::api {
namespace {

using model::FailureCategory;

std::vector<std::pair<std::string, std::int32_t>> failuresOf(const model::Workload& row) {
  std::vector<std::pair<std::string, std::int32_t>> counts;
  for (std::size_t i = 1; i < row.failures.size(); ++i)
    if (row.failures[i] > 0) counts.emplace_back(toText(static_cast<FailureCategory>(i)), row.failures[i]);
  return counts;
}

/// The fields that the line of a list and the whole view share.
template <class T, class Line>
void addLineFields(Shape<T>& shape, Line line) {
  const auto row = [line](const T& v) -> const model::Workload& { return line(v).row; };
  shape.must("id", "Short, typed and permanent.", [row](const T& v) { return row(v).id; })
      .must("name", "Given by the submitter; need not be unique.",
            [row](const T& v) -> const std::string& { return row(v).name; })
      .must("project", "Who answers for it.", [row](const T& v) -> const std::string& { return row(v).project; })
      .must("user", "The principal who submitted it.",
            [row](const T& v) -> const std::string& { return row(v).submitter; })
      .must("class", "Task class.", [row](const T& v) { return row(v).spec->spec.taskClass; })
      .must("priority", "Higher goes first; low, normal and high are -100, 0 and 100.",
            [row](const T& v) { return row(v).priority; })
      .must("state", "Where it stands.", [row](const T& v) { return row(v).state; })
      .must("revision", "Grows with every change; the ETag.", [row](const T& v) { return row(v).revision; })
      .must("members", "Processes wanted over all roles.", [line](const T& v) { return line(v).members; })
      .must("devices", "In words, `32 h100`: what it holds, or asks for; empty without devices.",
            [line](const T& v) -> const std::string& { return line(v).devices; })
      .must("milliDevices", "The same as thousandths of a device.", [line](const T& v) { return line(v).milliDevices; })
      .may("cluster", "Of the newest attempt, or of the native job.",
           [line](const T& v) -> const std::string& { return line(v).cluster; })
      .may("native", "Of a job that its owner started on the cluster itself: seen, counted and charged, never touched.",
           [row](const T& v) { return row(v).native ? std::optional(*row(v).native) : std::nullopt; })
      .may("waitingFor", "While it waits: what for, in a few words.",
           [line](const T& v) -> const std::string& { return line(v).waitingFor; })
      .must("attemptCount", "Attempts made so far.", [row](const T& v) { return row(v).attempts; })
      .may("currentAttempt", "The newest attempt.", [row](const T& v) { return row(v).currentAttempt; })
      .may("failure", "Why the last ended attempt ended badly.",
           [row](const T& v) {
             return row(v).failure == FailureCategory::none ? std::optional<FailureCategory>() : row(v).failure;
           })
      .may("message", "The last thing worth telling.",
           [row](const T& v) -> const std::string& { return row(v).message; })
      .may("labels", "As submitted.", [row](const T& v) -> const model::Labels& { return row(v).labels; })
      .may("arrayParent", "The array this is an element of.", [row](const T& v) { return row(v).arrayParent; })
      .may("arrayIndex", "Its index there.",
           [row](const T& v) { return row(v).arrayIndex < 0 ? std::optional<std::int32_t>() : row(v).arrayIndex; })
      .may("elements", "Of an array: its elements.",
           [row](const T& v) {
             return row(v).spec->spec.array && !row(v).arrayParent ? model::elementCount(row(v).spec->spec) : 0;
           })
      .may("elementsStarted", "Of an array: elements that have become workloads of their own.",
           [row](const T& v) { return row(v).elementsStarted; })
      .must("submittedAt", "When it was taken in.", [row](const T& v) { return row(v).submittedAt; })
      .may("queuedAt", "When it last entered the queue.", [row](const T& v) { return row(v).queuedAt; })
      .may("notBefore", "It does not start earlier.", [row](const T& v) { return row(v).notBefore; })
      .may("startedAt", "When its newest attempt started.", [row](const T& v) { return row(v).startedAt; })
      .may("endedAt", "When it ended for good.", [row](const T& v) { return row(v).endedAt; });
}

}  // namespace

template <>
const Shape<model::NativeOrigin>& shapeOf<model::NativeOrigin>() {
  using model::NativeOrigin;
  static const Shape<NativeOrigin> kShape =
      Shape<NativeOrigin>("NativeOrigin", "A native job in its own cluster's words.")
          .must("cluster", "Where.", &NativeOrigin::cluster)
          .must("id", "Its id there.", &NativeOrigin::id)
          .may("account", "What the cluster charges.", &NativeOrigin::account)
          .may("queue", "Its partition or namespace.", &NativeOrigin::queue)
          .may("qos", "Its quality of service.", &NativeOrigin::qos)
          .may("state", "The cluster's word for its state.", &NativeOrigin::state)
          .may("reason", "The cluster's word for why it waits or ended.", &NativeOrigin::reason)
          .must("jobs", "Pending elements that are one record; else 1.", &NativeOrigin::jobs);
  return kShape;
}

template <>
const Shape<WorkloadLine>& shapeOf<WorkloadLine>() {
  static const Shape<WorkloadLine> kShape = [] {
    Shape<WorkloadLine> shape("WorkloadLine", "A workload as lists show it.");
    addLineFields(shape, [](const WorkloadLine& v) -> const WorkloadLine& { return v; });
    return shape;
  }();
  return kShape;
}

template <>
const Shape<WorkloadView>& shapeOf<WorkloadView>() {
  static const Shape<WorkloadView> kShape = [] {
    Shape<WorkloadView> shape("Workload", "A workload with its spec, attempts, last decision and cost so far.");
    addLineFields(shape, [](const WorkloadView& v) -> const WorkloadLine& { return v.line; });
    shape
        .may("unixUser", "The Unix user its processes run as.",
             [](const auto& v) -> const std::string& { return v.line.row.unixUser; })
        .may("queuePosition", "1 is next; left out when it does not stand in the queue.",
             [](const auto& v) { return v.queuePosition; })
        .may("avoidNodes", "Nodes whose fault ended an attempt.",
             [](const auto& v) -> const auto& { return v.line.row.avoidNodes; })
        .may("failures", "Ended attempts by failure category.", [](const auto& v) { return failuresOf(v.line.row); })
        .must("spec", "The checked spec in canonical form: defaults are left out.",
              [](const auto& v) { return RawJson{v.line.row.spec->json}; })
        .must("attempts", "All attempts, the first first.", [](const auto& v) -> const auto& { return v.attempts; })
        .may("decision", "While it waits: the verdict of the planner now.",
             [](const auto& v) -> const auto& { return v.decision; })
        .may("cost", "Device time and money so far.", [](const auto& v) -> const auto& { return v.cost; })
        .may("models", "Model versions that came out of it.", [](const auto& v) -> const auto& { return v.versions; });
    return shape;
  }();
  return kShape;
}

template <>
const Shape<NotMappedView>& shapeOf<NotMappedView>() {
  static const Shape<NotMappedView> kShape =
      Shape<NotMappedView>("NotMapped", "A directive of a script that has no effect here.")
          .must("directive", "`--mail-user`.", &NotMappedView::directive)
          .may("value", "As given.", &NotMappedView::value)
          .must("why", "The reason.", &NotMappedView::why);
  return kShape;
}

template <>
const Shape<SubmittedItem>& shapeOf<SubmittedItem>() {
  static const Shape<SubmittedItem> kShape =
      Shape<SubmittedItem>("SubmittedWorkload", "A workload that was taken in, or would be.")
          .may("id", "Left out in a dry run.", [](const auto& v) { return v.id; })
          .must("name", "Its name.", &SubmittedItem::name)
          .must("project", "Its project.", &SubmittedItem::project)
          .must("class", "Task class.", &SubmittedItem::taskClass)
          .must("state", "`queued` or `held`; of a repeated request: its state now.", &SubmittedItem::state)
          .must("revision", "The ETag.", &SubmittedItem::revision)
          .must("devices", "What it asks for, in words.", &SubmittedItem::devices)
          .may("elements", "Elements of an array.", [](const auto& v) { return v.elements > 1 ? v.elements : 0; })
          .may("queuePosition", "Only when asked for with `position=true`.",
               [](const auto& v) { return v.queuePosition; })
          .may("decision", "Of a dry run: what would happen to it now.",
               [](const auto& v) -> const auto& { return v.decision; });
  return kShape;
}

template <>
const Shape<SubmittedView>& shapeOf<SubmittedView>() {
  static const Shape<SubmittedView> kShape =
      Shape<SubmittedView>("Submitted", "Answer to a submission.")
          .must("items", "In the order of the documents.", [](const auto& v) -> const auto& { return v.items; })
          .must("notMapped", "What of a script has no effect here; never silently dropped.",
                [](const auto& v) -> const auto& { return v.notMapped; })
          .may("repeated", "True when answered from an idempotency key.", &SubmittedView::repeated)
          .may("dryRun", "True when nothing was stored.", &SubmittedView::dryRun);
  return kShape;
}

template <>
const Shape<BatchView>& shapeOf<BatchView>() {
  static const Shape<BatchView> kShape =
      Shape<BatchView>("SubmittedBatch",
                       "Answer to a batch: the new workloads have the sequence numbers first, first+1 and so on.")
          .must("first", "Id of the first.", &BatchView::first)
          .must("count", "How many.", &BatchView::count)
          .may("repeated", "True when answered from an idempotency key.", &BatchView::repeated)
          .may("ids", "All ids, when asked for with `ids=true`.", [](const auto& v) -> const auto& { return v.ids; });
  return kShape;
}

template <>
const Shape<ActView>& shapeOf<ActView>() {
  static const Shape<ActView> kShape = Shape<ActView>("Acted", "Where the workload stands after the action.")
                                           .must("id", "The workload.", &ActView::id)
                                           .must("state", "Its state now.", &ActView::state)
                                           .must("revision", "The ETag.", &ActView::revision)
                                           .must("changed", "False: it already was so.", &ActView::changed);
  return kShape;
}

}  // namespace fairlead::api
