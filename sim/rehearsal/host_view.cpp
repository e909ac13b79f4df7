#include "sim/rehearsal/host_view.hpp"

#include <utility>

#include "sim/limits.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

HostView::HostView(ums::SimulatedStorage& volume, const ums::Clock& clock, std::function<bool()> may_land)
    : WatchedStorage(volume, clock), volume_(volume), may_land_(std::move(may_land)) {}

void HostView::time_passes() {
    if (works_since_ns_ == 0) {
        if (!may_land_()) return;
        works_since_ns_ = now_ns();
    }
    for (Trouble& trouble : troubles_) {
        // What a cache held is never written, even after the cache has dropped it.
        const bool is_to_land = trouble.stale_reads == 0 && !trouble.has_landed && !trouble.is_gone;
        if (!is_to_land || now_ns() < works_since_ns_ + trouble.lands_at_ns) continue;
        ums::SimulatedFile* const file = volume_.find(trouble.path);
        const std::uint64_t offset_bytes = std::uint64_t{trouble.page_id} * kPageBytes;
        trouble.has_landed = true;
        if (file == nullptr || offset_bytes + kPageBytes > file->size_bytes()) {
            trouble.is_gone = true;  // the file is shorter now
        } else {
            file->write(offset_bytes, trouble.image.data(), kPageBytes);
        }
    }
}

void HostView::came_back(ums::IoRequest& request) {
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    if (!is_transfer || request.error) return;
    for (Trouble& trouble : troubles_) {
        const std::uint64_t offset_bytes = std::uint64_t{trouble.page_id} * kPageBytes;
        const bool is_in_it =
            offset_bytes >= request.offset_bytes && offset_bytes + kPageBytes <= request.offset_bytes + request.size_bytes;
        if (!is_in_it || trouble.is_gone || path_of(request.file) != trouble.path) continue;
        if (request.operation == ums::IoOperation::write) {
            trouble.is_gone = trouble.has_landed || trouble.stale_reads != 0;
        } else if (trouble.stale_reads != 0) {
            ums::copy_to_request(request, offset_bytes, trouble.image.data(), kPageBytes);
            trouble.was_seen = trouble.was_seen || !request.is_search;
            trouble.is_gone = --trouble.stale_reads == 0;
        } else {
            trouble.was_seen = trouble.was_seen || (trouble.has_landed && !request.is_search);
        }
    }
}

}  // namespace sim
