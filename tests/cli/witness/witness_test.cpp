// A witness and its clients, over real connections.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "cli/link/tls.hpp"
#include "cli/link/tls_link.hpp"
#include "cli/process/exit_codes.hpp"
#include "sim/errors.hpp"
#include "tests/cli/witness/witness_rig.hpp"
#include "tests/support/file_size_limit.hpp"

using test::IoproofFolder;
using namespace witness_test;

namespace {

cli::WitnessSink sink_for(const IoproofFolder& folder, const Rig& rig, const std::string& key = "key") {
    return {{.host = "127.0.0.1", .port = rig.port()}, key_of(folder, key)};
}

// A client that connects, and sends `says` or nothing.
class Stranger {
public:
    explicit Stranger(std::uint16_t port, const std::string& says = "") {
        socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
        if (!says.empty()) boost::asio::write(socket_, boost::asio::buffer(says), ignored_);
    }

private:
    boost::system::error_code ignored_;
    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_{context_};
};

// Connections to a port of ::1 that accepts no more: what follows them gets no answer.
class SilentPort {
public:
    explicit SilentPort(std::uint16_t port) {
        const boost::asio::ip::tcp::endpoint place(boost::asio::ip::address_v6::loopback(), port);
        boost::system::error_code error;
        acceptor_.open(place.protocol(), error);
        if (!error) acceptor_.set_option(boost::asio::ip::v6_only(true), error);
        if (!error) acceptor_.bind(place, error);
        if (!error) acceptor_.listen(0, error);
        is_silent = !error;
        for (int i = 0; i < 8 && is_silent; ++i) {
            clients_.emplace_back(context_).open(place.protocol());
            clients_.back().non_blocking(true);
            // Not through Asio, which waits for the answer even so.
            static_cast<void>(::connect(clients_.back().native_handle(), place.data(), static_cast<socklen_t>(place.size())));
        }
        if (!is_silent) return;
        // How many a system accepts beyond the limit, and whether it refuses the others, is its own decision.
        pollfd last{.fd = clients_.back().native_handle(), .events = POLLOUT, .revents = 0};
        is_silent = ::poll(&last, 1, 100) == 0;
    }
    bool is_silent = false;

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_{context_};
    std::vector<boost::asio::ip::tcp::socket> clients_;
};

std::uint32_t version_of(cli::WitnessSink& sink, std::uint64_t run_id) {
    const auto promises = sink.load({.run_id = run_id, .paths = {}});
    return promises ? promises->page(1, 0).version : 0;
}

}  // namespace

TEST_CASE("a witness returns the promises it took, by run, or by machine and files") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    CHECK(sink.append(encode(section_of(1, 10))).empty());
    CHECK(sink.append(encode(batch_of(1, 10, 1, 60'000))).empty());
    CHECK(sink.append(encode(batch_of(1, 10, 2))).empty());
    cli::WitnessSink other = sink_for(folder, rig);
    const auto promises = other.load({.run_id = 1, .paths = {}});
    REQUIRE(promises);
    CHECK(promises->page(1, 0).version == 2);
    CHECK(promises->page(1, 59'999).version == 1);
    CHECK(other.load({.run_id = 0, .paths = {"/d/a.mdx"}})->section().run_id == 1);
    CHECK_FALSE(other.load({.run_id = 0, .paths = {"/d/b.mdx"}}));
    CHECK(sink.append(encode(batch_of(1, 10, 3))).empty());
    CHECK(version_of(other, 1) == 3);
}

TEST_CASE("a witness takes a batch once, none of an older section, and none after a missing one") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    CHECK_THAT(sink.append(encode(batch_of(1, 10, 1))), ContainsSubstring("does not know this run"));
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    REQUIRE(sink.append(encode(batch_of(1, 10, 1))).empty());
    const auto size_bytes = std::filesystem::file_size(folder.path() / "store/0000000000000001.promises");
    CHECK(sink.append(encode(batch_of(1, 10, 1))).empty());
    CHECK(std::filesystem::file_size(folder.path() / "store/0000000000000001.promises") == size_bytes);
    CHECK_FALSE(sink.append(encode(batch_of(1, 10, 3))).empty());
    CHECK(version_of(sink, 1) == 1);

    cli::WitnessSink newer = sink_for(folder, rig);
    REQUIRE(newer.append(encode(section_of(1, 11, 2))).empty());
    REQUIRE(newer.append(encode(batch_of(1, 11, 1))).empty());
    CHECK_THAT(sink.append(encode(batch_of(1, 10, 2))), ContainsSubstring("another process"));
}

// In how many seconds the system asks whether the client of this port is still there. Nothing if it shows no connection, and an hour if it
// shows one about which it does not ask.
std::optional<std::uint64_t> seconds_to_keep_alive(std::uint16_t port) {
    std::ifstream table("/proc/net/tcp");
    const std::string wanted = fmt::format(":{:04X}", port);
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::array<std::string, 6> fields;  // number, own address, other address, state, queues, timer
        for (std::string& field : fields) words >> field;
        if (!fields[1].ends_with(wanted) || fields[3] != "01") continue;
        if (!fields[5].starts_with("02:")) return 3600;
        return std::stoull(fields[5].substr(3), nullptr, 16) / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    }
    return std::nullopt;
}

TEST_CASE("a host that is gone without a word counts as connected for a minute, not for hours") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    std::optional<std::uint64_t> due_s = seconds_to_keep_alive(rig.port());
    if (!due_s) {
        WARN("skipped: this system does not show its connections");
        return;
    }
    // Another timer runs until the client's system has confirmed the answer.
    for (int i = 0; i < 100 && *due_s > 60; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        due_s = seconds_to_keep_alive(rig.port()).value_or(3600);
    }
    CHECK(*due_s <= 60);
}

TEST_CASE("several runs promise at once, and a run that recreates its files voids only the promises for them") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink a = sink_for(folder, rig);
    cli::WitnessSink b = sink_for(folder, rig);
    REQUIRE(a.append(encode(section_of(1, 10, 1, "/d/a.mdx"))).empty());
    REQUIRE(b.append(encode(section_of(2, 20, 1, "/d/b.mdx"))).empty());
    for (std::uint64_t number = 1; number <= 20; ++number) {
        REQUIRE(a.append(encode(batch_of(1, 10, number))).empty());
        REQUIRE(b.append(encode(batch_of(2, 20, number))).empty());
    }
    cli::WitnessSink c = sink_for(folder, rig);
    REQUIRE(c.append(encode(section_of(3, 30, 0, "/d/a.mdx"))).empty());
    CHECK(version_of(c, 2) == 20);
    const auto of_a = c.load({.run_id = 1, .paths = {"/d/a.mdx"}});
    REQUIRE(of_a);
    CHECK(of_a->are_void());
    CHECK(of_a->section().run_id == 3);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "store/0000000000000001.promises"));
}

