// A witness in a separate folder and in this process, and its clients.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "cli/promises/witness_sink.hpp"
#include "cli/witness/witness_server.hpp"
#include "cli/witness/witness_shelf.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/machine.hpp"

namespace witness_test {

inline constexpr const char* kKey = "00112233445566778899aabbccddeeff";

inline void write_key(const test::IoproofFolder& folder, const std::string& name, const std::string& digits) {
    folder.write(name, digits + "\n");
    std::filesystem::permissions(folder.path() / name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

inline cli::TlsKeys key_of(const test::IoproofFolder& folder, const std::string& name = "key") {
    return {.key_file = (folder.path() / name).string()};
}

// A witness in this process. Ends with the object, and can be recreated with the same folder and port.
class Rig {
public:
    explicit Rig(const test::IoproofFolder& folder, std::uint16_t port = 0)
        : shelf(folder.path() / "store"), server({.host = "127.0.0.1", .port = port}, key_of(folder), shelf, kConnectionsMax) {}

    static constexpr std::size_t kConnectionsMax = 64;

    [[nodiscard]] std::uint16_t port() const {
        const std::string& address = server.address();
        return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
    }

    cli::WitnessShelf shelf;
    cli::WitnessServer server;
};

inline sim::PromiseSection section_of(std::uint64_t run_id, std::uint64_t section_id, std::uint32_t incarnation = 1,
                                      const std::string& path = "/d/a.mdx") {
    sim::PromiseSection section;
    section.run_id = run_id;
    section.section_id = section_id;
    section.incarnation = incarnation;
    section.utc_us = 1;
    section.host = ums::this_machine().host_name;
    section.files = {{1, false, 0, path}};
    return section;
}

inline sim::PromiseBatch batch_of(std::uint64_t run_id, std::uint64_t section_id, std::uint64_t number, std::uint32_t pages = 1) {
    sim::PromiseBatch batch;
    batch.run_id = run_id;
    batch.section_id = section_id;
    batch.number = number;
    batch.utc_us = 1;
    for (std::uint32_t page = 0; page < pages; ++page) batch.pages.push_back({1, page, static_cast<std::uint32_t>(number), 7});
    return batch;
}

}  // namespace witness_test
