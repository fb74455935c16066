// May this principal do this here? One table of actions, one function, and every answer with its rule.
#pragma once

#include <fairlead/auth/projects.hpp>
#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead::auth {

/// Names are those of audit records.
enum class Action : std::uint8_t {
  workloadRead,
  workloadSubmit,
  workloadCancel,
  workloadHold,
  workloadRelease,
  workloadRequeue,
  workloadSignal,
  workloadSetPriority,
  logsRead,
  eventsRead,
  usageRead,
  modelRead,
  modelUse,
  projectRead,
  projectChange,
  auditRead,  ///< of a project; the whole trail without one
  inventoryRead,
  priceRead,
  auditVerify,  ///< the whole trail
  siteRead,
  workloadSuspend,
  workloadResume,
  workloadSetTimeLimit,
  clusterManage,  ///< connect, govern, remove; drain nodes
};

enum class ActionScope : std::uint8_t {
  anyone,   ///< whoever is authenticated: things that belong to no project
  project,  ///< needs a role in the project; without a project only site admins
  site,     ///< site admins
};

struct ActionRule {
  Action action;
  ActionScope scope;
  ProjectRole own;     ///< needed when the thing is the principal's own
  ProjectRole others;  ///< needed when it is somebody else's, or nobody's
};
[[nodiscard]] const ActionRule& ruleOf(Action action);

struct Decision {
  bool allowed = false;
  std::string rule;  ///< what allowed it, or `denied: needs operator on project nlp, alice is viewer`
};

/// `owner` is the submitter of the thing asked about, empty where there is none. A project that does not exist and one
/// in which the principal has no role get the same answer. Any thread.
[[nodiscard]] Decision authorize(const ProjectTable& table, const Principal& who, Action action,
                                 std::string_view project, std::string_view owner = {});
/// The same answer without its words: for filtering lists; allocates nothing.
[[nodiscard]] bool may(const ProjectTable& table, const Principal& who, Action action, std::string_view project,
                       std::string_view owner = {});

}  // namespace fairlead::auth

template <>
inline constexpr auto fairlead::kEnumNames<fairlead::auth::Action> =
    std::to_array<std::pair<fairlead::auth::Action, std::string_view>>({
        {fairlead::auth::Action::workloadRead, "workload.read"},
        {fairlead::auth::Action::workloadSubmit, "workload.submit"},
        {fairlead::auth::Action::workloadCancel, "workload.cancel"},
        {fairlead::auth::Action::workloadHold, "workload.hold"},
        {fairlead::auth::Action::workloadRelease, "workload.release"},
        {fairlead::auth::Action::workloadRequeue, "workload.requeue"},
        {fairlead::auth::Action::workloadSignal, "workload.signal"},
        {fairlead::auth::Action::workloadSetPriority, "workload.set-priority"},
        {fairlead::auth::Action::logsRead, "logs.read"},
        {fairlead::auth::Action::eventsRead, "events.read"},
        {fairlead::auth::Action::usageRead, "usage.read"},
        {fairlead::auth::Action::modelRead, "model.read"},
        {fairlead::auth::Action::modelUse, "model.use"},
        {fairlead::auth::Action::projectRead, "project.read"},
        {fairlead::auth::Action::projectChange, "project.change"},
        {fairlead::auth::Action::auditRead, "audit.read"},
        {fairlead::auth::Action::inventoryRead, "inventory.read"},
        {fairlead::auth::Action::priceRead, "price.read"},
        {fairlead::auth::Action::auditVerify, "audit.verify"},
        {fairlead::auth::Action::siteRead, "site.read"},
        {fairlead::auth::Action::workloadSuspend, "workload.suspend"},
        {fairlead::auth::Action::workloadResume, "workload.resume"},
        {fairlead::auth::Action::workloadSetTimeLimit, "workload.set-time-limit"},
        {fairlead::auth::Action::clusterManage, "cluster.manage"},
    });
