#include "key_file.hpp"

#include <fairlead/audit/errors.hpp>
#include <fairlead/audit/signer.hpp>
#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <vector>

namespace fairlead::audit {
namespace {

constexpr std::string_view kPurpose = "fairlead audit checkpoint v1";  // no signature of this key fits anything else
constexpr std::size_t kSignatureBytes = 64;

struct BioDeleter {
  void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
};
using BioHandle = std::unique_ptr<BIO, BioDeleter>;

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using ContextHandle = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

/// Answers "no passphrase" where OpenSSL would ask on the terminal.
int noPassphrase(char*, int, int, void*) { return -1; }

void putBigEndian(std::vector<std::uint8_t>& out, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::vector<std::uint8_t> signedBytes(std::uint64_t sequence, TimePoint at, const Digest& hash) {
  std::vector<std::uint8_t> bytes(kPurpose.begin(), kPurpose.end());
  putBigEndian(bytes, sequence);
  putBigEndian(bytes, static_cast<std::uint64_t>(at.msSinceEpoch));
  bytes.insert(bytes.end(), hash.begin(), hash.end());
  return bytes;
}

std::string idOf(EVP_PKEY* key) {
  std::array<std::uint8_t, 32> raw{};
  std::size_t size = raw.size();
  FL_ASSERT(EVP_PKEY_get_raw_public_key(key, raw.data(), &size) == 1 && size == raw.size(),
            "an Ed25519 key has 32 bytes");
  std::array<std::uint8_t, 32> digest{};
  FL_ASSERT(EVP_Digest(raw.data(), raw.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1, "SHA-256 is there");
  std::string text = "ed25519-";
  for (std::size_t i = 0; i < 16; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string bioText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool isEd25519(const KeyHandle& key) { return key != nullptr && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519; }

}  // namespace

void KeyDeleter::operator()(evp_pkey_st* key) const noexcept { EVP_PKEY_free(key); }

Signer::Signer(KeyHandle key) : key_(std::move(key)), keyId_(idOf(key_.get())) {}

Signer Signer::generate() {
  KeyHandle key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  FL_ASSERT(key != nullptr, "OpenSSL makes Ed25519 keys");
  return Signer(std::move(key));
}

Result<Signer> Signer::load(const std::string& path) {
  auto content = readKeyFile(path);
  if (!content) return tl::unexpected(content.error());
  const BioHandle bio(BIO_new_mem_buf(content->data(), static_cast<int>(content->size())));
  KeyHandle key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &noPassphrase, nullptr));
  OPENSSL_cleanse(content->data(), content->size());
  ERR_clear_error();
  if (!isEd25519(key))
    return fail(kKeyInvalid, fmt::format("audit key {} holds no unencrypted Ed25519 private key", printable(path)),
                "restore it from the backup");
  return Signer(std::move(key));
}

Result<Signer> Signer::createKeyFile(const std::string& path) {
  auto signer = generate();
  const BioHandle bio(BIO_new(BIO_s_secmem()));
  FL_ASSERT(PEM_write_bio_PKCS8PrivateKey(bio.get(), signer.key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
            "a key has a PEM form");
  auto pem = bioText(bio.get());
  auto written = writeKeyFile(path, pem);
  OPENSSL_cleanse(pem.data(), pem.size());
  if (!written) return tl::unexpected(written.error());
  return signer;
}

AuditCheckpoint Signer::sign(std::uint64_t sequence, TimePoint at, const Digest& hash) const {
  AuditCheckpoint checkpoint{sequence, at, hash, keyId_, std::vector<std::uint8_t>(kSignatureBytes)};
  const auto bytes = signedBytes(sequence, at, hash);
  std::size_t size = kSignatureBytes;
  const ContextHandle context(EVP_MD_CTX_new());
  const bool ok = EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
                  EVP_DigestSign(context.get(), checkpoint.signature.data(), &size, bytes.data(), bytes.size()) == 1;
  FL_ASSERT(ok && size == kSignatureBytes, "an Ed25519 key signs");
  return checkpoint;
}

std::string Signer::publicKeyPem() const {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  FL_ASSERT(PEM_write_bio_PUBKEY(bio.get(), key_.get()) == 1, "a public key has a PEM form");
  return bioText(bio.get());
}

Result<std::string> Verifier::add(std::string_view pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<std::size_t>(pem.size(), 16 * 1024))));
  KeyHandle key(PEM_read_bio_PUBKEY(bio.get(), nullptr, &noPassphrase, nullptr));
  ERR_clear_error();
  if (!isEd25519(key))
    return fail(kKeyInvalid, "not an Ed25519 public key in PEM", "give the public half of the audit key");
  auto id = idOf(key.get());
  keys_.insert_or_assign(id, std::move(key));
  return id;
}

SignatureCheck Verifier::check(const AuditCheckpoint& checkpoint) const {
  const auto key = keys_.find(checkpoint.keyId);
  if (key == keys_.end()) return SignatureCheck::unknownKey;
  const auto bytes = signedBytes(checkpoint.sequence, checkpoint.at, checkpoint.hash);
  const ContextHandle context(EVP_MD_CTX_new());
  const bool ok = EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key->second.get()) == 1 &&
                  EVP_DigestVerify(context.get(), checkpoint.signature.data(), checkpoint.signature.size(),
                                   bytes.data(), bytes.size()) == 1;
  ERR_clear_error();
  return ok ? SignatureCheck::valid : SignatureCheck::badSignature;
}

}  // namespace fairlead::audit
