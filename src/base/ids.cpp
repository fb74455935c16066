#include <fairlead/base/assert.hpp>
#include <fairlead/base/ids.hpp>

namespace fairlead {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford's base 32
constexpr int kMinLength = 5;
constexpr int kMaxLength = 10;

// Numbers fill texts of five characters first, then of six, and so on; inside one length the number is multiplied by an
// odd constant modulo 32^length, which is invertible, and its bits are reversed in effect by writing the low digits
// first.
constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;

constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;  // Newton: each round doubles the number of right bits
  for (int round = 0; round < 6; ++round) x *= 2 - odd * x;
  return x;
}

constexpr std::uint64_t mask(int length) { return (std::uint64_t{1} << (5 * length)) - 1; }

constexpr std::uint64_t firstOfLength(int length) {
  std::uint64_t first = 0;
  for (int shorter = kMinLength; shorter < length; ++shorter) first += mask(shorter) + 1;
  return first;
}

}  // namespace

std::string encodeSequence(std::uint64_t n) {
  int length = kMinLength;
  while (length < kMaxLength && n >= firstOfLength(length + 1)) ++length;
  FL_ASSERT(n - firstOfLength(length) <= mask(length), "sequence number out of range");
  std::uint64_t scrambled = ((n - firstOfLength(length)) * kMultiplier) & mask(length);
  std::string text(static_cast<std::size_t>(length), '0');
  for (char& c : text) {
    c = kAlphabet[scrambled & 31];
    scrambled >>= 5;
  }
  return text;
}

std::optional<std::uint64_t> decodeSequence(std::string_view text) {
  if (text.size() < kMinLength || text.size() > kMaxLength) return {};
  const int length = static_cast<int>(text.size());
  std::uint64_t scrambled = 0;
  for (int i = length - 1; i >= 0; --i) {
    const auto digit = kAlphabet.find(text[static_cast<std::size_t>(i)]);
    if (digit == std::string_view::npos) return {};
    scrambled = (scrambled << 5) | digit;
  }
  return ((scrambled * inverse(kMultiplier)) & mask(length)) + firstOfLength(length);
}

}  // namespace fairlead
