#include "prices.hpp"

#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/tree.hpp>

#include <fmt/format.h>

namespace fairlead::serve {

namespace {

constexpr ErrorCode kBadPrice{"serve/bad-price", ErrorKind::invalid, "a price that cannot be read"};
constexpr std::size_t kMostPrices = 10'000;

/// `19.50` is 19,500,000 micros. At most 10^9 units and six places.
std::optional<std::int64_t> parseMicros(std::string_view text) {
  std::int64_t micros = 0;
  std::int64_t scale = 0;  // 0: before the point
  bool digits = false;
  for (const char c : text) {
    if (c == '.' && scale == 0 && digits) {
      scale = 100'000;
      continue;
    }
    if (c < '0' || c > '9') return {};
    if (scale == 0 && digits && micros > 1'000'000'000LL * 1'000'000 / 10) return {};
    digits = true;
    if (scale == 0) {
      micros = micros * 10 + (c - '0') * 1'000'000LL;
    } else {
      if (scale < 1) return {};
      micros += (c - '0') * scale;
      scale = scale == 1 ? -1 : scale / 10;
    }
  }
  if (!digits || text.back() == '.') return {};
  return micros;
}

void decodePrice(codec::Decoder& decoder, const codec::Field& field, const std::string& currency,
                 std::vector<model::Price>& prices) {
  codec::MapReader map(decoder, field);
  model::Price price;
  price.currency = currency;
  if (const auto name = decoder.text(map.required("model"))) price.deviceModel = *name;
  const auto perHour = map.required("perHour");
  if (const auto text = decoder.word(perHour)) {
    if (const auto micros = parseMicros(*text))
      price.perDeviceHour = {*micros};
    else
      decoder.error(perHour, kBadPrice, fmt::format("\"{}\" is not a price", *text),
                    "write a decimal of at most six places, like \"17.80\"");
  }
  if (const auto from = decoder.time(map.optional("from"))) price.from = *from;
  if (const auto until = decoder.time(map.optional("until"))) price.to = *until;
  map.done();
  prices.push_back(std::move(price));
}

void decodeList(codec::Decoder& decoder, const codec::Tree& tree, std::vector<model::Price>& prices) {
  codec::MapReader document(decoder, decoder.root(tree.root()));
  (void)decoder.text(document.required("apiVersion"));
  const auto kind = document.required("kind");
  if (const auto text = decoder.text(kind); text && *text != "PriceList")
    decoder.error(kind, kBadPrice, "is not PriceList", "write kind: PriceList");
  codec::MapReader metadata(decoder, document.required("metadata"));
  (void)decoder.text(metadata.required("name"));
  metadata.done();
  codec::MapReader spec(decoder, document.required("spec"));
  const std::string currency(decoder.text(spec.required("currency")).value_or(""));
  const auto list = spec.required("prices");
  if (const auto items = decoder.list(list, kMostPrices))
    for (std::size_t i = 0; i < items->size(); ++i)
      decodePrice(decoder, codec::Decoder::item(list, i), currency, prices);
  spec.done();
  document.done();
}

}  // namespace

Checked<std::vector<model::Price>> decodePrices(std::string_view text) {
  const auto trees = codec::parseYamlDocuments(text);
  if (!trees) return tl::unexpected(trees.error());
  std::vector<model::Price> prices;
  Errors errors;
  for (const auto& tree : *trees) {
    codec::Decoder decoder;
    decodeList(decoder, tree, prices);
    for (auto& error : decoder.takeErrors()) errors.push_back(std::move(error));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (auto book = ledger::PriceBook::make(prices); !book) return tl::unexpected(book.error());
  return prices;
}

}  // namespace fairlead::serve
