// A folder per test, and a database in it.
#pragma once

#include <fairlead/store/sqlite.hpp>
#include <fairlead/store/testing/conformance.hpp>
#include <fairlead/store/testing/rows.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fairlead::store {

class SqliteTest : public ::testing::Test {
 protected:
  ~SqliteTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return folder_ / "fairlead.db"; }
  [[nodiscard]] Result<std::unique_ptr<control::StorePort>> open(SqliteOptions options = {}) const {
    if (options.path.empty()) options.path = path();
    return openSqlite(options);
  }
  /// The token of the error that opening ends with; empty when it opens.
  [[nodiscard]] std::string openError() const {
    auto store = open();
    return store ? "" : std::string(store.error().token());
  }
  /// Event, audit and workload number n, each with a text of `bytes`.
  [[nodiscard]] static control::ChangeSet submission(std::uint64_t n, std::size_t bytes = 10) {
    control::ChangeSet set;
    set.specs = {testing::sampleSpec(1)};
    set.workloads = {testing::sampleWorkload(n, set.specs[0])};
    set.workloads[0].message = std::string(bytes, 'm');
    set.events = {testing::sampleEvent(n)};
    set.audits = {testing::sampleAudit(n)};
    return set;
  }
  void fill(std::uint64_t rows) const {
    auto store = open();
    ASSERT_TRUE(store.has_value()) << toText(store.error());
    for (std::uint64_t n = 1; n <= rows; ++n) ASSERT_TRUE((*store)->commit(submission(n, 2'000)).has_value());
  }
  void writeFile(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  std::filesystem::path folder_ = testing::makeTestFolder();
};

}  // namespace fairlead::store
