// Golden folders: every file of tests/golden/{spec,sbatch}/{valid,invalid} is a case; what is expected stands beside
// it. FAIRLEAD_UPDATE_GOLDEN=1 writes the expected files anew.
#include "sbatch_table.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/sbatch.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fairlead::codec {
namespace {

namespace fs = std::filesystem;

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// `line:column: field: message (remedy)`, a line each.
std::string problems(const Errors& errors) {
  std::string text;
  for (const auto& error : errors)
    text += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + toText(error) + "\n";
  return text;
}

Checked<WorkloadDocument> decodeFile(const fs::path& path) {
  const auto text = readFile(path);
  if (path.extension() == ".json") return decodeWorkloadJson(text);
  const auto tree = parseYaml(text);
  if (!tree) return tl::unexpected(tree.error());
  return decodeWorkload(*tree);
}

SbatchContext sbatchContext(const fs::path& path, const std::string& script) {
  SbatchContext context;
  context.submitDirectory = "/home/li/exp";
  context.scriptName = path.filename();
  context.user = "li";
  context.now = *parseTime("2026-11-30T18:30:00Z");
  context.zoneOffsetMinutes = 480;
  context.env = {{"HOME", "/home/li"}, {"PATH", "/usr/bin"}, {"CUDA_VISIBLE_DEVICES", "0"}, {"BASH_FUNC_x%%", "() {}"}};
  constexpr std::string_view kArgs = "# test-args: ";
  if (const auto at = script.find(kArgs); at != std::string::npos) {
    std::istringstream words(script.substr(at + kArgs.size(), script.find('\n', at) - at - kArgs.size()));
    for (std::string word; words >> word;) context.args.push_back(word);
  }
  return context;
}

void expectFile(const fs::path& path, const std::string& actual) {
  if (std::getenv("FAIRLEAD_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << "make it with FAIRLEAD_UPDATE_GOLDEN=1";
  EXPECT_EQ(readFile(path), actual);
}

fs::path beside(const fs::path& path, std::string_view ending) { return fs::path(path.string() + std::string(ending)); }

std::vector<std::string> casesOf(const std::string& folder) {
  std::vector<std::string> cases;
  for (const auto& entry : fs::directory_iterator(fs::path(FAIRLEAD_SOURCE_DIR) / "tests/golden" / folder)) {
    const auto path = entry.path().string();
    if (path.find(".expected.") == std::string::npos) cases.push_back(path);
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::string caseName(const testing::TestParamInfo<std::string>& info) {
  auto name = fs::path(info.param).filename().string();
  for (auto& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class GoldenSpecValid : public testing::TestWithParam<std::string> {};
class GoldenSpecInvalid : public testing::TestWithParam<std::string> {};
class GoldenSbatchValid : public testing::TestWithParam<std::string> {};
class GoldenSbatchInvalid : public testing::TestWithParam<std::string> {};

TEST_P(GoldenSpecValid, IsReadAndReadBackEqual) {
  const auto document = decodeFile(GetParam());
  ASSERT_TRUE(document) << problems(document.error());
  const auto json = workloadJson(*document);
  const auto again = decodeWorkloadJson(json);
  ASSERT_TRUE(again) << json << "\n" << problems(again.error());
  EXPECT_EQ(*again, *document);
  expectFile(beside(GetParam(), ".expected.json"), json + "\n");
}

TEST_P(GoldenSpecInvalid, SaysEverythingThatIsWrong) {
  const auto document = decodeFile(GetParam());
  ASSERT_FALSE(document) << workloadJson(*document);
  for (const auto& error : document.error()) EXPECT_TRUE(isUtf8(toText(error) + error.value));
  expectFile(beside(GetParam(), ".expected.txt"), problems(document.error()));
}

TEST_P(GoldenSbatchValid, IsMappedAndNothingIsSilent) {
  const auto script = readFile(GetParam());
  const auto result = decodeSbatch(script, sbatchContext(GetParam(), script));
  ASSERT_TRUE(result) << problems(result.error());
  const auto again = decodeWorkloadJson(workloadJson(result->document));
  ASSERT_TRUE(again) << workloadJson(result->document) << "\n" << problems(again.error());
  EXPECT_EQ(*again, result->document);
  auto shown = result->document;
  ASSERT_EQ(shown.spec.roles[0].script, script);
  shown.spec.roles[0].script = "#!...";
  std::string text = workloadJson(shown) + "\n";
  for (const auto& item : result->notMapped)
    text += "not mapped: " + item.directive + (item.value.empty() ? "" : " " + item.value) + " (" + item.why + ")\n";
  expectFile(beside(GetParam(), ".expected.txt"), text);
}

TEST_P(GoldenSbatchInvalid, SaysEverythingThatIsWrong) {
  const auto script = readFile(GetParam());
  const auto result = decodeSbatch(script, sbatchContext(GetParam(), script));
  ASSERT_FALSE(result) << workloadJson(result->document);
  expectFile(beside(GetParam(), ".expected.txt"), problems(result.error()));
}

TEST(SbatchOptions, EveryOptionOfTheManualIsInTheTable) {
  for (const auto* release : {"22.05", "26.05"}) {
    std::istringstream options(
        readFile(fs::path(FAIRLEAD_SOURCE_DIR) / "tests/golden/sbatch-options" / (std::string(release) + ".txt")));
    int seen = 0;
    for (std::string line; std::getline(options, line);) {
      if (!line.starts_with("--")) continue;
      ++seen;
      const auto known = sbatchDirectives();
      EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto& d) { return d.name == line.substr(2); }))
          << release << " has " << line;
    }
    EXPECT_GT(seen, 100) << release;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenSpecValid, testing::ValuesIn(casesOf("spec/valid")), caseName);
INSTANTIATE_TEST_SUITE_P(Files, GoldenSpecInvalid, testing::ValuesIn(casesOf("spec/invalid")), caseName);
INSTANTIATE_TEST_SUITE_P(Files, GoldenSbatchValid, testing::ValuesIn(casesOf("sbatch/valid")), caseName);
INSTANTIATE_TEST_SUITE_P(Files, GoldenSbatchInvalid, testing::ValuesIn(casesOf("sbatch/invalid")), caseName);

}  // namespace
}  // namespace fairlead::codec
