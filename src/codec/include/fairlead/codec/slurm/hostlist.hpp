// Slurm's compact lists of hosts: `n[1-3,5],rack[01-02]-gpu[0-7]`.
#pragma once

#include <fairlead/codec/slurm/values.hpp>

#include <span>

namespace fairlead::codec::slurm {

inline constexpr std::size_t kMaxHosts = 65'536;

/// All hosts in order, the leftmost bracket slowest. A range has at least as many digits as its first number. Nothing
/// where the text is not a host list or names more than `most`; nothing is allocated for those first.
[[nodiscard]] std::optional<std::vector<std::string>> expandHosts(std::string_view text, std::size_t most = kMaxHosts);
/// How many hosts the text names, with repetitions; nothing where it is not a host list or names more than 2^32.
[[nodiscard]] std::optional<std::uint64_t> countHosts(std::string_view text);
/// The compact form of `hosts` in their order: only neighbours are merged, so expandHosts gives the same list back.
/// Names must be free of `[`, `]`, `,`, spaces and control characters.
[[nodiscard]] std::string compressHosts(std::span<const std::string> hosts);
/// `text` with its expansion; `(null)`, `None assigned` and the empty text are no hosts.
[[nodiscard]] HostSet hostSet(std::string_view text, std::size_t most = kMaxHosts);
/// The same into a value that keeps its memory.
void readHostSet(std::string_view text, HostSet& out, std::size_t most = kMaxHosts);

}  // namespace fairlead::codec::slurm
