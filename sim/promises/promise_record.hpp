// Promises as they leave a run: the records in a ledger file and on the wire to a witness, the same bytes in both places. Format version 1;
// docs/ledger_format.md describes it for people. Little-endian.
//
// A promise is a lower bound: the storage had acknowledged it, durable by the file's mode of durability, before it was sent. So everything
// that the ledger holds may be demanded of the storage; about anything else it says nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sim {

inline constexpr std::uint32_t kPromiseMagic = 0x50504f49;  // "IOPP"
inline constexpr std::uint16_t kPromiseFormat = 1;
// Bounds of one record: a receiver refuses larger ones.
inline constexpr std::uint32_t kPromisePagesMax = 65536;
inline constexpr std::uint32_t kPromiseControlsMax = 16384;
inline constexpr std::uint32_t kPromiseFilesMax = 4095;
inline constexpr std::uint32_t kPromiseTextMax = 4096;  // bytes of a path or of a host's name
inline constexpr std::uint32_t kPromiseRecordBytesMax = 32U << 20;
// For a cut: it took no pages away.
inline constexpr std::uint64_t kAllPages = ~std::uint64_t{0};

// Precedes each record.
struct PromiseHeader {
    std::uint32_t checksum;    // CRC-32C of bytes 4 … size_bytes - 1
    std::uint32_t magic;       // kPromiseMagic
    std::uint16_t format;      // kPromiseFormat
    std::uint16_t kind;        // PromiseRecordKind
    std::uint32_t size_bytes;  // with this header; a multiple of 8
    std::uint64_t run_id;
    std::uint64_t section_id;  // drawn when the section began: distinguishes two processes that continue the same run
    std::uint64_t number;      // of a batch in its section, from 1; a section itself: 0
    std::uint64_t utc_us;      // by the run's clock, when it was made
};

enum class PromiseRecordKind : std::uint16_t { section = 1, batch = 2 };

static_assert(sizeof(PromiseHeader) == 48 && std::has_unique_object_representations_v<PromiseHeader>);

// A page whose write was acknowledged.
struct PromisedPage {
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
    std::uint32_t checksum = 0;  // of the page

    friend bool operator==(const PromisedPage&, const PromisedPage&) = default;
};

// Takes promises back, or is about a whole file. Comes before the pages of its batch.
enum class PromiseControlKind : std::uint32_t {
    cut = 1,        // `pages`: the smallest page count of the file so far; `lsn`: of the last cut. Nothing is promised beyond.
    size = 2,       // `pages`: the page count of the file now, durably
    void_page = 3,  // `pages`: the number of a page whose write failed permanently
    void_file = 4,  // the same for all pages of the file
};
struct PromiseControl {
    PromiseControlKind kind{};
    std::uint32_t file_id = 0;
    std::uint64_t pages = 0;
    std::uint64_t lsn = 0;

    friend bool operator==(const PromiseControl&, const PromiseControl&) = default;
};

static_assert(sizeof(PromisedPage) == 16 && sizeof(PromiseControl) == 24);

struct PromiseBatch {
    std::uint64_t run_id = 0;
    std::uint64_t section_id = 0;
    std::uint64_t number = 0;
    std::uint64_t utc_us = 0;
    // The log is hardened up to this block and this LSN; 0: nothing of it is promised.
    std::uint64_t hardened_sequence = 0;
    std::uint64_t hardened_lsn = 0;
    std::uint64_t checkpoint_lsn = 0;  // where the last complete checkpoint began; 0: none
    std::vector<PromiseControl> controls;
    std::vector<PromisedPage> pages;

    friend bool operator==(const PromiseBatch&, const PromiseBatch&) = default;
};

struct PromisedFile {
    std::uint32_t id = 0;
    bool is_log = false;
    std::uint32_t page_count = 0;
    std::string path;

    friend bool operator==(const PromisedFile&, const PromisedFile&) = default;
};

// Begins the promises of a run, or of one that continues.
struct PromiseSection {
    std::uint64_t run_id = 0;
    std::uint64_t section_id = 0;
    std::uint64_t utc_us = 0;
    std::uint32_t incarnation = 0;  // of the run; 0: it is about to create its files, and nothing is promised for them yet
    // What this section had promised up to this batch was verified just before, and still holds. 0: earlier promises are void.
    std::uint64_t keeps_section = 0;
    std::uint64_t keeps_number = 0;
    std::string host;
    std::vector<PromisedFile> files;

    friend bool operator==(const PromiseSection&, const PromiseSection&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const PromiseSection& section);
// At most kPromisePagesMax pages and kPromiseControlsMax controls (asserted).
[[nodiscard]] std::vector<std::byte> encode(const PromiseBatch& batch);

// The header at the beginning of `bytes`, if it can be that of a record: magic, format, kind, size within bounds. The bytes may come from
// anyone.
[[nodiscard]] std::optional<PromiseHeader> read_promise_header(std::span<const std::byte> bytes);
// `record`: exactly header.size_bytes. Nothing if the checksum is wrong or the contents do not fit the header.
[[nodiscard]] std::optional<PromiseSection> decode_section(std::span<const std::byte> record);
[[nodiscard]] std::optional<PromiseBatch> decode_batch(std::span<const std::byte> record);

}  // namespace sim
