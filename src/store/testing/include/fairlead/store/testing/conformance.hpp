// One suite for every store adapter. An adapter's test file makes a GoogleTest parameter of each case and calls run().
#pragma once

#include <fairlead/control/ports/store_port.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fairlead::store::testing {

/// How to get at the adapter under test.
struct Adapter {
  std::string name;
  /// Opens the store in a folder; again after the first was destroyed: the same rows. Aborts the test process on an
  /// error.
  std::function<std::unique_ptr<control::StorePort>(const std::filesystem::path& folder)> open;
  bool durable = true;  ///< false: rows live as long as the object
};

/// One store in a folder of its own, removed at the end.
class StoreUnderTest {
 public:
  explicit StoreUnderTest(const Adapter& adapter);
  ~StoreUnderTest();
  StoreUnderTest(const StoreUnderTest&) = delete;
  StoreUnderTest& operator=(const StoreUnderTest&) = delete;

  [[nodiscard]] control::StorePort& store() { return *store_; }
  /// Closes and opens a durable store; nothing for one that lives in memory.
  void restart();
  /// Commits, and fails the test with the error's text when that fails.
  void commit(const control::ChangeSet& changes);

 private:
  const Adapter* adapter_;
  std::filesystem::path folder_;
  std::unique_ptr<control::StorePort> store_;
};

struct ConformanceCase {
  std::string_view name;
  void (*run)(StoreUnderTest& subject);
};

[[nodiscard]] std::span<const ConformanceCase> conformanceCases();

/// A fresh folder under the system's temporary one, mode 0700.
[[nodiscard]] std::filesystem::path makeTestFolder();

}  // namespace fairlead::store::testing
