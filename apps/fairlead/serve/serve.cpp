#include "serve.hpp"

#include "../cli/print.hpp"
#include "clusters.hpp"
#include "settings.hpp"

#include <fairlead/api/api.hpp>
#include <fairlead/audit/signer.hpp>
#include <fairlead/auth/principals.hpp>
#include <fairlead/auth/tokens.hpp>
#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/config/report.hpp>
#include <fairlead/control/control.hpp>
#include <fairlead/engine/local.hpp>
#include <fairlead/net/http_server.hpp>
#include <fairlead/obs/health.hpp>
#include <fairlead/obs/log.hpp>
#include <fairlead/obs/metrics.hpp>
#include <fairlead/store/memory.hpp>
#include <fairlead/store/sqlite.hpp>

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>

namespace fairlead::serve {

using cli::Context;
using cli::Exit;
using cli::Stop;

namespace {

template <class T>
T orStop(Result<T> result, Exit code = Exit::failed) {
  if (!result) throw Stop{code, toText(result.error())};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A value that SIGHUP replaces; read from any thread.
template <class T>
class Replaceable {
 public:
  explicit Replaceable(std::shared_ptr<const T> first) : value_(std::move(first)) {}
  [[nodiscard]] std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> next) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

void makeStateDirectory(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    throw Stop{Exit::failed,
               fmt::format("stateDirectory {}: cannot be made: {} (name one that {} may write, with --stateDirectory)",
                           path, failed.message(), "this user")};
}

/// The key of a new state directory is made; one that is gone beside an existing database is never replaced silently.
audit::Signer openSigner(const config::DaemonConfig& config) {
  makeStateDirectory(config.stateDirectory);
  if (std::filesystem::exists(config.audit.key)) return orStop(audit::Signer::load(config.audit.key));
  if (config.store.kind != "memory" && std::filesystem::exists(config.store.path))
    throw Stop{
        Exit::failed,
        fmt::format(
            "audit.key {} is missing beside an existing database: without it the audit trail cannot be continued "
            "(restore the key from your backup, or move the database away to begin anew)",
            config.audit.key)};
  return orStop(audit::Signer::createKeyFile(config.audit.key));
}

std::unique_ptr<control::StorePort> openStore(const config::DaemonConfig& config) {
  if (config.store.kind == "memory") return store::makeMemoryStore();
  store::SqliteOptions options;
  options.path = config.store.path;
  return orStop(store::openSqlite(options));
}

/// The daemon's parts, made in the order in which they need each other and ended in the reverse one.
class Daemon {
 public:
  explicit Daemon(config::DaemonConfig config)
      : config_(std::move(config)),
        sink_(orStop(obs::openLogSink({*parseEnum<obs::LogFormat>(config_.log.format), config_.log.file}))),
        log_(sink_, clock_, *parseEnum<obs::LogLevel>(config_.log.level)),
        peers_(std::make_shared<auth::PeerResolver>(auth::standardPeerOptions(), clock_)),
        directory_(orStopText(loadDirectory(config_, peers_))),
        prices_(orStopText(loadPrices(config_))),
        signer_(openSigner(config_)),
        store_(openStore(config_)),
        health_(clock_) {
    orStop(auditKeys_.add(signer_.publicKeyPem()));
    makeEngines();
    std::vector<control::EnginePort*> engines;
    if (engine_) engines.push_back(engine_.get());
    auto options = controlOptions(config_);
    options.answerScope = [] { return std::static_pointer_cast<void>(std::make_shared<net::ReplyBatch>()); };
    control_ = std::make_unique<control::Control>(options, *store_, engines, clock_, signer_,
                                                  log_.with({{obs::kModuleKey, "control"}}));
    clusters_ = makeClusters(config_, *control_, log_);
    api_ = std::make_unique<api::Api>(apiDependencies(options.policy));
    server_ = std::make_unique<net::HttpServer>(serverOptions(config_), api_->handler());
  }

  void start() {
    health_.add("control", obs::HealthKind::readiness);
    orStop(control_->start());
    clusters_->load();
    orStop(server_->start());
    health_.ok("control");
    std::string addresses;
    for (const auto& address : server_->addresses()) addresses += (addresses.empty() ? "" : " ") + address;
    log_.info("ready", {{"addresses", addresses}, {"store", store_->describe()}});
  }

  void reload() {
    orWarn(sink_->reopen());
    if (auto next = loadDirectory(config_, peers_))
      directory_.set(std::move(*next));
    else
      log_.error("projects and tokens stay as they are", {{obs::kErrorKey, next.error()}});
    if (auto next = loadPrices(config_))
      prices_.set(std::move(*next));
    else
      log_.error("prices stay as they are", {{obs::kErrorKey, next.error()}});
    clusters_->load();
    api_->closeStreams();
    log_.info("reloaded");
  }

  void stop() {
    log_.info("stopping");
    api_->stop();
    server_->stop(Milliseconds{5'000});
    control_->stop();
    log_.info("stopped; running work goes on");
  }

 private:
  template <class T>
  static T orStopText(tl::expected<T, std::string> result) {
    if (!result) throw Stop{Exit::usage, result.error()};
    return std::move(*result);
  }
  void orWarn(const Result<void>& result) {
    if (!result) log_.warn(toText(result.error()));
  }

  void makeEngines() {
    if (!config_.local.enabled) return;
    auto options = localOptions(config_);
    options.log = engineLog(log_.with({{obs::kModuleKey, "engine/local"}}));
    engine_ = engine::makeLocalEngine(std::move(options));
  }

  api::ApiDependencies apiDependencies(const policy::PolicyConfig& policy) {
    api::ApiOptions options;
    options.workers = static_cast<std::size_t>(config_.http.workers);
    return {*control_,
            [this] { return directory_.get(); },
            [this] { return prices_.get(); },
            auditKeys_,
            clock_,
            log_.with({{obs::kModuleKey, "api"}}),
            metrics_,
            health_,
            policy,
            *clusters_,
            FAIRLEAD_VERSION,
            FAIRLEAD_COMMIT,
            options};
  }

  config::DaemonConfig config_;
  SystemClock clock_;
  std::shared_ptr<obs::LogSink> sink_;
  obs::Logger log_;
  std::shared_ptr<auth::PeerResolver> peers_;
  Replaceable<auth::Directory> directory_;
  Replaceable<api::PriceTable> prices_;
  audit::Signer signer_;  // before the store: a database never stands without its key
  std::unique_ptr<control::StorePort> store_;
  audit::Verifier auditKeys_;
  obs::Metrics metrics_;
  obs::Health health_;
  std::unique_ptr<control::EnginePort> engine_;
  std::unique_ptr<control::Control> control_;
  std::unique_ptr<clusters::Registry> clusters_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<net::HttpServer> server_;
};

Exit serve(const std::string& file, std::vector<std::string> flags) {
  // Blocked before any thread starts, so that only sigwait sees them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  Daemon daemon(loadConfig(gatherInputs(file, std::move(flags))));
  daemon.start();
  while (true) {
    int number = 0;
    sigwait(&signals, &number);
    if (number != SIGHUP) break;
    daemon.reload();
  }
  daemon.stop();
  return Exit::done;
}

struct ServeOptions {
  std::string file;
};

struct TokenOptions {
  std::string name, principal, unixUser, expires;
  std::vector<std::string> groups;
  bool siteAdmin = false;
};

Exit newToken(const TokenOptions& options) {
  auth::TokenEntry entry{options.name,
                         {},
                         options.principal.empty() ? options.name : options.principal,
                         options.unixUser,
                         options.groups,
                         {},
                         options.siteAdmin};
  if (!options.expires.empty()) {
    const auto span = parseDuration(options.expires);
    if (!span) throw Stop{Exit::usage, fmt::format("--expires {}: give a span like 90d", printable(options.expires))};
    entry.expires = SystemClock().now() + *span;
  }
  const auto made = orStop(auth::makeToken(entry), Exit::usage);
  cli::printError("the line for the daemon's token file (listen.tokens):");
  cli::printError(made.fileLine);
  cli::printError("the token, shown this once; keep it in a file that only its user reads:");
  cli::print(made.token.reveal() + "\n");
  return Exit::done;
}

void addConfig(CLI::App& app, cli::Run& run) {
  auto options = std::make_shared<ServeOptions>();
  auto* configCommand = app.add_subcommand("config", "Check, explain or document the daemon's options");
  configCommand->require_subcommand(1);
  auto* check = configCommand->add_subcommand("check", "All errors of a configuration at once");
  check->add_option("--config", options->file, "File")->required();
  check->callback([&run, options] {
    run = [options](const Context&) {
      const auto config = loadConfig(gatherInputs(options->file, {}));
      const SystemClock clock;
      const auto peers = std::make_shared<auth::PeerResolver>(auth::standardPeerOptions(), clock);
      if (auto loaded = loadDirectory(config, peers); !loaded) throw Stop{Exit::usage, loaded.error()};
      if (auto loaded = loadPrices(config); !loaded) throw Stop{Exit::usage, loaded.error()};
      (void)serverOptions(config);
      cli::print(fmt::format("{}: fine\n", options->file));
      return Exit::done;
    };
  });
  auto* explain = configCommand->add_subcommand("explain", "Every option with its value and where that came from");
  explain->add_option("--config", options->file, "File");
  explain->callback([&run, options] {
    run = [options](const Context&) {
      const auto inputs = gatherInputs(options->file, {});
      const auto declared = config::daemonOptions();
      const auto settings = config::resolve(declared, inputs);
      if (!settings) throw Stop{Exit::usage, config::renderErrors(settings.error(), inputs.fileName)};
      cli::print(config::explain(*settings));
      return Exit::done;
    };
  });
  auto* docs = configCommand->add_subcommand("docs", "The reference of all options, in Markdown");
  docs->callback([&run] {
    run = [](const Context&) {
      const auto declared = config::daemonOptions();
      cli::print(config::docs(declared));
      return Exit::done;
    };
  });
}

void addToken(CLI::App& app, cli::Run& run) {
  auto options = std::make_shared<TokenOptions>();
  auto* token = app.add_subcommand("token", "Make bearer tokens for the daemon's token file");
  token->require_subcommand(1);
  auto* fresh = token->add_subcommand(
      "new", "A new token: the line for the file on standard error, the token on standard output");
  fresh->add_option("name", options->name, "Name of the token, for people and the audit")->required();
  fresh->add_option("--principal", options->principal, "Whom it stands for; else its name");
  fresh->add_option("--unix-user", options->unixUser, "Unix user that its work runs as; without one it may not submit");
  fresh->add_option("--group", options->groups, "Group, as often as needed");
  fresh->add_option("--expires", options->expires, "Span like 90d; else never");
  fresh->add_flag("--site-admin", options->siteAdmin, "All roles everywhere");
  fresh->callback([&run, options] { run = [options](const Context&) { return newToken(*options); }; });
}

}  // namespace

void addServe(CLI::App& app, cli::Run& run) {
  auto options = std::make_shared<ServeOptions>();
  auto* command = app.add_subcommand(
      "serve", "Run the daemon. Every option of `fairlead config docs` can be given as --name=value");
  command->add_option("--config", options->file, "YAML file");
  command->allow_extras();
  command->fallthrough(false);
  command->callback([&run, options, command] {
    run = [options, flags = command->remaining()](const Context&) { return serve(options->file, flags); };
  });
  addConfig(app, run);
  addToken(app, run);
}

}  // namespace fairlead::serve
