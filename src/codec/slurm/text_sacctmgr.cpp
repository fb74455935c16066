// sacctmgr -P with its header, and the arguments of sacct and sacctmgr.
#include "columns.hpp"

#include <array>

namespace fairlead::codec::slurm {
namespace {

using namespace column;
using A = SlurmAssociation;
using Q = SlurmQos;
using L = SlurmLimits;

template <auto Member, class Record>
bool limitCount(std::string_view value, Record& r, const TextContext&) {
  auto& out = r.limits.*Member;
  out.reset();
  if (isUnsetText(value)) return true;
  out = parseCount(value);
  return out.has_value();
}
template <auto Member, class Record>
bool limitTres(std::string_view value, Record& r, const TextContext&) {
  return readTres(value, r.limits.*Member);
}
template <auto Member, class Record>
bool limitWall(std::string_view value, Record& r, const TextContext&) {
  return readLimit(value, r.limits.*Member);
}

bool share(std::string_view value, A& association, const TextContext&) {
  if (value == "parent") {
    association.shares = kSharesParent;
    return true;
  }
  const auto number = parseCount(value);
  association.shares = number.value_or(1);
  return number.has_value();
}

constexpr std::array kAssociationRows = std::to_array<ColumnRow<A>>({
    {"Cluster", text<&A::cluster>},
    {"Account", text<&A::account>},
    {"User", text<&A::user>},
    {"Partition", text<&A::partition>},
    {"Par Name", text<&A::parentAccount>},
    {"ParentName", text<&A::parentAccount>},
    {"ID", count<&A::id>},
    {"Share", share},
    {"Priority", count<&A::priority>},
    {"GrpJobs", limitCount<&L::groupJobs>},
    {"GrpSubmit", limitCount<&L::groupSubmit>},
    {"GrpWall", limitWall<&L::groupWall>},
    {"GrpTRES", limitTres<&L::group>},
    {"GrpTRESMins", limitTres<&L::groupMinutes>},
    {"GrpTRESRunMins", limitTres<&L::groupRunMinutes>},
    {"MaxJobs", limitCount<&L::maxJobs>},
    {"MaxSubmit", limitCount<&L::maxSubmit>},
    {"MaxWall", limitWall<&L::maxWall>},
    {"MaxTRES", limitTres<&L::maxPerJob>},
    {"MaxTRESPerNode", limitTres<&L::maxPerNode>},
    {"MaxTRESMins", limitTres<&L::maxMinutesPerJob>},
    {"QOS", words<&A::qos>},
    {"Def QOS", text<&A::defaultQos>},
});

/// Flags as JSON spells them.
bool qosFlags(std::string_view value, Q& qos, const TextContext& context) {
  struct Spelling {
    std::string_view here, there;
  };
  constexpr std::array kFlags = std::to_array<Spelling>({
      {"DenyOnLimit", "DENY_LIMIT"},
      {"EnforceUsageThreshold", "ENFORCE_USAGE_THRESHOLD"},
      {"NoReserve", "NO_RESERVE"},
      {"NoDecay", "NO_DECAY"},
      {"OverPartQOS", "OVERRIDE_PARTITION_QOS"},
      {"PartitionMaxNodes", "PARTITION_MAXIMUM_NODE"},
      {"PartitionMinNodes", "PARTITION_MINIMUM_NODE"},
      {"PartitionTimeLimit", "PARTITION_TIME_LIMIT"},
      {"Relative", "RELATIVE"},
      {"RequiresReservation", "REQUIRED_RESERVATION"},
      {"UsageFactorSafe", "USAGE_FACTOR_SAFE"},
  });
  words<&Q::flags>(value, qos, context);
  for (auto& flag : qos.flags)
    for (const auto& row : kFlags)
      if (flag == row.here) flag = row.there;
  return true;
}
/// `cluster` is the cluster's own mode.
bool preemptModes(std::string_view value, Q& qos, const TextContext& context) {
  words<&Q::preemptModes>(value == "cluster" ? "" : value, qos, context);
  return true;
}
bool usageFactor(std::string_view value, Q& qos, const TextContext&) {
  auto rest = value;
  const auto whole = parseCount(takeUntil(rest, '.'));
  if (!whole || *whole > 1'000'000) return isUnsetText(value);
  std::int64_t milli = *whole * 1000, unit = 100;
  for (const char c : rest.substr(0, 3)) {
    if (!isDigit(c)) return false;
    milli += (c - '0') * unit;
    unit /= 10;
  }
  qos.usageFactorMilli = milli;
  return true;
}

constexpr std::array kQosRows = std::to_array<ColumnRow<Q>>({
    {"Name", text<&Q::name>},
    {"Descr", text<&Q::description>},
    {"ID", count<&Q::id>},
    {"Priority", count<&Q::priority>},
    {"GraceTime", span<&Q::graceTime>},
    {"Preempt", words<&Q::preempts>},
    {"PreemptMode", preemptModes},
    {"Flags", qosFlags},
    {"UsageFactor", usageFactor},
    {"GrpTRES", limitTres<&L::group>},
    {"GrpTRESMins", limitTres<&L::groupMinutes>},
    {"GrpTRESRunMins", limitTres<&L::groupRunMinutes>},
    {"GrpJobs", limitCount<&L::groupJobs>},
    {"GrpSubmit", limitCount<&L::groupSubmit>},
    {"GrpWall", limitWall<&L::groupWall>},
    {"MaxTRES", limitTres<&L::maxPerJob>},
    {"MaxTRESPerNode", limitTres<&L::maxPerNode>},
    {"MaxTRESMins", limitTres<&L::maxMinutesPerJob>},
    {"MaxWall", limitWall<&L::maxWall>},
    {"MaxTRESPU", limitTres<&L::maxPerUser>},
    {"MaxJobsPU", limitCount<&L::maxJobs>},
    {"MaxSubmitPU", limitCount<&L::maxSubmit>},
    {"MaxTRESPA", limitTres<&L::maxPerAccount>},
    {"MaxJobsPA", limitCount<&L::maxJobsPerAccount>},
    {"MaxSubmitPA", limitCount<&L::maxSubmitPerAccount>},
    {"MinTRES", limitTres<&L::minPerJob>},
});

constexpr std::array kTresRows = std::to_array<ColumnRow<TresCount>>({
    {"Type", text<&TresCount::type>},
    {"Name", text<&TresCount::name>},
    {"ID",
     [](std::string_view value, TresCount& entry, const TextContext&) {
       const auto id = parseCount(value);
       if (!id || *id > 0x7FFF'FFFF) return false;
       entry.id = static_cast<std::int32_t>(*id);
       return true;
     }},
});

constexpr std::array kAccountRows = std::to_array<ColumnRow<SlurmAccount>>({
    {"Account", text<&SlurmAccount::name>},
    {"Descr", text<&SlurmAccount::description>},
    {"Org", text<&SlurmAccount::organization>},
    {"Par Name", text<&SlurmAccount::parent>},
    {"ParentName", text<&SlurmAccount::parent>},
    {"Coord Accounts", words<&SlurmAccount::coordinators>},
});

constexpr std::string_view kSacctColumns =
    "JobID,JobIDRaw,Cluster,User,UID,Group,Account,Partition,QOS,WCKey,Reservation,AssocID,State,Reason,ExitCode,"
    "DerivedExitCode,Submit,Eligible,Start,End,ElapsedRaw,Suspended,TimelimitRaw,NNodes,NodeList,AllocCPUS,ReqTRES,"
    "AllocTRES,Priority,Constraints,Container,JobName,Comment,AdminComment,SystemComment,WorkDir,SubmitLine";

std::string sacctColumns(SlurmRelease release) {
  std::string columns(kSacctColumns);
  if (release >= SlurmRelease{24, 11}) columns += ",Planned,Restarts,FailedNode,Licenses,StdOut,StdErr,SLUID";
  if (release >= SlurmRelease{26, 5}) columns += ",OriginalSLUID";
  return columns;
}

}  // namespace

std::optional<SlurmRelease> parseRelease(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !isDigit(text[at])) ++at;
  text.remove_prefix(at);
  const auto year = parseCount(takeUntil(text, '.'));
  std::size_t length = 0;
  while (length < text.size() && isDigit(text[length])) ++length;
  const auto month = parseCount(text.substr(0, length));
  if (!year || !month || *year > 99 || *month > 12) return {};
  return SlurmRelease{static_cast<std::int32_t>(*year), static_cast<std::int32_t>(*month)};
}

TopBit topBitOf(SlurmRelease release) { return release < SlurmRelease{26, 5} ? TopBit::lost : TopBit::kept; }

SlurmCommand sacctCommand(SlurmRelease release, TimePoint from, TimePoint to) {
  const auto instant = [](TimePoint moment) { return fmt::format("uts{}", moment.msSinceEpoch / 1000); };
  return {{"sacct", "--allusers", "--duplicates", "--parsable2", fmt::format("--delimiter={}", kColumnDelimiter),
           "--starttime=" + instant(from), "--endtime=" + instant(to), "--format=" + sacctColumns(release)},
          {}};
}

SlurmCommand sacctmgrCommand(std::string_view what) {
  std::string format;
  if (what == "associations")
    format =
        "format=Cluster,Account,User,Partition,ParentName,ID,Share,Priority,GrpJobs,GrpSubmit,GrpWall,GrpTRES,"
        "GrpTRESMins,GrpTRESRunMins,MaxJobs,MaxSubmit,MaxWall,MaxTRES,MaxTRESPerNode,MaxTRESMins,QOS,DefaultQOS";
  SlurmCommand command{{"sacctmgr", "--parsable2", "--readonly", "show", std::string(what)}, {}};
  if (!format.empty()) command.argv.push_back(std::move(format));
  return command;
}

SlurmList<SlurmAssociation> decodeAssociationText(std::string_view text) {
  return readColumns<A>(text, {}, kAssociationRows, true, [](A& a) { return !a.account.empty(); });
}
SlurmList<SlurmQos> decodeQosText(std::string_view text) {
  return readColumns<Q>(text, {}, kQosRows, true, [](Q& q) { return !q.name.empty(); });
}
SlurmList<TresCount> decodeTresTableText(std::string_view text) {
  return readColumns<TresCount>(text, {}, kTresRows, true, [](TresCount& t) { return !t.type.empty(); });
}
SlurmList<SlurmAccount> decodeAccountText(std::string_view text) {
  return readColumns<SlurmAccount>(text, {}, kAccountRows, true, [](SlurmAccount& a) { return !a.name.empty(); });
}

}  // namespace fairlead::codec::slurm
