#include <fairlead/auth/authorize.hpp>
#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <array>

namespace fairlead::auth {
namespace {

using enum ProjectRole;

/// The one table. Owners of work have no right beyond their role: who is taken out of a project is out.
constexpr auto kRules = std::to_array<ActionRule>({
    {Action::workloadRead, ActionScope::project, viewer, viewer},
    {Action::workloadSubmit, ActionScope::project, member, member},
    {Action::workloadCancel, ActionScope::project, member, operator_},
    {Action::workloadHold, ActionScope::project, member, operator_},
    {Action::workloadRelease, ActionScope::project, member, operator_},
    {Action::workloadRequeue, ActionScope::project, member, operator_},
    {Action::workloadSignal, ActionScope::project, member, operator_},
    {Action::workloadSetPriority, ActionScope::project, operator_,
     operator_},  // own work ahead of others' is their matter
    {Action::logsRead, ActionScope::project, viewer, member},
    {Action::eventsRead, ActionScope::project, viewer, viewer},
    {Action::usageRead, ActionScope::project, viewer, viewer},
    {Action::modelRead, ActionScope::project, viewer, viewer},
    {Action::modelUse, ActionScope::project, member, member},
    {Action::projectRead, ActionScope::project, viewer, viewer},
    {Action::projectChange, ActionScope::project, admin, admin},
    {Action::auditRead, ActionScope::project, admin, admin},
    {Action::inventoryRead, ActionScope::anyone, viewer, viewer},
    {Action::priceRead, ActionScope::anyone, viewer, viewer},
    {Action::auditVerify, ActionScope::site, admin, admin},
    {Action::siteRead, ActionScope::site, admin, admin},
    {Action::workloadSuspend, ActionScope::project, operator_, operator_},  // its devices stay taken and idle
    {Action::workloadResume, ActionScope::project, operator_, operator_},
    {Action::workloadSetTimeLimit, ActionScope::project, operator_,
     operator_},  // others were planned behind the old one
    {Action::clusterManage, ActionScope::site, admin, admin},
});

constexpr bool inOrder() {
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (static_cast<std::size_t>(kRules[i].action) != i) return false;
  return kRules.size() == kEnumNames<Action>.size();
}
static_assert(inOrder(), "one rule per action, in the order of the enum");

ProjectRole neededBy(const ActionRule& rule, const Principal& who, std::string_view owner) {
  return !owner.empty() && owner == who.name ? rule.own : rule.others;
}

std::string denial(const Principal& who, std::string_view needed, std::string_view project, const Grant* grant) {
  return fmt::format("denied: needs {} on project {}, {} {}", needed, printable(project, 63), printable(who.name, 63),
                     grant == nullptr ? "has no role" : fmt::format("is {}", toText(grant->role)));
}

}  // namespace

const ActionRule& ruleOf(Action action) {
  const auto index = static_cast<std::size_t>(action);
  FL_ASSERT(index < kRules.size(), "an action of the enum");
  return kRules[index];
}

Decision authorize(const ProjectTable& table, const Principal& who, Action action, std::string_view project,
                   std::string_view owner) {
  const auto& rule = ruleOf(action);
  if (who.name.empty()) return {false, "denied: nobody is authenticated"};
  if (who.siteAdmin) return {true, "site admin"};
  if (rule.scope == ActionScope::anyone) return {true, "everybody who is authenticated"};
  if (rule.scope == ActionScope::site || project.empty())
    return {false, fmt::format("denied: {} {} is for site admins, {} is none", toText(action),
                               rule.scope == ActionScope::site ? "of the site" : "outside a project",
                               printable(who.name, 63))};
  const auto needed = neededBy(rule, who, owner);
  const auto* grant = table.grantOf(who, project);
  if (grant != nullptr && grant->role >= needed) return {true, grant->rule};
  return {false, denial(who, toText(needed), project, grant)};
}

bool may(const ProjectTable& table, const Principal& who, Action action, std::string_view project,
         std::string_view owner) {
  const auto& rule = ruleOf(action);
  if (who.name.empty()) return false;
  if (who.siteAdmin || rule.scope == ActionScope::anyone) return true;
  if (rule.scope == ActionScope::site || project.empty()) return false;
  const auto* grant = table.grantOf(who, project);
  return grant != nullptr && grant->role >= neededBy(rule, who, owner);
}

}  // namespace fairlead::auth
