// /clusters: look at them, connect them, check them, switch governing, drain their nodes.
#include "../shapes/record_views.hpp"
#include "inventory.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace fairlead::api {
namespace {

constexpr std::size_t kMostDocument = 1 << 20;
constexpr std::int64_t kMostDepth = 100'000;
constexpr std::size_t kMostProjects = 10'000;
constexpr std::size_t kMostReason = 200;

/// The documents name hosts, files and users of the site.
bool seesDocuments(Service& service, const Call& call) { return service.access().can(call.who, "cluster.manage", {}); }

void listClusters(Service& service, CallPtr call) {
  auto clusters = readClusters(service);
  if (!seesDocuments(service, *call))
    for (auto& cluster : clusters) cluster.record.documentJson.clear();
  replyPage(*call, Page<ClusterView>{std::move(clusters), {}});
}

void replyCluster(Service& service, Call& call, const std::string& name, int status = 0) {
  for (auto& cluster : readClusters(service)) {
    if (cluster.name != name) continue;
    if (!seesDocuments(service, call)) cluster.record.documentJson.clear();
    return replyWith(call, cluster, status);
  }
  call.fail(Error{&kNoSuchCluster, fmt::format("there is no cluster {}", printable(name, 80)), "path.name",
                  printable(name, 80), "list them with: fairlead clusters get"});
}

void readCluster(Service& service, CallPtr call) { replyCluster(service, *call, std::string(call->text("name"))); }

/// Root or the daemon's own user, at this host's socket: who could run any program as the daemon anyway.
bool fromHost(const Call& call) {
  const auto& peer = call.request.peer;
  return peer.local && call.request.headers.get("Authorization").value_or("").empty() &&
         (peer.uid == 0 || peer.uid == ::geteuid());
}

/// Asks auth; what is allowed is audited with its outcome by `record`.
std::optional<std::string> manage(Service& service, Call& call, std::string_view object) {
  auto rule = service.allow(call, "cluster.manage", {}, object);
  if (rule) return std::move(*rule);
  call.fail(rule.error());
  return {};
}

void record(Service& service, const Call& call, std::string_view action, std::string_view object, std::string rule,
            std::string detail) {
  model::AuditRecord entry;
  entry.principal = call.who.name;
  entry.action = fmt::format("cluster.{}", action);
  entry.object = printable(object, 80);
  entry.rule = std::move(rule);
  entry.detail = detail.empty() ? "request " + call.request.requestId
                                : fmt::format("{}; request {}", detail, call.request.requestId);
  service.control().audit(std::move(entry));
}

void addCluster(Service& service, CallPtr call) {
  auto rule = manage(service, *call, "clusters");
  if (!rule) return;
  const auto added = service.deps().clusters.add(call->request.body, fromHost(*call));
  if (!added) return call->fail(added.error());
  record(service, *call, "add", added->name, std::move(*rule), {});
  replyCluster(service, *call, added->name, 201);
}

void replyFindings(Call& call, std::vector<control::Finding> findings) {
  Page<FindingView> page;
  for (auto& finding : findings) page.items.push_back({std::move(finding)});
  replyPage(call, page);
}

void checkDocument(Service& service, CallPtr call) {
  if (!manage(service, *call, "clusters")) return;
  auto findings = service.deps().clusters.check(call->request.body, fromHost(*call));
  if (!findings) return call->fail(findings.error());
  replyFindings(*call, std::move(*findings));
}

void checkCluster(Service& service, CallPtr call) {
  if (!manage(service, *call, call->text("name"))) return;
  auto findings = service.deps().clusters.checkNamed(std::string(call->text("name")));
  if (!findings) return call->fail(findings.error());
  replyFindings(*call, std::move(*findings));
}

Checked<model::ClusterTerms> takeTerms(const Call& call) {
  auto tree = codec::parseJson(call.request.body);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  codec::Decoder decoder;
  codec::MapReader map(decoder, decoder.root(tree->root()));
  model::ClusterTerms terms;
  terms.governsAll = decoder.boolean(map.optional("all")).value_or(false);
  terms.depth = static_cast<std::int32_t>(decoder.integer(map.optional("depth"), 0, kMostDepth).value_or(0));
  const auto projects = map.optional("projects");
  const auto items = decoder.list(projects, kMostProjects);
  for (std::size_t i = 0; items && i < items->size(); ++i)
    if (const auto name = decoder.text(codec::Decoder::item(projects, i))) terms.projects.emplace_back(*name);
  std::sort(terms.projects.begin(), terms.projects.end());
  map.done();
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return terms;
}

std::string termsText(const model::ClusterTerms& terms) {
  std::string text = terms.governsAll ? "all projects" : terms.projects.empty() ? "off" : "";
  if (!terms.governsAll)
    for (const auto& project : terms.projects) text += (text.empty() ? "" : ", ") + printable(project, 63);
  return terms.depth > 0 ? fmt::format("{}; depth {}", text, terms.depth) : text;
}

void governCluster(Service& service, CallPtr call) {
  const std::string name(call->text("name"));
  auto rule = manage(service, *call, name);
  if (!rule) return;
  const auto terms = takeTerms(*call);
  if (!terms) return call->fail(terms.error());
  const auto done = service.deps().clusters.govern(name, *terms);
  if (!done) return call->fail(done.error());
  record(service, *call, "govern", name, std::move(*rule), termsText(*terms));
  replyCluster(service, *call, name);
}

void removeCluster(Service& service, CallPtr call) {
  const std::string name(call->text("name"));
  auto rule = manage(service, *call, name);
  if (!rule) return;
  if (auto done = service.deps().clusters.remove(name); !done) return call->fail(done.error());
  record(service, *call, "remove", name, std::move(*rule), {});
  net::Response response;
  response.status = 204;
  call->reply(std::move(response));
}

/// The body's `reason`; needed to drain.
Checked<std::string> takeReason(const Call& call, bool drain) {
  auto tree =
      codec::parseJson(call.request.body.empty() ? std::string_view("{}") : std::string_view(call.request.body));
  if (!tree) return tl::unexpected(std::move(tree.error()));
  codec::Decoder decoder;
  codec::MapReader map(decoder, decoder.root(tree->root()));
  const auto field = drain ? map.required("reason") : map.optional("reason");
  const auto reason = decoder.text(field);
  if (reason && (reason->size() > kMostReason || reason->empty()))
    decoder.error(field, codec::kOutOfRange, fmt::format("is not between 1 and {} bytes", kMostReason));
  map.done();
  if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
  return std::string(reason.value_or(""));
}

void orderNode(Service& service, CallPtr call) {
  const bool drain = call->route->operation == std::string_view("drainNode");
  const std::string cluster(call->text("name"));
  const std::string node(call->text("node"));
  auto rule = manage(service, *call, cluster + "/" + node);
  if (!rule) return;
  auto reason = takeReason(*call, drain);
  if (!reason) return call->fail(reason.error());
  const bool looksOnly = service.control().read([&](const control::State& state) {
    const auto* standing = state.standing(cluster);
    return standing != nullptr && standing->terms.readOnly();
  });
  if (looksOnly)
    return call->fail(Error{&kLookedAtOnly,
                            fmt::format("cluster {} is only looked at, so nothing is changed there", cluster),
                            "path.name", cluster, "switch governing on, or drain it with the cluster's own commands"});
  const auto told = fmt::format("{} ({} through Fairlead)", printable(*reason, kMostReason), call->who.name);
  if (auto done = service.control().orderNode(cluster, {node, drain, told}); !done) return call->fail(done.error());
  record(service, *call, drain ? "drain-node" : "resume-node", cluster + "/" + node, std::move(*rule),
         std::move(*reason));
  net::Response response;
  response.status = 204;
  call->reply(std::move(response));
}

Param nameParam() { return {.name = "name", .place = ParamPlace::path, .doc = "A cluster's name.", .maxBytes = 63}; }

BodySpec documentBody() {
  return {.contentTypes = {"application/yaml", "application/json"},
          .doc = "A document of `kind: Cluster`; docs/clusters.md.",
          .maxBytes = kMostDocument};
}

Route nodeRoute(std::string_view path, std::string_view operation, std::string_view summary, std::string_view doc) {
  return {
      .method = "POST",
      .path = path,
      .operation = operation,
      .tag = "clusters",
      .summary = summary,
      .doc = doc,
      .action = "cluster.manage",
      .runsOn = RunsOn::engine,
      .params = {nameParam(), {.name = "node", .place = ParamPlace::path, .doc = "A node's name.", .maxBytes = 255}},
      .body = {.contentTypes = {"application/json"}, .doc = "`{reason}`.", .maxBytes = 4'096},
      .status = 204,
      .errors = {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::conflict},
      .handler = orderNode};
}

void addReads(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/clusters",
                   .operation = "listClusters",
                   .tag = "clusters",
                   .summary = "List clusters with their capacity and how they answer",
                   .access = CallerCheck::authenticated,
                   .action = "inventory.read",
                   .answer = &shapeOf<ClusterView>(),
                   .page = true,
                   .handler = listClusters});
  table.push_back({.method = "GET",
                   .path = "/api/v1/clusters/{name}",
                   .operation = "getCluster",
                   .tag = "clusters",
                   .summary = "One cluster; site admins also see its document",
                   .access = CallerCheck::authenticated,
                   .action = "inventory.read",
                   .params = {nameParam()},
                   .answer = &shapeOf<ClusterView>(),
                   .errors = {ErrorKind::notFound},
                   .handler = readCluster});
}

