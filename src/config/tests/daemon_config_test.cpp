#include <fairlead/config/daemon_config.hpp>
#include <fairlead/config/report.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <set>

namespace fairlead::config {
namespace {

DaemonConfig load(const Inputs& inputs) {
  const auto config = loadDaemonConfig(inputs);
  if (!config) ADD_FAILURE() << renderErrors(config.error(), inputs.fileName);
  return config.value_or(DaemonConfig{});
}

TEST(DaemonConfigDeclarations, everyOneIsWholeAndHasItsOwnNames) {
  std::set<std::string> variables;
  std::set<std::string_view> names;
  for (const auto& option : daemonOptions()) {
    EXPECT_TRUE(variables.insert(environmentName(option.name)).second) << option.name << " shares its variable";
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " is declared twice";
    EXPECT_TRUE(option.doc.ends_with('.')) << option.name;
    EXPECT_LE(option.least, option.most) << option.name;
    EXPECT_TRUE(option.type != OptionType::integer || !option.unit.empty()) << option.name << " has no unit";
    EXPECT_TRUE(option.fallback.starts_with("${") || parseValue(option, option.fallback).has_value())
        << option.name << " has a wrong default";
  }
}

TEST(DaemonConfigDeclarations, everyDefaultReachesItsMember) {
  const auto config = load({});
  EXPECT_EQ(config.stateDirectory, "/var/lib/fairlead");
  EXPECT_EQ(config.store.path, "/var/lib/fairlead/fairlead.db");
  EXPECT_EQ(config.listen.unixSocket, "/var/lib/fairlead/fairlead.sock");
  EXPECT_EQ(config.http.maxBody, Bytes{8 << 20});
  EXPECT_EQ(config.http.idleTimeout, Milliseconds{75'000});
  EXPECT_EQ(config.policy.depth, 1000);
  EXPECT_TRUE(config.local.enabled && config.local.discover);
  EXPECT_EQ(config.log.level, "info");
}

TEST(DaemonConfigFile, theExampleIsRight) {
  const std::string path = std::string(FAIRLEAD_SOURCE_DIR) + "/examples/config/fairlead.yaml";
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  Inputs inputs;
  inputs.fileName = path;
  inputs.fileText.assign(std::istreambuf_iterator<char>(in), {});
  const auto config = load(inputs);
  EXPECT_TRUE(config.projects.ends_with("/examples/config/projects.yaml")) << config.projects;
  ASSERT_EQ(config.local.devices.size(), 2U);
  EXPECT_EQ(config.local.devices[0].model, "h100");
  EXPECT_EQ(config.local.devices[0].count, 4);
  EXPECT_EQ(config.local.devices[0].memory, Bytes{80LL << 30});
}

TEST(DaemonConfigFile, rulesBetweenOptionsAreChecked) {
  Inputs inputs;
  inputs.flags = {"--listen.tlsKey=/k", "--listen.unix=", "--control.eventsKept=1000"};
  const auto config = loadDaemonConfig(inputs);
  ASSERT_FALSE(config);
  const auto text = renderErrors(config.error(), "");
  EXPECT_EQ(config.error().size(), 3U) << text;
  EXPECT_NE(text.find("certificate and key belong together"), std::string::npos) << text;
}

RC_GTEST_PROP(DaemonConfigFlags, whatAnOptionPrintsItReads, ()) {
  auto options = daemonOptions();
  std::erase_if(options, [](const OptionDef& def) {
    return def.type != OptionType::integer && def.type != OptionType::duration && def.type != OptionType::bytes;
  });
  const auto& option = options[*rc::gen::inRange<std::size_t>(0, options.size())];
  const auto most = std::min<std::int64_t>(option.most, std::int64_t{1} << 40);
  const Value value{Scalar{*rc::gen::inRange<std::int64_t>(option.least, most)}};
  RC_ASSERT(toText(option, parseValue(option, toText(option, value)).value()) == toText(option, value));
}

}  // namespace
}  // namespace fairlead::config
