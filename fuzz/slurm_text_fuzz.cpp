// links: base codec
// Texts of the commands: rows in pieces give the same jobs; no bytes end the program.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/slurm/text_output.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;
using namespace fairlead::codec::slurm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const TextContext context{.utcOffsetMinutes = 0, .topBit = TopBit::lost, .delimiter = '|'};
  const auto whole = decodeSacct(text, context);
  std::vector<SlurmAccountedJob> pieces;
  SacctDecoder decoder(context, [&](const SlurmAccountedJob& job) { pieces.push_back(job); });
  const auto cut = text.size() * data[0] / 256;
  decoder.feed(text.substr(0, cut));
  decoder.feed(text.substr(cut));
  FL_ASSERT(decoder.finish().complete == whole.answer.complete, "pieces end otherwise");
  FL_ASSERT(pieces == whole.records, "pieces give other jobs");
  (void)decodeSqueue(text, context);
  (void)decodeShowJobs(text, context);
  (void)decodeShowNodes(text, context);
  (void)decodeShowPartitions(text, context);
  (void)decodeShowReservations(text, context);
  (void)decodeShowTopology(text);
  (void)decodeShowConfig(text);
  (void)decodePingText(text);
  (void)decodeQosText(text);
  (void)decodeAssociationText(text);
  (void)problemOfCommand(text);
  (void)parseSubmitted(text);
  return 0;
}
