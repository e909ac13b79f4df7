// The procedure for a page that came back wrong: keep the image, read again, look for the image that should be there, classify the fault,
// report it, and repair the page. docs/fault_model.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/diagnosis/classifier.hpp"
#include "sim/diagnosis/image_search.hpp"
#include "sim/files/rereader.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/page/page_image.hpp"
#include "sim/promises/promise_book.hpp"

namespace sim {

class PageDiagnosis {
public:
    // `repairs`: pages that stay wrong are rewritten; otherwise they are left as they are, as evidence. The references must outlive the
    // object.
    PageDiagnosis(std::uint64_t run_id, bool repairs, const std::vector<std::unique_ptr<DataFile>>& files, BufferPool& pool, RunState& run,
                  Journal& journal)
        : run_id_(run_id), repairs_(repairs), pool_(pool), run_(run), journal_(journal), search_(run_id, files) {}

    // Acknowledged repairs are recorded there. Before the first diagnosis.
    void promise_to(PromiseBook* promises) { promises_ = promises; }
    // No page is older than the run, as it would be if the run went on with another one's files: so the range of times in which a page can
    // have been written is known, and a checksum tells which it was. Before the first diagnosis.
    void knows_all_writes() { knows_all_writes_ = true; }
    // Pages may have gone to this file instead, and vice versa. Before the first diagnosis.
    void add_file(DataFile& data) { search_.add_file(data); }

    // `wrong` came back, ascending, and differs from the ledger. The caller holds the pages' latches (UP or EX) and their file's resize
    // latch, or the latter exclusively. Makes one finding for each, and one for each other fault that the re-reads show. Afterwards the
    // ledger says what the pages hold: what they should, or unknown. The same holds for wrong pages that are met on the way.
    ums::Task<void> diagnose(DataFile& data, std::span<const ReadPage> wrong);

private:
    // What became of the page while it was observed.
    enum class Fate : std::uint8_t {
        left_alone,
        overwritten,        // before it was known whether it stays wrong
        stood_till_written  // overwritten, but it had stayed wrong until then, as another page that lacks this image shows
    };

    struct Observation {
        std::vector<PageImage> images;  // wrong images that came back, each once, starting with the first one seen
        std::size_t last = 0;           // index of the one that came back last
        std::uint32_t times_last = 1;   // how often in a row
        PageImage right;                // null unless the page became right
        Fate fate = Fate::left_alone;
        std::vector<Reread> rereads;

        [[nodiscard]] bool stays_wrong() const { return right.is_none() && fate != Fate::overwritten; }
        [[nodiscard]] bool stays(std::size_t index) const { return stays_wrong() && index == last; }
        // The reads kept disagreeing: not even the last image is known to be on the disk.
        [[nodiscard]] bool is_unsteady() const { return images.size() > 2 && times_last == 1; }
    };

    ums::Task<void> diagnose_page(DataFile& data, const ReadPage& read, std::span<const ReadPage> in_hand);
    ums::Task<void> diagnose_one(DataFile& data, std::uint32_t page, const std::byte* image, ScanHoldings& holdings);
    ums::Task<void> diagnose_suspect(const SuspectPage& suspect, ScanHoldings& holdings);
    ums::Task<void> diagnose_unheld(const SuspectPage& suspect, ScanHoldings& holdings);
    // `write_mark`: the page is not held, and is examined only until it is written.
    ums::Task<Observation> observe(DataFile& data, const ExpectedPage& expected, PageImage first, std::optional<std::uint64_t> write_mark,
                                   ScanHoldings& holdings);
    ums::Task<std::vector<Finding>> classify_all(DataFile& data, const ExpectedPage& expected, const Observation& observation,
                                                 ScanHoldings& holdings);
    ums::Task<Finding> judge(DataFile& data, const ExpectedPage& expected, const PageImage& image, const Observation& observation,
                             bool transient, ScanHoldings& holdings);
    void report(DataFile& data, Finding finding, const Observation& observation);
    ums::Task<void> repair(DataFile& data, const ExpectedPage& expected, const PageImage& image);
    [[nodiscard]] bool is_image_missing(const DataFile& data, const PageImage& image, const ExpectedPage& expected);
    [[nodiscard]] Evidence examine_image(const DataFile& data, const PageImage& image, const ExpectedPage& expected,
                                         const WrittenImage& written);
    [[nodiscard]] WriteTimeRange write_times() const;

    // What the ledger said about a page before a repair that could not recreate exactly the same image. Evidence::is_earlier_write does not
    // make it superfluous: that needs the time of the newest write, which is known only if the run knows all writes and one time fits, and
    // is not calculated to decide whether to search for the missing image.
    struct Superseded {
        std::uint32_t version = 0;
        std::uint32_t checksum = 0;
    };

    // A wrong image of a page that was reported.
    struct Reported {
        std::uint32_t version = 0;  // the expected one
        std::uint32_t checksum = 0;
        bool was_held = false;
    };
    [[nodiscard]] bool is_missed_at_home(const PageImage& image);
    [[nodiscard]] bool was_reported(PageKey page, std::uint32_t version);
    // Call it before the page is reported, once for each fault. Returns the last report of the same version: another task, on another
    // scheduler, may be about to report what it has seen of the page, too.
    [[nodiscard]] std::optional<Reported> note_reported(const ExpectedPage& expected, const PageImage& image, bool was_held);

    const std::uint64_t run_id_;
    const bool repairs_;
    BufferPool& pool_;
    PromiseBook* promises_ = nullptr;
    bool knows_all_writes_ = false;
    RunState& run_;
    Journal& journal_;
    ImageSearch search_;
    std::mutex mutex_;  // guards the rest
    std::unordered_map<std::uint64_t, Superseded> superseded_;
    std::unordered_map<std::uint64_t, Reported> reported_;  // the last of each page
};

}  // namespace sim
