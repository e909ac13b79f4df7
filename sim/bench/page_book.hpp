// What is known about the units of one measured file, which are pages or (BookUnit::sector) sectors: 8 bytes for each, without latches, so
// that verification does not change which requests are outstanding together. Unlike the requests of a run's users, those of a measurement
// may overlap: a page that was written while it was read, or by two requests at the same time, is not judged.
//
// Sector 0, or page 0 of a mixed file, holds the mark of the file and is not judged.
//
// A page with an unknown past is accepted as it is at its first read, if it is sound in itself (checksum, file, number); from then on it
// must not change. Its version alone would not show that: every measurement counts from 1. BookPast says what cannot be older, and
// is wrong at its first read, too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/limits.hpp"
#include "ums/base/local_counter.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

enum class BookUnit : std::uint8_t { page, sector };

// What an image says about itself.
struct UnitImage {
    bool is_ours = false;   // it claims to be ours
    bool is_sound = false;  // and nothing contradicts it
    std::uint64_t run_id = 0;
    std::uint64_t number = 0;
    std::uint32_t file_id = 0;
    std::uint32_t version = 0;
};

enum class BookJudgement : std::uint8_t { right, not_judged, wrong };

// What the file may hold where this process has not read or written it yet.
enum class BookPast : std::uint8_t {
    pages,    // units of ours, each in its place: a damaged one is wrong, and so is a page in another one's place, unless it is of another
              // run than the first page: before the file became ours it may have been anything
    mixed,    // also other data, such as 4 KB blocks in the middle of pages
    device,   // a device of ours: also what older files left on it. A damaged unit with the number of its place is wrong.
    foreign,  // anything, such as the blocks of older files of ours in the image of a disk
};

class PageBook {
public:
    // `file_id`: from the file's first page, or ours. `run_id`: for the versions that are written now. `first_run_id`: of the run or
    // measurement that wrote the first page before; 0: not known.
    PageBook(std::uint64_t pages, std::uint32_t file_id, std::uint64_t run_id, BookUnit unit = BookUnit::page,
             BookPast past = BookPast::pages, std::uint64_t first_run_id = 0);

    // --- images; any thread ---

    // What a unit takes in memory once it has been written or read.
    static constexpr std::uint64_t kEntryBytes = sizeof(std::atomic<std::uint64_t>);

    [[nodiscard]] std::uint32_t unit_bytes() const { return unit_ == BookUnit::page ? kPageBytes : kSectorBytes; }
    [[nodiscard]] BookUnit unit() const { return unit_; }
    // Makes the image of `version` of the page. `data` must be 8-aligned.
    void make_image(std::uint64_t page, std::uint32_t version, std::uint64_t utc_us, std::byte* data) const;
    [[nodiscard]] UnitImage look_at(const std::byte* image) const;
    // What the image of the page gives as its number: that of a page has 32 bits, and begins again after 32 TB.
    [[nodiscard]] std::uint64_t number_of(std::uint64_t page) const {
        return unit_ == BookUnit::page ? static_cast<std::uint32_t>(page) : page;
    }

    // --- writes; any thread ---

    // Call it before the write of the page is posted. Returns the new version.
    [[nodiscard]] std::uint32_t begin_write(std::uint64_t page);
    // Call it when the write has completed. A write that failed, or that overlapped another, leaves the page unknown.
    void end_write(std::uint64_t page, bool succeeded);

    // --- reads; any thread ---

    using Mark = std::uint64_t;
    // Call it before the read is posted.
    [[nodiscard]] Mark mark(std::uint64_t page) const { return word(page).load(std::memory_order_acquire); }
    // Call it when the read has completed. `image`: what came back; `mark`: of the page, taken before the read was posted.
    [[nodiscard]] BookJudgement judge(std::uint64_t page, const std::byte* image, Mark mark);
    // A finding was reported: nothing is promised about the page until it is written again. False if it has been written meanwhile.
    bool give_up(std::uint64_t page, Mark mark);

    // This measurement wrote the page last, and knows its contents.
    [[nodiscard]] bool was_written_by_us(std::uint64_t page) const {
        return !has_mark_of_file(page) && (mark(page) & (kOwn | kTag)) == (kOwn | own_tag());
    }
    // The next measurement of the process begins: it takes over what is known. While nobody uses the book.
    void begin_next_measurement() { ++measurement_; }
    [[nodiscard]] static bool is_own(Mark mark) { return (mark & kOwn) != 0; }
    // It was read before, and is accepted as it was then.
    [[nodiscard]] static bool is_found(Mark mark) { return (mark & kFound) != 0; }
    // ... and was then of this run or measurement.
    [[nodiscard]] static bool is_found_of(Mark mark, std::uint64_t run_id) { return is_found(mark) && (mark & kTag) == run_tag_of(run_id); }
    [[nodiscard]] static std::uint32_t version_of(Mark mark) { return static_cast<std::uint32_t>(mark & kVersion); }
    [[nodiscard]] std::uint64_t pages() const { return pages_; }
    [[nodiscard]] std::uint32_t file_id() const { return file_id_; }
    [[nodiscard]] std::uint64_t run_id() const { return run_id_; }
    [[nodiscard]] BookPast past() const { return past_; }

private:
    // The fields of a page's word, from the lowest bit.
    static constexpr std::uint64_t kVersion = (std::uint64_t{1} << 29) - 1;  // the last one begun, or found
    static constexpr std::uint64_t kOneInFlight = std::uint64_t{1} << 32;
    static constexpr unsigned kTagShift = 48;
    static constexpr std::uint64_t kInFlight = std::uint64_t{0xffff} << 32;
    // Of a page that was found: which run or measurement wrote it; of one that we wrote: in which measurement of this process.
    static constexpr std::uint64_t kTag = std::uint64_t{0xfff} << kTagShift;
    static constexpr std::uint64_t kContested = std::uint64_t{1} << 60;  // two overlapping writes, or a failed one
    static constexpr std::uint64_t kOwn = std::uint64_t{1} << 61;        // written by us, version known
    static constexpr std::uint64_t kFound = std::uint64_t{1} << 62;      // read before; version known, contents sound
    static constexpr std::uint64_t kUnknown = std::uint64_t{1} << 63;    // nothing is promised

    [[nodiscard]] bool cannot_be_older(std::uint64_t page, const UnitImage& says) const;
    [[nodiscard]] static std::uint64_t run_tag_of(std::uint64_t run_id);
    [[nodiscard]] std::uint64_t own_tag() const { return (std::uint64_t{measurement_} << kTagShift) & kTag; }
    [[nodiscard]] std::atomic<std::uint64_t>& word(std::uint64_t page) const;
    [[nodiscard]] bool has_mark_of_file(std::uint64_t page) const {
        return page == 0 && (unit_ == BookUnit::sector || past_ == BookPast::mixed);
    }

    const BookUnit unit_;
    const std::uint64_t pages_;
    const std::uint32_t file_id_;
    const std::uint64_t run_id_;
    const BookPast past_;
    const std::uint64_t first_run_id_;
    std::uint32_t measurement_ = 0;  // counted in this process, from 0
    ums::MemoryRegion memory_;
};

}  // namespace sim
