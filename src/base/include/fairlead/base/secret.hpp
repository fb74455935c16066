// A text that must not be seen: it prints as *** wherever it is printed, and comes out only through reveal().
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace fairlead {

inline constexpr std::string_view kSecretMask = "***";

/// A password, token or key. There is no conversion to text: `grep reveal` finds every use. Its memory is wiped when it
/// goes (copies that a caller makes of reveal() are the caller's).
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_(other.text_) { other.wipe(); }
  Secret& operator=(const Secret& other) {
    if (this != &other) {
      wipe();
      text_ = other.text_;
    }
    return *this;
  }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      wipe();
      text_ = other.text_;
      other.wipe();
    }
    return *this;
  }
  ~Secret() { wipe(); }

  [[nodiscard]] const std::string& reveal() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  /// Takes the same time wherever the texts differ; the length is not hidden.
  [[nodiscard]] bool matches(std::string_view candidate) const;

  template <class Stream>
    requires requires(Stream& out) { out << kSecretMask; }
  friend Stream& operator<<(Stream& out, const Secret&) {
    out << kSecretMask;
    return out;
  }

 private:
  void wipe();

  std::string text_;
};

[[nodiscard]] inline std::string toText(const Secret&) { return std::string(kSecretMask); }

}  // namespace fairlead
