// The volume as the owner of its files writes it while others read them: which pages are being written right now, and what each write and
// growth has changed. For virtual time, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/options.hpp"
#include "sim/rehearsal/host_loss.hpp"
#include "sim/rehearsal/watched_storage.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

class OwnerView final : public WatchedStorage {
public:
    struct PageWrite {
        std::string path;
        std::uint32_t file_id = 0;
        std::uint32_t page_id = 0;
        std::vector<std::byte> before;  // kPageBytes, as on the volume until the write completes
        std::vector<std::byte> after;   // likewise, from then on
        std::uint64_t number = 0;       // 1, 2, ... over all pages written
        std::uint32_t seen_bytes = 0;   // from the start of the page, seen by a reader: these do not become old again
    };
    struct Growth {
        std::string path;
        std::uint32_t file_id = 0;
        std::uint32_t old_pages = 0;
    };
    // Callbacks for the others: called when the volume has the change, before the owner knows.
    struct Watch {
        std::function<void(const PageWrite&)> page_written;
        std::function<void(const Growth&)> has_grown;
        std::function<void()> request;  // each time the owner posts a request or gets one back
        std::function<void()> gone;     // the owner was killed, and none of its requests is under way any more; called often
    };

    // For data files only, without replicas. `volume` and `clock` must outlive the view.
    OwnerView(ums::SimulatedStorage& volume, const ums::Clock& clock, const Options& options);

    // Before the owner begins.
    void set_watch(Watch watch) { watch_ = std::move(watch); }
    // Plans the loss of the owner: killed or frozen. At any time.
    void lose_owner(const LossPlan& plan) { loss_ = plan; }
    // The write of the page that is under way; null: none is.
    [[nodiscard]] PageWrite* under_way(std::uint32_t file_id, std::uint32_t page_id);
    // 0: not a data file.
    [[nodiscard]] std::uint32_t id_of(const std::string& path) const;

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // file and page

    // Part of an orderly end, which a host that is gone does not reach.
    std::error_code remove(ums::FileHandle file) override;

    std::uint64_t submitted(ums::IoRequest& request) override;
    void came_back(ums::IoRequest& request) override;
    [[nodiscard]] std::uint64_t stands_still_until_ns() const override;
    [[nodiscard]] bool is_gone() const override;
    void cut_short(ums::IoRequest& request, std::uint32_t file_id);
    void note_pages(const ums::IoRequest& request, const std::string& path, std::uint32_t file_id);
    void pages_came_back(const ums::IoRequest& request, std::uint32_t file_id);
    [[nodiscard]] std::uint32_t pages_of(const std::string& path) const;

    ums::SimulatedStorage& volume_;
    std::map<std::string, std::uint32_t> ids_;  // of data files, by path
    Watch watch_;
    std::map<Place, PageWrite> under_way_;
    std::map<const ums::IoRequest*, std::uint32_t> growing_;  // page count before
    std::uint64_t last_number_ = 0;
    LossPlan loss_;
};

}  // namespace sim
