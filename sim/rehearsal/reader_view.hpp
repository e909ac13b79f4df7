// The volume as one of its readers sees it: over a path with latency, amid writes that are under way, through a cache that may be stale
// between opens if the volume promises no more than that, and with the faults on the reader's path. For virtual time, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/rehearsal/owner_view.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/rehearsal/reader_fault.hpp"
#include "sim/rehearsal/watched_storage.hpp"
#include "ums/base/prng.hpp"

namespace sim {

class ReaderView final : public WatchedStorage {
public:
    struct Setup {
        bool is_close_to_open = false;
        std::uint64_t seed = 0;
        std::function<bool()> is_last_pass;  // the reader knows that no more writes are under way
    };
    // `ledger`: what this reader knows. The references must outlive the view.
    ReaderView(ums::Storage& volume, const ums::Clock& clock, OwnerView& owner, const AskedLedger& ledger, Setup setup)
        : WatchedStorage(volume, clock), owner_(owner), ledger_(ledger), setup_(std::move(setup)), prng_(setup_.seed) {}

    // Takes effect at once. At most one for each page.
    void add(ReaderTrouble trouble) { troubles_.push_back(std::move(trouble)); }
    [[nodiscard]] const std::vector<ReaderTrouble>& troubles() const { return troubles_; }
    // The owner has changed a page: a cached copy of it may be stale now.
    void page_written(const OwnerView::PageWrite& write);

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override;
    std::error_code drop_cache(ums::FileHandle file) override;
    std::error_code size(ums::FileHandle file, std::uint64_t& size_bytes) override;

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // file and page

    std::uint64_t submitted(ums::IoRequest& request) override;
    void came_back(ums::IoRequest& request) override;
    void page_came_back(ums::IoRequest& request, Place place);
    void meet(OwnerView::PageWrite& write, ums::IoRequest& request);
    void give(ReaderTrouble& trouble, ums::IoRequest& request);
    void forget(const std::string& path);

    OwnerView& owner_;
    const AskedLedger& ledger_;
    const Setup setup_;
    ums::Prng prng_;
    std::vector<ReaderTrouble> troubles_;
    std::map<Place, std::vector<std::byte>> cached_;  // images that were right at some time since the file was last opened
};

}  // namespace sim
