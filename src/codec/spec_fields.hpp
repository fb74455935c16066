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
[[nodiscard]] std::string checkedText(Decoder& decoder, Field const& field, Check check);
/// argv: at least one word, bounded.
[[nodiscard]] std::vector<std::string> commandWords(Decoder& decoder, Field const& field);
/// A map of text to text, sorted by key. Values are never shown in errors when `secretValues`.
struct PairRules {
  std::size_t limit = 0;
  std::size_t valueBytes = 0;  ///< of all keys and values together
  Check key = nullptr;
  Check value = nullptr;
  bool secretValues = false;
};
[[nodiscard]] std::vector<std::pair<std::string, std::string>> textPairs(Decoder& decoder, Field const& field,
                                                                         PairRules const& rules);
/// 0 when absent or wrong. `never` are signals that make no sense here.
[[nodiscard]] int signalOf(Decoder& decoder, Field const& field, std::initializer_list<int> never);

[[nodiscard]] std::vector<model::Role> decodeRoles(Decoder& decoder, Field const& field, SpecContext const& context);
[[nodiscard]] std::vector<model::DeviceRequest> decodeDevices(Decoder& decoder, Field const& field);
[[nodiscard]] model::CheckpointRule decodeCheckpoint(Decoder& decoder, Field const& field);
[[nodiscard]] model::RetryRule decodeRetry(Decoder& decoder, Field const& field);
[[nodiscard]] std::vector<model::OutputRule> decodeOutputs(Decoder& decoder, Field const& field);
[[nodiscard]] std::vector<model::Dependency> decodeDependencies(Decoder& decoder, Field const& field);
[[nodiscard]] model::ArrayRule decodeArray(Decoder& decoder, Field const& field);
[[nodiscard]] model::ModelInput decodeModelInput(Decoder& decoder, Field const& field);
[[nodiscard]] model::LogFiles decodeLogs(Decoder& decoder, Field const& field);

}  // namespace fairlead::codec
