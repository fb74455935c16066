// The declared projects and who has which role in them.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/tenancy.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairlead::auth {

using model::Principal;
using model::Project;
using model::ProjectRole;

struct ProjectLimits {
  static constexpr std::size_t fileBytes = 8 * 1024 * 1024;
  static constexpr std::size_t projects = 10'000;
  static constexpr std::size_t members = 10'000;  ///< of one project
  static constexpr std::size_t depth = 16;        ///< of the tree
};

/// A role somebody has, and why, in words: `role member of project nlp (group nlp-users)`.
struct Grant {
  ProjectRole role = ProjectRole::viewer;
  std::string rule;
};

/// All projects, checked. Immutable: a reload makes another one; any thread.
class ProjectTable {
 public:
  ProjectTable() = default;  ///< no project: everybody but site admins is denied everything that needs a role
  /// Refused, all errors at once, fields as `projects[i].members[j]`: bad or repeated names, unknown parents, cycles, a
  /// tree deeper than the limit, repeated members. `lines` gives each project's line in its file, or is empty.
  [[nodiscard]] static Checked<ProjectTable> make(std::vector<Project> projects, std::span<const int> lines = {});
  /// What there is without a file: project `default`, whose admin is the user who runs the daemon.
  [[nodiscard]] static ProjectTable standard(const std::string& adminUser);

  [[nodiscard]] const Project* find(std::string_view name) const;
  [[nodiscard]] std::span<const Project> all() const { return projects_; }  ///< by name
  /// The highest role of `who` in the project, by name or group, own or inherited from the projects above it; on a tie
  /// the nearest. nullptr: none, or no such project. The site-admin mark is not looked at. Lives as long as the table.
  [[nodiscard]] const Grant* grantOf(const Principal& who, std::string_view project) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  template <class Value>
  using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
  struct Members {
    TextMap<Grant> users;
    TextMap<Grant> groups;
  };

  void index();

  std::vector<Project> projects_;  ///< sorted by name
  std::vector<Members> members_;   ///< same order
  std::vector<int> parents_;       ///< same order; -1: top
  TextMap<int> indexOf_;
};
using ProjectTablePtr = std::shared_ptr<const ProjectTable>;

/// `kind: Project` documents. Every error with line, column and field.
[[nodiscard]] Checked<ProjectTable> parseProjects(std::string_view yaml);
/// Reads such a file; refused when others than its owner and group may write it.
[[nodiscard]] Checked<ProjectTable> loadProjects(const std::string& path);

}  // namespace fairlead::auth
