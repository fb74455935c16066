#include <fairlead/base/text.hpp>
#include <fairlead/model/reason.hpp>

#include <fmt/format.h>

namespace fairlead::model {
namespace {

/// Operand i as a number; 0 where the maker gave none, so that a render never fails.
std::int64_t number(const Reason& reason, std::size_t i) {
  if (i >= reason.operands.size()) return 0;
  const auto* value = std::get_if<std::int64_t>(&reason.operands[i]);
  return value == nullptr ? 0 : *value;
}

std::string text(const Reason& reason, std::size_t i) {
  if (i >= reason.operands.size()) return {};
  const auto* value = std::get_if<std::string>(&reason.operands[i]);
  return value == nullptr ? std::to_string(number(reason, i)) : *value;
}

std::string thousandths(const Reason& reason, std::size_t i) { return thousandthsToText(number(reason, i)); }
std::string bytes(const Reason& reason, std::size_t i) { return fairlead::toText(Bytes{number(reason, i)}); }
std::string moment(const Reason& reason, std::size_t i) { return fairlead::toText(TimePoint{number(reason, i)}); }

}  // namespace

std::string render(const Reason& r) {
  switch (r.code) {
    case ReasonCode::devicesShort:
      return fmt::format("{} {} asked for, {} free", thousandths(r, 0), text(r, 2), thousandths(r, 1));
    case ReasonCode::devicesFragmented:
      return fmt::format("{} {} on one node asked for, the freest node has {}", thousandths(r, 0), text(r, 2),
                         thousandths(r, 1));
    case ReasonCode::cpusShort:
      return fmt::format("{} cpus on one node asked for, the freest has {}", thousandths(r, 0), thousandths(r, 1));
    case ReasonCode::memoryShort:
      return fmt::format("{} of memory on one node asked for, the freest has {}", bytes(r, 0), bytes(r, 1));
    case ReasonCode::gangIncomplete:
      return fmt::format("{} of {} members fit now; they start together or not at all", number(r, 0), number(r, 1));
    case ReasonCode::behindReservation:
      return fmt::format("{} has waited longest and its devices are kept for it since {}", text(r, 0), moment(r, 1));
    case ReasonCode::beyondDepth:
      return fmt::format("position {} in the queue; each planning looks at the first {}", number(r, 0), number(r, 1));
    case ReasonCode::dependencyOpen:
      return fmt::format("waits until {} has {}", text(r, 0), text(r, 1));
    case ReasonCode::dependencyNever:
      return fmt::format("{} can no longer become {}", text(r, 0), text(r, 1));
    case ReasonCode::beginTime:
      return fmt::format("asked to begin at {}", moment(r, 0));
    case ReasonCode::backoff:
      return fmt::format("waits until {} before attempt {}", moment(r, 0), number(r, 1) + 1);
    case ReasonCode::arrayLimit:
      return fmt::format("{} elements run, the array allows {} at once", number(r, 0), number(r, 1));
    case ReasonCode::nodeAvoided:
      return fmt::format("node {} ended an earlier attempt and is avoided", text(r, 0));
    case ReasonCode::neverDevices:
      return fmt::format("{} {} asked for, the connected clusters have {} in all", thousandths(r, 0), text(r, 2),
                         thousandths(r, 1));
    case ReasonCode::neverCpus:
      return fmt::format("{} cpus per member asked for, the largest node has {}", thousandths(r, 0), thousandths(r, 1));
    case ReasonCode::neverMemory:
      return fmt::format("{} of memory per member asked for, the largest node has {}", bytes(r, 0), bytes(r, 1));
    case ReasonCode::neverModel:
      return fmt::format("no connected cluster has {}", text(r, 0));
    case ReasonCode::neverTopology:
      return fmt::format("no connected cluster knows the topology level \"{}\"", text(r, 0));
    case ReasonCode::noCluster:
      return "no cluster is ready";
    case ReasonCode::held:
      return "held; release it with: fairlead release";
    case ReasonCode::nativeWaits:
      return fmt::format("it waits in the queue of {}, which says: {}", text(r, 0), text(r, 1));
    case ReasonCode::handedOver:
      return fmt::format("handed over to the queue of {}, which starts it when its turn comes", text(r, 0));
    case ReasonCode::notGoverned:
      return fmt::format("nothing of project {} may be started on {}, which is only looked at", text(r, 0), text(r, 1));
    case ReasonCode::placed:
      return fmt::format("placed on {}", text(r, 0));
  }
  return "unknown reason";
}

std::string renderShort(const Reason& r) {
  switch (r.code) {
    case ReasonCode::devicesShort:
      return fmt::format("{} {} more", thousandthsToText(number(r, 0) - number(r, 1)), text(r, 2));
    case ReasonCode::devicesFragmented:
      return fmt::format("{} {} on one node", thousandths(r, 0), text(r, 2));
    case ReasonCode::cpusShort:
      return "cpus";
    case ReasonCode::memoryShort:
      return "memory";
    case ReasonCode::gangIncomplete:
      return fmt::format("{} more members", number(r, 1) - number(r, 0));
    case ReasonCode::behindReservation:
      return fmt::format("turn of {}", text(r, 0));
    case ReasonCode::beyondDepth:
      return fmt::format("position {}", number(r, 0));
    case ReasonCode::dependencyOpen:
      return text(r, 0);
    case ReasonCode::dependencyNever:
      return fmt::format("{}, in vain", text(r, 0));
    case ReasonCode::beginTime:
      return moment(r, 0);
    case ReasonCode::backoff:
      return "back-off";
    case ReasonCode::arrayLimit:
      return "array limit";
    case ReasonCode::nodeAvoided:
      return "another node";
    case ReasonCode::neverDevices:
      return fmt::format("never: {} {}", thousandths(r, 0), text(r, 2));
    case ReasonCode::neverCpus:
      return "never: cpus";
    case ReasonCode::neverMemory:
      return "never: memory";
    case ReasonCode::neverModel:
      return fmt::format("never: {}", text(r, 0));
    case ReasonCode::neverTopology:
      return fmt::format("never: {}", text(r, 0));
    case ReasonCode::noCluster:
      return "a cluster";
    case ReasonCode::held:
      return "release";
    case ReasonCode::nativeWaits:
      return text(r, 1);
    case ReasonCode::handedOver:
      return "";
    case ReasonCode::notGoverned:
      return "denied: not governed";
    case ReasonCode::placed:
      return "";
  }
  return "";
}

}  // namespace fairlead::model
