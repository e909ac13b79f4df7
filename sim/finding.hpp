// A finding: one wrong answer of the storage, with all that is known about it. Plain data. A finding is a result, not an error of
// the program: it is never thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

enum class FindingKind : std::uint8_t {
    checksum,        // the bytes are not what the page's own checksum says
    wrong_page,      // a sound image, but of another page, file or run
    old_version,     // a sound image of this page, but not the last one that was acknowledged
    never_written,   // nothing of ours where a page was written, or something where nothing was
    short_transfer,  // fewer bytes than asked for, before the end of the file
    io_error,        // the system returned an error, also after retries
};

std::string_view name_of(FindingKind kind);

struct Finding {
    FindingKind kind{};
    bool is_write = false;
    std::uint32_t file_id = 0;
    std::string path;
    bool is_log = false;                 // a log file's: about a block of the log, not about a page
    std::uint32_t page_id = 0;           // of a data file
    std::uint64_t offset_bytes = 0;      // of the page, or of the log's block, in the file
    std::uint32_t first_wrong_byte = 0;  // within the page, where the kind allows to say so

    // What the ledger expects, and what the header that came back says (0 where it has none).
    std::uint32_t expected_version = 0;
    std::uint32_t received_version = 0;
    std::uint64_t expected_lsn = 0;
    std::uint64_t received_lsn = 0;
    std::uint32_t expected_checksum = 0;
    std::uint32_t received_checksum = 0;    // stored in the image
    std::uint32_t calculated_checksum = 0;  // of the image
    std::uint32_t received_file_id = 0;
    std::uint32_t received_page_id = 0;

    int error_code = 0;  // the system's, for io_error
    std::string error_text;
    std::uint32_t reads = 1;  // how often the page was read until this was decided
    bool transient = false;   // a later read returned the right page

    std::string phase;
    std::string user;
    std::uint32_t cpu = 0;
    std::uint64_t tick_ms = 0;  // since the run began
    std::uint64_t utc_us = 0;

    std::vector<std::byte> image;  // as it came back first; empty if nothing came
    std::string description;       // one sentence for a person
};

}  // namespace sim
