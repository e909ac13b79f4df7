// Processes that act as hosts: each has a folder of its own, they share others, and one witness is in this process.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/witness/witness_rig.hpp"

namespace group_test {

// Hosts with separate folders, and one witness in this process.
class Hosts {
public:
    Hosts() {
        witness_test::write_key(folder, "key", witness_test::kKey);
        rig = std::make_unique<witness_test::Rig>(folder);
        port = rig->port();
    }

    // As after a kill: only what is on the witness's disk survives.
    void restart_witness() {
        rig.reset();
        rig = std::make_unique<witness_test::Rig>(folder, port);
    }

    std::unique_ptr<test::Process> start(std::uint32_t rank, std::uint32_t of, const std::string& data,
                                         const std::vector<std::string>& more) {
        const std::filesystem::path host = folder.path() / ("host-" + std::to_string(rank));
        std::filesystem::create_directory(host);
        std::filesystem::create_directory(folder.path() / data);
        std::vector<std::string> words{IOPROOF_PROGRAM,
                                       "run",
                                       "-dir",
                                       (folder.path() / data).string(),
                                       "-size",
                                       "4",
                                       "--no-progress",
                                       "--json",
                                       "r.json",
                                       "--witness",
                                       "127.0.0.1:" + std::to_string(port),
                                       "--key-file",
                                       (folder.path() / "key").string(),
                                       "--group",
                                       "g",
                                       "--rank",
                                       std::to_string(rank),
                                       "--of",
                                       std::to_string(of)};
        words.insert(words.end(), more.begin(), more.end());
        return std::make_unique<test::Process>(std::move(words), host);
    }
    [[nodiscard]] nlohmann::json result(std::uint32_t rank, const std::string& name = "r.json") const {
        return nlohmann::json::parse(folder.read("host-" + std::to_string(rank) + "/" + name));
    }

    // Whether every page of the folder's data file has been written.
    [[nodiscard]] bool has_filled(const std::string& data, std::chrono::seconds patience = std::chrono::seconds(60)) const {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < deadline) {
            std::ifstream file(folder.path() / data / "sqliosim.mdx", std::ios::binary);
            std::array<char, 8> begin{};
            file.seekg(511 * 8192);
            if (file.read(begin.data(), begin.size()) && std::string_view(begin.data() + 4, 4) == "IOPF") return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    // Whether the witness keeps promises of every page of a data file, at 16 bytes each.
    [[nodiscard]] bool has_promised(std::chrono::seconds patience = std::chrono::seconds(60)) const {
        return has_promises(
            patience, [](const std::filesystem::directory_entry& kept, std::error_code& gone) { return kept.file_size(gone) >= 512 * 16; });
    }

    // Whether an owner still promises something this long after it had promised every page.
    [[nodiscard]] bool has_worked_for(std::chrono::seconds time, std::chrono::seconds patience = std::chrono::seconds(60)) const {
        if (!has_promised(patience)) return false;
        const auto begin = std::filesystem::file_time_type::clock::now();
        return has_promises(patience, [&](const std::filesystem::directory_entry& kept, std::error_code& gone) {
            return std::filesystem::last_write_time(kept.path(), gone) >= begin + time;
        });
    }

    test::IoproofFolder folder;
    std::unique_ptr<witness_test::Rig> rig;
    std::uint16_t port = 0;

private:
    // Whether `is_meant` is true of a file of promises, which may be replaced at any moment.
    template <typename IsMeant>
    [[nodiscard]] bool has_promises(std::chrono::seconds patience, IsMeant is_meant) const {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < deadline) {
            for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "store")) {
                std::error_code gone;
                if (entry.path().extension() == ".promises" && is_meant(entry, gone) && !gone) return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
};

inline std::vector<std::string> fact_names(const nlohmann::json& result) {
    std::vector<std::string> names;
    for (const nlohmann::json& finding : result["findings"]) {
        if (finding.contains("group_fact")) names.push_back(finding["group_fact"]["name"]);
    }
    return names;
}

}  // namespace group_test
