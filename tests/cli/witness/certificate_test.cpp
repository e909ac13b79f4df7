// A witness and a run that authenticate each other with certificates.
#include <cstdint>
#include <string>

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

// What a run says that cannot reach this witness, with these keys; nothing if it can.
std::string problem_with(const cli::WitnessServer& server, const cli::TlsKeys& keys, std::uint64_t run_id = 1) {
    const auto port = static_cast<std::uint16_t>(std::stoul(server.address().substr(server.address().rfind(':') + 1)));
    cli::WitnessSink sink({.host = "127.0.0.1", .port = port}, keys);
    return sink.append(encode(witness_test::section_of(run_id, 10)));
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
    CHECK(problem_with(server, keys_in(folder, "run", "authority")) == "");
    CHECK(problem_with(server, keys_in(folder, "false", "authority")) != "");                                // the run is not trusted
    CHECK_THAT(problem_with(server, keys_in(folder, "run", "stranger")), ContainsSubstring("certificate"));  // the witness is not
    witness_test::write_key(folder, "key", witness_test::kKey);
    CHECK(problem_with(server, witness_test::key_of(folder), 2) != "");
    CHECK(shelf.run_count() == 1);
}

TEST_CASE("a run does not trust a witness whose certificate is for another host") {
    const IoproofFolder folder;
    const Certificate authority("authority");
    write_pair(folder, "authority", authority);
    write_pair(folder, "witness", Certificate("witness", &authority, "DNS:witness.example"));
    write_pair(folder, "run", Certificate("run", &authority));
    cli::WitnessShelf shelf(folder.path() / "store");
    const cli::WitnessServer server({.host = "127.0.0.1", .port = 0}, keys_in(folder, "witness", "authority"), shelf);
    CHECK_THAT(problem_with(server, keys_in(folder, "run", "authority")), ContainsSubstring("certificate"));
    CHECK(shelf.run_count() == 0);
}
