// For tests of FileCreator: a folder, files in it, and the result of a preparation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "sim/files/file_creator.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/sim/support/prepare_file.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/support/process.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim::testing {

using ums::kMb;
constexpr std::uint64_t kRunId = 4711;

enum class Error { none, refused, environment };

// The result of one preparation; its handles are closed again.
struct Prepared {
    Error error = Error::none;
    std::string message;
    sim::SimFile::Setup setup;
    std::vector<sim::Finding> findings;
};

// A folder, the options of a careful user, and the storage, which a test may replace.
struct CreatorBench {
    test::TempFolder folder;
    ums::PosixStorage posix;
    ums::Storage* storage = &posix;
    sim::Options options;

    CreatorBench() {
        options.no_buffering = false;
        options.use_scatter_gather = false;
        options.cpu_count = 1;
    }

    [[nodiscard]] sim::FileOptions file(const std::string& name, std::uint64_t initial_mb = 1) const {
        return {.path = folder / name, .initial_size_mb = initial_mb, .max_size_mb = 4};
    }
    [[nodiscard]] sim::FileOptions log_file(const std::string& name, std::uint64_t initial_mb = 1) const {
        sim::FileOptions result = file(name, initial_mb);
        result.is_log = true;
        return result;
    }
    [[nodiscard]] std::size_t names_in_folder() const {
        const std::filesystem::directory_iterator names(folder.path());
        return static_cast<std::size_t>(std::distance(begin(names), end(names)));
    }

    Prepared prepare(const sim::FileOptions& file, std::uint32_t id = 1) {
        const ums::RealClock clock;
        CollectingSink sink;
        sim::Journal journal(clock, sink);
        ums::SchedulerGroup group({}, *storage, clock);
        Prepared result;
        sim::FileCreator creator(options, *storage, journal, kRunId);
        auto main = [](sim::FileCreator& maker, std::uint32_t number, const sim::FileOptions& wanted, Prepared& out) -> ums::Task<void> {
            out.setup = co_await prepare_file(maker, number, wanted);
        };
        try {
            group.run(main(creator, id, file, result));
            storage->close(result.setup.transfers);
            storage->close(result.setup.control);
        } catch (const sim::RefusedError& error) {
            result.error = Error::refused;
            result.message = error.what();
        } catch (const sim::EnvironmentError& error) {
            result.error = Error::environment;
            result.message = error.what();
        }
        result.findings = sink.findings();
        return result;
    }
};

inline std::error_code system_error(int number) { return {number, std::system_category()}; }

inline bool is_all_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

inline bool begins_with_signature(const std::string& path) {
    const PageBuffer page;
    const auto bytes = peek(path, 0, sim::kPageBytes);
    std::memcpy(page.data(), bytes.data(), bytes.size());
    return sim::has_signature(page.data()) && sim::page_checksum(page.data()) == sim::read_header(page.data()).checksum;
}

// An old file of ours: a signature page, then ones.
inline void make_our_file(const std::string& path, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes, std::byte{1});
    const PageBuffer page({.run_id = 1, .file_id = 9, .page_id = 0, .version = 1});
    std::memcpy(bytes.data(), page.data(), sim::kPageBytes);
    make_file(path, "");
    poke(path, 0, bytes);
}

// The bytes from the second page on.
inline std::vector<std::byte> content(const std::string& path) {
    return peek(path, sim::kPageBytes, static_cast<std::size_t>(size_of_file(path)) - sim::kPageBytes);
}

}  // namespace sim::testing
