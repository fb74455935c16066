// Ed25519 signatures on statements "the chain had this head": by the daemon's key, checked with public keys.
#pragma once

#include <fairlead/audit/chain.hpp>
#include <fairlead/base/result.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace fairlead::audit {

struct KeyDeleter {
  void operator()(evp_pkey_st* key) const noexcept;
};
using KeyHandle = std::unique_ptr<evp_pkey_st, KeyDeleter>;

/// Holds the private key; moves, never copies, and prints nowhere. `sign` from any thread.
class Signer {
 public:
  /// Reads a PKCS#8 PEM file, which must be a regular file of this user (or root) with no right for group and others.
  /// Never asks for a passphrase. Errors: kKeyMissing, kKeyNotRead, kKeyUnsafe, kKeyInvalid. A missing file beside an
  /// existing database must end the start: a new key would hide that the old one is gone.
  [[nodiscard]] static Result<Signer> load(const std::string& path);
  /// Makes a new key and writes it with mode 0600, durably; an existing file is never replaced. For the first
  /// initialisation only. Errors: kKeyExists, kKeyNotWritten.
  [[nodiscard]] static Result<Signer> createKeyFile(const std::string& path);
  /// A new key that lives in memory only: for tests and simulation.
  [[nodiscard]] static Signer generate();

  [[nodiscard]] AuditCheckpoint sign(std::uint64_t sequence, TimePoint at, const Digest& hash) const;
  /// `ed25519-` and 32 hex digits of the SHA-256 of the public key.
  [[nodiscard]] const std::string& keyId() const { return keyId_; }
  /// SubjectPublicKeyInfo in PEM: what Verifier::add and `openssl pkey -pubin` read.
  [[nodiscard]] std::string publicKeyPem() const;

 private:
  explicit Signer(KeyHandle key);

  KeyHandle key_;
  std::string keyId_;
};

enum class SignatureCheck : std::uint8_t { valid, badSignature, unknownKey };

/// Public keys by id: those of today and of before a key change. Not changed while it is used: then any thread.
class Verifier {
 public:
  /// Takes one public key in PEM; returns its id. Errors: kKeyInvalid (a private key is refused as well).
  Result<std::string> add(std::string_view pem);
  [[nodiscard]] SignatureCheck check(const AuditCheckpoint& checkpoint) const;
  [[nodiscard]] bool empty() const { return keys_.empty(); }

 private:
  std::map<std::string, KeyHandle, std::less<>> keys_;
};

}  // namespace fairlead::audit
