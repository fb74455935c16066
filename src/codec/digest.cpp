#include <fairlead/base/assert.hpp>
#include <fairlead/codec/digest.hpp>

#include <openssl/evp.h>

namespace fairlead::codec {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Looked up once: OpenSSL 3 searches its providers at every use of an algorithm that was not fetched before.
const EVP_MD* algorithm() {
  static const EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  FL_ASSERT(kFetched != nullptr, "SHA-256 is missing");
  return kFetched;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Digest digest;
  FL_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm(), nullptr) == 1, "digest");
  return digest;
}

Digest sha256(std::span<const std::uint8_t> bytes) {
  return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  FL_ASSERT(context_ != nullptr, "no memory for a digest");
  FL_ASSERT(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), algorithm(), nullptr) == 1, "digest start");
}

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256::update(std::string_view bytes) {
  FL_ASSERT(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) == 1, "digest update");
}

Digest Sha256::finish() {
  Digest digest;
  unsigned int size = 0;
  FL_ASSERT(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), &size) == 1 && size == digest.size(),
            "digest finish");
  return digest;
}

std::string toHex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string toHex(const Digest& digest) { return toHex(std::span<const std::uint8_t>(digest)); }

std::optional<Digest> digestFromHex(std::string_view text) {
  Digest digest;
  if (text.size() != digest.size() * 2) return {};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = digitOf(text[2 * i]);
    const int low = digitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return {};
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

}  // namespace fairlead::codec
