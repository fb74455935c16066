#include <fairlead/audit/chain.hpp>
#include <fairlead/base/assert.hpp>

#include <openssl/evp.h>

#include <bit>
#include <cstring>
#include <memory>

namespace fairlead::audit {
namespace {

constexpr char kEncodingVersion = 1;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

template <class Number>
void put(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

void putText(std::string& out, const std::string& text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

/// Fetching an algorithm and allocating a context cost more than hashing a record: both are made once.
Digest sha256(const std::string& bytes) {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, ContextDeleter> context(EVP_MD_CTX_new());
  Digest digest;
  const bool ok = EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
                  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  FL_ASSERT(ok, "SHA-256 is always there");
  return digest;
}

}  // namespace

Digest chainHash(const Digest& previous, const AuditRecord& record) {
  std::string bytes;
  bytes.reserve(160 + record.principal.size() + record.action.size() + record.object.size() + record.project.size() +
                record.rule.size() + record.detail.size());
  bytes.push_back(kEncodingVersion);
  bytes.append(reinterpret_cast<const char*>(previous.data()), previous.size());
  put(bytes, record.sequence);
  put(bytes, record.at.msSinceEpoch);
  bytes.push_back(record.allowed ? 1 : 0);
  putText(bytes, record.principal);
  putText(bytes, record.action);
  putText(bytes, record.object);
  putText(bytes, record.project);
  putText(bytes, record.rule);
  putText(bytes, record.detail);
  return sha256(bytes);
}

void appendToChain(AuditRecord& record, const Digest& previous) { record.hash = chainHash(previous, record); }

}  // namespace fairlead::audit
