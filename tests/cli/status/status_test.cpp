#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/process/exit_codes.hpp"
#include "cli/status/status_address.hpp"
#include "cli/status/status_server.hpp"
#include "sim/errors.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/http_client.hpp"

using test::body_of;
using test::http_request;
using test::HttpConnection;
using test::IoproofFolder;

namespace {

// A server with fixed texts on a free port.
class Server {
public:
    Server() : server_({.port = 0}) {
        server_.start([this] {
            ++renewed;
            return cli::StatusTexts{"<page>", "{\"json\": 1}", "metrics 1\n"};
        });
    }
    [[nodiscard]] std::uint16_t port() const { return port_of(server_.url()); }
    static std::uint16_t port_of(const std::string& url) {
        const std::size_t colon = url.rfind(':');
        return static_cast<std::uint16_t>(std::stoul(url.substr(colon + 1)));
    }
    cli::StatusServer& server() { return server_; }

    std::atomic<int> renewed{0};

private:
    cli::StatusServer server_;
};

// The live view's port, as a running program prints it.
std::uint16_t port_in(const std::string& output) {
    const std::size_t begin = output.find("http://127.0.0.1:");
    return begin == std::string::npos ? std::uint16_t{0} : Server::port_of(output.substr(begin, output.find('/', begin + 7) - begin));
}

}  // namespace

TEST_CASE("live view: addresses") {
    CHECK(cli::parse_status_address("8080").host == "127.0.0.1");
    CHECK(cli::parse_status_address("8080").port == 8080);
    CHECK(cli::parse_status_address("0.0.0.0:1").host == "0.0.0.0");
    CHECK(cli::parse_status_address("[::1]:1").host == "::1");
    CHECK(cli::parse_status_address("localhost:1").host == "127.0.0.1");
    for (const char* wrong : {"", "x", "65536", "-1", "80x", ":80", "example.com:80", "1.2.3.4:", "1.2.3:80"}) {
        INFO(wrong);
        CHECK_THROWS_AS(cli::parse_status_address(wrong), cli::UsageError);
    }
}

TEST_CASE("live view: each of the three documents has its type, with or without a query string") {
    const Server server;
    CHECK_THAT(http_request(server.port(), "GET /"),
               ContainsSubstring("200 OK") && ContainsSubstring("text/html") && ContainsSubstring("<page>"));
    CHECK_THAT(http_request(server.port(), "GET /status.json?x=1"),
               ContainsSubstring("application/json") && ContainsSubstring("{\"json\": 1}"));
    CHECK_THAT(http_request(server.port(), "GET /metrics"), ContainsSubstring("version=0.0.4") && ContainsSubstring("metrics 1\n"));
    CHECK_THAT(http_request(server.port(), "GET /../etc/passwd"), ContainsSubstring("404 Not Found"));
}

TEST_CASE("live view: HEAD returns the length without the body") {
    const Server server;
    const std::string answer = http_request(server.port(), "HEAD /");
    CHECK_THAT(answer, ContainsSubstring("200 OK") && ContainsSubstring("Content-Length: 6\r\n"));
    CHECK(body_of(answer).empty());
}

TEST_CASE("live view: nothing can be changed") {
    const Server server;
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
        CHECK_THAT(http_request(server.port(), std::string(method) + " /"),
                   ContainsSubstring("405") && ContainsSubstring("Allow: GET, HEAD"));
    }
}

