#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/projects.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fairlead::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// `line field token` of each error.
std::vector<std::string> problems(std::string_view yaml) {
  std::vector<std::string> out;
  const auto table = parseProjects(yaml);
  if (table) return out;
  for (const auto& error : table.error())
    out.push_back(fmt::format("{} {} {}", error.line, error.field, error.token()));
  return out;
}

std::string project(std::string_view name, std::string_view rest = "spec: {members: []}",
                    std::string_view parent = {}) {
  return fmt::format("---\napiVersion: fairlead.io/v1\nkind: Project\nmetadata: {{name: {}{}}}\n{}\n", name,
                     parent.empty() ? std::string() : fmt::format(", parent: {}", parent), rest);
}

TEST(ParseProjects, readsDocumentsInAnyOrder) {
  const auto table = parseProjects(
      project("nlp", "spec: {members: [{user: li, role: member}, {group: leads, role: admin}]}", "research") +
      project("research", "spec: {members: [{user: wang, role: operator}]}"));
  ASSERT_TRUE(table) << table.error().front().message;
  ASSERT_EQ(table->all().size(), 2U);
  EXPECT_EQ(table->all()[0].name, "nlp");
  EXPECT_EQ(table->find("nlp")->parent, "research");
  EXPECT_EQ(table->find("nlp")->members[1].name, "leads");
  EXPECT_TRUE(table->find("nlp")->members[1].isGroup);
  EXPECT_EQ(table->find("no"), nullptr);
  EXPECT_EQ(table->grantOf({"wang", {}, {}, false, {}}, "nlp")->role, ProjectRole::operator_);
}

TEST(ParseProjects, readsTheExample) {
  const auto table = loadProjects(FAIRLEAD_SOURCE_DIR "/examples/config/projects.yaml");
  ASSERT_TRUE(table) << table.error().front().message;
  EXPECT_NE(table->find("research"), nullptr);
}

TEST(ParseProjects, namesEachThingThatIsWrongWithItsLine) {
  EXPECT_THAT(problems("- a\n").size(), 1U);
  EXPECT_THAT(problems("kind: [").size(), 1U);
  EXPECT_THAT(problems(""), ElementsAre("0  auth/project-invalid"));
  EXPECT_THAT(problems("a: 1\na: 2\n"), ElementsAre(HasSubstr("codec/duplicate-key")));
  EXPECT_THAT(problems("apiVersion: fairlead.io/v1\nkind: Projekt\nmetadata: {name: a}\n"),
              ElementsAre("2 kind codec/bad-value"));
  EXPECT_THAT(problems("apiVersion: v1\nkind: Project\nmetadata: {nam: a}\nspek: {}\n"),
              ElementsAre("1 apiVersion codec/bad-value", HasSubstr("3 metadata"), HasSubstr("3 metadata"),
                          "4 spek codec/unknown-field"));
  EXPECT_THAT(problems(project("a", "spec: {members: [{user: x, role: boss}]}")),
              ElementsAre("5 spec.members[0].role codec/bad-value"));
  EXPECT_THAT(problems(project("a", "spec: {members: [{user: x}]}")), ElementsAre(HasSubstr("codec/missing-field")));
  EXPECT_THAT(problems(project("a", "spec: {members: [{user: x, group: y, role: admin}, {role: admin}]}")),
              ElementsAre("5 spec.members[0] codec/conflicting-fields", "5 spec.members[1] codec/conflicting-fields"));
  EXPECT_THAT(problems(project("a", "spec: {members: [{user: 1000, role: admin}]}")),
              ElementsAre(HasSubstr("codec/wrong-type")));
}

TEST(ParseProjects, checksTheProjectsTogether) {
  EXPECT_THAT(problems(project("a") + project("a")), ElementsAre("7 projects[1].name auth/project-invalid"));
  EXPECT_THAT(problems(project("a", "spec: {}", "b")), ElementsAre("2 projects[0].parent auth/project-invalid"));
  EXPECT_THAT(problems(project("a", "spec: {}", "a")), ElementsAre("2 projects[0].parent auth/project-invalid"));
  EXPECT_THAT(problems(project("a", "spec: {}", "b") + project("b", "spec: {}", "a")),
              ElementsAre("2 projects[0].parent auth/project-invalid", "7 projects[1].parent auth/project-invalid"));
  EXPECT_THAT(problems(project(
                  "a", "spec: {members: [{user: x, role: viewer}, {user: x, role: admin}, {group: x, role: admin}]}")),
              ElementsAre("2 projects[0].members[1] auth/project-invalid"));
  for (const auto* name : {"\"\"", "Nlp", "-a", "a-", "\"a b\"", "\"../x\"", "\"--all\""})
    EXPECT_EQ(problems(project(name)).size(), 1U) << name;
}

TEST(ParseProjects, suggestsTheParentThatWasMeant) {
  const auto table = parseProjects(project("research") + project("nlp", "spec: {}", "reserch"));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().front().remedy, "did you mean research?");
}

TEST(ParseProjects, limitsTheDepthOfTheTree) {
  std::string yaml = project("p0");
  for (int i = 1; i < 16; ++i) yaml += project(fmt::format("p{}", i), "spec: {}", fmt::format("p{}", i - 1));
  EXPECT_TRUE(problems(yaml).empty());
  EXPECT_EQ(problems(yaml + project("p16", "spec: {}", "p15")).size(), 1U);
}

TEST(ProjectTable, aLoopUnderAnotherProjectIsNamedOnItsMembersOnly) {
  const auto table = ProjectTable::make({{"leaf", "a", {}}, {"a", "b", {}}, {"b", "a", {}}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().size(), 2U);
}

TEST(ProjectTable, theStandardOneHasOneAdmin) {
  const auto table = ProjectTable::standard("lena");
  ASSERT_EQ(table.all().size(), 1U);
  EXPECT_EQ(table.grantOf({"lena", {}, {}, false, {}}, "default")->role, ProjectRole::admin);
  EXPECT_EQ(table.grantOf({"otto", {}, {}, false, {}}, "default"), nullptr);
}

class ProjectFile : public ::testing::Test {
 protected:
  ProjectFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fairlead-auth-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(path()) << project("a");
  }
  ~ProjectFile() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "projects.yaml").string(); }
  [[nodiscard]] std::string token() const {
    const auto table = loadProjects(path());
    return table ? "loaded" : std::string(table.error().front().token());
  }
  std::filesystem::path folder_;
};

TEST_F(ProjectFile, thatAnybodyMayWriteIsRefused) {
  ASSERT_EQ(::chmod(path().c_str(), 0664), 0);
  EXPECT_EQ(token(), "loaded");
  ASSERT_EQ(::chmod(path().c_str(), 0646), 0);
  EXPECT_EQ(token(), "auth/file-unsafe");
}

TEST_F(ProjectFile, thatIsMissingTooLongOrNoFileIsRefused) {
  std::ofstream(path()) << std::string(ProjectLimits::fileBytes + 1, '#');
  EXPECT_EQ(token(), "auth/file-not-read");
  std::filesystem::remove(path());
  EXPECT_EQ(token(), "auth/file-not-read");
  std::filesystem::create_directory(path());
  EXPECT_EQ(token(), "auth/file-not-read");
}

}  // namespace
}  // namespace fairlead::auth
