#include "columns.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

namespace fairlead::codec::slurm {
namespace {

constexpr std::size_t kUsual = 64;  // more columns than most lines have

}  // namespace

void splitColumns(std::string_view line, char delimiter, std::vector<std::uint32_t>& ends) {
  if (ends.size() < kUsual) ends.resize(kUsual);
  std::size_t at = 0, count = 0;
  const auto add = [&](std::size_t end) {
    if (count == ends.size()) ends.resize(2 * count);
    ends[count++] = static_cast<std::uint32_t>(end);
  };
#if defined(__SSE2__)
  const auto wanted = _mm_set1_epi8(delimiter);
  for (; at + 16 <= line.size(); at += 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line.data() + at));
    auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
    for (; mask != 0; mask &= mask - 1) add(at + static_cast<std::size_t>(std::countr_zero(mask)));
  }
#endif
  for (; at < line.size(); ++at)
    if (line[at] == delimiter) add(at);
  add(line.size());
  ends.resize(count);
}

}  // namespace fairlead::codec::slurm
