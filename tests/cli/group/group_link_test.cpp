// The connection of a run to its group.
#include "cli/group/group_link.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "cli/link/tls.hpp"
#include "cli/link/witness_wire.hpp"
#include "tests/cli/group/one_group.hpp"
#include "tests/cli/witness/witness_rig.hpp"

namespace {

using std::chrono::milliseconds;
using Tcp = boost::asio::ip::tcp;
using TlsStream = boost::asio::ssl::stream<Tcp::socket>;

// A witness that needs this long for its first answer, as if it stored the arrivals of many other runs before. It serves one connection,
// whose other end has limits of its own and closes it.
class BusyWitness {
public:
    BusyWitness(const cli::TlsKeys& keys, milliseconds delay) : tls_(cli::tls_context(cli::TlsSide::server, keys)), delay_(delay) {
        acceptor_.non_blocking(true);
        thread_ = std::thread([this] { serve(); });
    }
    ~BusyWitness() {
        is_ending_ = true;
        thread_.join();
    }
    BusyWitness(const BusyWitness&) = delete;
    BusyWitness& operator=(const BusyWitness&) = delete;

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    void serve() {
        TlsStream stream(io_, tls_);
        boost::system::error_code error = boost::asio::error::would_block;
        while (error && !is_ending_) {
            std::this_thread::sleep_for(milliseconds(10));
            acceptor_.accept(stream.next_layer(), error);
        }
        if (!error) stream.handshake(boost::asio::ssl::stream_base::server, error);
        cli::WitnessGreeting greeting{};
        if (!error) boost::asio::read(stream, boost::asio::buffer(&greeting, sizeof greeting), error);
        while (!error) answer_beat(stream, error);
    }

    void answer_beat(TlsStream& stream, boost::system::error_code& error) {
        cli::WitnessFrame frame{};
        boost::asio::read(stream, boost::asio::buffer(&frame, sizeof frame), error);
        std::vector<char> beat(error ? 0 : frame.size_bytes);
        if (!error) boost::asio::read(stream, boost::asio::buffer(beat), error);
        if (error) return;
        std::this_thread::sleep_for(std::exchange(delay_, milliseconds(0)));
        const std::string view = cli::encode(cli::GroupView{});
        frame = {cli::kFrameMagic, static_cast<std::uint32_t>(view.size())};
        boost::asio::write(stream, boost::asio::buffer(&frame, sizeof frame), error);
        if (!error) boost::asio::write(stream, boost::asio::buffer(view), error);
    }

    boost::asio::io_context io_;
    boost::asio::ssl::context tls_;
    Tcp::acceptor acceptor_{io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    milliseconds delay_;
    std::atomic<bool> is_ending_{false};
    std::thread thread_;
};

}  // namespace

TEST_CASE("the first answer of a witness may take as long as a handshake, because all runs of a group may come at once") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    BusyWitness witness(witness_test::key_of(folder), milliseconds(4000));
    cli::GroupLink link({.host = "127.0.0.1", .port = witness.port()}, witness_test::key_of(folder),
                        group_test::beat_of(0, 2, "side-by-side", 10), [] {});
    link.start();
    CHECK(link.wait_for_answer(milliseconds(9000)));
    CHECK(link.knowledge().trouble.empty());
}
