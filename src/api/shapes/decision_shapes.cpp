#include "views.hpp"

namespace fairlead::api {
namespace {

std::string operandsJson(const model::Reason& reason) {
  std::string text;
  codec::JsonWriter json(text);
  json.beginArray();
  for (const auto& operand : reason.operands) std::visit([&](const auto& value) { json.value(value); }, operand);
  json.endArray();
  return text;
}

/// Owns its text, unlike RawJson.
struct Operands {
  std::string json;
};

}  // namespace

template <>
struct JsonOf<Operands> {
  static Type type() { return {.kind = JsonKind::list, .item = {Type{.kind = JsonKind::any}}}; }
  static void write(codec::JsonWriter& json, const Operands& value) { json.raw(value.json); }
  static bool empty(const Operands&) { return false; }
};

template <>
const Shape<model::Reason>& shapeOf<model::Reason>() {
  static const Shape<model::Reason> kShape =
      Shape<model::Reason>("Reason", "Why: a code with operands, and the same in words.")
          .must("code", "Stable.", &model::Reason::code)
          .must("operands", "Numbers and texts; their meaning stands beside the code in the reference.",
                [](const auto& v) { return Operands{operandsJson(v)}; })
          .must("text", "One English sentence without a final stop.", [](const auto& v) { return model::render(v); })
          .must("shortText", "A few words.", [](const auto& v) { return model::renderShort(v); });
  return kShape;
}

template <>
const Shape<policy::Decision>& shapeOf<policy::Decision>() {
  static const Shape<policy::Decision> kShape =
      Shape<policy::Decision>("Decision", "The planner's verdict.")
          .must("verdict", "`not-now` may change, `never` not with these clusters, `denied` is a rule's word.",
                &policy::Decision::verdict)
          .may("position", "1-based, in the planner's order.", &policy::Decision::position)
          .may("cluster", "Where it is, or would be, placed.", &policy::Decision::cluster)
          .must("reasons", "The most telling first.", &policy::Decision::reasons)
          .may("estimatedStart", "Left out when unknown.", &policy::Decision::estimatedStart);
  return kShape;
}

template <>
const Shape<ExplanationView::Holder>& shapeOf<ExplanationView::Holder>() {
  using Holder = ExplanationView::Holder;
  static const Shape<Holder> kShape =
      Shape<Holder>("Holder", "Who holds devices that the workload could use.")
          .may("workload", "Left out when the caller may not see whose it is.",
               [](const auto& v) { return v.hidden ? model::WorkloadId{} : v.workload; })
          .may("name", "Its name.", [](const auto& v) { return v.hidden ? std::string() : v.name; })
          .may("project", "Its project.", [](const auto& v) { return v.hidden ? std::string() : v.project; })
          .must("milliDevices", "How much.", &Holder::devices)
          .may("endsBy", "Latest end by its time limit; left out when it has none.", &Holder::endsBy);
  return kShape;
}

template <>
const Shape<ExplanationView>& shapeOf<ExplanationView>() {
  static const Shape<ExplanationView> kShape =
      Shape<ExplanationView>("Explanation", "Why a workload stands where it stands.")
          .must("workload", "Which.", [](const auto& v) -> const auto& { return v.line; })
          .must("decision", "The verdict now.", &ExplanationView::decision)
          .must("holders", "Soonest end first.", [](const auto& v) -> const auto& { return v.holders; })
          .may("reservedFor", "The workload whose turn comes before any that would delay it.",
               &ExplanationView::reservedFor)
          .must("queueLength", "Workloads in the queue.", &ExplanationView::queueLength);
  return kShape;
}

}  // namespace fairlead::api
