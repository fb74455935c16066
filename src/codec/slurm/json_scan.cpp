#include "json_scan.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

namespace fairlead::codec::slurm {
namespace {

/// One byte of a walk; true when the outermost bracket closes.
bool step(char c, Nesting& n) {
  if (n.inString) {
    if (n.escaped)
      n.escaped = false;
    else if (c == '\\')
      n.escaped = true;
    else if (c == '"')
      n.inString = false;
    return false;
  }
  if (c == '"') {
    n.inString = true;
  } else if (c == '{' || c == '[') {
    ++n.depth;
  } else if (c == '}' || c == ']') {
    return --n.depth == 0;
  }
  return false;
}

#if defined(__SSE2__)

std::uint64_t maskOf(const __m128i* block, __m128i wanted) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 4; ++i)
    mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block[i], wanted))))
            << (16 * i);
  return mask;
}

/// Bit i is set when an odd number of bits up to and with i is set: between quotes.
std::uint64_t prefixXor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// 64 bytes at once. Gives the byte behind the closing bracket, or nullptr with `handled` telling whether the block was
/// walked at all.
const char* stepBlock(const char* at, Nesting& n, bool& handled) {
  __m128i block[4];
  for (int i = 0; i < 4; ++i) block[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
  handled = !n.escaped && maskOf(block, _mm_set1_epi8('\\')) == 0;
  if (!handled) return nullptr;
  const auto quotes = maskOf(block, _mm_set1_epi8('"'));
  const auto inside = prefixXor(quotes) ^ (n.inString ? ~std::uint64_t{0} : 0);
  for (auto& bytes : block) bytes = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // `[` and `{` are then one
  const auto open = maskOf(block, _mm_set1_epi8('{')) & ~inside;
  auto close = maskOf(block, _mm_set1_epi8('}')) & ~inside;
  const auto closes = static_cast<std::uint64_t>(std::popcount(close));
  if (closes >= n.depth) {  // it may end in here
    for (; close != 0; close &= close - 1) {
      const auto bit = close & (~close + 1);
      const auto opened = static_cast<std::uint64_t>(std::popcount(open & (bit - 1)));
      const auto closed = closes - static_cast<std::uint64_t>(std::popcount(close)) + 1;
      if (n.depth + opened == closed) return at + std::countr_zero(bit) + 1;
    }
  }
  n.depth += static_cast<std::uint64_t>(std::popcount(open)) - closes;
  n.inString = (inside >> 63) != 0;
  return nullptr;
}

#endif

}  // namespace

const char* skipSpace(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Unsigned `byte <= ' '`: the larger of the two is then the space.
    const auto space = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(' ')), _mm_set1_epi8(' '));
    const auto other = ~static_cast<std::uint32_t>(_mm_movemask_epi8(space)) & 0xFFFF;
    if (other != 0) return at + std::countr_zero(other);
    at += 16;
  }
#endif
  while (at < end && static_cast<unsigned char>(*at) <= ' ') ++at;
  return at;
}

const char* findQuote(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto hit =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(hit));
    if (mask != 0) return at + std::countr_zero(mask);
    at += 16;
  }
#endif
  while (at < end && *at != '"' && *at != '\\') ++at;
  return at;
}

const char* skipNested(const char* at, const char* end, Nesting& nesting) {
  while (at < end) {
#if defined(__SSE2__)
    if (end - at >= 64) {
      bool handled = false;
      if (const auto* behind = stepBlock(at, nesting, handled)) {
        nesting.depth = 0;
        return behind;
      }
      if (handled) {
        at += 64;
        continue;
      }
    }
#endif
    const auto* stop = end - at >= 64 ? at + 64 : end;
    for (; at < stop; ++at)
      if (step(*at, nesting)) return at + 1;
  }
  return nullptr;
}

}  // namespace fairlead::codec::slurm
