// What a run requested of its device, and what the device answered, kept outside the device: the record that the files alone lack. For log
// and data files, without replicas.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/options.hpp"
#include "ums/io/volatile_storage.hpp"

namespace sim {

class WriteBook {
public:
    struct Block {
        std::uint64_t first_lsn = 0;
        std::uint64_t offset_bytes = 0;
        std::uint32_t size_bytes = 0;
        std::uint32_t file_id = 0;
    };
    struct Change {
        std::uint64_t lsn = 0;
        std::uint32_t version = 0;
        bool is_rest = false;  // the second record of a change that is listed just before: the change has this LSN
    };
    struct Page {
        std::vector<Change> changes;  // as given to the log, by LSN
        Change acknowledged;          // the last completed write of the page
    };
    struct Resize {
        std::uint64_t lsn = 0;
        std::uint32_t file_id = 0;
        std::uint32_t page_count = 0;
    };
    struct PagePlace {
        std::uint32_t file_id = 0;
        std::uint32_t page_id = 0;
        friend auto operator<=>(const PagePlace&, const PagePlace&) = default;
    };

    explicit WriteBook(const Options& options);

    // For VolatileStorage::set_observer. A power failure at this moment comes before it: copy the book first.
    void observe(const ums::PowerMoment& moment);
    // A write of the page failed, which the run has reported, or is about to.
    void write_failed(const std::string& path, std::uint64_t offset_bytes);

    // A run continues after the block with this number, whose last record has this LSN: what followed in the log is void, and recovery has
    // brought each page to the last of its remaining changes.
    void forget_behind(std::uint64_t end_sequence, std::uint64_t end_lsn);
    // ... but not a page that the last checkpoint, which began at this LSN, excepts because a write of it had failed (`is_failed`), if all
    // its changes precede that checkpoint. Nobody knows which one the device had kept: the run continues with what it finds, whose version
    // is `left_version`.
    void forget_failed(std::uint64_t begin_lsn, const std::function<bool(const PagePlace&)>& is_failed,
                       const std::function<std::uint32_t(const PagePlace&)>& left_version);

    [[nodiscard]] const std::map<std::uint64_t, Block>& blocks() const { return blocks_; }  // by sequence
    [[nodiscard]] const std::map<PagePlace, Page>& pages() const { return pages_; }
    [[nodiscard]] const std::vector<Resize>& resizes() const { return resizes_; }  // as given to the log, by LSN
    // Of which a write ever failed.
    [[nodiscard]] const std::set<PagePlace>& failed_pages() const { return failed_pages_; }

private:
    struct File {
        std::uint32_t id = 0;
        bool is_log = false;
    };

    void observe_pages(const ums::PowerMoment& moment, std::uint32_t file_id);
    void observe_block(const ums::PowerMoment& moment, std::uint32_t file_id);
    static void acknowledge_last(Page& page);

    std::map<std::string, File> files_;  // by path
    std::map<std::uint64_t, Block> blocks_;
    std::map<PagePlace, Page> pages_;
    std::vector<Resize> resizes_;
    std::set<PagePlace> failed_pages_;
};

}  // namespace sim
