// Self-signed certificates for tests, made on the spot.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <sys/stat.h>

namespace fairlead::net::test {

/// Writes FOLDER/NAME.crt (for localhost and 127.0.0.1, valid one day) and FOLDER/NAME.key.
inline void writeCertificate(const std::string& folder, const std::string& name) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  X509* x509 = certificate.get();
  X509_set_version(x509, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
  X509_gmtime_adj(X509_getm_notBefore(x509), -60);
  X509_gmtime_adj(X509_getm_notAfter(x509), 86'400);
  X509_set_pubkey(x509, key.get());
  X509_NAME* subject = X509_get_subject_name(x509);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                             0);
  X509_set_issuer_name(x509, subject);
  X509V3_CTX context;
  X509V3_set_ctx(&context, x509, x509, nullptr, nullptr, 0);
  X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  X509_add_ext(x509, names, -1);
  X509_EXTENSION_free(names);
  X509_sign(x509, key.get(), EVP_sha256());
  FILE* out = fopen((folder + "/" + name + ".crt").c_str(), "w");
  PEM_write_X509(out, x509);
  fclose(out);
  out = fopen((folder + "/" + name + ".key").c_str(), "w");
  PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  fclose(out);
  chmod((folder + "/" + name + ".key").c_str(), 0600);
}

}  // namespace fairlead::net::test
