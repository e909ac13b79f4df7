#include "cli/link/tls.hpp"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"

namespace cli {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::size_t kKeyFileBytesMax = 1 << 20;
constexpr std::size_t kDigitsMin = 32;
constexpr std::size_t kDigitsMax = 128;
constexpr std::string_view kIdentity = "ioproof";

using Key = std::vector<unsigned char>;
using Session = std::unique_ptr<SSL_SESSION, void (*)(SSL_SESSION*)>;

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

[[noreturn]] void refuse_key(const std::string& path, const std::string& why) {
    throw sim::EnvironmentError(fmt::format("--key-file {}: {}", path, why));
}

Key read_key(const std::string& path) {
    namespace fs = std::filesystem;
    const ums::InputFile file = ums::read_input_file(path, kKeyFileBytesMax);
    if (!file.problem.empty()) refuse_key(path, file.problem);
    std::error_code error;
    // Orchestrators and root deliver secrets readable by the group: the process could not read them otherwise.
    const fs::perms group = file.is_of_root ? fs::perms::group_write : fs::perms::group_read | fs::perms::group_write;
    const fs::perms others = fs::perms::others_read | fs::perms::others_write | group;
    if ((fs::status(path, error).permissions() & others) != fs::perms::none) {
        refuse_key(path, "others may read or write it; 'chmod 600' makes it private");
    }
    std::string_view digits = file.bytes;
    while (!digits.empty() && (digits.back() == '\n' || digits.back() == '\r' || digits.back() == ' ')) digits.remove_suffix(1);
    const bool is_hex = std::all_of(digits.begin(), digits.end(), [](char c) { return digit_of(c) >= 0; });
    if (!is_hex || digits.size() % 2 != 0 || digits.size() < kDigitsMin || digits.size() > kDigitsMax) {
        refuse_key(path, "is not a key, which has 32 to 128 hexadecimal digits; 'openssl rand -hex 32' makes one");
    }
    Key key;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        key.push_back(static_cast<unsigned char>(digit_of(digits[i]) << 4 | digit_of(digits[i + 1])));
    }
    return key;
}

// The key belongs to the OpenSSL context, which deletes it.
int key_index() {
    static const int index = ::SSL_CTX_get_ex_new_index(
        0, nullptr, nullptr, nullptr, [](void*, void* key, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<Key*>(key); });
    return index;
}

// OpenSSL represents a pre-shared key as a session that never took place. Null if memory runs out.
Session session_of(SSL* connection) {
    const auto* const key = static_cast<const Key*>(::SSL_CTX_get_ex_data(::SSL_get_SSL_CTX(connection), key_index()));
    constexpr std::array<unsigned char, 2> kAes128Sha256{0x13, 0x01};
    Session session(::SSL_SESSION_new(), ::SSL_SESSION_free);
    const SSL_CIPHER* const cipher = ::SSL_CIPHER_find(connection, kAes128Sha256.data());
    const bool is_made = session && cipher != nullptr && ::SSL_SESSION_set1_master_key(session.get(), key->data(), key->size()) == 1 &&
                         ::SSL_SESSION_set_cipher(session.get(), cipher) == 1 &&
                         ::SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
    if (!is_made) session.reset();
    return session;
}

int offer_key(SSL* connection, const EVP_MD* /*digest*/, const unsigned char** identity, std::size_t* size, SSL_SESSION** session) {
    *session = session_of(connection).release();
    *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
    *size = kIdentity.size();
    return *session != nullptr ? 1 : 0;
}

int find_key(SSL* connection, const unsigned char* identity, std::size_t size, SSL_SESSION** session) {
    const bool is_ours = std::string_view(reinterpret_cast<const char*>(identity), size) == kIdentity;
    *session = is_ours ? session_of(connection).release() : nullptr;
    return 1;
}

void use_key(ssl::context& context, TlsSide side, Key key) {
    SSL_CTX* const handle = context.native_handle();
    ::SSL_CTX_set_ex_data(handle, key_index(), new Key(std::move(key)));
    if (side == TlsSide::server) {
        ::SSL_CTX_set_psk_find_session_callback(handle, find_key);
    } else {
        ::SSL_CTX_set_psk_use_session_callback(handle, offer_key);
        // A server that does not know the key would have to show a certificate, and none is trusted.
        context.set_verify_mode(ssl::verify_peer);
    }
    ::SSL_CTX_set_ciphersuites(handle, "TLS_AES_128_GCM_SHA256");
}

void use_certificates(ssl::context& context, const TlsKeys& keys) {
    const auto use = [](const char* name, const std::string& path, auto load) {
        boost::system::error_code error;
        load(path, error);
        if (error) throw sim::EnvironmentError(fmt::format("{} {}: cannot be used: {}", name, path, error.message()));
    };
    use("--cert", keys.cert, [&](const std::string& path, auto& error) { context.use_certificate_chain_file(path, error); });
    use("--cert-key", keys.cert_key,
        [&](const std::string& path, auto& error) { context.use_private_key_file(path, ssl::context::pem, error); });
    use("--ca", keys.ca, [&](const std::string& path, auto& error) { context.load_verify_file(path, error); });
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
}

}  // namespace

ssl::context tls_context(TlsSide side, const TlsKeys& keys) {
#if defined(IOPROOF_STATIC)
    // openssl.cnf may name modules that were built for the system's own OpenSSL.
    ::OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
    const bool has_all_certificates = !keys.cert.empty() && !keys.cert_key.empty() && !keys.ca.empty();
    if (keys.key_file.empty() && !has_all_certificates) {
        throw UsageError("a witness needs --key-file FILE, the same on both sides, or all of --cert, --cert-key and --ca");
    }
    if (!keys.key_file.empty() && keys.has_certificate()) throw UsageError("--key-file and certificates: one of them, not both");
    ssl::context context(side == TlsSide::server ? ssl::context::tls_server : ssl::context::tls_client);
    SSL_CTX* const handle = context.native_handle();
    ::SSL_CTX_set_min_proto_version(handle, TLS1_3_VERSION);
    ::SSL_CTX_set_session_cache_mode(handle, SSL_SESS_CACHE_OFF);
    ::SSL_CTX_set_num_tickets(handle, 0);
    if (keys.has_certificate()) {
        use_certificates(context, keys);
    } else {
        use_key(context, side, read_key(keys.key_file));
    }
    return context;
}

}  // namespace cli
