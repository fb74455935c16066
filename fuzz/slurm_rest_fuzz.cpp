// links: base codec
// Answers of slurmrestd: whole and in two pieces they give the same jobs; no bytes end the program.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/slurm/rest.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;
using namespace fairlead::codec::slurm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto version = static_cast<ApiVersion>(38 + data[0] % 8);
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const RestAnswer answer{.body = body};
  const auto whole = decodeJobs(version, answer);
  std::vector<SlurmJob> pieces;
  JobListDecoder decoder(version, [&](SlurmJob& job) { pieces.push_back(job); });
  const auto cut = body.size() * data[1] / 256;
  decoder.feed(body.substr(0, cut));
  decoder.feed(body.substr(cut));
  const auto end = decoder.finish();
  FL_ASSERT(pieces == whole.records, "pieces give other jobs");
  FL_ASSERT(end.complete == whole.answer.complete, "pieces end otherwise");
  (void)decodeAccountedJobs(version, answer);
  (void)decodeNodes(version, answer);
  (void)decodePartitions(version, answer);
  (void)decodeQos(version, answer);
  (void)decodeAssociations(version, answer);
  (void)decodeSubmitted(version, answer);
  (void)decodeDone(version, answer);
  (void)decodeDiag(version, answer);
  return 0;
}
