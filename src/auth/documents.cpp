#include "documents.hpp"

#include <fairlead/codec/errors.hpp>

#include <fmt/format.h>

namespace fairlead::auth {
namespace {

void expectText(codec::Decoder& decoder, const codec::Field& field, std::string_view wanted) {
  const auto given = decoder.text(field);
  if (given && *given != wanted)
    decoder.error(field, codec::kBadValue, fmt::format("this file is for {}", wanted), fmt::format("write {}", wanted));
}

}  // namespace

void expectKind(codec::Decoder& decoder, codec::MapReader& document, std::string_view kind) {
  expectText(decoder, document.required("apiVersion"), kApiVersion);
  expectText(decoder, document.required("kind"), kind);
}

}  // namespace fairlead::auth
