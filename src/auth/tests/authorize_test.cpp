#include <fairlead/auth/authorize.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::auth {
namespace {

using model::ProjectMember;

Principal principal(std::string name, std::vector<std::string> groups = {}) {
  Principal who;
  who.name = std::move(name);
  who.groups = std::move(groups);
  return who;
}

ProjectTable tableOf(std::vector<Project> projects) {
  auto table = ProjectTable::make(std::move(projects));
  if (!table) ADD_FAILURE() << table.error().front().message;
  return table ? std::move(*table) : ProjectTable{};
}

/// research (wang: admin) over nlp (vera viewer, mia member, otto operator, ada admin; group nlp-users member) over
/// nlp-dev.
ProjectTable sample() {
  return tableOf({
      {"nlp-dev", "nlp", {{"vera", false, ProjectRole::operator_}}},
      {"nlp",
       "research",
       {{"vera", false, ProjectRole::viewer},
        {"mia", false, ProjectRole::member},
        {"otto", false, ProjectRole::operator_},
        {"ada", false, ProjectRole::admin},
        {"nlp-users", true, ProjectRole::member}}},
      {"research", "", {{"wang", false, ProjectRole::admin}, {"auditors", true, ProjectRole::viewer}}},
      {"cv", "", {{"mia", false, ProjectRole::admin}}},
  });
}

// What each action needs, in words: own / others. A change of the table must change this page.
TEST(Authorize, everyPairOfActionAndRoleIsDecided) {
  const std::map<std::string, std::pair<std::string, std::string>> needs{
      {"workload.read", {"viewer", "viewer"}},
      {"workload.submit", {"member", "member"}},
      {"workload.cancel", {"member", "operator"}},
      {"workload.hold", {"member", "operator"}},
      {"workload.release", {"member", "operator"}},
      {"workload.requeue", {"member", "operator"}},
      {"workload.signal", {"member", "operator"}},
      {"workload.set-priority", {"operator", "operator"}},
      {"logs.read", {"viewer", "member"}},
      {"events.read", {"viewer", "viewer"}},
      {"usage.read", {"viewer", "viewer"}},
      {"model.read", {"viewer", "viewer"}},
      {"model.use", {"member", "member"}},
      {"project.read", {"viewer", "viewer"}},
      {"project.change", {"admin", "admin"}},
      {"audit.read", {"admin", "admin"}},
      {"audit.verify", {"site", "site"}},
      {"site.read", {"site", "site"}},
      {"inventory.read", {"anyone", "anyone"}},
      {"price.read", {"anyone", "anyone"}},
      {"workload.suspend", {"operator", "operator"}},
      {"workload.resume", {"operator", "operator"}},
      {"workload.set-time-limit", {"operator", "operator"}},
      {"cluster.manage", {"site", "site"}},
  };
  ASSERT_EQ(needs.size(), kEnumNames<Action>.size());
  const auto table = sample();
  const std::vector<std::pair<std::string, std::optional<ProjectRole>>> people{{"stranger", {}},
                                                                               {"vera", ProjectRole::viewer},
                                                                               {"mia", ProjectRole::member},
                                                                               {"otto", ProjectRole::operator_},
                                                                               {"ada", ProjectRole::admin}};
  for (const auto& [action, actionName] : kEnumNames<Action>) {
    for (const auto& [name, role] : people) {
      for (const bool own : {true, false}) {
        const auto& wanted = own ? needs.at(std::string(actionName)).first : needs.at(std::string(actionName)).second;
        bool expected = wanted == "anyone";
        if (const auto least = parseEnum<ProjectRole>(wanted)) expected = role && *role >= *least;
        const auto owner = own ? name : "somebody";
        const auto decision = authorize(table, principal(name), action, "nlp", owner);
        EXPECT_EQ(decision.allowed, expected) << actionName << " by " << name << (own ? " on own" : " on others'");
        EXPECT_EQ(may(table, principal(name), action, "nlp", owner), expected);
        EXPECT_EQ(decision.rule.starts_with("denied: "), !expected) << decision.rule;
      }
    }
  }
}

TEST(Authorize, namesTheRule) {
  const auto table = sample();
  const auto rule = [&](const Principal& who, Action action, std::string_view project, std::string_view owner = {}) {
    return authorize(table, who, action, project, owner).rule;
  };
  EXPECT_EQ(rule(principal("mia"), Action::workloadSubmit, "nlp"), "role member of project nlp");
  EXPECT_EQ(rule(principal("zoe", {"nlp-users", "x"}), Action::workloadSubmit, "nlp"),
            "role member of project nlp (group nlp-users)");
  EXPECT_EQ(rule(principal("wang"), Action::workloadCancel, "nlp-dev", "mia"), "role admin of project research");
  EXPECT_EQ(rule(principal("mia"), Action::workloadCancel, "nlp", "otto"),
            "denied: needs operator on project nlp, mia is member");
  EXPECT_EQ(rule(principal("zoe"), Action::workloadRead, "nlp"),
            "denied: needs viewer on project nlp, zoe has no role");
  EXPECT_EQ(rule(principal("ada"), Action::auditVerify, ""),
            "denied: audit.verify of the site is for site admins, ada is none");
  EXPECT_EQ(rule(principal("zoe"), Action::inventoryRead, ""), "everybody who is authenticated");
}

TEST(Authorize, aProjectThatDoesNotExistLooksLikeOneWithoutARole) {
  const auto table = sample();
  const auto denied = [&](std::string_view project) {
    auto text = authorize(table, principal("zoe"), Action::workloadRead, project).rule;
    text.replace(text.find(project), project.size(), "P");
    return text;
  };
  EXPECT_EQ(denied("nlp"), denied("secret-plans"));
}

TEST(Authorize, rolesAreInheritedDownwardsOnly) {
  const auto table = sample();
  EXPECT_TRUE(may(table, principal("mia"), Action::workloadSubmit, "nlp-dev"));
  EXPECT_FALSE(may(table, principal("mia"), Action::workloadRead, "research"));
  EXPECT_TRUE(may(table, principal("vera"), Action::workloadSetPriority, "nlp-dev")) << "the higher role of two wins";
  EXPECT_FALSE(may(table, principal("vera"), Action::workloadSubmit, "nlp"));
  EXPECT_TRUE(may(table, principal("a", {"auditors"}), Action::usageRead, "nlp-dev"));
  EXPECT_FALSE(may(table, principal("a", {"auditors"}), Action::usageRead, "cv"));
}

TEST(Authorize, groupsAndUsersOfOneNameAreDifferent) {
  const auto table = sample();
  EXPECT_FALSE(may(table, principal("nlp-users"), Action::workloadRead, "nlp"));
  EXPECT_FALSE(may(table, principal("zoe", {"ada"}), Action::workloadRead, "nlp"));
}

TEST(Authorize, whoIsOutOfTheProjectHasNoRightOnOwnWork) {
  EXPECT_FALSE(may(sample(), principal("left"), Action::workloadCancel, "nlp", "left"));
  EXPECT_FALSE(may(sample(), principal("left"), Action::logsRead, "nlp", "left"));
}

TEST(Authorize, nobodyOwnsWhatHasNoOwner) {
  auto nobody = principal("");
  for (const auto& [action, name] : kEnumNames<Action>)
    EXPECT_FALSE(authorize(sample(), nobody, action, "nlp", "").allowed) << name;
  nobody.siteAdmin = true;
  EXPECT_FALSE(may(sample(), nobody, Action::workloadRead, "nlp"))
      << "a principal without a name is nobody, whatever it claims";
}

TEST(Authorize, siteAdminsMayEverythingEverywhere) {
  auto root = principal("root");
  root.siteAdmin = true;
  for (const auto& [action, name] : kEnumNames<Action>)
    for (const auto* project : {"nlp", "no-such", ""}) {
      EXPECT_EQ(authorize(sample(), root, action, project, "mia").rule, "site admin") << name;
      EXPECT_TRUE(may(sample(), root, action, project, "mia"));
    }
}

TEST(Authorize, withoutAProjectOnlyWhatBelongsToNone) {
  for (const auto& [action, name] : kEnumNames<Action>)
    EXPECT_EQ(may(sample(), principal("ada"), action, ""), ruleOf(action).scope == ActionScope::anyone) << name;
}

TEST(Authorize, anEmptyTableDeniesEverythingThatNeedsARole) {
  for (const auto& [action, name] : kEnumNames<Action>)
    EXPECT_EQ(may({}, principal("ada"), action, "nlp"), ruleOf(action).scope == ActionScope::anyone) << name;
}

TEST(Authorize, hostileNamesAreMadePrintable) {
  const auto rule =
      authorize(sample(), principal("a\nb"), Action::workloadRead, "x\x1b[31m" + std::string(500, 'y')).rule;
  EXPECT_EQ(rule.find('\n'), std::string::npos);
  EXPECT_EQ(rule.find('\x1b'), std::string::npos);
  EXPECT_LT(rule.size(), 300U);
}

TEST(AuthorizeProperty, aHigherRoleNeverMayLess) {
  EXPECT_TRUE(rc::check([] {
    const auto action = rc::gen::elementOf(std::vector(kEnumNames<Action>.begin(), kEnumNames<Action>.end()));
    const auto chosen = (*action).first;
    const auto own = *rc::gen::arbitrary<bool>();
    const auto table = sample();
    bool before = false;
    for (const auto* name : {"stranger", "vera", "mia", "otto", "ada"}) {
      const bool now = may(table, principal(name), chosen, "nlp", own ? name : "");
      RC_ASSERT(now || !before);
      RC_ASSERT(now == authorize(table, principal(name), chosen, "nlp", own ? name : "").allowed);
      before = now;
    }
  }));
}

}  // namespace
}  // namespace fairlead::auth
