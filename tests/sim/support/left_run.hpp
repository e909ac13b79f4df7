// The files of an entire run, in memory and in virtual time, with functions to damage them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/limits.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/log_scan.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

namespace sim::testing {

// Makes this byte wrong if the request has read it.
inline void garble(ums::IoRequest& request, std::uint64_t at_bytes) {
    if (covers(request, at_bytes)) request.segments[0].data[at_bytes - request.offset_bytes] ^= std::byte{1};
}

[[nodiscard]] inline std::vector<std::byte> all_bytes(const ums::SimulatedFile& file) {
    std::vector<std::byte> bytes(file.size_bytes());
    file.read(0, bytes.data(), bytes.size());
    return bytes;
}

// Makes a byte of the page wrong.
inline void spoil(ums::SimulatedFile& file, std::uint32_t page) {
    std::byte byte{};
    file.read(std::uint64_t{page} * sim::kPageBytes + 4000, &byte, 1);
    byte ^= std::byte{1};
    file.write(std::uint64_t{page} * sim::kPageBytes + 4000, &byte, 1);
}

struct LeftRun {
    // A log larger than usual still holds all blocks of the run. Sizes of 0 are the usual ones. `change`: other options of the run.
    explicit LeftRun(std::uint64_t log_size_mb = 0, std::uint64_t data_size_mb = 0,
                     const std::function<void(sim::Options& options)>& change = {}) {
        options = busy_options(VirtualRun::kFolder);
        if (log_size_mb != 0) options.files[1].initial_size_mb = options.files[1].max_size_mb = log_size_mb;
        if (data_size_mb != 0) options.files[0].initial_size_mb = options.files[0].max_size_mb = data_size_mb;
        options.test_cycle_duration_s = 1;
        if (change) change(options);
        const sim::Results results = run.run(options);
        REQUIRE(results.outcome == sim::Outcome::passed);
        run_id = results.run_id;
    }

    sim::Results verify() { return work(sim::Job::verify); }
    sim::Results work(sim::Job job) {
        sim::Options wanted = options;
        wanted.job = job;
        return run.run(wanted);
    }

    sim::DurabilityResult durability() { return verify().durability.value(); }

    [[nodiscard]] const std::string& data_path() const { return options.files[0].path; }
    [[nodiscard]] const std::string& log_path() const { return options.files[1].path; }
    ums::SimulatedFile& data() { return *run.memory.find(data_path()); }
    ums::SimulatedFile& log() { return *run.memory.find(log_path()); }

