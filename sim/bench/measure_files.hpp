// The files and devices of a timespan: each is examined, opened or created once, even if several targets name it. Rules: measurement.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/bench/kept_files.hpp"
#include "sim/bench/measure_spec.hpp"
#include "sim/bench/page_book.hpp"
#include "sim/limits.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/io/storage.hpp"

namespace sim {

struct MeasureFile {
    std::string path;      // resolved
    std::uint32_t id = 0;  // from 1
    std::uint64_t size_bytes = 0;
    bool is_device = false;
    bool was_there = false;       // existed under its name before
    bool was_created = false;     // recreated, and still to be filled: its contents mean nothing yet
    bool has_raw_writes = false;  // it gets data other than pages, and our mark for such files
    bool is_direct = false;
    ums::FileHandle control;
    std::uint32_t sector_bytes = kSectorBytes;  // of which transfers through `control` must consist
    std::unique_ptr<PageBook> pages;            // or sectors; null: nothing is verified
    bool has_known_pages = false;               // `pages` is from the measurement before
};

// Pages or sectors of a file, counted in pages; a partial page counts as one.
[[nodiscard]] inline std::uint64_t in_pages(const MeasureFile& file, std::uint64_t units) {
    const std::uint64_t unit_bytes = file.pages != nullptr ? file.pages->unit_bytes() : kPageBytes;
    return (units * unit_bytes + kPageBytes - 1) / kPageBytes;
}

// A target's access to its file.
struct MeasureDoor {
    MeasureFile* file = nullptr;
    ums::FileHandle handle;                     // opened as the target requires
    std::uint32_t sector_bytes = kSectorBytes;  // of which requests must consist
};

class MeasureFiles {
public:
    // `storage` and `kept` must outlive the object. `run_id`: for the pages that are written.
    MeasureFiles(ums::Storage& storage, KeptFiles& kept, std::uint64_t run_id) : storage_(storage), kept_(kept), run_id_(run_id) {}
    MeasureFiles(const MeasureFiles&) = delete;
    MeasureFiles& operator=(const MeasureFiles&) = delete;
    ~MeasureFiles();

    // Examines all files before changing the first, creates those that are needed, and opens a door for each target. Blocking. Throws
    // RefusedError or EnvironmentError, after remove_created().
    void open(const std::vector<MeasureTarget>& targets, bool verify);
    // What is remembered of pages and sectors takes this much memory before long: of files that are filled, and of what random requests of
    // `targets`, the same as in open(), can reach. Sequential ones get as far as their time allows.
    [[nodiscard]] std::uint64_t book_bytes(const std::vector<MeasureTarget>& targets) const;
    // For a start that fails later: removes files that it created, and leaves those empty that it was about to recreate.
    void remove_created();
    // After the last request: leaves the files of whose pages something is known to the next measurement. Blocking.
    void keep_for_next();

    [[nodiscard]] std::vector<MeasureDoor>& doors() { return doors_; }  // one per target, in the same order
    [[nodiscard]] const std::vector<std::unique_ptr<MeasureFile>>& files() const { return files_; }

private:
    struct Wish;  // what all targets together want of one file

    [[nodiscard]] std::vector<Wish> gather(const std::vector<MeasureTarget>& targets) const;
    void look(Wish& wish);
    void look_at_contents(Wish& wish);
    static void take_header(const PageHeader& header, Wish& wish);
    [[nodiscard]] std::unique_ptr<PageBook> book_of(Wish& wish, BookUnit unit) const;
    void make(Wish& wish);
    void set_size(const Wish& wish);
    void open_door(const MeasureTarget& target, MeasureFile& file);

    ums::Storage& storage_;
    KeptFiles& kept_;
    const std::uint64_t run_id_;
    std::vector<std::unique_ptr<MeasureFile>> files_;
    std::vector<MeasureDoor> doors_;
};

}  // namespace sim
