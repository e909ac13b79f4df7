// What is done about a page that came back wrong: keep the image, read again, look for the image that should be there, name the fault,
// report it, and repair the page. docs/fault_model.md describes the procedure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/diagnosis/classifier.hpp"
#include "sim/diagnosis/image_search.hpp"
#include "sim/diagnosis/rereader.hpp"
#include "sim/run/journal.hpp"
#include "sim/run/run_state.hpp"

namespace sim {

class PageDiagnosis {
public:
    // `repairs`: pages that stay wrong are written again; else they are left as they are, for whoever looks into it. The references must
    // outlive the object.
    PageDiagnosis(std::uint64_t run_id, bool repairs, const std::vector<std::unique_ptr<DataFile>>& files, BufferPool& pool, RunState& run,
                  Journal& journal)
        : run_id_(run_id), repairs_(repairs), pool_(pool), run_(run), journal_(journal), search_(run_id, files) {}

    // `image` came back for the page and is wrong. The caller holds the page's latch (UP or EX) and its file's resize latch. Makes one
    // finding, or two where the disk holds another fault than the one that was seen first. Afterwards the ledger says what the page holds:
    // what it should, or unknown. So for wrong pages that are met on the way.
    ums::Task<void> diagnose(DataFile& data, std::uint32_t page, const std::byte* image);

private:
    struct Observation {
        bool became_right = false;
        bool first_stays = false;  // the first image came back again at the end
        std::vector<Reread> rereads;
        std::unique_ptr<std::uint64_t[]> last;  // the last whole image that came back; null if none did
    };

    ums::Task<void> diagnose_one(DataFile& data, std::uint32_t page, const std::byte* image, ScanHoldings& holdings);
    ums::Task<Observation> observe(DataFile& data, const ExpectedPage& expected, const std::byte* image);
    ums::Task<Finding> judge(DataFile& data, const ExpectedPage& expected, const std::byte* image, const std::byte* right, bool transient,
                             ScanHoldings& holdings);
    void report(DataFile& data, Finding finding, const Observation& observation, bool will_repair);
    ums::Task<void> repair(DataFile& data, const ExpectedPage& expected, const std::byte* image);
    [[nodiscard]] WriteTimeRange write_times() const;

    const std::uint64_t run_id_;
    const bool repairs_;
    BufferPool& pool_;
    RunState& run_;
    Journal& journal_;
    ImageSearch search_;
};

}  // namespace sim
