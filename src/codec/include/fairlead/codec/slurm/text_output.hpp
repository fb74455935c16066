// Texts that the commands print, for releases and commands without JSON. The argument list that a reader expects is
// given beside it. Run them with SLURM_TIME_FORMAT=%s, so that instants are seconds since 1970; without it the readers
// need the offset of the cluster's time zone. Prefer JSON where the release has it: it holds more and cannot be forged
// by a name.
#pragma once

#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/requests.hpp>

#include <functional>
#include <memory>

namespace fairlead::codec::slurm {

/// `22.05`.
struct SlurmRelease {
  std::int32_t year = 0, month = 0;
  auto operator<=>(const SlurmRelease&) const = default;
};
/// `slurm-wlm 22.05.8`, `slurm 26.05.5`, `24.11.5`.
[[nodiscard]] std::optional<SlurmRelease> parseRelease(std::string_view text);

/// What a reader of text must know.
struct TextContext {
  std::optional<std::int32_t> utcOffsetMinutes;  ///< for instants that are local times
  TopBit topBit = TopBit::kept;                  ///< `lost` for sacct before 26.05: topBitOf
  char delimiter = '|';
};
[[nodiscard]] TopBit topBitOf(SlurmRelease release);
/// What the commands below put between columns: no name may hold it.
inline constexpr char kColumnDelimiter = '\x1f';

// squeue
/// One line per job or pending part of an array; no header.
[[nodiscard]] SlurmCommand squeueCommand();
[[nodiscard]] SlurmList<SlurmJob> decodeSqueue(std::string_view text, const TextContext& context);

// sacct
/// All runs (`-D`) and steps of all users that were in the window, by the cluster's clock; instants as seconds.
[[nodiscard]] SlurmCommand sacctCommand(SlurmRelease release, TimePoint from, TimePoint to);
/// Rows of sacct -P with a header that names the columns, whichever they are, in pieces of any size. A job is told when
/// its last step has come. Lines before the header are stepped over.
class SacctDecoder {
 public:
  /// The job keeps its memory for the next one: copy what is kept.
  using Sink = std::function<void(const SlurmAccountedJob&)>;
  SacctDecoder(const TextContext& context, Sink sink);
  ~SacctDecoder();
  SacctDecoder(SacctDecoder&&) noexcept;
  SacctDecoder& operator=(SacctDecoder&&) noexcept;

  void feed(std::string_view piece);
  /// `complete` where a header was read and the last line was whole.
  [[nodiscard]] SlurmAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};
[[nodiscard]] SlurmList<SlurmAccountedJob> decodeSacct(std::string_view text, const TextContext& context);

// scontrol show, several lines a record (never `-o`). A key that stands twice in a record, as a job name with a line
// break can make it, sets the record aside.
[[nodiscard]] SlurmCommand showCommand(std::string_view what, bool detail);
[[nodiscard]] SlurmList<SlurmJob> decodeShowJobs(std::string_view text, const TextContext& context);
[[nodiscard]] SlurmList<SlurmNode> decodeShowNodes(std::string_view text, const TextContext& context);
[[nodiscard]] SlurmList<SlurmPartition> decodeShowPartitions(std::string_view text, const TextContext& context);
[[nodiscard]] SlurmList<SlurmReservation> decodeShowReservations(std::string_view text, const TextContext& context);
[[nodiscard]] SlurmList<SlurmSwitch> decodeShowTopology(std::string_view text);
/// `Key = value` of scontrol show config, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> decodeShowConfig(std::string_view text);
/// `Slurmctld(primary) at vm is UP`.
[[nodiscard]] SlurmList<SlurmPing> decodePingText(std::string_view text);

// sacctmgr -P show ..., with its header. Names and descriptions with `|` make a line that is set aside.
[[nodiscard]] SlurmCommand sacctmgrCommand(std::string_view what);
[[nodiscard]] SlurmList<SlurmAssociation> decodeAssociationText(std::string_view text);
[[nodiscard]] SlurmList<SlurmQos> decodeQosText(std::string_view text);
[[nodiscard]] SlurmList<TresCount> decodeTresTableText(std::string_view text);
[[nodiscard]] SlurmList<SlurmAccount> decodeAccountText(std::string_view text);

}  // namespace fairlead::codec::slurm
