#include "columns.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

namespace fairlead::codec::slurm {

void splitColumns(std::string_view line, char delimiter, std::vector<std::uint32_t>& ends) {
  ends.clear();
  std::size_t at = 0;
#if defined(__SSE2__)
  const auto wanted = _mm_set1_epi8(delimiter);
  for (; at + 16 <= line.size(); at += 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line.data() + at));
    auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
    for (; mask != 0; mask &= mask - 1) ends.push_back(static_cast<std::uint32_t>(at) + std::countr_zero(mask));
  }
#endif
  for (; at < line.size(); ++at)
    if (line[at] == delimiter) ends.push_back(static_cast<std::uint32_t>(at));
  ends.push_back(static_cast<std::uint32_t>(line.size()));
}

}  // namespace fairlead::codec::slurm
