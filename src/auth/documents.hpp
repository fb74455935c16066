// What the files of auth have in common: documents with apiVersion, kind, metadata and spec.
#pragma once

#include <fairlead/codec/decoder.hpp>

#include <string_view>

namespace fairlead::auth {

inline constexpr std::string_view kApiVersion = "fairlead.io/v1";

/// Reads `apiVersion` and `kind` and reports what is not as expected.
void expectKind(codec::Decoder& decoder, codec::MapReader& document, std::string_view kind);

}  // namespace fairlead::auth
