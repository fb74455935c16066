// Who it runs as, what devices it sees, how much memory it may take.
#include "tests/harness.hpp"

#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

namespace fs = std::filesystem;
using model::FailureCategory;

model::Device declared(std::int32_t index, const std::string& vendor) {
  model::Device device;
  device.index = index;
  device.vendor = vendor;
  device.model = "h100";
  device.memory = {80LL << 30};
  return device;
}

TEST_F(LocalEngineTest, ReportsTheHostAndWhatIsDeclared) {
  options_.devices = {declared(1, "nvidia"), declared(0, "nvidia")};
  options_.cpus = {8000};
  startEngine();
  const auto node = sink_->awaitNode();
  EXPECT_EQ(node.name, "host");
  EXPECT_EQ(node.cpus.count, 8000);
  EXPECT_GT(node.memory.count, 0);
  ASSERT_EQ(node.devices.size(), 2u);
  EXPECT_EQ(node.devices[0].index, 0);
  EXPECT_TRUE(node.devices[0].declared);
}

TEST_F(LocalEngineTest, ShowsEachRankItsDevicesAndNoOthers) {
  options_.devices = {declared(0, "nvidia"), declared(1, "nvidia"), declared(2, "nvidia"), declared(0, "amd")};
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c",
                    "echo ${CUDA_VISIBLE_DEVICES-unset}/${ROCR_VISIBLE_DEVICES-unset}/$CUDA_DEVICE_ORDER"};
  wanted.members = 2;
  wanted.spec = [](model::Spec& spec) { spec.roles[0].env = {{"CUDA_VISIBLE_DEVICES", "0,1,2"}}; };
  wanted.attempt = [](model::Attempt& attempt) {
    attempt.placement[0].vendor = "nvidia";
    attempt.placement[0].devices = {{1, {1000}}, {2, {1000}}};
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(readAll(order.attempt.id, control::LogStream::standardOutput, 0), "1,2//PCI_BUS_ID\n");
  EXPECT_EQ(readAll(order.attempt.id, control::LogStream::standardOutput, 1), "//\n");
}

TEST_F(LocalEngineTest, RefusesADeviceItDoesNotHave) {
  options_.devices = {declared(0, "nvidia")};
  startEngine();
  auto order = shell(1, "true");
  order.attempt.placement[0].vendor = "nvidia";
  order.attempt.placement[0].devices = {{4, {1000}}};
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::startFailed);
}

TEST_F(LocalEngineTest, GivesACleanEnvironment) {
  ::setenv("FAIRLEAD_TEST_SECRET", "do-not-leak", 1);
  startEngine();
  Wanted wanted;
  wanted.command = {"/usr/bin/env"};
  wanted.spec = [](model::Spec& spec) { spec.roles[0].env = {{"FAIRLEAD_WORKLOAD", "forged"}, {"MINE", "a=b"}}; };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  const auto env = "\n" + readAll(order.attempt.id);
  ::unsetenv("FAIRLEAD_TEST_SECRET");
  EXPECT_EQ(env.find("do-not-leak"), std::string::npos);
  EXPECT_EQ(env.find("forged"), std::string::npos);
  EXPECT_NE(env.find("\nMINE=a=b\n"), std::string::npos);
  EXPECT_NE(env.find("\nFAIRLEAD_WORKLOAD=" + toText(order.workload.id) + "\n"), std::string::npos);
  EXPECT_NE(env.find("\nFAIRLEAD_INTENT=" + model::toText(order.intent.id) + "\n"), std::string::npos);
  EXPECT_EQ(env.find("FAIRLEAD_CHECKPOINT"), std::string::npos);
}

