#include "tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509err.h>

#include <array>
#include <memory>
#include <sys/stat.h>

namespace fairlead::net {
namespace {

std::string lastTlsError() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

}  // namespace

Result<ssl_ctx_st*> makeServerTls(const TlsFiles& files) {
  struct stat status{};
  if (stat(files.key.c_str(), &status) != 0) return fail(kTlsFiles, "cannot read the key file " + files.key);
  if ((status.st_mode & S_IROTH) != 0)
    return fail(kTlsFiles, "the key file " + files.key + " can be read by everybody", "chmod 0600 " + files.key);
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (!context) return fail(kTlsFiles, "TLS cannot be set up: " + lastTlsError());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
    return fail(kTlsFiles, "the certificate file " + files.certificate + " cannot be used: " + lastTlsError());
  const auto noPassword = [](char*, int, int, void*) { return -1; };  // never ask on a terminal
  SSL_CTX_set_default_passwd_cb(context.get(), noPassword);
  const bool keyTaken = SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) == 1;
  if (!keyTaken && ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH)
    return fail(kTlsFiles, "the key file " + files.key + " cannot be used: " + lastTlsError());
  if (!keyTaken || SSL_CTX_check_private_key(context.get()) != 1)
    return fail(kTlsFiles, "the key " + files.key + " does not belong to the certificate " + files.certificate);
  return context.release();
}

}  // namespace fairlead::net
