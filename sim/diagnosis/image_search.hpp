// Finds a page's image in places where it does not belong, so that both ends of a misdirected write can be reported. Pages that it reads
// are verified as in any other read; those that another task holds, only if they were not being written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/diagnosis/scan_holdings.hpp"
#include "sim/finding.hpp"
#include "ums/sched/semaphore.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class ImageSearch {
public:
    // `files` must outlive the object; none is added while it is used.
    ImageSearch(std::uint64_t run_id, const std::vector<std::unique_ptr<DataFile>>& files) : run_id_(run_id), files_(files) {}

    // An additional file. Before the first search; it must outlive the object's use.
    void add_file(DataFile& data) { more_files_.push_back(&data); }

    // Where the image of this version of the page is, except in the page itself; nothing if it is nowhere, or if searching everywhere would
    // take too long. Reads straight from the files. Any scheduler; one search at a time, others wait. Wrong pages that it meets are left in
    // `holdings`.
    ums::Task<std::optional<PagePlace>> find(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings);

    // Looks where a misdirected write would most likely have put the image, and keeps what it sees for find(). Call it soon after the fault
    // was seen, before that place is overwritten.
    ums::Task<void> glance(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings);

    // This image came back for this page; remembers it if it is one of ours and does not belong there.
    ums::Task<void> remember(DataFile& data, std::uint32_t page, const std::byte* image);
    // Forgets an image that came back once and is not there.
    ums::Task<void> forget(DataFile& data, std::uint32_t page, const std::byte* image);
    // Path of the file with this id; empty if there is none.
    [[nodiscard]] std::string path_of(std::uint32_t file_id) const;

private:
    struct Image {
        std::uint32_t version = 0;
        PagePlace where;
    };
    using Catalog = std::unordered_map<std::uint64_t, Image>;

    ums::Task<void> scan_neighbourhood(DataFile& data, std::uint32_t page, ScanHoldings& holdings);
    ums::Task<void> scan_likely_places(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings);
    ums::Task<void> scan_other_files(const DataFile& data, std::uint32_t page, ScanHoldings& holdings);
    ums::Task<void> scan_flipped_bits(DataFile& data, std::uint32_t page, ScanHoldings& holdings);
    ums::Task<void> scan_everything(ScanHoldings& holdings);
    ums::Task<void> scan(DataFile& data, std::uint32_t first_page, std::uint32_t count, ScanHoldings& holdings);
    ums::Task<void> read_run(std::vector<HeldPage>& run, ScanHoldings& holdings);
    ums::Task<std::size_t> read_some(std::span<const HeldPage> pages, ScanHoldings& holdings);
    void inspect(const HeldPage& held, const std::byte* image, ScanHoldings& holdings);
    void inspect_unheld(const HeldPage& page, const std::byte* image, std::uint64_t write_mark, ScanHoldings& holdings);
    void note(DataFile& data, std::uint32_t page, const std::byte* image);
    [[nodiscard]] std::optional<PagePlace> look_up(PageKey page, std::uint32_t version) const;
    [[nodiscard]] bool may_scan_everything() const;
    [[nodiscard]] std::vector<DataFile*> all_files() const;

    const std::uint64_t run_id_;
    const std::vector<std::unique_ptr<DataFile>>& files_;
    std::vector<DataFile*> more_files_;
    ums::Semaphore turn_{1};
    // Everything below belongs to the task whose turn it is.
    Catalog catalog_;  // images seen where they do not belong, by the page to which they belong
    std::uint32_t full_scans_ = 0;
    std::uint64_t last_full_scan_ns_ = 0;  // when it began
    std::uint64_t deadline_ns_ = 0;        // of the present search
    std::uint64_t suspects_ = 0;           // met by all searches
    std::uint64_t unreadable_ = 0;         // likewise
};

}  // namespace sim
