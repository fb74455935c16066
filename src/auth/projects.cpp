#include "names.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/projects.hpp>
#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fairlead::auth {
namespace {

/// Collects what is wrong with a list of projects.
class Checker {
 public:
  Checker(const std::vector<Project>& projects, std::span<const int> lines) : projects_(projects), lines_(lines) {}

  [[nodiscard]] Errors check() {
    if (projects_.size() > ProjectLimits::projects)
      add(0, "", "", fmt::format("more than {} projects", ProjectLimits::projects));
    for (std::size_t i = 0; i < projects_.size(); ++i) {
      checkName(i);
      checkMembers(i);
    }
    for (std::size_t i = 0; i < projects_.size(); ++i) checkParent(i);
    return std::move(errors_);
  }

 private:
  void add(std::size_t index, std::string_view field, std::string_view value, std::string message,
           std::string remedy = {}) {
    Error error{&kProjectInvalid, std::move(message), fmt::format("projects[{}]{}", index, field), printable(value),
                std::move(remedy)};
    if (index < lines_.size()) error.line = lines_[index];
    errors_.push_back(std::move(error));
  }

  void checkName(std::size_t i) {
    const auto& name = projects_[i].name;
    if (!isPlainName(name))
      add(i, ".name", name, "not a project name",
          "1 to 63 of a-z, 0-9, -, . and _, beginning and ending with a letter or digit");
    else if (!byName_.emplace(name, i).second)
      add(i, ".name", name, fmt::format("project {} stands twice", name));
  }

  void checkMembers(std::size_t i) {
    const auto& members = projects_[i].members;
    if (members.size() > ProjectLimits::members)
      add(i, ".members", "", fmt::format("more than {} members", ProjectLimits::members), "give a role to a group");
    std::set<std::pair<bool, std::string_view>> seen;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const auto& member = members[k];
      const auto* kind = member.isGroup ? "group" : "user";
      if (!isPrincipalName(member.name))
        add(i, fmt::format(".members[{}]", k), member.name, fmt::format("not the name of a {}", kind));
      else if (!seen.emplace(member.isGroup, member.name).second)
        add(i, fmt::format(".members[{}]", k), member.name,
            fmt::format("{} {} stands twice in project {}", kind, member.name, printable(projects_[i].name)),
            "keep the entry with the right role");
    }
  }

  void checkParent(std::size_t i) {
    const auto& start = projects_[i];
    std::set<std::string_view> path{start.name};
    for (const auto* at = &start; !at->parent.empty();) {
      const auto parent = byName_.find(at->parent);
      if (parent == byName_.end()) {
        if (at == &start) unknownParent(i);
        return;
      }
      at = &projects_[parent->second];
      if (!path.insert(at->name).second) {
        if (at == &start) add(i, ".parent", start.parent, fmt::format("project {} is above itself", start.name));
        return;
      }
      if (path.size() > ProjectLimits::depth)
        return add(i, ".parent", start.parent,
                   fmt::format("more than {} projects above each other", ProjectLimits::depth));
    }
  }

  void unknownParent(std::size_t i) {
    std::vector<std::string_view> names;
    for (const auto& [name, index] : byName_) names.push_back(name);
    const auto& parent = projects_[i].parent;
    const auto near = nearest(parent, names);
    add(i, ".parent", parent, fmt::format("there is no project {}", printable(parent)),
        near ? fmt::format("did you mean {}?", *near) : "declare it, or leave the parent out");
  }

  const std::vector<Project>& projects_;
  std::span<const int> lines_;
  std::map<std::string_view, std::size_t> byName_;
  Errors errors_;
};

std::string ruleText(const Project& project, const model::ProjectMember& member) {
  auto text = fmt::format("role {} of project {}", toText(member.role), project.name);
  return member.isGroup ? fmt::format("{} (group {})", text, member.name) : text;
}

}  // namespace

Checked<ProjectTable> ProjectTable::make(std::vector<Project> projects, std::span<const int> lines) {
  auto errors = Checker(projects, lines).check();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  ProjectTable table;
  table.projects_ = std::move(projects);
  std::sort(table.projects_.begin(), table.projects_.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  table.index();
  return table;
}

ProjectTable ProjectTable::standard(const std::string& adminUser) {
  auto table = make({Project{"default", {}, {{adminUser, false, ProjectRole::admin}}}});
  FL_ASSERT(table.has_value(), "the standard project is valid when the user has a name");
  return std::move(*table);
}

void ProjectTable::index() {
  for (std::size_t i = 0; i < projects_.size(); ++i) indexOf_.emplace(projects_[i].name, static_cast<int>(i));
  for (const auto& project : projects_) {
    const auto parent = indexOf_.find(project.parent);
    parents_.push_back(parent == indexOf_.end() ? -1 : parent->second);
    auto& members = members_.emplace_back();
    for (const auto& member : project.members)
      (member.isGroup ? members.groups : members.users)
          .emplace(member.name, Grant{member.role, ruleText(project, member)});
  }
}

const Project* ProjectTable::find(std::string_view name) const {
  const auto found = indexOf_.find(name);
  return found == indexOf_.end() ? nullptr : &projects_[static_cast<std::size_t>(found->second)];
}

const Grant* ProjectTable::grantOf(const Principal& who, std::string_view project) const {
  const auto found = indexOf_.find(project);
  if (found == indexOf_.end()) return nullptr;
  const Grant* best = nullptr;
  const auto take = [&best](const TextMap<Grant>& grants, const std::string& name) {
    const auto grant = grants.find(name);
    if (grant != grants.end() && (best == nullptr || grant->second.role > best->role)) best = &grant->second;
  };
  for (int at = found->second; at >= 0; at = parents_[static_cast<std::size_t>(at)]) {
    const auto& members = members_[static_cast<std::size_t>(at)];
    take(members.users, who.name);
    if (members.groups.empty()) continue;
    for (const auto& group : who.groups) take(members.groups, group);
  }
  return best;
}

}  // namespace fairlead::auth
