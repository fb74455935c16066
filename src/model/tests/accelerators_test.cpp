#include <fairlead/model/accelerators.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fairlead::model {
namespace {

std::string nameOf(std::string_view text) {
  const auto* row = findAccelerator(text);
  return row ? std::string(row->name) : "";
}

Device deviceOf(std::string vendor, std::string model, std::int64_t gib) {
  Device device;
  device.vendor = std::move(vendor);
  device.model = std::move(model);
  device.memory = Bytes{gib << 30};
  return device;
}

TEST(AcceleratorTable, NamesAreUniqueOrderedAndMemoryIsSane) {
  std::set<std::string_view> names;
  std::pair<std::string_view, std::string_view> last;
  for (const auto& row : acceleratorTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_LT(last, std::make_pair(row.vendor, row.name));
    last = {row.vendor, row.name};
    EXPECT_GE(row.memoryGib, 0) << row.name;
    EXPECT_LE(row.memoryGib, 300) << row.name;
    EXPECT_FALSE(row.stack.empty()) << row.name;
    EXPECT_EQ(nameOf(row.name), row.name);
  }
  EXPECT_GT(names.size(), 120U);
}

TEST(AcceleratorTable, KnowsTheProductTextsOfTheDriver) {
  EXPECT_EQ(nameOf("NVIDIA H100 80GB HBM3"), "h100-sxm5-80gb");
  EXPECT_EQ(nameOf("NVIDIA-H100-80GB-HBM3"), "h100-sxm5-80gb");
  EXPECT_EQ(nameOf("NVIDIA H200"), "h200-sxm-141gb");
  EXPECT_EQ(nameOf("NVIDIA A100-SXM4-80GB"), "a100-sxm4-80gb");
  EXPECT_EQ(nameOf("A100-SXM4-80GB"), "a100-sxm4-80gb");
  EXPECT_EQ(nameOf("NVIDIA L40S"), "l40s");
  EXPECT_EQ(nameOf("Tesla T4"), "t4");
  EXPECT_EQ(nameOf("AMD Instinct MI300X OAM"), "mi300x");
  EXPECT_EQ(nameOf("910B3"), "ascend-910b3");
  EXPECT_EQ(nameOf("Ascend910B3"), "ascend-910b3");
}

TEST(AcceleratorTable, NeverGuessesBetweenTwo) {
  EXPECT_EQ(nameOf("h100"), "");
  EXPECT_EQ(nameOf("h200"), "h200-sxm-141gb");
  EXPECT_EQ(nameOf(""), "");
  EXPECT_EQ(nameOf("RTX 4090"), "");
  EXPECT_EQ(nameOf(std::string(5000, 'a')), "");
}

TEST(AcceleratorTable, VisibleVariableIsTheOneOfTheProcess) {
  EXPECT_EQ(visibleVariable("nvidia"), "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(visibleVariable("amd"), "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(visibleVariable("huawei"), "ASCEND_RT_VISIBLE_DEVICES");
  EXPECT_EQ(visibleVariable("aws"), "");
  EXPECT_EQ(visibleVariable("nobody"), "");
}

TEST(DeviceMatches, FamilyStopsAtADashAndNeverMeansASlice) {
  EXPECT_TRUE(modelMatches("h100", "h100-sxm5-80gb"));
  EXPECT_TRUE(modelMatches("h100", "h100"));
  EXPECT_TRUE(modelMatches("ascend-910b", "ascend-910b3"));
  EXPECT_FALSE(modelMatches("ascend-910", "ascend-910b3"));
  EXPECT_FALSE(modelMatches("h100-sxm5-80gb", "h100"));
  EXPECT_FALSE(modelMatches("h10", "h100"));
  EXPECT_FALSE(modelMatches("mi300", "mi300x"));
  EXPECT_FALSE(modelMatches("gaudi", "gaudi2"));
  for (const auto& row : acceleratorTable())
    EXPECT_FALSE(row.name.starts_with("mig-") && modelMatches("h100", row.name));
}

TEST(DeviceMatches, VendorModelAndMemory) {
  const auto device = deviceOf("nvidia", "h100-sxm5-80gb", 80);
  DeviceRequest request;
  EXPECT_TRUE(deviceMatches(request, device));
  request.memoryAtLeast = Bytes{80LL << 30};
  EXPECT_TRUE(deviceMatches(request, device));
  request.memoryAtLeast.count += 1;
  EXPECT_FALSE(deviceMatches(request, device));
  request = {};
  request.vendor = "amd";
  EXPECT_FALSE(deviceMatches(request, device));
  request.vendor = "nvidia";
  request.model = "h100";
  EXPECT_TRUE(deviceMatches(request, device));
}

TEST(AcceleratorTable, AnySpellingOfAFamily) {
  EXPECT_EQ(canonicalModelOrFamily("H100"), "h100");
  EXPECT_EQ(canonicalModelOrFamily("ascend910b"), "ascend-910b");
  EXPECT_EQ(canonicalModelOrFamily("Ascend910B4-1"), "ascend-910b4-1");
  EXPECT_EQ(canonicalModelOrFamily("a100_3g.20gb"), "mig-a100-40gb-3g.20gb");
  EXPECT_EQ(canonicalModelOrFamily("nvidia_h100_80gb_hbm3"), "h100-sxm5-80gb");
  EXPECT_EQ(canonicalModelOrFamily("voodoo2"), "");
}

TEST(DeviceMatches, KnownNames) {
  EXPECT_TRUE(knownModelOrFamily("h100"));
  EXPECT_TRUE(knownModelOrFamily("ascend-910b"));
  EXPECT_FALSE(knownModelOrFamily("h10"));
  EXPECT_FALSE(knownModelOrFamily(""));
}

}  // namespace
}  // namespace fairlead::model
