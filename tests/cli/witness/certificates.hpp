// Certificates for tests: an authority, and those that it signed. Created with the library, so no program is needed.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/catch.hpp"

namespace witness_test {

class Certificate {
public:
    // Signed by `authority`, for this place, or self-signed.
    explicit Certificate(const std::string& name, const Certificate* authority = nullptr, const char* place = "IP:127.0.0.1")
        : key_(::EVP_EC_gen("P-256"), ::EVP_PKEY_free), certificate_(::X509_new(), ::X509_free) {
        X509* const x = certificate_.get();
        ::X509_set_version(x, 2);
        ::ASN1_INTEGER_set(::X509_get_serialNumber(x), authority == nullptr ? 1 : 2);
        ::X509_gmtime_adj(::X509_getm_notBefore(x), -3600);
        ::X509_gmtime_adj(::X509_getm_notAfter(x), 3600);
        ::X509_set_pubkey(x, key_.get());
        ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(x), "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()),
                                     -1, -1, 0);
        const Certificate& issuer = authority == nullptr ? *this : *authority;
        ::X509_set_issuer_name(x, ::X509_get_subject_name(issuer.certificate_.get()));
        add(NID_basic_constraints, authority == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
        if (authority != nullptr) add(NID_subject_alt_name, place);
        REQUIRE(::X509_sign(x, issuer.key_.get(), ::EVP_sha256()) > 0);
    }

    void write(const std::filesystem::path& certificate_path, const std::filesystem::path& key_path) const {
        const File certificate_file(std::fopen(certificate_path.c_str(), "w"), std::fclose);
        const File key_file(std::fopen(key_path.c_str(), "w"), std::fclose);
        REQUIRE(::PEM_write_X509(certificate_file.get(), certificate_.get()) == 1);
        REQUIRE(::PEM_write_PrivateKey(key_file.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    }

private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    void add(int what, const char* value) {
        X509V3_CTX context;
        ::X509V3_set_ctx(&context, certificate_.get(), certificate_.get(), nullptr, nullptr, 0);
        const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> extension(::X509V3_EXT_conf_nid(nullptr, &context, what, value),
                                                                                   ::X509_EXTENSION_free);
        REQUIRE(::X509_add_ext(certificate_.get(), extension.get(), -1) == 1);
    }

    std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
    std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

}  // namespace witness_test
