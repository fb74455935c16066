#include <fairlead/store/memory.hpp>
#include <fairlead/store/testing/conformance.hpp>

#include <gtest/gtest.h>

namespace fairlead::store::testing {
namespace {

std::vector<Adapter> const& adapters() {
  static std::vector<Adapter> const all{
      {"memory", [](auto const&) { return makeMemoryStore(); }, false},
  };
  return all;
}

using Parameter = std::tuple<Adapter const*, ConformanceCase const*>;

std::vector<Parameter> everyCaseOnEveryAdapter() {
  std::vector<Parameter> all;
  for (auto const& adapter : adapters())
    for (auto const& one : conformanceCases()) all.emplace_back(&adapter, &one);
  return all;
}

class Conformance : public ::testing::TestWithParam<Parameter> {};

TEST_P(Conformance, Holds) {
  auto const& [adapter, one] = GetParam();
  StoreUnderTest subject(*adapter);
  one->run(subject);
}

std::string nameOf(::testing::TestParamInfo<Parameter> const& test) {
  auto const& [adapter, one] = test.param;
  return adapter->name + "_" + std::string(one->name);
}

INSTANTIATE_TEST_SUITE_P(Store, Conformance, ::testing::ValuesIn(everyCaseOnEveryAdapter()), nameOf);

}  // namespace
}  // namespace fairlead::store::testing
