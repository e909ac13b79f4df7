// What is wrong with one file, from the storage's side: the file below always holds what was written; this class knows in which sectors
// reads return something else, and because of which fault. Not thread-safe: the injector guards it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/limits.hpp"
#include "sim/rehearsal/wrong_image.hpp"
#include "ums/io/io_request.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

class FaultyFile {
public:
    FaultyFile(std::string path, bool is_log) : path_(std::move(path)), is_log_(is_log) {}

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool is_log() const { return is_log_; }

    // --- lasting faults: sectors that differ from what was written ---

    // From now on, reads return these bytes (a multiple of kSectorBytes) until they are written again. `fault`: its number.
    void put_wrong(std::uint64_t offset_bytes, const std::byte* bytes, std::uint64_t size_bytes, std::uint64_t fault);
    [[nodiscard]] bool has_wrong(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    // Calls `touched(fault)` for each wrong sector in the range of the request, after putting its bytes in place.
    template <typename Touched>
    void apply_wrong(const ums::IoRequest& request, Touched&& touched) const;
    // The sectors of the fault are again as they were written.
    void heal(std::uint64_t fault);
    // Whether the fault still has a wrong sector.
    [[nodiscard]] bool still_wrong(std::uint64_t fault) const;

    // --- faults that wait for a read ---

    struct Armed {
        bool reverts = false;  // becomes a lasting fault after one right read; otherwise it is served `reads` times, then it is gone
        std::uint32_t reads = 0;
        std::uint64_t fault = 0;
        ImageBytes image;
        bool keeps_buffer = false;  // instead of the image, from `begin` to `end`: what the buffer held before the read
        std::uint32_t begin = 0;
        std::uint32_t end = kPageBytes;
    };
    std::map<std::uint32_t, Armed> armed;  // by page

    // --- requests that fail ---

    struct Sick {
        std::uint64_t fault = 0;
        std::uint64_t offset_bytes = 0;
        std::uint64_t size_bytes = 0;
        std::uint64_t requests_left = 0;  // this many fail
        bool on_write = false;
        int error_code = 0;  // 0: they end early instead
    };
    std::vector<Sick> sick;
    bool was_read = false;
    bool has_failed_sync = false;  // once is enough: it ends the run
    // Requests that were made to fail, as a whole or because of one page; retries are not chosen again.
    void record_failure(const ums::IoRequest& request);
    void record_failed_page(std::uint32_t page);
    [[nodiscard]] bool has_failed(const ums::IoRequest& request) const;
    [[nodiscard]] bool has_failed_as_a_whole(const ums::IoRequest& request) const;

    // --- what was written, as far as faults depend on it ---

    // How often the page has been written with anything but zeros since the file grew to include it.
    [[nodiscard]] std::uint32_t write_count(std::uint32_t page) const { return page < writes_.size() ? writes_[page] : 0; }
    [[nodiscard]] std::uint32_t pages_written() const { return static_cast<std::uint32_t>(writes_.size()); }
    // A write has completed: its pages are right again.
    void written(const ums::IoRequest& request);
    void cut(std::uint64_t size_bytes);

    // Each page gets at most one fault, so that findings can be distinguished.
    [[nodiscard]] bool is_used(std::uint32_t page) const { return page < used_.size() && used_[page]; }
    void use(std::uint32_t page);

    std::uint64_t smallest_bytes = ~std::uint64_t{0};  // to which the file was ever cut

private:
    struct WrongSector {
        std::uint64_t fault = 0;
        std::array<std::byte, kSectorBytes> bytes{};
    };

    const std::string path_;
    const bool is_log_;
    std::map<std::uint64_t, WrongSector> wrong_;  // by offset / kSectorBytes
    std::vector<std::uint32_t> writes_;
    std::vector<bool> used_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> failed_;  // begin and end, in bytes
    std::set<std::uint32_t> failed_pages_;
};

template <typename Touched>
void FaultyFile::apply_wrong(const ums::IoRequest& request, Touched&& touched) const {
    if (wrong_.empty()) return;
    const std::uint64_t end = (request.offset_bytes + request.size_bytes) / kSectorBytes;
    for (auto sector = wrong_.lower_bound(request.offset_bytes / kSectorBytes); sector != wrong_.end() && sector->first < end; ++sector) {
        ums::copy_to_request(request, sector->first * kSectorBytes, sector->second.bytes.data(), kSectorBytes);
        touched(sector->second.fault);
    }
}

}  // namespace sim
