// QOS, accounts, associations, users, clusters and the table of resources. Which limit stands where is said by
// slurmrestd's own description (GET /openapi/v3 of 24.11 and 26.05); the two releases and 22.05 agree about it.
#include "rest_list.hpp"

namespace fairlead::codec::slurm {
namespace {

using namespace field;
using enum ApiVersion;
using Q = SlurmQos;
using A = SlurmAccount;
using S = SlurmAssociation;
using U = SlurmUser;
using C = SlurmCluster;

template <auto Member, class Record>
void limitCount(FieldReader& in, Record& record) {
  readCount(in, record.limits.*Member);
}
template <auto Member, class Record>
void limitMinutes(FieldReader& in, Record& record) {
  readMinutes(in, record.limits.*Member);
  (record.limits.*Member).unlimited = false;  // no limit is "unset" here
}
template <auto Member, class Record>
void limitTres(FieldReader& in, Record& record) {
  readTresList(in, record.limits.*Member);
}
using L = SlurmLimits;

/// A decimal as thousandths.
void usageFactor(FieldReader& in, Q& qos) {
  JsonNumber number;
  if (!in.json.readNumber(number) || !number.set) return;
  std::int64_t milli = number.value * 1000, unit = 100;
  if (const auto dot = number.raw.find('.'); dot != std::string_view::npos)
    for (const char c : number.raw.substr(dot + 1, 3)) {
      if (c < '0' || c > '9') break;
      milli += (c - '0') * unit;
      unit /= 10;
    }
  if (number.value >= 0 && number.value < 1'000'000) qos.usageFactorMilli = milli;
}

constexpr std::array kQosRows = std::to_array<FieldRow<Q>>({
    {"id", count<&Q::id>},
    {"name", text<&Q::name>},
    {"description", text<&Q::description>},
    {"priority", count<&Q::priority>},
    {"flags", words<&Q::flags>},
    {"preempt.list", words<&Q::preempts>},
    {"preempt.mode", words<&Q::preemptModes>},
    {"usage_factor", usageFactor},
    {"limits.grace_time", seconds<&Q::graceTime>},
    {"limits.max.active_jobs.count", limitCount<&L::groupJobs>},
    {"limits.max.jobs.count", limitCount<&L::groupSubmit>, v41},
    {"limits.max.jobs.active_jobs.per.user", limitCount<&L::maxJobs>},
    {"limits.max.jobs.active_jobs.per.account", limitCount<&L::maxJobsPerAccount>},
    {"limits.max.jobs.per.user", limitCount<&L::maxSubmit>},
    {"limits.max.jobs.per.account", limitCount<&L::maxSubmitPerAccount>},
    {"limits.max.wall_clock.per.job", limitMinutes<&L::maxWall>},
    {"limits.max.wall_clock.per.qos", limitMinutes<&L::groupWall>},
    {"limits.max.tres.total", limitTres<&L::group>},
    {"limits.max.tres.minutes.total", limitTres<&L::groupMinutes>, v41},
    {"limits.max.tres.minutes.per.qos", limitTres<&L::groupRunMinutes>},
    {"limits.max.tres.minutes.per.job", limitTres<&L::maxMinutesPerJob>},
    {"limits.max.tres.per.job", limitTres<&L::maxPerJob>},
    {"limits.max.tres.per.node", limitTres<&L::maxPerNode>},
    {"limits.max.tres.per.user", limitTres<&L::maxPerUser>},
    {"limits.max.tres.per.account", limitTres<&L::maxPerAccount>},
    {"limits.min.tres.per.job", limitTres<&L::minPerJob>},
});

/// Words of both spellings become one: `DISABLED` is no mode.
bool completeQos(FieldReader& in, Q& qos) {
  std::erase_if(qos.preemptModes, [](const std::string& word) { return word == "DISABLED"; });
  if (!qos.name.empty()) return true;
  in.path = "name";
  in.wrong("no name");
  return false;
}

void coordinators(FieldReader& in, A& account) {
  account.coordinators.clear();
  if (in.json.kind() != JsonKind::array) {
    in.json.skipValue();
    return;
  }
  in.json.array([&] {  // names, or objects with one
    if (in.json.kind() == JsonKind::string) return readText(in, account.coordinators.emplace_back());
    if (in.json.kind() != JsonKind::object) {
      in.json.skipValue();
      return;
    }
    in.json.object([&](std::string_view key) {
      if (key == "name")
        readText(in, account.coordinators.emplace_back());
      else
        in.json.skipValue();
    });
  });
}

void accountFlags(FieldReader& in, A& account) {
  Words found;
  readWords(in, found);
  for (const auto& word : found) account.deleted |= word == "DELETED";
}

constexpr std::array kAccountRows = std::to_array<FieldRow<A>>({
    {"name", text<&A::name>},
    {"description", text<&A::description>},
    {"organization", text<&A::organization>},
    {"coordinators", coordinators},
    {"flags", accountFlags},
});

bool completeAccount(FieldReader& in, A& account) {
  if (!account.name.empty()) return true;
  in.path = "name";
  in.wrong("no name");
  return false;
}

/// The parent's share is written as the largest number.
void shares(FieldReader& in, S& association) {
  JsonNumber number;
  if (!in.json.readNumber(number)) return;
  association.shares = number.set && number.value >= 0 && number.value < 0x7FFF'FFFF ? number.value : kSharesParent;
}

constexpr std::array kAssociationRows = std::to_array<FieldRow<S>>({
    {"id", count<&S::id>, v41},
    {"cluster", text<&S::cluster>},
    {"account", text<&S::account>},
    {"user", text<&S::user>},
    {"partition", text<&S::partition>},
    {"parent_account", text<&S::parentAccount>},
    {"default.qos", text<&S::defaultQos>},
    {"lineage", text<&S::lineage>, v40},
    {"qos", words<&S::qos>},
    {"shares_raw", shares},
    {"is_default", flag<&S::isDefault>},
    {"priority", count<&S::priority>},
    {"max.jobs.active", limitCount<&L::maxJobs>},
    {"max.jobs.total", limitCount<&L::maxSubmit>},
    {"max.jobs.per.count", limitCount<&L::groupJobs>},
    {"max.jobs.per.submitted", limitCount<&L::groupSubmit>},
    {"max.jobs.per.wall_clock", limitMinutes<&L::maxWall>},
    {"max.per.account.wall_clock", limitMinutes<&L::groupWall>},
    {"max.tres.total", limitTres<&L::group>},
    {"max.tres.group.minutes", limitTres<&L::groupMinutes>},
    {"max.tres.group.active", limitTres<&L::groupRunMinutes>},
    {"max.tres.minutes.per.job", limitTres<&L::maxMinutesPerJob>},
    {"max.tres.per.job", limitTres<&L::maxPerJob>},
    {"max.tres.per.node", limitTres<&L::maxPerNode>},
});

bool completeAssociation(FieldReader& in, S& association) {
  if (!association.account.empty()) return true;
  in.path = "account";
  in.wrong("no account");
  return false;
}

constexpr std::array kUserRows = std::to_array<FieldRow<U>>({
    {"name", text<&U::name>},
    {"default.account", text<&U::defaultAccount>},
    {"default.wckey", text<&U::defaultWckey>},
    {"administrator_level", words<&U::adminLevels>},
});

constexpr std::array kClusterRows = std::to_array<FieldRow<C>>({
    {"name", text<&C::name>},
    {"controller.host", text<&C::controllerHost>},
    {"controller.port", count<&C::controllerPort>},
    {"rpc_version", count<&C::rpcVersion>},
    {"nodes", text<&C::nodes>},
    {"tres", tresList<&C::tres>},
});

void tresId(FieldReader& in, TresCount& entry) {
  std::int64_t value = 0;
  readCount(in, value);
  entry.id = value > 0 && value <= 0x7FFF'FFFF ? static_cast<std::int32_t>(value) : 0;
}

constexpr std::array kTresRows = std::to_array<FieldRow<TresCount>>({
    {"type", text<&TresCount::type>},
    {"name", text<&TresCount::name>},
    {"id", tresId},
});

constexpr std::array<std::string_view, 2> kQos = {"qos", "QOS"};
constexpr std::array<std::string_view, 1> kAccounts = {"accounts"};
constexpr std::array<std::string_view, 1> kAssociations = {"associations"};
constexpr std::array<std::string_view, 1> kUsers = {"users"};
constexpr std::array<std::string_view, 1> kClusters = {"clusters"};
constexpr std::array<std::string_view, 2> kTres = {"TRES", "tres"};

const ListShape<Q> kQosShape{kQosRows, kQos, completeQos, nullptr};
const ListShape<A> kAccountShape{kAccountRows, kAccounts, completeAccount, nullptr};
const ListShape<S> kAssociationShape{kAssociationRows, kAssociations, completeAssociation, nullptr};
const ListShape<U> kUserShape{kUserRows, kUsers, keepAll<U>, nullptr};
const ListShape<C> kClusterShape{kClusterRows, kClusters, keepAll<C>, nullptr};
const ListShape<TresCount> kTresShape{kTresRows, kTres, keepAll<TresCount>, nullptr};

}  // namespace

SlurmList<SlurmQos> decodeQos(ApiVersion version, const RestAnswer& answer) {
  return readList(kQosShape, version, answer);
}
SlurmList<SlurmAccount> decodeAccounts(ApiVersion version, const RestAnswer& answer) {
  return readList(kAccountShape, version, answer);
}
SlurmList<SlurmAssociation> decodeAssociations(ApiVersion version, const RestAnswer& answer) {
  return readList(kAssociationShape, version, answer);
}
SlurmList<SlurmUser> decodeUsers(ApiVersion version, const RestAnswer& answer) {
  return readList(kUserShape, version, answer);
}
SlurmList<SlurmCluster> decodeClusters(ApiVersion version, const RestAnswer& answer) {
  return readList(kClusterShape, version, answer);
}
SlurmList<TresCount> decodeTresTable(ApiVersion version, const RestAnswer& answer) {
  return readList(kTresShape, version, answer);
}

}  // namespace fairlead::codec::slurm
