#include <fairlead/base/assert.hpp>
#include <fairlead/ledger/postings.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace fairlead::ledger {
namespace {

using model::Attempt;
using model::MemberPlacement;
using model::Workload;

/// The instants of one member, each within its bounds: planned <= started <= saved <= worked <= own <= ended.
struct Instants {
  TimePoint planned, started, saved, worked, own, ended;
};

Instants instantsOf(const Attempt& attempt, TimePoint memberEnded, TimePoint end, bool workLost) {
  Instants at;
  at.planned = attempt.plannedAt;
  at.ended = std::max(end, at.planned);
  at.started = attempt.startedAt ? std::clamp(attempt.startedAt, at.planned, at.ended) : at.ended;
  at.own = std::clamp(memberEnded, at.started, at.ended);
  at.worked = attempt.stopAt ? std::clamp(attempt.stopAt, at.started, at.own) : at.own;
  at.saved = workLost ? std::clamp(attempt.checkpointAt, at.started, at.worked) : at.worked;
  return at;
}

MilliDevices devicesOf(const MemberPlacement& member) {
  MilliDevices sum;
  for (const auto& slice : member.devices) sum += slice.milli;
  return sum;
}

/// Adds up members that differ in nothing a posting tells. Ordered: the same attempt always gives the same rows.
class Collector {
 public:
  void add(const MemberPlacement& member, MilliDevices devices, PostingCategory category, TimePoint from,
           TimePoint to) {
    if (from >= to) return;
    sums_[Key{member.node, member.vendor, member.model, from, to, category}] += devices;
  }

  [[nodiscard]] std::vector<Posting> take(const Workload& workload, const Attempt& attempt) const {
    std::vector<Posting> postings;
    postings.reserve(sums_.size());
    for (const auto& [key, devices] : sums_) {
      Posting posting;
      posting.workload = workload.id;
      posting.attempt = attempt.id;
      posting.project = workload.project;
      posting.user = workload.submitter;
      posting.taskClass = workload.spec->spec.taskClass;
      posting.cluster = attempt.cluster;
      std::tie(posting.node, posting.vendor, posting.deviceModel, posting.from, posting.to, posting.category) = key;
      posting.devices = devices;
      postings.push_back(std::move(posting));
    }
    return postings;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, TimePoint, TimePoint, PostingCategory>;
  std::map<Key, MilliDevices> sums_;
};

std::vector<Posting> collect(const Workload& workload, const Attempt& attempt, TimePoint end, bool workLost) {
  FL_ASSERT(workload.spec != nullptr, "a workload has a spec");
  const bool lost = workLost && canLoseWork(workload.spec->spec.taskClass);
  std::map<std::int32_t, TimePoint> ends;  // a gang of thousands: not one search of all ends per member
  for (const auto& memberEnd : attempt.ends)
    if (memberEnd.at) ends.emplace(memberEnd.rank, memberEnd.at);
  Collector rows;
  for (const auto& member : attempt.placement) {
    const auto devices = devicesOf(member);
    if (devices.count == 0) continue;
    const auto own = ends.find(member.rank);
    const auto at = instantsOf(attempt, own == ends.end() ? end : own->second, end, lost);
    rows.add(member, devices, PostingCategory::overhead, at.planned, at.started);
    rows.add(member, devices, PostingCategory::used, at.started, at.saved);
    rows.add(member, devices, PostingCategory::lost, at.saved, at.worked);
    rows.add(member, devices, PostingCategory::overhead, at.worked, at.own);
    rows.add(member, devices, PostingCategory::idle, at.own, at.ended);
  }
  return rows.take(workload, attempt);
}

}  // namespace

bool canLoseWork(model::TaskClass taskClass) {
  return taskClass == model::TaskClass::training || taskClass == model::TaskClass::interactive;
}

std::vector<Posting> postingsOf(const Workload& workload, const Attempt& attempt, bool workLost) {
  return collect(workload, attempt, attempt.endedAt, workLost);
}

std::vector<Posting> accruedPostings(const Workload& workload, const Attempt& attempt, TimePoint now) {
  if (attempt.endedAt) return {};
  return collect(workload, attempt, now, false);
}

MicroDeviceSeconds amount(const Posting& posting) { return posting.devices * (posting.to - posting.from); }

MicroDeviceSeconds lostWork(std::span<const Posting> postings) {
  MicroDeviceSeconds sum;
  for (const auto& posting : postings)
    if (posting.category == PostingCategory::lost) sum += amount(posting);
  return sum;
}

MicroDeviceSeconds lostWork(const Workload& workload, const Attempt& attempt, bool workLost) {
  return lostWork(postingsOf(workload, attempt, workLost));
}

}  // namespace fairlead::ledger