TEST_F(LocalEngineTest, RunsAsTheSubmittingUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run work as others";
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c",
                    "id -un; id -G; pwd; touch made; printf x > model; cat /proc/self/status | grep -E '^(Uid|Gid)'"};
  wanted.unixUser = "nobody";
  wanted.spec = [](model::Spec& spec) {
    spec.outputs.push_back({"model", "model", model::OutputRule::Kind::artifact, "", ""});
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none)
      << end.reason << readAll(order.attempt.id, control::LogStream::standardError);
  const auto text = readAll(order.attempt.id);
  EXPECT_TRUE(text.starts_with("nobody\n65534\n")) << text;
  EXPECT_NE(text.find("Uid:\t65534\t65534\t65534\t65534"), std::string::npos) << text;
  struct stat info{};
  ASSERT_EQ(::stat((std::filesystem::path(folderOf(order.attempt.id)) / "work" / "made").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534u);
  ASSERT_EQ(end.outputs.size(), 1u);
  EXPECT_EQ(end.outputs[0].problem, "");
  ASSERT_EQ(::stat(end.outputs[0].uri.substr(7).c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 0u);  // the user cannot change it any more
}

TEST_F(LocalEngineTest, TheUserCannotReachWhatIsOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  startEngine();
  Wanted wanted;
  wanted.command = {
      "/bin/sh", "-c",
      "cd ..; cat order journal; echo x > journal; rm -f order; touch in/x; ls logs in; kill -9 $PPID; echo survived"};
  wanted.unixUser = "nobody";
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(readAll(order.attempt.id), "survived\n");
}

TEST_F(LocalEngineTest, OutputsAreReadWithTheUsersRights) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  startEngine();
  std::ofstream(root_ + "/secret") << "root only";
  ::chmod((root_ + "/secret").c_str(), 0600);
  Wanted wanted;
  wanted.command = {"/bin/true"};
  wanted.unixUser = "nobody";
  wanted.spec = [&](model::Spec& spec) {
    spec.outputs.push_back({"stolen", root_ + "/secret", model::OutputRule::Kind::artifact, "", ""});
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  ASSERT_EQ(end.outputs.size(), 1u);
  EXPECT_NE(end.outputs[0].problem.find("Permission denied"), std::string::npos) << end.outputs[0].problem;
  EXPECT_EQ(end.outputs[0].uri, "");
}

TEST_F(LocalEngineTest, RefusesAnUnknownUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root runs work as others";
  startEngine();
  for (const auto* user : {"no-such-user-here", "0", "65534"}) {
    static std::uint64_t next = 1;
    Wanted wanted;
    wanted.command = {"/bin/sh", "-c", "touch " + root_ + "/ran"};
    wanted.unixUser = user;
    const auto order = this->order(next++, wanted);
    engine_->dispatchStart(order);
    const auto end = sink_->awaitEnd(order.attempt.id);
    EXPECT_EQ(end.kind, model::ObservationKind::refused);
    EXPECT_NE(end.reason.find("Unix user"), std::string::npos) << end.reason;
  }
  EXPECT_FALSE(fs::exists(root_ + "/ran"));
}

TEST_F(LocalEngineTest, TellsWhenMemoryRanOut) {
  if (!localCapabilities(options_).memoryLimits)
    GTEST_SKIP() << "NO MEMORY LIMITS HERE: no control group may be made on this host";
  startEngine();
  Wanted wanted;
  wanted.command = {"python3", "-c", "x = bytearray(512 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1"};
  wanted.attempt = [](model::Attempt& attempt) { attempt.placement[0].memory = {64 << 20}; };
  wanted.spec = [](model::Spec& spec) { spec.roles[0].env = {{"PATH", ::getenv("PATH")}}; };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::outOfMemory) << end.reason;
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_TRUE(end.ends[0].outOfMemory);
  EXPECT_EQ(end.ends[0].signal, SIGKILL);
}

class DeviceTest : public LocalEngineTest {
 protected:
  /// Makes root_/NAME.so of root_/NAME.c.
  bool compile(const std::string& name) {
    std::string words[] = {"cc", "-shared", "-fPIC", "-o", root_ + "/" + name + ".so", root_ + "/" + name + ".c"};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    int status = 1;
    if (::posix_spawnp(&pid, "cc", nullptr, nullptr, argv.data(), environ) != 0) return false;
    return ::waitpid(pid, &status, 0) == pid && status == 0;
  }
  DeviceRoots nowhere() { return {"", "", root_ + "/kfd", root_ + "/drm", root_ + "/dev", ""}; }
  void write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << content;
  }
};