    sim::PageHeader header(std::uint32_t page) {
        PageBuffer buffer;
        data().read(std::uint64_t{page} * sim::kPageBytes, buffer.data(), sim::kPageBytes);
        return sim::read_header(buffer.data());
    }
    // A page that has been written several times; the `nth` of them.
    std::uint32_t busy_page(std::uint32_t nth = 0) {
        for (std::uint32_t page = 1; page < data().size_bytes() / sim::kPageBytes; ++page) {
            if (header(page).version >= 3 && nth-- == 0) return page;
        }
        FAIL("no page was written three times");
        return 0;
    }
    // The first `count` of them.
    std::vector<std::uint32_t> busy_pages(std::uint32_t count) {
        std::vector<std::uint32_t> pages;
        for (std::uint32_t nth = 0; nth < count; ++nth) pages.push_back(busy_page(nth));
        return pages;
    }
    std::vector<sim::PageHeader> headers(const std::vector<std::uint32_t>& pages) {
        std::vector<sim::PageHeader> read;
        for (const std::uint32_t page : pages) read.push_back(header(page));
        return read;
    }
    void put_version(std::uint32_t page, std::uint32_t version, std::uint64_t lsn) {
        PageBuffer buffer;
        sim::make_page({run_id, 1, page, version, lsn, 1}, buffer.data());
        data().write(std::uint64_t{page} * sim::kPageBytes, buffer.data(), sim::kPageBytes);
    }
    void flip_bit(std::uint32_t page) {
        const std::uint64_t at_bytes = std::uint64_t{page} * sim::kPageBytes + 5000;
        std::byte flipped{};
        data().read(at_bytes, &flipped, 1);
        flipped ^= std::byte{16};
        data().write(at_bytes, &flipped, 1);
    }
    // Each block of the run's log: where it is, and its header.
    void for_each_block(const std::function<void(std::uint64_t offset_bytes, const sim::LogBlockHeader& header)>& take) {
        std::vector<std::byte> bytes(log().size_bytes());
        log().read(0, bytes.data(), bytes.size());
        for (std::size_t at = sim::kPageBytes; at < bytes.size(); at += sim::kSectorBytes) {
            if (sim::is_sound_block(bytes.data() + at, bytes.size() - at)) take(at, sim::read_block_header(bytes.data() + at));
        }
    }
    // Where the block with this number begins.
    std::uint64_t offset_of_block(std::uint64_t sequence) {
        std::uint64_t found_bytes = 0;
        for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
            if (header.sequence == sequence) found_bytes = offset_bytes;
        });
        REQUIRE(found_bytes != 0);
        return found_bytes;
    }
    // By number: where the blocks are that must be there although recovery does not need them, because the last complete checkpoint began
    // later in the same virtual log file. The test needs more than so many.
    std::map<std::uint64_t, std::uint64_t> blocks_before_checkpoint(std::size_t more_than = 0) {
        const std::uint64_t begin_lsn = durability().checkpoint_lsn;
        std::map<std::uint64_t, std::uint64_t> kept;
        for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
            const bool is_in_vlf = header.vlf_sequence == sim::vlf_of_lsn(begin_lsn);
            if (is_in_vlf && header.first_lsn < begin_lsn) kept[header.sequence] = offset_bytes;
        });
        REQUIRE(kept.size() > more_than);
        return kept;
    }

    void erase_blocks(const std::function<bool(const sim::LogBlockHeader& header)>& is_lost) {
        for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
            const std::vector<std::byte> zeros(header.size_bytes);
            if (is_lost(header)) log().write(offset_bytes, zeros.data(), zeros.size());
        });
    }
    void erase_block(std::uint64_t sequence) {
        erase_blocks([sequence](const sim::LogBlockHeader& header) { return header.sequence == sequence; });
    }
    // All that the log holds, but not the file's first page.
    void erase_log() {
        const std::vector<std::byte> zeros(log().size_bytes() - sim::kPageBytes);
        log().write(sim::kPageBytes, zeros.data(), zeros.size());
    }

    // From now on, reads of the log fail with this error if `fails` says so, which is asked about each of them.
    void fail_log_reads(std::function<bool(const Recorded& request)> fails, std::errc error = std::errc::io_error) {
        fail_reads_of(log_path(), std::move(fails), error);
    }
    void fail_data_reads(std::function<bool(const Recorded& request)> fails) {
        fail_reads_of(data_path(), std::move(fails), std::errc::io_error);
    }
    // From now on, the smallest part that can be read alone cannot be read at any of these places of the log.
    void make_log_unreadable(std::vector<std::uint64_t> places) {
        fail_log_reads([places = std::move(places)](const Recorded& request) { return meets_any(request, places); });
    }
    [[nodiscard]] static bool meets_any(const Recorded& request, const std::vector<std::uint64_t>& places) {
        return std::any_of(places.begin(), places.end(), [&request](std::uint64_t place) {
            return request.offset_bytes < place + kReadAlignmentBytes && place < request.offset_bytes + request.size_bytes;
        });
    }
    // From now on, the log is on a disk with sectors of 4 KB.
    static constexpr std::uint64_t kLargeSectorBytes = 4096;
    void give_log_large_sectors() {
        const auto is_refused = [](const Recorded& request) {
            return request.offset_bytes % kLargeSectorBytes != 0 || request.size_bytes % kLargeSectorBytes != 0;
        };
        fail_log_reads(is_refused, std::errc::invalid_argument);
    }

    // From now on, `change` gets each read of the log before the run does.
    void change_log_reads(std::function<void(ums::IoRequest& request)> change) {
        run.storage.set_tamper([wanted = log_path(), change = std::move(change)](ums::IoRequest& request, const std::string& path) {
            if (request.operation == ums::IoOperation::read && path == wanted && !request.error) change(request);
        });
    }
    // The same until the log has been read to its end for the first time. What is missing then is read again.
    void change_first_log_reads(std::function<void(ums::IoRequest& request)> change) {
        const std::uint64_t last_byte = log().size_bytes() - 1;
        change_log_reads([last_byte, change = std::move(change), is_scanned = false](ums::IoRequest& request) mutable {
            is_scanned = is_scanned || covers(request, last_byte);
            if (!is_scanned) change(request);
        });
    }
    // From now on, this byte of the log comes wrong until it is read alone: reads of a megabyte find the blocks, and what is missing then
    // is read alone.
    void return_log_late(std::uint64_t at_bytes) {
        change_log_reads([at_bytes, was_read_alone = false](ums::IoRequest& request) mutable {
            if (!covers(request, at_bytes)) return;
            was_read_alone = was_read_alone || request.size_bytes <= kLogBlockBytesMax + 2 * kReadAlignmentBytes;
            if (!was_read_alone) garble(request, at_bytes);
        });
    }

    // Each block of the run's log, which gets its checksum again.
    void change_each_block(const std::function<void(std::vector<std::byte>& block)>& change) {
        for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
            std::vector<std::byte> block(header.size_bytes);
            log().read(offset_bytes, block.data(), block.size());
            change(block);
            const std::uint32_t checksum = sim::crc32c(block.data() + 4, block.size() - 4);
            std::memcpy(block.data(), &checksum, sizeof checksum);
            log().write(offset_bytes, block.data(), block.size());
        });
    }
    void change_block(std::uint64_t sequence, const std::function<void(std::vector<std::byte>& block)>& change) {
        change_each_block([&](std::vector<std::byte>& block) {
            if (sim::read_block_header(block.data()).sequence == sequence) change(block);
        });
    }
    void set_log_format(std::uint16_t format) {
        change_each_block([format](std::vector<std::byte>& block) {
            std::memcpy(block.data() + offsetof(sim::LogBlockHeader, format), &format, sizeof format);
        });
    }
    // Each record of the run's log, with its body.
    using ChangeRecord = std::function<void(sim::LogRecordHeader& record, std::span<std::byte> body)>;
    void change_each_record(const ChangeRecord& change) {
        change_each_block([&change](std::vector<std::byte>& block) {
            const sim::LogBlockHeader header = sim::read_block_header(block.data());
            std::size_t at = sizeof header;
            for (std::uint32_t i = 0; i < header.record_count; ++i) {
                sim::LogRecordHeader record;
                std::memcpy(&record, block.data() + at, sizeof record);
                change(record, std::span(block).subspan(at + sizeof record, record.size_bytes - sizeof record));
                std::memcpy(block.data() + at, &record, sizeof record);
                at += record.size_bytes;
            }
        });
    }

    // As in a longer run, the log no longer has what was changed before the checkpoint: its records say something else there.
    void forget_changes_before_checkpoint() {
        const std::uint64_t begin_lsn = durability().checkpoint_lsn;
        change_each_record([begin_lsn](sim::LogRecordHeader& record, std::span<std::byte> /*body*/) {
            if (!is_change(record) || record.lsn >= begin_lsn) return;
            record.kind = static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_begin);
            record.file_id = record.page_id = record.version = 0;
        });
    }
    [[nodiscard]] static bool is_change(const sim::LogRecordHeader& record) {
        const auto kind = static_cast<sim::LogRecordKind>(record.kind);
        return kind == sim::LogRecordKind::page_update || kind == sim::LogRecordKind::filler;
    }

    // Removes blocks from the end of the log, as if they had been in flight, until recovery needs one that was provably acknowledged;
    // returns its number.
    std::uint64_t take_back_to_needed_block() {
        for (int taken = 0; taken < 1000; ++taken) {
            const sim::DurabilityResult proved = durability();
            std::uint64_t needed = 0;
            for_each_block([&](std::uint64_t, const sim::LogBlockHeader& header) {
                if (header.first_lsn > proved.checkpoint_lsn && header.sequence <= proved.hardened_block) needed = header.sequence;
            });
            if (needed != 0) return needed;
            erase_block(proved.last_block);
        }
        FAIL("no block is needed");
        return 0;
    }

    // Slow enough to keep the test short under a sanitizer, fast enough for several versions of a page.
    VirtualRun run{random_disk(1, 200, 600)};
    sim::Options options;
    std::uint64_t run_id = 0;

private:
    void fail_reads_of(std::string path, std::function<bool(const Recorded& request)> fails, std::errc error) {
        run.storage.set_fault([wanted = std::move(path), fails = std::move(fails), error](const Recorded& request) {
            const bool is_hit = is_read(request) && request.path == wanted && fails(request);
            return is_hit ? std::make_error_code(error) : std::error_code{};
        });
    }
};

// The kinds of all findings, in order.
inline std::string kinds(const sim::Results& results) {
    std::string text;
    for (const sim::Finding& finding : results.findings) text += fmt::format("{}{}", text.empty() ? "" : " ", name_of(finding.kind));
    return text;
}

}  // namespace sim::testing
