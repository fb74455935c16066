#include "json_scan.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
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

/// Where in 64 bytes what stands, a bit a byte. Brackets and braces are one.
struct Marks {
  std::uint64_t backslash, quote, open, close;
};

[[gnu::always_inline]] inline std::uint64_t maskOf(const __m128i* block, char wanted) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 4; ++i) {
    const auto hits = _mm_cmpeq_epi8(block[i], _mm_set1_epi8(wanted));
    mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << (16 * i);
  }
  return mask;
}

[[gnu::always_inline]] inline Marks marksOf(const char* at) {
  __m128i block[4];
  for (int i = 0; i < 4; ++i) block[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
  Marks marks{maskOf(block, '\\'), maskOf(block, '"'), 0, 0};
  for (auto& bytes : block) bytes = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // `[` and `{` are then one
  marks.open = maskOf(block, '{');
  marks.close = maskOf(block, '}');
  return marks;
}

[[gnu::target("avx2,popcnt,pclmul"), gnu::always_inline]] inline std::uint64_t wideMaskOf(__m256i low, __m256i high,
                                                                                          char wanted) {
  const auto byte = _mm256_set1_epi8(wanted);
  const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte)));
  const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte)));
  return first | static_cast<std::uint64_t>(second) << 32;
}

[[gnu::target("avx2,popcnt,pclmul"), gnu::always_inline]] inline Marks wideMarksOf(const char* at) {
  const auto low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const auto high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
  const auto space = _mm256_set1_epi8(0x20);
  const auto lowFolded = _mm256_or_si256(low, space), highFolded = _mm256_or_si256(high, space);
  return {wideMaskOf(low, high, '\\'), wideMaskOf(low, high, '"'), wideMaskOf(lowFolded, highFolded, '{'),
          wideMaskOf(lowFolded, highFolded, '}')};
}

/// Bit i is set when an odd number of bits up to and with i is set: between quotes.
[[gnu::target("avx2,popcnt,pclmul"), gnu::always_inline]] inline std::uint64_t widePrefixXor(std::uint64_t bits) {
  const auto product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(bits)), _mm_set1_epi8(-1), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

[[gnu::always_inline]] inline std::uint64_t prefixXor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// The bytes that a backslash before them escapes, when it stands in a string; `carried` from block to block.
[[gnu::always_inline]] inline std::uint64_t escapedBytes(std::uint64_t backslash, bool& carried) {
  constexpr std::uint64_t kEven = 0x5555'5555'5555'5555;
  const std::uint64_t carry = carried ? 1 : 0;
  backslash &= ~carry;
  const auto follows = backslash << 1 | carry;
  const auto oddStarts = backslash & ~kEven & ~follows;
  const auto ends = oddStarts + backslash;  // runs of backslashes are carried over to the byte behind them
  carried = ends < backslash;
  return (kEven ^ ends << 1) & follows;
}

/// The quotes of 64 bytes that begin or end a string; `escaped` as in Nesting.
[[gnu::always_inline]] inline std::uint64_t quotesOf(const Marks& marks, bool& escaped) {
  return marks.backslash == 0 && !escaped ? marks.quote : marks.quote & ~escapedBytes(marks.backslash, escaped);
}

/// Counts the brackets of 64 bytes; the byte behind the closing one, or nullptr.
[[gnu::always_inline]] inline const char* stepBlock(const Marks& marks, std::uint64_t inside, const char* at,
                                                    Nesting& n) {
  const auto open = marks.open & ~inside;
  auto close = marks.close & ~inside;
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

/// Byte by byte, at most 64 of them or, at the end, all.
const char* stepBytes(const char*& at, const char* end, Nesting& nesting) {
  const auto* stop = end - at >= 64 ? at + 64 : end;
  for (; at < stop; ++at)
    if (step(*at, nesting)) return ++at;
  return nullptr;
}

#if defined(__SSE2__)

[[gnu::target("avx2,popcnt,pclmul")]] const char* skipWide(const char* at, const char* end, Nesting& nesting) {
  while (end - at >= 64) {
    const auto marks = wideMarksOf(at);
    bool escaped = nesting.escaped;
    const auto quotes = quotesOf(marks, escaped);
    const auto inside = widePrefixXor(quotes) ^ (nesting.inString ? ~std::uint64_t{0} : 0);
    if ((marks.backslash & ~inside) != 0) {  // outside of strings it escapes nothing
      if (const auto* behind = stepBytes(at, end, nesting)) return behind;
      continue;
    }
    if (const auto* behind = stepBlock(marks, inside, at, nesting)) return behind;
    nesting.escaped = escaped;
    at += 64;
  }
  return stepBytes(at, end, nesting);
}

const char* skipPlain(const char* at, const char* end, Nesting& nesting) {
  while (end - at >= 64) {
    const auto marks = marksOf(at);
    bool escaped = nesting.escaped;
    const auto quotes = quotesOf(marks, escaped);
    const auto inside = prefixXor(quotes) ^ (nesting.inString ? ~std::uint64_t{0} : 0);
    if ((marks.backslash & ~inside) != 0) {  // outside of strings it escapes nothing
      if (const auto* behind = stepBytes(at, end, nesting)) return behind;
      continue;
    }
    if (const auto* behind = stepBlock(marks, inside, at, nesting)) return behind;
    nesting.escaped = escaped;
    at += 64;
  }
  return stepBytes(at, end, nesting);
}

const bool kHasWide = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0 &&
                      __builtin_cpu_supports("pclmul") != 0;

#else

const char* skipPlain(const char* at, const char* end, Nesting& nesting) {
  while (at < end)
    if (const auto* behind = stepBytes(at, end, nesting)) return behind;
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
#if defined(__SSE2__)
  const auto* behind = kHasWide ? skipWide(at, end, nesting) : skipPlain(at, end, nesting);
#else
  const auto* behind = skipPlain(at, end, nesting);
#endif
  if (behind != nullptr) nesting.depth = 0;
  return behind;
}

}  // namespace fairlead::codec::slurm