TEST_F(DeviceTest, ReadsNvidiaThroughNvml) {
  const char* source = R"(#include <string.h>
typedef struct { unsigned long long total, free, used; } mem;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { *n = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** h) { *h = (void*)(unsigned long)(i + 1); return i == 2 ? 15 : 0; }
int nvmlDeviceGetName(void* h, char* t, unsigned n) { strncpy(t, "NVIDIA H100 80GB HBM3", n); return 0; }
int nvmlDeviceGetUUID(void* h, char* t, unsigned n) { strncpy(t, h == (void*)1 ? "GPU-a" : "GPU-b", n); return 0; }
int nvmlDeviceGetMemoryInfo(void* h, mem* m) { m->total = 85520809984ULL; return 0; }
int nvmlDeviceGetMigMode(void* h, unsigned* c, unsigned* p) { *c = *p = (h == (void*)2); return 0; }
)";
  write(root_ + "/nvml.c", source);
  ASSERT_TRUE(compile("nvml"));
  auto roots = nowhere();
  roots.nvml = root_ + "/nvml.so";
  const auto report = findDevices(roots);
  ASSERT_EQ(report.devices.size(), 3u);
  EXPECT_EQ(report.devices[0].vendor, "nvidia");
  EXPECT_EQ(report.devices[0].model, "h100-sxm5-80gb");
  EXPECT_EQ(report.devices[0].uuid, "GPU-a");
  EXPECT_EQ(report.devices[0].memory.count, 85520809984);
  EXPECT_TRUE(report.devices[0].healthy);
  EXPECT_FALSE(report.devices[1].healthy);
  EXPECT_NE(report.devices[1].healthReason.find("MIG"), std::string::npos);
  EXPECT_FALSE(report.devices[2].healthy);
}

TEST_F(DeviceTest, ALibraryThatIsNoNvmlIsTold) {
  write(root_ + "/empty.c", "int nothing;\n");
  ASSERT_TRUE(compile("empty"));
  auto roots = nowhere();
  roots.nvml = root_ + "/empty.so";
  const auto report = findDevices(roots);
  EXPECT_TRUE(report.devices.empty());
  EXPECT_EQ(report.problems.size(), 1u);
  roots.nvml = root_ + "/missing.so";
  EXPECT_TRUE(findDevices(roots).problems.empty());
}

TEST_F(DeviceTest, ReadsAmdFromTheKernelsTopology) {
  write(root_ + "/dev/kfd", "");
  write(root_ + "/kfd/0/properties", "cpu_cores_count 64\nsimd_count 0\n");
  for (const auto* node : {"1", "2", "10"}) {
    const auto base = root_ + "/kfd/" + node;
    write(base + "/properties", std::string("simd_count 1216\ngfx_target_version 90402\ndrm_render_minor 12") + node +
                                    "\nunique_id 1311768467463790320\n");
    write(base + "/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 206141652992\n");
  }
  write(root_ + "/drm/renderD121/device/product_name", "AMD Instinct MI300X OAM\n");
  auto roots = nowhere();
  roots.kfd = root_ + "/dev/kfd";
  const auto report = findDevices(roots);
  ASSERT_EQ(report.devices.size(), 3u);
  EXPECT_EQ(report.devices[0].index, 0);
  EXPECT_EQ(report.devices[0].memory.count, 206141652992);
  EXPECT_EQ(report.devices[0].uuid, "GPU-123456789abcdef0");
  EXPECT_NE(report.devices[0].model.find("mi300x"), std::string::npos) << report.devices[0].model;
  EXPECT_EQ(report.devices[2].model, "gfx942");
}

TEST_F(DeviceTest, ReadsAscendFromDeviceFilesAndNpuSmi) {
  for (const auto* die : {"davinci0", "davinci1", "davinci_manager"}) write(root_ + "/dev/" + die, "");
  write(root_ + "/npu-smi", R"(#!/bin/sh
cat <<'T'
+------------------------------------------------------------------------------------------------+
| npu-smi 23.0.2                   Version: 23.0.2                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.1        40                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Alarm         | 93.6        40                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3162 / 65536         |
+===========================+===============+====================================================+
T
)");
  ::chmod((root_ + "/npu-smi").c_str(), 0755);
  auto roots = nowhere();
  roots.npuSmi = root_ + "/npu-smi";
  auto report = findDevices(roots);
  ASSERT_EQ(report.devices.size(), 2u);
  EXPECT_EQ(report.devices[0].vendor, "huawei");
  EXPECT_EQ(report.devices[0].model, "ascend-910b3");
  EXPECT_EQ(report.devices[0].memory.count, 64LL << 30);
  EXPECT_TRUE(report.devices[0].healthy);
  EXPECT_FALSE(report.devices[1].healthy);
  roots.npuSmi.clear();
  report = findDevices(roots);
  ASSERT_EQ(report.devices.size(), 2u);
  EXPECT_EQ(report.devices[0].model, "unknown");
  EXPECT_EQ(report.problems.size(), 1u);
}

}  // namespace
}  // namespace fairlead::engine::test
