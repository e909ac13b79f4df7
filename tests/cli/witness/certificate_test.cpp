// A witness and a run that authenticate each other with certificates.
#include "tests/cli/witness/certificates.hpp"
#include "tests/cli/witness/witness_rig.hpp"

using test::IoproofFolder;
using witness_test::Certificate;

namespace {

cli::TlsKeys keys_in(const IoproofFolder& folder, const std::string& name, const std::string& authority) {
    return {
        .cert = folder.path() / (name + ".pem"), .cert_key = folder.path() / (name + ".key"), .ca = folder.path() / (authority + ".pem")};
}

void write_pair(const IoproofFolder& folder, const std::string& name, const Certificate& certificate) {
    certificate.write(folder.path() / (name + ".pem"), folder.path() / (name + ".key"));
}

}  // namespace

TEST_CASE("a run and a witness with certificates of one authority trust each other, and no one else") {
    const IoproofFolder folder;
    const Certificate authority("authority");
    const Certificate stranger("stranger");
    write_pair(folder, "authority", authority);
    write_pair(folder, "stranger", stranger);
    write_pair(folder, "witness", Certificate("witness", &authority));
    write_pair(folder, "run", Certificate("run", &authority));
    write_pair(folder, "false", Certificate("false", &stranger));
    cli::WitnessShelf shelf(folder.path() / "store");
    const cli::WitnessServer server({.host = "127.0.0.1", .port = 0}, keys_in(folder, "witness", "authority"), shelf);
    const auto port = static_cast<std::uint16_t>(std::stoul(server.address().substr(server.address().rfind(':') + 1)));
    const auto says = [&](const std::string& name, const std::string& trusted, const std::string& host = "127.0.0.1") {
        cli::WitnessSink sink({.host = host, .port = port}, keys_in(folder, name, trusted));
        return sink.append(encode(witness_test::section_of(1, 10)));
    };
    CHECK(says("run", "authority").empty());
    CHECK_FALSE(says("false", "authority").empty());                                      // the witness does not trust the run
    CHECK_THAT(says("run", "stranger"), ContainsSubstring("certificate"));                // the run does not trust the witness
    CHECK_THAT(says("run", "authority", "localhost"), ContainsSubstring("certificate"));  // the certificate is for another name
    witness_test::write_key(folder, "key", witness_test::kKey);
    cli::WitnessSink with_key({.host = "127.0.0.1", .port = port}, witness_test::key_of(folder));
    CHECK_FALSE(with_key.append(encode(witness_test::section_of(2, 20))).empty());
    CHECK(shelf.run_count() == 1);
}
