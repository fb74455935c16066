#include <fairlead/codec/spec_codec.hpp>
#include <fairlead/store/testing/rows.hpp>

#include <fmt/format.h>

namespace fairlead::store::testing {

model::SpecPtr sampleSpec(std::uint64_t n) {
  const auto small = static_cast<std::int32_t>(n % 1'000);
  model::Spec spec;
  spec.taskClass = model::TaskClass::interactive;
  spec.priority = small;
  model::Role role;
  role.name = fmt::format("worker-{}", n);
  role.count = 4;
  role.minimum = 2;
  role.devices = {{.vendor = "nvidia", .model = "h100", .memoryAtLeast = {1 << 30}, .count = 2, .share = {}}};
  role.cpus = {1'500};
  role.memory = {std::int64_t{1} << 33};
  role.command = {"python3", "train.py", fmt::format("--run={}", n), "漢字 \"quoted\""};
  role.env = {{"A", "1"}, {"B", "two words"}};
  spec.roles = {role};
  spec.gang = model::GangRule::min;
  spec.timeLimit = {3'600'000};
  spec.outputs = {
      {.name = "model", .path = "out/model", .kind = model::OutputRule::Kind::model, .model = "bert", .metrics = {}}};
  spec.retry.limit = 7;
  return codec::makeSpecDocument(std::move(spec));
}

}  // namespace fairlead::store::testing
