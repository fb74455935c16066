// Failures as RFC 9457 problem documents: one mapping from error to status, one rendering.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/net/http.hpp>

#include <string_view>

namespace fairlead::api {

/// The HTTP status of a failure: by its kind, but for the few codes for which HTTP has a status of their own (401, 405,
/// 415).
[[nodiscard]] int statusOf(const ErrorCode& code);

/// `errors` must not be empty; the first gives status, title and detail. `rule`: of a denial.
[[nodiscard]] net::Response problem(const Errors& errors, std::string_view requestId, std::string_view rule = {});
[[nodiscard]] net::Response problem(const Error& error, std::string_view requestId, std::string_view rule = {});

/// For the server's own refusals (net::ServerOptions::renderError).
[[nodiscard]] net::Response renderServerError(int status, std::string_view detail);

}  // namespace fairlead::api
