// The rules that every adapter holds a change set to before it writes the first row.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/store_port.hpp>

#include <functional>

namespace fairlead::store {

/// Digests are uniform already: their first bytes are the hash.
struct DigestHash {
  std::size_t operator()(const model::Digest& digest) const noexcept {
    std::size_t hash = 0;
    for (std::size_t i = 0; i < sizeof hash; ++i) hash |= static_cast<std::size_t>(digest[i]) << (8 * i);
    return hash;
  }
};

/// Numbers are 1 .. 2^63-1; events, audits and postings rise above `heads`; every workload's spec is stored or part of
/// the set.
[[nodiscard]] Result<void> checkChanges(const control::ChangeSet& changes, const control::StoreHeads& heads,
                                        const std::function<bool(const model::Digest&)>& specStored);
/// Heads after `changes` were written (all but oldestEvent).
void advanceHeads(control::StoreHeads& heads, const control::ChangeSet& changes);

/// True when the posting's span overlaps the query's and the other filters hold.
[[nodiscard]] bool matches(const control::PostingQuery& query, const model::Posting& posting);

}  // namespace fairlead::store
