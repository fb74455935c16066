// The suite of all engines, on the local one.
#include "tests/harness.hpp"

#include <fairlead/engine/testing/conformance.hpp>

#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

class LocalHarness final : public testing::EngineHarness {
 public:
  LocalHarness(LocalOptions options, std::string root) : options_(std::move(options)), root_(std::move(root)) {
    model::Device device;
    device.vendor = "nvidia";
    device.model = "h100-sxm5-80gb";
    for (device.index = 0; device.index < 4; ++device.index) options_.devices.push_back(device);
  }
  std::unique_ptr<control::EnginePort> open() override { return makeLocalEngine(options_); }
  std::string folder() override { return root_; }
  std::string unixUser() override { return ::getpwuid(::geteuid())->pw_name; }
  std::uint64_t nextAttempt() override { return ++attempt_; }
  Device device() override { return {"nvidia", "h100-sxm5-80gb", "CUDA_VISIBLE_DEVICES"}; }

 private:
  LocalOptions options_;
  std::string root_;
  std::uint64_t attempt_ = 0;
};

class LocalConformance : public LocalEngineTest,
                         public ::testing::WithParamInterface<const testing::ConformanceCase*> {};

TEST_P(LocalConformance, Holds) {
  LocalHarness harness(options_, root_);
  testing::EngineUnderTest subject(harness);
  GetParam()->run(subject);
}

std::vector<const testing::ConformanceCase*> allCases() {
  std::vector<const testing::ConformanceCase*> all;
  for (const auto& one : testing::conformanceCases()) all.push_back(&one);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Local, LocalConformance, ::testing::ValuesIn(allCases()),
                         [](const auto& one) { return std::string(one.param->name); });

}  // namespace
}  // namespace fairlead::engine::test
