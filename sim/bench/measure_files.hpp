// The files and devices of a timespan: each is examined, opened or created once, however many targets name it. Rules: measurement.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/bench/measure_spec.hpp"
#include "sim/bench/page_book.hpp"
#include "ums/io/storage.hpp"

namespace sim {

struct MeasureFile {
    std::string path;      // resolved
    std::uint32_t id = 0;  // from 1
    std::uint64_t size_bytes = 0;
    bool is_device = false;
    bool was_there = false;       // under its name, before
    bool was_created = false;     // recreated, and to be filled: its contents have no meaning yet
    bool has_raw_writes = false;  // it gets data that is not pages, and our mark for such files
    bool is_direct = false;
    ums::FileHandle control;
    std::unique_ptr<PageBook> pages;  // or sectors; null: nothing is verified
};

// Of one target.
struct MeasureDoor {
    MeasureFile* file = nullptr;
    ums::FileHandle handle;  // opened as the target asks for
};

class MeasureFiles {
public:
    // `storage` must outlive the object. `run_id`: of the pages that are written.
    MeasureFiles(ums::Storage& storage, std::uint64_t run_id) : storage_(storage), run_id_(run_id) {}
    MeasureFiles(const MeasureFiles&) = delete;
    MeasureFiles& operator=(const MeasureFiles&) = delete;
    ~MeasureFiles();

    // Examines all of them before the first is changed, creates those that have to be created, opens a door for each target. Blocking.
    // Throws RefusedError or EnvironmentError; what it created is then removed again.
    void open(const std::vector<MeasureTarget>& targets, bool verify);
    // Removes the names of files that it created and that did not exist before: the start failed later.
    void remove_created();

    [[nodiscard]] std::vector<MeasureDoor>& doors() { return doors_; }  // as the targets
    [[nodiscard]] const std::vector<std::unique_ptr<MeasureFile>>& files() const { return files_; }

private:
    struct Wish;  // what all targets of a file want of it together

    [[nodiscard]] std::vector<Wish> gather(const std::vector<MeasureTarget>& targets) const;
    void look(Wish& wish);
    void look_at_contents(Wish& wish);
    void make(Wish& wish);
    void set_size(const Wish& wish);
    void open_door(const MeasureTarget& target, MeasureFile& file);

    ums::Storage& storage_;
    const std::uint64_t run_id_;
    std::vector<std::unique_ptr<MeasureFile>> files_;
    std::vector<MeasureDoor> doors_;
};

}  // namespace sim
