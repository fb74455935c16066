#include "access.hpp"

#include <fairlead/api/errors.hpp>

namespace fairlead::api {
namespace {

constexpr std::string_view kScheme = "Bearer ";

/// The token of an Authorization field; empty when it is of another scheme.
std::string_view bearerOf(std::string_view field) {
  if (field.size() <= kScheme.size() || !net::sameNoCase(field.substr(0, kScheme.size()), kScheme)) return {};
  field.remove_prefix(kScheme.size());
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  return field;
}

auth::Action actionOf(std::string_view name) {
  const auto action = parseEnum<auth::Action>(name);
  FL_ASSERT(action.has_value(), "an action of auth's table");
  return *action;
}

}  // namespace

Result<model::Principal> Access::authenticate(const net::Request& request) const {
  const auto directory = source_();
  if (const auto field = request.headers.get("Authorization")) {
    const auto token = bearerOf(*field);
    if (token.empty())
      return fail(kNotAuthenticated, "the Authorization field holds no bearer token",
                  "send Authorization: Bearer TOKEN");
    return directory->fromToken(token, clock_.now());
  }
  if (request.peer.local) return directory->fromPeer(request.peer.uid);
  return fail(kNotAuthenticated, "nobody is named: this is not the unix socket, and there is no token",
              "send Authorization: Bearer TOKEN");
}

Ruling Access::rule(const model::Principal& who, std::string_view action, const std::string& project,
                    std::string_view owner) const {
  auto decision = source_()->authorize(who, actionOf(action), project, owner);
  return {decision.allowed, std::move(decision.rule)};
}

bool Access::can(const model::Principal& who, std::string_view action, const std::string& project,
                 std::string_view owner) const {
  return source_()->may(who, actionOf(action), project, owner);
}

bool Access::declared(const std::string& project) const { return source_()->projects().find(project) != nullptr; }

std::vector<model::Project> Access::projects(const model::Principal& who, std::string_view action) const {
  const auto directory = source_();
  std::vector<model::Project> all;
  for (const auto& project : directory->projects().all())
    if (directory->may(who, actionOf(action), project.name)) all.push_back(project);
  return all;
}

std::string Access::roleIn(const model::Principal& who, const std::string& project) const {
  if (who.siteAdmin) return "admin";
  const auto directory = source_();
  const auto* grant = directory->projects().grantOf(who, project);
  return grant == nullptr ? std::string() : std::string(toText(grant->role));
}

}  // namespace fairlead::api
