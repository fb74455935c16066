// SHA-256 and hexadecimal.
#pragma once

#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fairlead::codec {

using model::Digest;

[[nodiscard]] Digest sha256(std::string_view bytes);
[[nodiscard]] Digest sha256(std::span<const std::uint8_t> bytes);

/// For content that comes in pieces. Not thread-safe; `finish` once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  [[nodiscard]] Digest finish();

 private:
  void* context_;
};

/// 64 lower-case digits.
[[nodiscard]] std::string toHex(const Digest& digest);
[[nodiscard]] std::string toHex(std::span<const std::uint8_t> bytes);
/// Exactly 64 digits in either case.
[[nodiscard]] std::optional<Digest> digestFromHex(std::string_view text);

}  // namespace fairlead::codec
