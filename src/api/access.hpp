// All questions to auth: who calls, what may they do, what may they see.
#pragma once

#include <fairlead/auth/directory.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/model/tenancy.hpp>
#include <fairlead/net/http.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::api {

struct Ruling {
  bool allowed = false;
  std::string rule;  ///< what allowed or denied it
};

/// Thread-safe. Actions are auth's, by name; an unknown name is a fault of ours.
class Access {
 public:
  using Source = std::function<std::shared_ptr<const auth::Directory>()>;
  Access(Source source, const ClockPort& clock) : source_(std::move(source)), clock_(clock) {}

  /// A bearer token where one is sent; else the kernel's word on a unix socket. Errors answer 401 (or 503 when users
  /// cannot be looked up).
  [[nodiscard]] Result<model::Principal> authenticate(const net::Request& request) const;
  [[nodiscard]] Ruling rule(const model::Principal& who, std::string_view action, const std::string& project,
                            std::string_view owner) const;
  /// The answer without its words, for filtering lists.
  [[nodiscard]] bool can(const model::Principal& who, std::string_view action, const std::string& project,
                         std::string_view owner = {}) const;
  [[nodiscard]] bool declared(const std::string& project) const;
  /// Declared projects in which `who` may `action`.
  [[nodiscard]] std::vector<model::Project> projects(const model::Principal& who, std::string_view action) const;
  /// Own role in a project, inherited ones included; empty: none.
  [[nodiscard]] std::string roleIn(const model::Principal& who, const std::string& project) const;

 private:
  Source source_;
  const ClockPort& clock_;
};

}  // namespace fairlead::api
