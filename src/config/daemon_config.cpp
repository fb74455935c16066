#include <fairlead/base/assert.hpp>
#include <fairlead/config/daemon_config.hpp>
#include <fairlead/config/errors.hpp>

#include <array>

namespace fairlead::config {
namespace {

using enum OptionType;
using Apply = void (*)(DaemonConfig&, const Value&);
struct Declared {
  OptionDef def;
  Apply apply;
};

const Scalar& scalar(const Value& value) { return std::get<Scalar>(value); }
void assign(std::string& target, const Value& value) { target = std::get<std::string>(scalar(value)); }
void assign(std::int64_t& target, const Value& value) { target = std::get<std::int64_t>(scalar(value)); }
void assign(bool& target, const Value& value) { target = std::get<bool>(scalar(value)); }
template <class Unit>
void assign(Quantity<Unit>& target, const Value& value) {
  target.count = std::get<std::int64_t>(scalar(value));
}
void assign(std::vector<DeclaredDevices>& target, const Value& value) {
  for (const auto& record : std::get<std::vector<Record>>(value))
    target.push_back({std::get<std::string>(record[0].second), std::get<std::string>(record[1].second),
                      std::get<std::int64_t>(record[2].second), Bytes{std::get<std::int64_t>(record[3].second)}});
}

template <class Object>
auto& follow(Object& object) {
  return object;
}
template <class Object, class Member, class... Rest>
auto& follow(Object& object, Member member, Rest... rest) {
  return follow(object.*member, rest...);
}
/// Sets the member at the end of the chain.
template <auto... Members>
constexpr Apply into() {
  return [](DaemonConfig& config, const Value& value) { assign(follow(config, Members...), value); };
}

using C = DaemonConfig;
constexpr std::array<std::string_view, 2> kStores{"sqlite", "memory"};
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> kFormats{"text", "json"};
constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kMiB = 1 << 20;

/// The order is that of assign(std::vector<DeclaredDevices>&, ...).
constexpr std::array<OptionDef, 4> kDeviceFields{{
    {.name = "vendor", .least = 1, .doc = "Vendor as the accelerator table names it: `nvidia`, `amd`, `huawei`."},
    {.name = "model", .least = 1, .doc = "Model as the accelerator table names it: `h100`."},
    {.name = "count",
     .type = integer,
     .unit = "devices",
     .fallback = "1",
     .least = 1,
     .most = 1024,
     .doc = "How many."},
    {.name = "memory",
     .type = bytes,
     .fallback = "0",
     .doc = "Memory of one device; 0: as the accelerator table says."},
}};

/// One line an option. A new one: a member in DaemonConfig and a line here.
constexpr std::array kDeclared = std::to_array<Declared>({
    {{.name = "stateDirectory",
      .type = path,
      .fallback = "/var/lib/fairlead",
      .doc = "Folder of everything the daemon keeps."},
     into<&C::stateDirectory>()},
    {{.name = "projects",
      .type = path,
      .doc = "File of projects, members and roles; none: root and the daemon's own user may do everything."},
     into<&C::projects>()},
    {{.name = "prices", .type = path, .doc = "File of prices per device model and hour; none: cost is 0."},
     into<&C::prices>()},
    {{.name = "clusters",
      .type = path,
      .fallback = "${stateDirectory}/clusters",
      .doc = "Folder of cluster documents (`kind: Cluster`), one a file; read at start and on SIGHUP."},
     into<&C::clusters>()},

    {{.name = "store.kind",
      .fallback = "sqlite",
      .choices = kStores,
      .doc = "Where rows are kept; memory forgets them at the end."},
     into<&C::store, &C::Store::kind>()},
    {{.name = "store.path",
      .type = path,
      .fallback = "${stateDirectory}/fairlead.db",
      .doc = "File of the sqlite store."},
     into<&C::store, &C::Store::path>()},

    {{.name = "listen.unix",
      .type = path,
      .fallback = "${stateDirectory}/fairlead.sock",
      .doc = "Socket for users of this host; who asks is told by the kernel."},
     into<&C::listen, &C::Listen::unixSocket>()},
    {{.name = "listen.tcp", .doc = "Address and port, such as `127.0.0.1:7171`; none: no TCP."},
     into<&C::listen, &C::Listen::tcp>()},
    {{.name = "listen.tlsCertificate", .type = path, .doc = "Certificate chain (PEM) for `listen.tcp`."},
     into<&C::listen, &C::Listen::tlsCertificate>()},
    {{.name = "listen.tlsKey", .type = path, .doc = "Key (PEM) of the certificate."},
     into<&C::listen, &C::Listen::tlsKey>()},
    {{.name = "listen.tokens",
      .type = path,
      .doc = "File of bearer tokens, as digests, with the user each stands for."},
     into<&C::listen, &C::Listen::tokens>()},

    {{.name = "http.ioThreads",
      .type = integer,
      .unit = "threads",
      .fallback = "1",
      .least = 1,
      .most = 64,
      .doc = "Threads that move bytes."},
     into<&C::http, &C::Http::ioThreads>()},
    {{.name = "http.workers",
      .type = integer,
      .unit = "threads",
      .fallback = "4",
      .least = 1,
      .most = 256,
      .doc = "Threads that answer reads."},
     into<&C::http, &C::Http::workers>()},
    {{.name = "http.maxConnections",
      .type = integer,
      .unit = "connections",
      .fallback = "4096",
      .least = 1,
      .most = 100'000,
      .doc = "Over it: 503."},
     into<&C::http, &C::Http::maxConnections>()},
    {{.name = "http.maxBody",
      .type = bytes,
      .fallback = "8MiB",
      .least = 1024,
      .most = 64 * kMiB,
      .doc = "Largest request body; over it: 413."},
     into<&C::http, &C::Http::maxBody>()},
    {{.name = "http.headerTimeout",
      .type = duration,
      .fallback = "10s",
      .least = 100,
      .most = 600 * kSecond,
      .doc = "For a request's header to arrive."},
     into<&C::http, &C::Http::headerTimeout>()},
    {{.name = "http.bodyTimeout",
      .type = duration,
      .fallback = "30s",
      .least = 100,
      .most = 600 * kSecond,
      .doc = "For a request's body to arrive."},
     into<&C::http, &C::Http::bodyTimeout>()},
    {{.name = "http.idleTimeout",
      .type = duration,
      .fallback = "75s",
      .least = 100,
      .most = 3600 * kSecond,
      .doc = "Between two requests of a connection."},
     into<&C::http, &C::Http::idleTimeout>()},
    {{.name = "http.writeTimeout",
      .type = duration,
      .fallback = "30s",
      .least = 100,
      .most = 600 * kSecond,
      .doc = "For a slow reader to take a piece of an answer."},
     into<&C::http, &C::Http::writeTimeout>()},
    {{.name = "http.streamHeartbeat",
      .type = duration,
      .fallback = "15s",
      .least = 100,
      .most = 600 * kSecond,
      .doc = "Silence on an event stream before a comment is sent."},
     into<&C::http, &C::Http::streamHeartbeat>()},
    {{.name = "http.streamQueue",
      .type = bytes,
      .fallback = "1MiB",
      .least = 4096,
      .most = 64 * kMiB,
      .doc = "What may wait for a slow reader of events; over it the stream ends."},
     into<&C::http, &C::Http::streamQueue>()},

    {{.name = "policy.depth",
      .type = integer,
      .unit = "workloads",
      .fallback = "1000",
      .least = 1,
      .most = 1'000'000,
      .doc = "How much of the queue one planning looks at."},
     into<&C::policy, &C::Policy::depth>()},
    {{.name = "policy.reserveAfter",
      .type = duration,
      .fallback = "5m",
      .most = 30 * kDay,
      .doc = "A workload blocked for so long gets a reservation that nothing behind it may delay."},
     into<&C::policy, &C::Policy::reserveAfter>()},
    {{.name = "policy.startsPerPlan",
      .type = integer,
      .unit = "workloads",
      .fallback = "256",
      .least = 1,
      .most = 100'000,
      .doc = "Most starts in one planning."},
     into<&C::policy, &C::Policy::startsPerPlan>()},

    {{.name = "control.planInterval",
      .type = duration,
      .fallback = "5ms",
      .least = 1,
      .most = 60 * kSecond,
      .doc = "Least time between two plannings."},
     into<&C::control, &C::Control::planInterval>()},
    {{.name = "control.engineRetry",
      .type = duration,
      .fallback = "1s",
      .least = 10,
      .most = 600 * kSecond,
      .doc = "Before an instruction is given again to an engine that could not take it."},
     into<&C::control, &C::Control::engineRetry>()},
    {{.name = "control.eventsInMemory",
      .type = integer,
      .unit = "events",
      .fallback = "65536",
      .least = 1'000,
      .most = 10'000'000,
      .doc = "Events that streams resume from without the store."},
     into<&C::control, &C::Control::eventsInMemory>()},
    {{.name = "control.eventsKept",
      .type = integer,
      .unit = "events",
      .fallback = "1000000",
      .least = 1'000,
      .most = 1'000'000'000,
      .doc = "Events kept; a stream that wants older ones is told to reread."},
     into<&C::control, &C::Control::eventsKept>()},
    {{.name = "control.idempotencyKept",
      .type = duration,
      .fallback = "1d",
      .least = 60 * kSecond,
      .most = 30 * kDay,
      .doc = "How long an idempotency key is remembered."},
     into<&C::control, &C::Control::idempotencyKept>()},
    {{.name = "control.inboxLimit",
      .type = integer,
      .unit = "commands",
      .fallback = "100000",
      .least = 1,
      .most = 10'000'000,
      .doc = "Commands that may wait; over it: 503."},
     into<&C::control, &C::Control::inboxLimit>()},

    {{.name = "audit.key",
      .type = path,
      .fallback = "${stateDirectory}/audit.key",
      .doc = "Private key that signs audit checkpoints; made when the state directory is new."},
     into<&C::audit, &C::Audit::key>()},
    {{.name = "audit.checkpointEvery",
      .type = integer,
      .unit = "records",
      .fallback = "10000",
      .least = 1,
      .most = 10'000'000,
      .doc = "Records between two kept checkpoints."},
     into<&C::audit, &C::Audit::checkpointEvery>()},

    {{.name = "engine.local.enabled",
      .type = boolean,
      .fallback = "true",
      .doc = "Whether this host runs workloads itself."},
     into<&C::local, &C::LocalEngine::enabled>()},
    {{.name = "engine.local.cluster", .fallback = "local", .doc = "Name of this host as a cluster."},
     into<&C::local, &C::LocalEngine::cluster>()},
    {{.name = "engine.local.discover",
      .type = boolean,
      .fallback = "true",
      .doc = "Whether accelerators of this host are looked for."},
     into<&C::local, &C::LocalEngine::discover>()},
    {{.name = "engine.local.devices",
      .type = records,
      .most = 64,
      .doc = "Accelerators that are declared, not found.",
      .fields = kDeviceFields},
     into<&C::local, &C::LocalEngine::devices>()},
    {{.name = "engine.local.cpus",
      .type = integer,
      .unit = "cores",
      .fallback = "0",
      .most = 100'000,
      .doc = "Cores for workloads; 0: all."},
     into<&C::local, &C::LocalEngine::cpus>()},
    {{.name = "engine.local.memory", .type = bytes, .fallback = "0", .doc = "Memory for workloads; 0: all."},
     into<&C::local, &C::LocalEngine::memory>()},
    {{.name = "engine.local.logBytes",
      .type = bytes,
      .fallback = "64MiB",
      .least = 4096,
      .doc = "Size at which a member's output file is rotated."},
     into<&C::local, &C::LocalEngine::logBytes>()},
    {{.name = "engine.local.logFiles",
      .type = integer,
      .unit = "files",
      .fallback = "4",
      .least = 1,
      .most = 1'000,
      .doc = "Output files kept of each member and stream."},
     into<&C::local, &C::LocalEngine::logFiles>()},

    {{.name = "log.level",
      .fallback = "info",
      .choices = kLevels,
      .doc = "Least serious line that is written.",
      .live = true},
     into<&C::log, &C::Log::level>()},
    {{.name = "log.format", .fallback = "text", .choices = kFormats, .doc = "For people or for programs."},
     into<&C::log, &C::Log::format>()},
    {{.name = "log.file", .type = path, .doc = "File of the log, opened anew on SIGHUP; none: standard error."},
     into<&C::log, &C::Log::file>()},
});

/// What no single option can tell.
Errors checkTogether(const DaemonConfig& config) {
  Errors errors;
  const auto wrong = [&](std::string field, std::string message, std::string remedy) {
    errors.push_back({&kInvalidValue, std::move(message), std::move(field), {}, std::move(remedy)});
  };
  if (config.listen.tlsCertificate.empty() != config.listen.tlsKey.empty())
    wrong("listen.tlsCertificate", "certificate and key belong together, one is missing",
          "set listen.tlsKey and listen.tlsCertificate, or neither");
  if (config.listen.unixSocket.empty() && config.listen.tcp.empty())
    wrong("listen", "neither a socket nor a TCP address is set", "set listen.unix or listen.tcp");
  if (config.listen.unixSocket.size() > 107)
    wrong("listen.unix", "is longer than the 107 bytes that a socket's path may have", "choose a shorter path");
  if (config.control.eventsInMemory > config.control.eventsKept)
    wrong("control.eventsInMemory", "is more than control.eventsKept", "lower it, or keep more events");
  return errors;
}

}  // namespace

std::vector<OptionDef> daemonOptions() {
  std::vector<OptionDef> options;
  for (const auto& declared : kDeclared) options.push_back(declared.def);
  return options;
}

DaemonConfig daemonConfig(const Settings& settings) {
  FL_ASSERT(settings.all.size() == kDeclared.size(), "settings of other options");
  DaemonConfig config;
  for (std::size_t i = 0; i < kDeclared.size(); ++i) kDeclared[i].apply(config, settings.all[i].value);
  return config;
}

Checked<DaemonConfig> loadDaemonConfig(const Inputs& inputs) {
  const auto options = daemonOptions();
  auto settings = resolve(options, inputs);
  if (!settings) return tl::unexpected(std::move(settings).error());
  auto config = daemonConfig(*settings);
  auto errors = checkTogether(config);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return config;
}

}  // namespace fairlead::config