TEST_CASE("live view: nonsense, long headers and bodies are refused, and the next request is answered") {
    const Server server;
    const auto answer_to = [&](const std::string& bytes) {
        const HttpConnection connection(server.port());
        connection.send(bytes);
        connection.end_of_requests();
        return connection.rest();
    };
    CHECK_THAT(answer_to("\x16\x03\x01 no http\r\n\r\n"), ContainsSubstring("400 Bad Request"));
    CHECK_THAT(answer_to("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"), ContainsSubstring("431"));
    CHECK_THAT(answer_to("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), ContainsSubstring("413") || ContainsSubstring("400"));
    CHECK(answer_to("").empty());
    CHECK(answer_to("GET / HT").empty());
    CHECK_THAT(http_request(server.port(), "GET /"), ContainsSubstring("200 OK"));
}

TEST_CASE("live view: several requests on one connection") {
    const Server server;
    const HttpConnection connection(server.port());
    connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK_THAT(connection.rest(), ContainsSubstring("<page>") && ContainsSubstring("metrics 1"));
}

TEST_CASE("live view: a client that is silent, endless or does not read makes room for others immediately") {
    const Server server;
    std::vector<std::unique_ptr<HttpConnection>> others;
    const std::string unasked = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
    const std::string greedy = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (int i = 0; i < 300; ++i) {
        others.push_back(std::make_unique<HttpConnection>(server.port()));
        if (i % 3 == 1) others.back()->send(unasked);
        if (i % 3 == 2) {
            for (int k = 0; k < 50; ++k) others.back()->send(greedy);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) CHECK_THAT(http_request(server.port(), "GET /"), ContainsSubstring("200 OK"));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    // The first connections have long been closed; the last one is still open.
    CHECK(others.front()->rest().empty());
    others.push_back(std::make_unique<HttpConnection>(server.port()));
    CHECK_THAT(http_request(server.port(), "GET /"), ContainsSubstring("200 OK"));
    others.back()->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK_THAT(others.back()->rest(), ContainsSubstring("metrics 1"));
}

TEST_CASE("live view: an active connection outlives newer silent ones") {
    const Server server;
    const HttpConnection used(server.port());
    std::vector<std::unique_ptr<HttpConnection>> silent;
    for (int i = 0; i < 100; ++i) {
        used.send("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CHECK_THAT(http_request(server.port(), "GET /"), ContainsSubstring("200 OK"));
        silent.push_back(std::make_unique<HttpConnection>(server.port()));
    }
    used.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK_THAT(used.rest(), ContainsSubstring("<page>"));
}

TEST_CASE("live view: names of this host are recognized") {
    for (const char* host :
         {"localhost", "LocalHost:8080", "127.0.0.1", "10.1.2.3:80", "[::1]", "[fe80::1]:8080", "db1", "DB1.example.org:1"}) {
        INFO(host);
        CHECK(cli::is_own_host(host, "db1.Example.org"));
    }
    for (const char* host :
         {"", ":80", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "db1.evil.example", "db1.example", "::1", "[::1",
          "[]", "1.2.3", "0x7f.1", "localhost:80:80", "localhost:x", "localhost,evil", "localhost "}) {
        INFO(host);
        CHECK_FALSE(cli::is_own_host(host, "db1.example.org"));
    }
    CHECK_FALSE(cli::is_own_host("", ""));
    CHECK_FALSE(cli::is_own_host(".", ""));
}

TEST_CASE("live view: a request addressed to another host is not answered") {
    const Server server;
    const auto answer_to = [&](const std::string& first_line, const std::string& hosts) {
        const HttpConnection connection(server.port());
        connection.send(first_line + "\r\n" + hosts + "Connection: close\r\n\r\n");
        return connection.rest();
    };
    const std::string port = std::to_string(server.port());
    for (const char* path : {"/", "/status.json", "/metrics", "/other"}) {
        const std::string line = std::string("GET ") + path + " HTTP/1.1";
        const std::string answer = answer_to(line, "Host: rebound.example:" + port + "\r\n");
        CHECK_THAT(answer, ContainsSubstring("421 Misdirected Request") && !ContainsSubstring("<page>") && !ContainsSubstring("json"));
    }
    CHECK_THAT(answer_to("GET / HTTP/1.1", ""), ContainsSubstring("421"));
    CHECK_THAT(answer_to("GET / HTTP/1.1", "Host: localhost\r\nHost: rebound.example\r\n"), ContainsSubstring("421"));
    CHECK_THAT(answer_to("GET / HTTP/1.1", "Host: 127.0.0.1:" + port + "\r\n"), ContainsSubstring("<page>"));
    CHECK_THAT(answer_to("GET / HTTP/1.0", ""), ContainsSubstring("<page>"));
}

TEST_CASE("live view: a target with scheme and host, as for a proxy, is served like its path, and its host replaces the header") {
    const Server server;
    const std::string port = std::to_string(server.port());
    CHECK_THAT(http_request(server.port(), "GET http://localhost/metrics"),
               ContainsSubstring("200 OK") && ContainsSubstring("metrics 1\n"));
    CHECK_THAT(http_request(server.port(), "GET HTTP://127.0.0.1:" + port + "/status.json?x=/"), ContainsSubstring("{\"json\": 1}"));
    for (const char* without_path : {"GET http://localhost", "GET http://localhost?x=/metrics"}) {
        CHECK_THAT(http_request(server.port(), without_path), ContainsSubstring("<page>"));
    }
    CHECK_THAT(http_request(server.port(), "GET http://localhost/other"), ContainsSubstring("404 Not Found"));
    CHECK_THAT(http_request(server.port(), "GET https://localhost/"), ContainsSubstring("404 Not Found"));
    for (const char* elsewhere : {"GET http://rebound.example/", "GET http:///", "GET http://user@localhost/"}) {
        CHECK_THAT(http_request(server.port(), elsewhere), ContainsSubstring("421 Misdirected Request") && !ContainsSubstring("<page>"));
    }
    const HttpConnection connection(server.port());
    connection.send("GET http://localhost/ HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n");
    CHECK_THAT(connection.rest(), ContainsSubstring("<page>"));
}

TEST_CASE("live view: many requests share the documents made once a second") {
    Server server;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) CHECK_THAT(http_request(server.port(), "GET /status.json"), ContainsSubstring("200 OK"));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CHECK(server.renewed <= seconds + 2);
    server.server().stop();
    CHECK_THROWS(HttpConnection(server.port()));
}

TEST_CASE("live view: a port in use is an error that names it, before anything is created") {
    const Server taken;
    CHECK_THROWS_AS(cli::StatusServer({.port = taken.port()}), sim::EnvironmentError);
    const IoproofFolder folder;
    const auto run = folder.start_run("1", {"--status", std::to_string(taken.port())});
    CHECK(run->wait() == 3);
    CHECK_THAT(run->error(), ContainsSubstring("--status: cannot listen on 127.0.0.1:" + std::to_string(taken.port())));
    CHECK(test::names_in(folder.data()).empty());
    CHECK(!folder.has("sqliosim.log.xml"));
}

TEST_CASE("live view of a running program: page, JSON and metrics work, and do not change how the run ends") {
    const IoproofFolder folder;
    const auto run = folder.start_run("3", {"--status", "0", "--ephemeral", "--seed", "7"});
    REQUIRE(run->says("live view"));
    const std::uint16_t port = port_in(run->output());
    REQUIRE(port != 0);
    CHECK_THAT(http_request(port, "GET /"), ContainsSubstring("<!DOCTYPE html>") && ContainsSubstring("/status.json"));
    std::uint64_t last_count = 0;
    bool counted_up = false;
    for (int i = 0; i < 100 && !counted_up; ++i) {
        const auto json = nlohmann::json::parse(body_of(http_request(port, "GET /status.json")));
        CHECK(json["seed"] == "7");
        counted_up = last_count > 0 && json["io_count"] > last_count && !json["files"].empty() && json["samples"].size() >= 2;
        last_count = json["io_count"];
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    CHECK(counted_up);
    CHECK_THAT(http_request(port, "GET /metrics"),
               ContainsSubstring("\nioproof_findings_total 0\n") && ContainsSubstring("ioproof_file_request_blocks{file="));
    INFO(run->error());
    CHECK(run->wait() == 0);
}
