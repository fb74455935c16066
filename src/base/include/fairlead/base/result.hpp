// Expected failures as values: what went wrong, where, with which value, and what to do about it.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead {

/// The family of a failure. The API maps it to an HTTP status and the CLI to an exit code, each in one place.
enum class ErrorKind : std::uint8_t {
  invalid,       ///< the input is wrong; the same input fails again
  notFound,      ///< the thing named does not exist, or may not be seen
  denied,        ///< who asked may not do this
  conflict,      ///< the thing is in a state that forbids this, or an idempotency key was used with another body
  precondition,  ///< If-Match named another version
  tooLarge,      ///< over a stated limit
  unavailable,   ///< cannot be done now; the same request may work later
  timeout,       ///< took longer than its limit
  unsupported,   ///< understood, and not offered here
  internal,      ///< a fault of ours
};

/// One declared failure of a module. Declared once as `inline constexpr ErrorCode` in the module's errors.hpp.
struct ErrorCode {
  std::string_view token;  ///< stable, `module/what-failed`; part of the API
  ErrorKind kind;
  std::string_view title;  ///< one line for people, without values
};

/// One failure. `code` points at a constant; the texts are for people and may change between releases.
struct Error {
  const ErrorCode* code = nullptr;
  std::string message;  ///< names field, value and limit
  std::string field;    ///< path such as `spec.roles[0].devices.count`, empty where there is none
  std::string value;    ///< the offending value as given (cut to 200 bytes), empty where there is none; never a secret
  std::string remedy;   ///< what to do next, empty where nothing is known
  int line = 0;         ///< 1-based, 0 where unknown
  int column = 0;       ///< 1-based, 0 where unknown

  [[nodiscard]] ErrorKind kind() const { return code->kind; }
  [[nodiscard]] std::string_view token() const { return code->token; }
};

using Errors = std::vector<Error>;

template <class T>
using Result = tl::expected<T, Error>;

/// For input that is checked whole: all its errors, or the value.
template <class T>
using Checked = tl::expected<T, Errors>;

[[nodiscard]] inline tl::unexpected<Error> fail(const ErrorCode& code, std::string message, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{&code, std::move(message), {}, {}, std::move(remedy)});
}

/// `message`, `value` and `remedy` in one line, as logs and the CLI print it.
[[nodiscard]] std::string toText(const Error& error);

}  // namespace fairlead
