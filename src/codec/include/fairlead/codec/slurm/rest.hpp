// Answers of slurmrestd (and of the commands' --json, which is the same) as neutral values. Shapes per version are in
// tables inside; nothing that comes out knows of one.
#pragma once

#include <fairlead/codec/slurm/types.hpp>

#include <functional>
#include <memory>

namespace fairlead::codec::slurm {

/// `v0.0.NN` of paths and of `--json=VERSION`. 22.05 serves 37 and 38, 24.11 40 to 42, 26.05 42 to 45.
enum class ApiVersion : std::uint8_t { v38 = 38, v39, v40, v41, v42, v43, v44, v45 };
inline constexpr ApiVersion kOldestApi = ApiVersion::v38, kNewestApi = ApiVersion::v45;
[[nodiscard]] std::string toText(ApiVersion version);
/// `v0.0.42`, `data_parser/v0.0.42`, `openapi/dbv0.0.38`; nothing for versions that are not read.
[[nodiscard]] std::optional<ApiVersion> parseApiVersion(std::string_view text);

/// An answer as it came. Status 0 stands for a command's output, which has neither status nor type.
struct RestAnswer {
  int status = 200;
  std::string_view contentType = "application/json";
  std::string_view body;
};

/// A status and a text body as a problem; nothing for a JSON body, whatever its status.
[[nodiscard]] std::optional<SlurmProblem> problemOfAnswer(const RestAnswer& answer);
/// What a number of slurm_errno.h asks of the caller.
[[nodiscard]] ProblemKind problemKind(std::int64_t number);

// Lists. A record that cannot be read is counted and reported in `answer`, the others are there. A refusal inside a
// 200, a text body and an answer that ends early are problems. Unknown members of records are left alone.
[[nodiscard]] SlurmList<SlurmNode> decodeNodes(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmPartition> decodePartitions(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmReservation> decodeReservations(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmLicense> decodeLicenses(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmPing> decodePings(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmJob> decodeJobs(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmAccountedJob> decodeAccountedJobs(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmQos> decodeQos(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmAccount> decodeAccounts(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmAssociation> decodeAssociations(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmUser> decodeUsers(ApiVersion version, const RestAnswer& answer);
[[nodiscard]] SlurmList<SlurmCluster> decodeClusters(ApiVersion version, const RestAnswer& answer);
/// Ids and names; counts are of no meaning there.
[[nodiscard]] SlurmList<TresCount> decodeTresTable(ApiVersion version, const RestAnswer& answer);
/// Integer figures of `diag`, `jobs_pending` ..., in the order given, and `rpc.NAME` with the count of each message.
[[nodiscard]] SlurmList<std::pair<std::string, std::int64_t>> decodeDiag(ApiVersion version, const RestAnswer& answer);

/// An answer to a submission. Refused unless it holds a job id: an error beside one (a held job, in v0.0.38) is a
/// message.
struct SubmitAnswer {
  std::optional<SlurmSubmitted> accepted;
  SlurmAnswer answer;
};
[[nodiscard]] SubmitAnswer decodeSubmitted(ApiVersion version, const RestAnswer& answer);
/// An answer to an update, a signal or a delete: accepted exactly when `isWhole()`. Refusals inside a 200
/// (`status[].error`, `results[].error_code`) are problems with their job id.
[[nodiscard]] SlurmAnswer decodeDone(ApiVersion version, const RestAnswer& answer);

/// Jobs one after another out of a list of any length, fed in pieces of any size. Holds one job and at most
/// `maxRecordBytes` of text that waits for its rest; a job over that is set aside. One thread at a time.
class JobListDecoder {
 public:
  /// `sink` may move from the job; it is made anew for the next one.
  using Sink = std::function<void(SlurmJob&)>;
  JobListDecoder(ApiVersion version, Sink sink, std::size_t maxRecordBytes = std::size_t{16} << 20);
  ~JobListDecoder();
  JobListDecoder(JobListDecoder&&) noexcept;
  JobListDecoder& operator=(JobListDecoder&&) noexcept;

  void feed(std::string_view piece);
  /// What the answer said besides jobs. Call it once, behind the last piece.
  [[nodiscard]] SlurmAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for jobs of slurmdbd (`slurmdb/.../jobs`, `sacct --json`).
class AccountedJobListDecoder {
 public:
  using Sink = std::function<void(SlurmAccountedJob&)>;
  AccountedJobListDecoder(ApiVersion version, Sink sink, std::size_t maxRecordBytes = std::size_t{16} << 20);
  ~AccountedJobListDecoder();
  AccountedJobListDecoder(AccountedJobListDecoder&&) noexcept;
  AccountedJobListDecoder& operator=(AccountedJobListDecoder&&) noexcept;

  void feed(std::string_view piece);
  [[nodiscard]] SlurmAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairlead::codec::slurm
