// Parts of a workload document that are decoded one by one.
#pragma once

#include "spec_rules.hpp"

#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

using Check = std::optional<Fault> (*)(std::string_view);

/// Text of the field when `check` accepts it; reports else. Empty when absent.
[[nodiscard]] std::string checkedText(Decoder& decoder, const Field& field, Check check);
/// argv: at least one word, bounded.
[[nodiscard]] std::vector<std::string> commandWords(Decoder& decoder, const Field& field);
/// A map of text to text, sorted by key. Values are never shown in errors when `secretValues`.
struct PairRules {
  std::size_t limit = 0;
  std::size_t valueBytes = 0;  ///< of all keys and values together
  Check key = nullptr;
  Check value = nullptr;
  bool secretValues = false;
};
[[nodiscard]] std::vector<std::pair<std::string, std::string>> textPairs(Decoder& decoder, const Field& field,
                                                                         const PairRules& rules);
/// 0 when absent or wrong. `never` are signals that make no sense here.
[[nodiscard]] int signalOf(Decoder& decoder, const Field& field, std::initializer_list<int> never);

[[nodiscard]] std::vector<model::Role> decodeRoles(Decoder& decoder, const Field& field, const SpecContext& context);
[[nodiscard]] std::vector<model::DeviceRequest> decodeDevices(Decoder& decoder, const Field& field);
[[nodiscard]] model::CheckpointRule decodeCheckpoint(Decoder& decoder, const Field& field);
[[nodiscard]] model::RetryRule decodeRetry(Decoder& decoder, const Field& field);
[[nodiscard]] std::vector<model::OutputRule> decodeOutputs(Decoder& decoder, const Field& field);
[[nodiscard]] std::vector<model::Dependency> decodeDependencies(Decoder& decoder, const Field& field);
[[nodiscard]] model::ArrayRule decodeArray(Decoder& decoder, const Field& field);
[[nodiscard]] model::ModelInput decodeModelInput(Decoder& decoder, const Field& field);
[[nodiscard]] model::SlurmHints decodeSlurmHints(Decoder& decoder, const Field& field);
[[nodiscard]] model::LogFiles decodeLogs(Decoder& decoder, const Field& field);

}  // namespace fairlead::codec
