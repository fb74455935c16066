#include "service.hpp"

#include "params.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/api/metrics.hpp>

#include <fmt/format.h>

#include <exception>

namespace fairlead::api {
namespace {

/// The `status` label: 2xx and so on.
constexpr std::array<std::string_view, 6> kClasses{"0xx", "1xx", "2xx", "3xx", "4xx", "5xx"};

std::size_t classOf(int status) { return status >= 100 && status < 600 ? static_cast<std::size_t>(status / 100) : 5; }

}  // namespace

Service::Service(ApiDependencies dependencies)
    : deps_(std::move(dependencies)),
      router_(routes()),
      access_(deps_.directory, deps_.clock),
      cache_(deps_.options.cacheBytes),
      feed_(deps_.control, deps_.options.maxStreams, deps_.metrics.gauge(kEventStreams)),
      follower_(deps_.control, deps_.options.maxFollowers, deps_.options.followPoll,
                deps_.metrics.gauge(kLogFollowers)),
      outlook_(deps_.control, deps_.policy),
      pool_(deps_.options.workers, deps_.options.workerQueue),
      enginePool_(deps_.options.engineWorkers, deps_.options.workerQueue) {
  for (const auto& route : routes()) {
    RouteMetrics cells;
    for (std::size_t i = 2; i < cells.byClass.size(); ++i)
      cells.byClass[i] = deps_.metrics.counter(kHttpRequests, {route.operation, kClasses[i]});
    cells.duration = deps_.metrics.histogram(kHttpDuration, {route.operation});
    routeMetrics_.push_back(cells);
  }
}

void Service::stop() {
  enginePool_.stop();
  pool_.stop();  // first: only its threads open streams
  closeStreams();
  follower_.stop();
}

void Service::closeStreams() {
  feed_.closeAll();
  follower_.closeAll();
}

void Service::reject(net::Responder& responder, const Error& error, std::string_view requestId, std::string allowed) {
  auto response = problem(error, requestId);
  if (!allowed.empty()) response.headers.emplace_back("Allow", std::move(allowed));
  deps_.metrics.counter(kHttpRequests, {"none", kClasses[classOf(response.status)]}).add();
  responder.reply(std::move(response));
}

void Service::handle(net::Request&& request, net::Responder responder) {
  auto match = router_.match(request.method, request.path);
  if (match.route == nullptr) {
    const auto path = printable(request.path, 200);
    if (match.allowed.empty())
      return reject(responder, Error{&kNoSuchEndpoint, path + " is not served", {}, {}, "see /api/v1/openapi.json"},
                    request.requestId);
    return reject(
        responder,
        Error{&kWrongMethod, fmt::format("{} takes {}", path, match.allowed), {}, printable(request.method, 20), {}},
        request.requestId, match.allowed);
  }
  auto call = std::make_shared<Call>();
  call->service = this;
  call->route = match.route;
  call->routeIndex = static_cast<std::size_t>(match.route - routes().data());
  call->begin = std::chrono::steady_clock::now();
  call->responder = std::move(responder);
  std::vector<std::string> variables(match.variables.begin(),
                                     match.variables.end());  // the path moves with the request
  call->request = std::move(request);
  if (match.route->access != CallerCheck::open) {
    auto who = access_.authenticate(call->request);
    if (!who) return call->fail(who.error());
    call->who = std::move(*who);
  }
  auto errors = takeParams(*call, {variables.begin(), variables.end()});
  for (auto& error : checkBody(*call)) errors.push_back(std::move(error));
  if (!errors.empty()) return call->fail(errors);
  dispatch(std::move(call));
}

void Service::dispatch(CallPtr call) {
  const auto handler = call->route->handler;
  if (call->route->runsOn == RunsOn::io) return run(call, handler);
  if (call->route->runsOn == RunsOn::engine) return askEngine(std::move(call), handler);
  later(std::move(call), handler);
}

void Service::later(CallPtr call, Step next) { post(pool_, std::move(call), std::move(next)); }
void Service::askEngine(CallPtr call, Step next) { post(enginePool_, std::move(call), std::move(next)); }

void Service::post(WorkerPool& pool, CallPtr call, Step next) {
  if (!pool.post([this, call, next = std::move(next)] { run(call, next); }))
    call->fail(Error{&kBusy, "too many requests are waiting", {}, {}, "try again in a moment"});
}

void Service::run(const CallPtr& call, const Step& step) noexcept {
  try {
    step(*this, call);
  } catch (const std::exception& failure) {
    deps_.log.error("handler failed", {{"operation", call->route->operation},
                                       {obs::kRequestKey, call->request.requestId},
                                       {obs::kErrorKey, failure.what()}});
    if (call->responder)
      call->reply(renderServerError(500, "a fault of the daemon; its log has more under this request id"));
  }
}

control::Actor Service::actorOf(const Call& call, std::string rule) const {
  return {call.who.name, call.who.unixUser, std::move(rule), call.request.requestId};
}

void Service::auditDenial(const Call& call, std::string_view action, const std::string& project,
                          std::string_view object, std::string rule) {
  model::AuditRecord record;
  record.at = deps_.clock.now();
  record.principal = call.who.name;
  record.action = action;
  record.object = printable(object, 200);
  record.project = printable(project, 63);
  record.allowed = false;
  record.rule = std::move(rule);
  record.detail = fmt::format("{}, request {}", call.who.how, call.request.requestId);
  deps_.metrics.counter(kDenials, {action}).add();
  deps_.control.audit(std::move(record));
}

Result<std::string> Service::allow(const Call& call, std::string_view action, const std::string& project,
                                   std::string_view object, std::string_view owner) {
  auto ruling = access_.rule(call.who, action, project, owner);
  if (ruling.allowed) return std::move(ruling.rule);
  auditDenial(call, action, project, object, ruling.rule);
  auto message =
      fmt::format("{} may not {} in project {}: {}", call.who.name, action, printable(project, 63), ruling.rule);
  return fail(kDenied, std::move(message), "ask an admin of the project");
}

Result<void> Service::mayRead(const Call& call, std::string_view action, const std::string& project,
                              std::string_view object, std::string_view owner) {
  auto ruling = access_.rule(call.who, action, project, owner);
  if (ruling.allowed) return {};
  auditDenial(call, action, project, object, std::move(ruling.rule));
  return fail(kNotFound, fmt::format("there is no {} that you may see", printable(object, 100)),
              "check the name, or whoami for your roles");
}

void Service::count(const Call& call, int status, bool stream) {
  const auto& cells = routeMetrics_[call.routeIndex];
  cells.byClass[classOf(status)].add();
  if (stream) return;
  const auto span = std::chrono::steady_clock::now() - call.begin;
  cells.duration.observe(std::chrono::duration_cast<std::chrono::microseconds>(span).count());
}

void Call::reply(net::Response response) {
  service->count(*this, response.status, false);
  responder.reply(std::move(response));
}

void Call::reply(int status, std::string json) {
  net::Response response;
  response.status = status;
  response.contentType = "application/json";
  response.body = std::move(json);
  reply(std::move(response));
}

void Call::fail(const Error& error, std::string_view rule) { reply(problem(error, request.requestId, rule)); }
void Call::fail(const Errors& errors) { reply(problem(errors, request.requestId)); }

std::shared_ptr<net::EventStream> Call::stream(net::StreamOptions options) {
  service->count(*this, 200, true);
  return responder.stream(std::move(options));
}

}  // namespace fairlead::api
