#include <fairlead/store/memory.hpp>
#include <fairlead/store/sqlite.hpp>
#include <fairlead/store/testing/conformance.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace fairlead::store::testing {
namespace {

std::unique_ptr<control::StorePort> openInFolder(const std::filesystem::path& folder) {
  auto store = openSqlite({.path = folder / "fairlead.db"});
  if (store) return std::move(*store);
  std::cerr << toText(store.error()) << '\n';
  std::abort();
}

const std::vector<Adapter>& adapters() {
  static const std::vector<Adapter> all{
      {"sqlite", openInFolder, true},
      {"memory", [](const auto&) { return makeMemoryStore(); }, false},
  };
  return all;
}

using Parameter = std::tuple<const Adapter*, const ConformanceCase*>;

std::vector<Parameter> everyCaseOnEveryAdapter() {
  std::vector<Parameter> all;
  for (const auto& adapter : adapters())
    for (const auto& one : conformanceCases()) all.emplace_back(&adapter, &one);
  return all;
}

class Conformance : public ::testing::TestWithParam<Parameter> {};

TEST_P(Conformance, Holds) {
  const auto& [adapter, one] = GetParam();
  StoreUnderTest subject(*adapter);
  one->run(subject);
}

std::string nameOf(const ::testing::TestParamInfo<Parameter>& test) {
  const auto& [adapter, one] = test.param;
  return adapter->name + "_" + std::string(one->name);
}

INSTANTIATE_TEST_SUITE_P(Store, Conformance, ::testing::ValuesIn(everyCaseOnEveryAdapter()), nameOf);

}  // namespace
}  // namespace fairlead::store::testing