TEST_CASE("a witness that was down is reached again, and nothing that it had taken is lost") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    auto rig = std::make_unique<Rig>(folder);
    const std::uint16_t port = rig->port();
    cli::WitnessSink sink = sink_for(folder, *rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    REQUIRE(sink.append(encode(batch_of(1, 10, 1))).empty());
    rig.reset();
    CHECK_FALSE(sink.append(encode(batch_of(1, 10, 2))).empty());
    rig = std::make_unique<Rig>(folder, port);
    CHECK(sink.append(encode(batch_of(1, 10, 2))).empty());
    CHECK(version_of(sink, 1) == 2);
    CHECK(rig->shelf.run_count() == 1);
}

TEST_CASE("clients without the right key get no answer, and do not hold up those with it") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    write_key(folder, "other", "ffffffffffffffffffffffffffffffff");
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    std::vector<std::unique_ptr<Stranger>> strangers;
    std::uint64_t number = 0;
    const auto promise = [&] { CHECK(sink.append(encode(batch_of(1, 10, ++number))).empty()); };
    for (int i = 0; i < 100; ++i) strangers.push_back(std::make_unique<Stranger>(rig.port()));
    promise();
    for (int i = 0; i < 100; ++i) strangers.push_back(std::make_unique<Stranger>(rig.port(), std::string(3000, static_cast<char>(i))));
    promise();
    // Sends the beginning of a handshake, and then nothing.
    for (int i = 0; i < 50; ++i) strangers.push_back(std::make_unique<Stranger>(rig.port(), std::string("\x16\x03\x01\x02\x00\x01", 6)));
    promise();
    cli::WitnessSink wrong = sink_for(folder, rig, "other");
    CHECK_THAT(wrong.append(encode(batch_of(1, 10, number + 1))), ContainsSubstring("no secure connection"));
    CHECK_THROWS_AS(wrong.load({.run_id = 1, .paths = {}}), sim::EnvironmentError);
    promise();
    CHECK(version_of(sink, 1) == number);
}

TEST_CASE("an invalid record from a client with the key ends only that connection") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    constexpr std::chrono::milliseconds kPatience{5000};
    boost::asio::ssl::context context = cli::tls_context(cli::TlsSide::client, key_of(folder));
    for (const std::size_t size : {std::size_t{16}, std::size_t{64}, std::size_t{4096}}) {
        cli::TlsLink link(context, "127.0.0.1", rig.port(), false);
        REQUIRE(link.connect(kPatience, kPatience).empty());
        CHECK(link.send(std::vector<std::byte>(size, std::byte{0x5a}), kPatience).empty());
        std::array<std::byte, 1> answer{};
        CHECK_FALSE(link.receive(answer, kPatience).empty());
    }
    for (std::size_t damaged = 4; damaged < 48; ++damaged) {
        cli::WitnessSink other = sink_for(folder, rig);
        std::vector<std::byte> record = encode(batch_of(1, 10, 1));
        record[damaged] ^= std::byte{0x80};
        if (damaged >= 12 && damaged < 16) continue;  // the record's size, for whose remainder the witness would wait
        CHECK_FALSE(other.append(record).empty());
    }
    CHECK(sink.append(encode(batch_of(1, 10, 1))).empty());
}

