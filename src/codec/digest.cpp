#include <fairlead/base/assert.hpp>
#include <fairlead/codec/digest.hpp>

#include <openssl/evp.h>
#include <openssl/sha.h>

namespace fairlead::codec {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

Digest sha256(std::span<const std::uint8_t> bytes) {
  Digest digest;
  SHA256(bytes.data(), bytes.size(), digest.data());
  return digest;
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  FL_ASSERT(context_ != nullptr, "no memory for a digest");
  FL_ASSERT(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr) == 1, "SHA-256 is missing");
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
