// Documents in a folder, engines in a real core; only what the engines reach is not there.
#include <fairlead/clusters/errors.hpp>
#include <fairlead/clusters/registry.hpp>
#include <fairlead/control/errors.hpp>
#include <fairlead/control/testing/harness.hpp>
#include <fairlead/store/memory.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fairlead::clusters {
namespace {

namespace fs = std::filesystem;
using control::testing::FakeEngine;
using control::testing::fakeNode;

constexpr std::string_view kDocument =
    "apiVersion: fairlead.io/v1\nkind: Cluster\nmetadata: {name: hpc}\nspec: {engine: slurm}\n";

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    std::string path = (fs::temp_directory_path() / "fairlead-clusters-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
    registry_ = make();
  }
  ~RegistryTest() override {
    core_.control().stop();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Registry> make() {
    RegistryOptions options;
    options.folder = folder_ + "/clusters";
    options.stateDirectory = folder_;
    options.localCluster = "local";
    options.log = [this](const std::string& cluster, engine::LogSeverity, const std::string& line) {
      log_ += cluster + ": " + line + "\n";
    };
    options.makeEngine = [this](engine::SlurmOptions made) -> Result<std::unique_ptr<control::EnginePort>> {
      made_ = std::move(made);
      if (refuse_) return fail(kDocumentFile, "no way in");
      return std::make_unique<FakeEngine>(std::vector{fakeNode("c1", 2)}, made_.cluster);
    };
    return std::make_unique<Registry>(std::move(options), core_.control());
  }
  void write(const std::string& name, std::string_view text) {
    fs::create_directories(folder_ + "/clusters");
    std::ofstream(folder_ + "/clusters/" + name) << text;
  }
  bool connected(const std::string& name) {
    return core_.control().read([&](const control::State& s) { return s.standing(name) != nullptr; });
  }
  model::ClusterTerms terms() {
    return core_.control().read([&](const control::State& s) { return s.standing("hpc")->terms; });
  }

  std::string folder_, log_;
  store::MemoryStore store_;
  control::testing::Harness core_{store_, 0};
  engine::SlurmOptions made_;
  bool refuse_ = false;
  std::unique_ptr<Registry> registry_;
};

TEST_F(RegistryTest, whatIsAddedIsConnectedReadOnlyAndThereAgainAfterARestart) {
  const auto added = registry_->add(kDocument, false);
  ASSERT_TRUE(added) << toText(added.error().front());
  EXPECT_TRUE(connected("hpc"));
  EXPECT_TRUE(terms().readOnly());
  EXPECT_EQ(made_.stateDir, folder_ + "/slurm/hpc");
  EXPECT_FALSE(made_.governs("nlp"));
  EXPECT_TRUE(fs::exists(folder_ + "/clusters/hpc.json"));
  ASSERT_EQ(registry_->list().size(), 2U);
  EXPECT_EQ(registry_->list()[0].name, "hpc");
  EXPECT_EQ(registry_->list()[1].engine, "local");

  store::MemoryStore other;
  control::testing::Harness next(other, 0);
  RegistryOptions options;
  options.folder = folder_ + "/clusters";
  options.stateDirectory = folder_;
  options.makeEngine = [](engine::SlurmOptions slurm) -> Result<std::unique_ptr<control::EnginePort>> {
    return std::make_unique<FakeEngine>(std::vector{fakeNode("c1", 2)}, slurm.cluster);
  };
  Registry again(std::move(options), next.control());
  again.load();
  EXPECT_TRUE(next.control().read([](const control::State& s) { return s.standing("hpc") != nullptr; }));
  next.control().stop();
}

TEST_F(RegistryTest, governingIsSwitchedForTheEngineTheCoreAndTheNextDaemon) {
  ASSERT_TRUE(registry_->add(kDocument, false));
  ASSERT_TRUE(registry_->govern("hpc", {.projects = {"nlp"}, .depth = 5}));
  EXPECT_TRUE(made_.governs("nlp"));
  EXPECT_FALSE(made_.governs("vision"));
  EXPECT_EQ(terms().depth, 5);
  std::ifstream file(folder_ + "/clusters/hpc.json");
  const auto kept = decodeCluster(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->terms, terms());
  ASSERT_TRUE(registry_->govern("hpc", {}));
  EXPECT_FALSE(made_.governs("nlp"));
  EXPECT_EQ(registry_->govern("moon", {}).error().code, &kNoCluster);
}

TEST_F(RegistryTest, programsAreNamedOnTheHostOnly) {
  const std::string document = std::string(kDocument).replace(kDocument.find("{engine: slurm}"), 15,
                                                              "{engine: slurm, slurm: {tokenCommand: [id]}}");
  const auto refused = registry_->add(document, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().code, &kProgramsRefused);
  EXPECT_FALSE(fs::exists(folder_ + "/clusters/hpc.json"));
  EXPECT_FALSE(connected("hpc"));
  EXPECT_EQ(registry_->check(document, false).error().front().code, &kProgramsRefused);
  EXPECT_TRUE(registry_->add(document, true));
}

TEST_F(RegistryTest, aNameIsTakenOnce) {
  ASSERT_TRUE(registry_->add(kDocument, false));
  EXPECT_EQ(registry_->add(kDocument, false).error().front().code, &control::kClusterKnown);
  std::string local(kDocument);
  local.replace(local.find("hpc"), 3, "local");
  EXPECT_EQ(registry_->add(local, false).error().front().code, &control::kClusterKnown);
}

TEST_F(RegistryTest, whatCannotBeConnectedIsListedWithItsProblemAndDoesNotStayWhenItWasAdded) {
  refuse_ = true;
  write("hpc.yaml", kDocument);
  write("broken.yaml", "kind: Cluster\n");
  registry_->load();
  EXPECT_NE(log_.find("broken: "), std::string::npos) << log_;
  ASSERT_EQ(registry_->list().size(), 2U);
  EXPECT_NE(registry_->list()[0].problem.find("no way in"), std::string::npos);
  std::string other(kDocument);
  other.replace(other.find("hpc"), 3, "lab");
  EXPECT_FALSE(registry_->add(other, false));
  EXPECT_FALSE(fs::exists(folder_ + "/clusters/lab.json"));
}

TEST_F(RegistryTest, readingTheFolderAgainTakesOverTerms) {
  write("hpc.yaml", kDocument);
  registry_->load();
  ASSERT_TRUE(connected("hpc"));
  write("hpc.yaml",
        std::string(kDocument).replace(kDocument.find("{engine: slurm}"), 15, "{engine: slurm, govern: {all: true}}"));
  registry_->load();
  EXPECT_TRUE(terms().governsAll);
  EXPECT_TRUE(made_.governs("nlp"));
}

TEST_F(RegistryTest, aRemovedOneIsGoneWithItsFile) {
  ASSERT_TRUE(registry_->add(kDocument, false));
  ASSERT_TRUE(registry_->remove("hpc"));
  EXPECT_FALSE(connected("hpc"));
  EXPECT_FALSE(fs::exists(folder_ + "/clusters/hpc.json"));
  EXPECT_EQ(registry_->remove("hpc").error().code, &kNoCluster);
  EXPECT_TRUE(registry_->add(kDocument, false));
}

TEST_F(RegistryTest, aLookAtWhatDoesNotAnswerSaysSo) {
  const std::string document = std::string(kDocument).replace(
      kDocument.find("{engine: slurm}"), 15, "{engine: slurm, slurm: {endpoint: \"http://127.0.0.1:1\"}}");
  const auto findings = registry_->check(document, false);
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 1U);
  EXPECT_EQ(findings->front().kind, control::FindingKind::missing);
  EXPECT_EQ(findings->front().topic, "connection");
}

}  // namespace
}  // namespace fairlead::clusters
