// Everything that was promised for one run: the sum of the records of its sections. 8 bytes for each page that was ever promised, in pieces
// of 32 KiB. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "sim/promises/promise_record.hpp"

namespace sim {

class Promises {
public:
    struct Page {
        std::uint32_t version = 0;  // 0: nothing is promised
        std::uint32_t checksum = 0;
    };

    // Begins a section. Voids what was promised before, unless the section says that all of it was verified. The present section again
    // changes nothing.
    void begin(const PromiseSection& section);
    // Adds a batch of this section, in the order of the numbers; one that was added before (by its number) is skipped. False if it belongs
    // to another section; then nothing changes.
    bool add(const PromiseBatch& batch);

    [[nodiscard]] const PromiseSection& section() const { return section_; }
    // Nothing is promised yet, or no longer: the run was about to create its files, or has removed them.
    [[nodiscard]] bool are_void() const { return section_.incarnation == 0; }
    [[nodiscard]] std::uint64_t last_number() const { return last_number_; }
    // Of the last batch, by the run's clock; of the section, if there was none.
    [[nodiscard]] std::uint64_t last_utc_us() const { return last_utc_us_; }
    [[nodiscard]] std::uint64_t hardened_sequence() const { return hardened_sequence_; }
    [[nodiscard]] std::uint64_t hardened_lsn() const { return hardened_lsn_; }
    [[nodiscard]] std::uint64_t checkpoint_lsn() const { return checkpoint_lsn_; }

    [[nodiscard]] Page page(std::uint32_t file_id, std::uint32_t page) const;
    // The minimum page count of the file; 0: nothing is promised.
    [[nodiscard]] std::uint32_t page_count(std::uint32_t file_id) const;
    // LSN of the last cut of the file known here; 0: none.
    [[nodiscard]] std::uint64_t cut_lsn(std::uint32_t file_id) const;
    [[nodiscard]] std::uint64_t promised_pages() const;  // with a version

    // The same promises in as few records as possible: the section, then batches. For a store that is rewritten.
    void for_each_record(const std::function<void(std::span<const std::byte>)>& take) const;

private:
    static constexpr std::uint32_t kPiecePages = 4096;
    using Piece = std::array<Page, kPiecePages>;
    struct File {
        std::uint32_t page_count = 0;
        std::uint64_t cut_lsn = 0;
        std::map<std::uint32_t, std::unique_ptr<Piece>> pieces;  // by number of the page / kPiecePages
    };

    void apply(const PromiseControl& control);
    static void void_from(File& file, std::uint64_t first_page);
    [[nodiscard]] PromiseBatch empty_batch() const;

    PromiseSection section_;
    std::uint64_t last_number_ = 0;
    std::uint64_t last_utc_us_ = 0;
    std::uint64_t hardened_sequence_ = 0;
    std::uint64_t hardened_lsn_ = 0;
    std::uint64_t checkpoint_lsn_ = 0;
    std::map<std::uint32_t, File> files_;
};

}  // namespace sim
