#include <fairlead/config/errors.hpp>
#include <fairlead/config/report.hpp>
#include <fairlead/config/resolve.hpp>

#include <gtest/gtest.h>

#include <array>

namespace fairlead::config {
namespace {

using enum OptionType;

constexpr std::array<std::string_view, 2> kKinds{"sqlite", "memory"};
constexpr std::array<OptionDef, 2> kFields{
    {{.name = "model", .least = 1, .doc = "Model."},
     {.name = "count", .type = integer, .fallback = "1", .least = 1, .most = 8, .doc = "Count."}}};
constexpr std::array<OptionDef, 9> kOptions{{
    {.name = "stateDirectory", .type = path, .fallback = "/var/lib/x", .doc = "State."},
    {.name = "store.kind", .fallback = "sqlite", .choices = kKinds, .doc = "Kind."},
    {.name = "store.path", .type = path, .fallback = "${stateDirectory}/x.db", .doc = "File."},
    {.name = "http.port",
     .type = integer,
     .unit = "port",
     .fallback = "80",
     .least = 1,
     .most = 65'535,
     .doc = "Port."},
    {.name = "http.idle",
     .type = duration,
     .fallback = "75s",
     .least = 1'000,
     .most = 600'000,
     .doc = "Idle.",
     .live = true},
    {.name = "http.verbose", .type = boolean, .fallback = "false", .doc = "Verbose."},
    {.name = "http.token", .doc = "Token.", .secret = true},
    {.name = "http.names", .type = texts, .most = 3, .doc = "Names."},
    {.name = "devices", .type = records, .most = 2, .doc = "Devices.", .fields = kFields},
}};

Inputs file(std::string text) {
  return {.fileName = "etc/x.yaml", .fileText = std::move(text), .environment = {}, .flags = {}};
}

std::string valueOf(const Settings& settings, std::string_view name) {
  const auto& setting = settings.at(name);
  return toText(setting.def, setting.value);
}

std::string errorsOf(const Inputs& inputs) {
  const auto settings = resolve(kOptions, inputs);
  return settings ? "no error" : renderErrors(settings.error(), inputs.fileName);
}

TEST(Resolve, defaultsComeFromTheDeclarations) {
  const auto settings = resolve(kOptions, {}).value();
  ASSERT_EQ(settings.all.size(), kOptions.size());
  EXPECT_EQ(valueOf(settings, "http.idle"), "1m15s");
  EXPECT_EQ(valueOf(settings, "store.path"), "/var/lib/x/x.db");
  EXPECT_EQ(settings.at("store.path").place, "default");
}

TEST(Resolve, everyTypeIsReadFromAFile) {
  const auto settings =
      resolve(kOptions,
              file("stateDirectory: state\n"
                   "store:\n  kind: memory\n"
                   "http:\n  port: 8080\n  idle: 2m\n  verbose: true\n  token: s3cret\n  names: [a, \"b c\"]\n"
                   "devices:\n  - {model: h100, count: 4}\n  - model: a100\n"))
          .value();
  EXPECT_EQ(valueOf(settings, "stateDirectory"), "etc/state") << "a path of a file is relative to it";
  EXPECT_EQ(valueOf(settings, "store.path"), "etc/state/x.db");
  EXPECT_EQ(valueOf(settings, "http.names"), "a,b c");
  EXPECT_EQ(valueOf(settings, "devices"), "model=h100,count=4;model=a100,count=1");
  EXPECT_EQ(settings.at("http.port").place, "etc/x.yaml:5:9");
  EXPECT_EQ(std::get<Secret>(std::get<Scalar>(settings.at("http.token").value)).reveal(), "s3cret");
}

TEST(Resolve, flagsWinOverEnvironmentOverFileOverDefault) {
  auto inputs = file("http: {port: 1, idle: 10s}\nstore: {path: a.db}\n");
  inputs.environment = {{"FAIRLEAD_HTTP_PORT", "2"}, {"FAIRLEAD_STORE_PATH", "b.db"}, {"PATH", "/bin"}};
  inputs.flags = {"--http.port=3", "--http.verbose", "--devices=model=h100,count=2;model=a100"};
  const auto settings = resolve(kOptions, inputs).value();
  EXPECT_EQ(valueOf(settings, "http.port"), "3");
  EXPECT_EQ(settings.at("http.port").place, "--http.port");
  EXPECT_EQ(valueOf(settings, "store.path"), "b.db");
  EXPECT_EQ(settings.at("store.path").place, "FAIRLEAD_STORE_PATH");
  EXPECT_EQ(valueOf(settings, "http.idle"), "10s");
  EXPECT_EQ(valueOf(settings, "http.verbose"), "true");
  EXPECT_EQ(valueOf(settings, "devices"), "model=h100,count=2;model=a100,count=1");
}

TEST(Resolve, allErrorsAreToldAtOnceWithTheirPlace) {
  auto inputs = file(
      "store:\n  kind: sqlit\n  pth: a\nhttp:\n  port: 70000\n  idle: 5\n  verbose: yes\n  names: x\ndevices:\n  - "
      "{modle: h100, count: 9}\n");
  inputs.environment = {{"FAIRLEAD_HTTP_IDLE", "1h"}};
  inputs.flags = {"--http.prot=1", "--http.port", "store.kind=memory"};
  EXPECT_EQ(errorsOf(inputs),
            "etc/x.yaml:2:9: store.kind: \"sqlit\" is not one of sqlite, memory (did you mean sqlite?)\n"
            "etc/x.yaml:3:3: store.pth: is no option (did you mean path?)\n"
            "etc/x.yaml:5:9: http.port: \"70000\" is out of range (allowed: 1 to 65535)\n"
            "etc/x.yaml:6:9: http.idle: \"5\" is not a duration (write it like 90s, 5m or 1h30m)\n"
            "etc/x.yaml:7:12: http.verbose: \"yes\" is not true or false\n"
            "etc/x.yaml:8:10: http.names: is text, must be a list of texts\n"
            "etc/x.yaml:10:6: devices[0].modle: is no option (did you mean model?)\n"
            "etc/x.yaml:10:5: devices[0].model: is missing\n"
            "etc/x.yaml:10:26: devices[0].count: \"9\" is out of range (allowed: 1 to 8)\n"
            "http.idle (FAIRLEAD_HTTP_IDLE): \"1h\" is out of range (allowed: 1s to 10m)\n"
            "--http.prot: is no option (did you mean --http.port?)\n"
            "--http.port: has no value (write --http.port=VALUE)\n"
            "store.kind: is no option (did you mean --store.kind?)\n");
}

TEST(Resolve, shapesThatAreWrongAreNamed) {
  EXPECT_EQ(errorsOf(file("store: sqlite\n")), "etc/x.yaml:1:8: store: is text, must be a map of options\n");
  EXPECT_EQ(errorsOf(file("http: {port: [1]}\n")), "etc/x.yaml:1:14: http.port: is a list, must be a whole number\n");
  EXPECT_EQ(errorsOf(file("http: {port: }\n")), "etc/x.yaml:1:14: http.port: is null, must be a whole number\n");
  EXPECT_EQ(errorsOf(file("- a\n")), "etc/x.yaml:1:1: the file is a list, must be a map of options\n");
  EXPECT_EQ(errorsOf(file("devices: [{}, {}, {}]\n")), "etc/x.yaml:1:10: devices: 3 items (allowed: 0 to 2)\n");
  EXPECT_EQ(errorsOf(file("devices: [{count: 1}]\n")), "etc/x.yaml:1:11: devices[0].model: is missing\n");
  EXPECT_EQ(errorsOf(file("")), "no error");
  EXPECT_EQ(errorsOf(file("store:\n")), "no error") << "a group with nothing in it";
}

TEST(Resolve, aFileThatIsNoYamlOrABombIsRefused) {
  EXPECT_NE(errorsOf(file("store: {kind: [\n")).find("etc/x.yaml:"), std::string::npos);
  EXPECT_NE(errorsOf(file("http: {port: 1}\nhttp: {port: 2}\n")).find("etc/x.yaml:2:1"), std::string::npos)
      << "duplicate keys";
  EXPECT_NE(errorsOf(file("a: \xff\n")), "no error");
  std::string bomb = "a0: &a0 [x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(errorsOf(file(bomb)), "no error");
  EXPECT_NE(errorsOf(file(std::string(100'000, '['))), "no error");
}

TEST(Resolve, aSecretIsNeverShownAndNeverTakenFromAFlag) {
  auto inputs = file("http: {token: hunter2}\n");
  const auto settings = resolve(kOptions, inputs).value();
  EXPECT_EQ(explain(settings).find("hunter2"), std::string::npos);
  EXPECT_NE(explain(settings).find("***"), std::string::npos);
  inputs.flags = {"--http.token=hunter2"};
  const auto refused = errorsOf(inputs);
  EXPECT_EQ(refused.find("hunter2"), std::string::npos);
  EXPECT_NE(refused.find("FAIRLEAD_HTTP_TOKEN"), std::string::npos);
  EXPECT_EQ(resolve(kOptions, inputs).error().front().code, &kSecretInFlag);
}

TEST(Resolve, variablesThatNoOptionHasAreNotedNotFatal) {
  Inputs inputs;
  inputs.environment = {{"FAIRLEAD_STROE_PATH", "x"}};
  EXPECT_EQ(resolve(kOptions, inputs).value().notes.size(), 1U);
}

TEST(Resolve, theEnvironmentIsReadUpToItsEnd) {
  const std::array<const char*, 4> variables{"A=1", "B=x=y", "odd", nullptr};
  EXPECT_EQ(environmentOf(variables.data()),
            (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "x=y"}}));
  EXPECT_TRUE(environmentOf(nullptr).empty());
}

TEST(Report, explainIsATable) {
  Inputs inputs;
  inputs.flags = {"--http.port=3"};
  const auto text = explain(resolve(kOptions, inputs).value());
  EXPECT_TRUE(text.starts_with("OPTION")) << text;
  EXPECT_NE(text.find("http.port       3                --http.port\n"), std::string::npos) << text;
}

TEST(Report, docsNameEveryOptionAndField) {
  const auto page = docs(kOptions);
  for (const auto& option : kOptions) EXPECT_NE(page.find("| `" + std::string(option.name) + "` |"), std::string::npos);
  EXPECT_NE(page.find("| `devices[].count` | a whole number | `1` | 1 to 8 | Count. |"), std::string::npos) << page;
  EXPECT_NE(page.find("| `http.idle` | a duration | `75s` | 1s to 10m | Idle. Takes effect without a restart. |"),
            std::string::npos)
      << page;
}

}  // namespace
}  // namespace fairlead::config