TEST_CASE("a witness is reached at the second address of its name if nothing answers at the first") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    const SilentPort silent(rig.port());
    boost::asio::io_context context;
    boost::asio::ip::tcp::resolver resolver(context);
    boost::system::error_code error;
    const auto addresses = resolver.resolve("localhost", std::to_string(rig.port()), error);
    if (!silent.is_silent || error || addresses.empty() || !addresses.begin()->endpoint().address().is_v6()) {
        WARN("skipped: localhost is not ::1 first here, or what the queue of a port has no room for gets an answer");
        return;
    }
    boost::asio::ssl::context keys = cli::tls_context(cli::TlsSide::client, key_of(folder));
    cli::TlsLink link(keys, "localhost", rig.port(), false);
    CHECK(link.connect(std::chrono::milliseconds(2000), std::chrono::milliseconds(10'000)) == "");
}

TEST_CASE("if there is no room, new clients with the key replace those that have been silent longest") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    std::vector<std::unique_ptr<cli::WitnessSink>> sinks;
    for (std::uint64_t run = 1; run <= Rig::kConnectionsMax + 6; ++run) {
        sinks.push_back(std::make_unique<cli::WitnessSink>(cli::WitnessAddress{.host = "127.0.0.1", .port = rig.port()}, key_of(folder)));
        REQUIRE(sinks.back()->append(encode(section_of(run, run, 1, "/d/" + std::to_string(run)))).empty());
    }
    for (std::uint64_t run = 1; run <= sinks.size(); ++run) CHECK(sinks[run - 1]->append(encode(batch_of(run, run, 1))).empty());
    CHECK(rig.shelf.run_count() == sinks.size());
}

TEST_CASE("many clients that connect at once are all admitted, even if there is no room at first") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    cli::WitnessShelf shelf(folder.path() / "store");
    // With 100 connections, a quarter may be without a greeting: 25.
    const cli::WitnessServer server({.host = "127.0.0.1", .port = 0}, key_of(folder), shelf, 100);
    const std::string& address = server.address();
    const auto port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
    constexpr std::uint64_t kRuns = 90;
    std::atomic<std::uint64_t> refused{0};
    std::vector<std::thread> runs;
    for (std::uint64_t run = 1; run <= kRuns; ++run) {
        runs.emplace_back([&, run] {
            cli::WitnessSink sink(cli::WitnessAddress{.host = "127.0.0.1", .port = port}, key_of(folder));
            if (!sink.append(encode(section_of(run, run, 1, "/d/" + std::to_string(run)))).empty()) ++refused;
        });
    }
    for (std::thread& run : runs) run.join();
    CHECK(refused == 0);
    CHECK(shelf.run_count() == kRuns);
}

TEST_CASE("a folder has only one witness, and a file is not a folder") {
    const IoproofFolder folder;
    folder.write("file", "x");
    CHECK_THROWS_AS(cli::WitnessShelf(folder.path() / "file"), cli::UsageError);
    const cli::WitnessShelf first(folder.path() / "store");
    CHECK_THROWS_WITH(cli::WitnessShelf(folder.path() / "store"), ContainsSubstring("another witness"));
}

TEST_CASE("a witness whose disk is full says so, keeps what it has, and continues when there is room") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    REQUIRE(sink.append(encode(batch_of(1, 10, 1))).empty());
    {
        const test::FileSizeLimit limit(4096);
        CHECK_THAT(sink.append(encode(batch_of(1, 10, 2, 10'000))), ContainsSubstring("its disk: "));
        CHECK(version_of(sink, 1) == 1);
    }
    CHECK(sink.append(encode(batch_of(1, 10, 2, 10'000))).empty());
    CHECK(version_of(sink, 1) == 2);
}

TEST_CASE("a witness that cannot read what it has kept says so") {
    const IoproofFolder folder;
    write_key(folder, "key", kKey);
    const Rig rig(folder);
    cli::WitnessSink sink = sink_for(folder, rig);
    REQUIRE(sink.append(encode(section_of(1, 10))).empty());
    const std::filesystem::path path = folder.path() / "store/0000000000000001.promises";
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK_THROWS_WITH(sink_for(folder, rig).load({.run_id = 1, .paths = {}}), ContainsSubstring("its disk: Input/output error"));
}