void addChecks(std::vector<Route>& table) {
  table.push_back({.method = "POST",
                   .path = "/api/v1/clusters:check",
                   .operation = "checkClusterDocument",
                   .tag = "clusters",
                   .summary = "Look at a cluster before it is connected",
                   .doc = "Reads only; each finding that is `missing` says the line that helps.",
                   .action = "cluster.manage",
                   .runsOn = RunsOn::engine,
                   .body = documentBody(),
                   .answer = &shapeOf<FindingView>(),
                   .page = true,
                   .errors = {ErrorKind::invalid, ErrorKind::denied},
                   .handler = checkDocument});
  table.push_back({.method = "POST",
                   .path = "/api/v1/clusters/{name}:check",
                   .operation = "checkCluster",
                   .tag = "clusters",
                   .summary = "Look at a connected cluster again",
                   .action = "cluster.manage",
                   .runsOn = RunsOn::engine,
                   .params = {nameParam()},
                   .answer = &shapeOf<FindingView>(),
                   .page = true,
                   .errors = {ErrorKind::notFound},
                   .handler = checkCluster});
}

void addChanges(std::vector<Route>& table) {
  table.push_back({.method = "POST",
                   .path = "/api/v1/clusters",
                   .operation = "addCluster",
                   .tag = "clusters",
                   .summary = "Connect a cluster",
                   .doc = "Only looked at unless the document says what is governed. A document that names programs is "
                          "taken from root or the daemon's own user at its host's socket only.",
                   .action = "cluster.manage",
                   .runsOn = RunsOn::engine,
                   .body = documentBody(),
                   .status = 201,
                   .answer = &shapeOf<ClusterView>(),
                   .errors = {ErrorKind::invalid, ErrorKind::denied, ErrorKind::conflict},
                   .handler = addCluster});
  table.push_back(
      {.method = "POST",
       .path = "/api/v1/clusters/{name}:govern",
       .operation = "governCluster",
       .tag = "clusters",
       .summary = "Switch governing on or off",
       .doc = "`{all, projects, depth}` replaces what was so. What runs is not touched.",
       .action = "cluster.manage",
       .runsOn = RunsOn::engine,
       .params = {nameParam()},
       .body = {.contentTypes = {"application/json"}, .doc = "`{all, projects, depth}`.", .maxBytes = 1 << 20},
       .answer = &shapeOf<ClusterView>(),
       .errors = {ErrorKind::invalid, ErrorKind::notFound},
       .handler = governCluster});
  table.push_back(
      {.method = "DELETE",
       .path = "/api/v1/clusters/{name}",
       .operation = "removeCluster",
       .tag = "clusters",
       .summary = "Forget a cluster",
       .doc = "Refused while work of ours holds capacity there. Native jobs that were alive become unknown.",
       .action = "cluster.manage",
       .runsOn = RunsOn::engine,
       .params = {nameParam()},
       .status = 204,
       .errors = {ErrorKind::notFound, ErrorKind::conflict},
       .handler = removeCluster});
}

}  // namespace

void addClusterRoutes(std::vector<Route>& table) {
  addReads(table);
  addChecks(table);
  addChanges(table);
  table.push_back(nodeRoute("/api/v1/clusters/{name}/nodes/{node}:drain", "drainNode", "Take a node out of service",
                            "What runs there may go on. The reason is told to the cluster with who asked."));
  table.push_back(nodeRoute("/api/v1/clusters/{name}/nodes/{node}:resume", "resumeNode", "Give a node work again", ""));
}

}  // namespace fairlead::api
