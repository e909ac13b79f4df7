// A volume as one of its hosts sees it: with its own cache, which may still hold what was there before the hand-over, and with writes of
// other hosts that arrive while it works. For virtual time, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/rehearsal/watched_storage.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

class HostView final : public WatchedStorage {
public:
    // What is wrong with one page of the volume, or with what this host sees of it.
    struct Trouble {
        std::string path;
        std::uint32_t page_id = 0;
        std::vector<std::byte> image;   // kPageBytes
        std::uint32_t stale_reads = 0;  // the cache answers this many reads with it, then drops it; 0: the image is written to the volume
        std::uint64_t lands_at_ns = 0;  // for an image that is written: how long after the host began to work, see `may_land`
        bool has_landed = false;        // set when it is on the volume
        bool was_seen = false;          // set when the host has read it
        bool is_gone = false;           // set when the host has overwritten the page, or the cache has dropped the image
    };

    // `volume` and `clock` must outlive the view. `may_land`: whether the host works on the files; called until it returns true.
    HostView(ums::SimulatedStorage& volume, const ums::Clock& clock, std::function<bool()> may_land);

    // Before the host begins.
    void add(Trouble trouble) { troubles_.push_back(std::move(trouble)); }
    [[nodiscard]] const std::vector<Trouble>& troubles() const { return troubles_; }

private:
    // What is due lands on the volume.
    void time_passes() override;
    void came_back(ums::IoRequest& request) override;

    ums::SimulatedStorage& volume_;
    const std::function<bool()> may_land_;
    std::uint64_t works_since_ns_ = 0;  // 0: not yet
    std::vector<Trouble> troubles_;
};

}  // namespace sim
