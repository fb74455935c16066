// What all handlers share: the way of a call from the request to its handler, and the tools they use.
#pragma once

#include "access.hpp"
#include "call.hpp"
#include "document_cache.hpp"
#include "event_feed.hpp"
#include "log_follower.hpp"
#include "outlook.hpp"
#include "router.hpp"
#include "worker_pool.hpp"

#include <fairlead/api/api.hpp>

#include <array>
#include <functional>
#include <mutex>

namespace fairlead::api {

/// Thread-safe.
class Service {
 public:
  explicit Service(ApiDependencies dependencies);
  ~Service() { stop(); }

  /// I/O thread.
  void handle(net::Request&& request, net::Responder responder);
  /// Goes on with the call on the pool; answers 503 when that is full.
  void later(CallPtr call, std::function<void(Service&, CallPtr)> next);
  /// The same for what waits for an engine, on threads of its own: a cluster that hangs holds up nobody else.
  void askEngine(CallPtr call, std::function<void(Service&, CallPtr)> next);
  void stop();
  void closeStreams();

  [[nodiscard]] control::Control& control() { return deps_.control; }
  [[nodiscard]] const ApiDependencies& deps() const { return deps_; }
  [[nodiscard]] DocumentCache& cache() { return cache_; }
  [[nodiscard]] EventFeed& feed() { return feed_; }
  [[nodiscard]] LogFollower& follower() { return follower_; }
  [[nodiscard]] Access& access() { return access_; }
  [[nodiscard]] Outlook& outlook() { return outlook_; }

  /// On whose behalf a command goes to control.
  [[nodiscard]] control::Actor actorOf(const Call& call, std::string rule) const;
  /// Asks auth; a denial is audited. Gives the rule that allowed it.
  [[nodiscard]] Result<std::string> allow(const Call& call, std::string_view action, const std::string& project,
                                          std::string_view object, std::string_view owner = {});
  /// The same for reads: what may not be seen is told apart from what does not exist in the audit only.
  [[nodiscard]] Result<void> mayRead(const Call& call, std::string_view action, const std::string& project,
                                     std::string_view object, std::string_view owner = {});
  void auditDenial(const Call& call, std::string_view action, const std::string& project, std::string_view object,
                   std::string rule);
  void count(const Call& call, int status, bool stream);

  /// Takes over figures of control into the metrics.
  void refreshMetrics();

 private:
  void dispatch(CallPtr call);
  using Step = std::function<void(Service&, CallPtr)>;
  void post(WorkerPool& pool, CallPtr call, Step next);
  void run(const CallPtr& call, const Step& step) noexcept;
  void reject(net::Responder& responder, const Error& error, std::string_view requestId, std::string allowed = {});

  struct RouteMetrics {
    std::array<obs::Counter, 6> byClass;
    obs::Histogram duration;
  };

  ApiDependencies deps_;
  Router router_;
  Access access_;
  DocumentCache cache_;
  EventFeed feed_;
  LogFollower follower_;
  Outlook outlook_;
  WorkerPool pool_;
  WorkerPool enginePool_;
  std::vector<RouteMetrics> routeMetrics_;
  std::mutex metricsMutex_;
  control::ControlStats counted_;
};

}  // namespace fairlead::api
