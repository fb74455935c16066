// Who may do what where.
#pragma once

#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::model {

/// Rising: a member may all that a viewer may, and so on.
enum class ProjectRole : std::uint8_t {
  viewer,     ///< reads workloads, usage, events, models; no logs of others' interactive work
  member,     ///< submits, and acts on own workloads; reads logs
  operator_,  ///< acts on everybody's workloads of the project
  admin,      ///< and changes the project
};

struct ProjectMember {
  std::string name;  ///< of a user or group
  bool isGroup = false;
  ProjectRole role = ProjectRole::viewer;
};

struct Project {
  std::string name;
  std::string parent;  ///< empty: top; roles are inherited downwards
  std::vector<ProjectMember> members;
};

/// Who asks. Made by auth from peer credentials or a token, never from what a request says of itself.
struct Principal {
  std::string name;
  std::vector<std::string> groups;
  std::string unixUser;    ///< whom work runs as; empty: may not submit to engines that run as users
  bool siteAdmin = false;  ///< all roles everywhere
  std::string how;         ///< `unix peer uid 1000`, `token ci`: for the audit
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::ProjectRole> = std::to_array<std::pair<model::ProjectRole, std::string_view>>({
    {model::ProjectRole::viewer, "viewer"},
    {model::ProjectRole::member, "member"},
    {model::ProjectRole::operator_, "operator"},
    {model::ProjectRole::admin, "admin"},
});
}  // namespace fairlead
