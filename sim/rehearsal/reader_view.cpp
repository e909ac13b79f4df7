#include "sim/rehearsal/reader_view.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/limits.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kWayMaxNs = 40 * ums::kNsPerMs;

std::uint64_t offset_of(std::uint32_t page_id) { return std::uint64_t{page_id} * kPageBytes; }

bool has_page(const ums::IoRequest& request, std::uint32_t page_id) {
    return offset_of(page_id) >= request.offset_bytes && offset_of(page_id) + kPageBytes <= request.offset_bytes + request.size_bytes;
}

// Whether it proves that something is wrong, whatever the owner does meanwhile.
bool has_to_be_found(const ReaderTrouble& trouble) {
    switch (trouble.fault) {
        case ReaderFault::stale_read:
        case ReaderFault::stale_cache:
        case ReaderFault::lost_write: return trouble.version < trouble.known_version;
        // Until all writes have completed, a damaged page may be one that is being written.
        case ReaderFault::damaged_page: return trouble.was_in_last_pass;
        default: return true;
    }
}

}  // namespace

// --- cache ---

void ReaderView::page_written(const OwnerView::PageWrite& write) {
    const bool is_cached = setup_.is_close_to_open && write.seen_bytes == 0 && prng_.below(2) == 0;
    if (is_cached) cached_.try_emplace({write.file_id, write.page_id}, write.before);
}

void ReaderView::forget(const std::string& path) {
    const std::uint32_t file_id = owner_.id_of(path);
    cached_.erase(cached_.lower_bound({file_id, 0}), cached_.lower_bound({file_id + 1, 0}));
}

std::error_code ReaderView::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    forget(path);
    return WatchedStorage::open(path, options, file);
}

std::error_code ReaderView::reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) {
    forget(path_of(file));
    return WatchedStorage::reopen(file, options, again);
}

std::error_code ReaderView::drop_cache(ums::FileHandle file) {
    forget(path_of(file));
    return WatchedStorage::drop_cache(file);
}

std::error_code ReaderView::size(ums::FileHandle file, std::uint64_t& size_bytes) {
    const std::error_code error = WatchedStorage::size(file, size_bytes);
    if (error) return error;
    for (ReaderTrouble& trouble : troubles_) {
        const bool is_it = trouble.fault == ReaderFault::old_size && trouble.reads != 0 && trouble.path == path_of(file);
        if (!is_it) continue;
        size_bytes = std::min(size_bytes, offset_of(trouble.page_id));
        if (ledger_.known().page_count(trouble.file_id) <= trouble.page_id) continue;  // not promised yet
        trouble.was_given = true;
        if (trouble.reads != kReadsForGood) --trouble.reads;
    }
    return {};
}

// --- reads ---

std::uint64_t ReaderView::submitted(ums::IoRequest& request) {
    if (request.operation != ums::IoOperation::read) return 0;
    for (ReaderTrouble& trouble : troubles_) {
        if (!has_page(request, trouble.page_id) || path_of(request.file) != trouble.path) continue;
        trouble.known_version = ledger_.known().page(trouble.file_id, trouble.page_id).version;
        trouble.was_in_last_pass = setup_.is_last_pass();
    }
    return prng_.below(kWayMaxNs);
}

void ReaderView::came_back(ums::IoRequest& request) {
    if (request.operation != ums::IoOperation::read || request.error) return;
    const std::uint32_t file_id = owner_.id_of(path_of(request.file));
    if (file_id == 0) return;
    const std::uint64_t end_bytes = request.offset_bytes + request.transferred_bytes;
    for (std::uint64_t at = request.offset_bytes; at + kPageBytes <= end_bytes; at += kPageBytes) {
        page_came_back(request, {file_id, static_cast<std::uint32_t>(at / kPageBytes)});
    }
}

void ReaderView::page_came_back(ums::IoRequest& request, Place place) {
    const auto cached = cached_.find(place);
    OwnerView::PageWrite* const write = owner_.under_way(place.first, place.second);
    if (cached != cached_.end()) {
        ums::copy_to_request(request, offset_of(place.second), cached->second.data(), kPageBytes);
    } else if (write != nullptr) {
        meet(*write, request);
    }
    for (ReaderTrouble& trouble : troubles_) {
        const bool is_it = Place{trouble.file_id, trouble.page_id} == place && trouble.fault != ReaderFault::old_size;
        if (is_it) give(trouble, request);
    }
}

// A read that meets a write may see none of it, all of it, or some sectors, different ones each time; or the page is copied from start to
// end, and the read sees how far the copy has come.
void ReaderView::meet(OwnerView::PageWrite& write, ums::IoRequest& request) {
    std::array<std::byte, kPageBytes> image{};
    std::memcpy(image.data(), write.before.data(), kPageBytes);
    switch (ums::mix64(write.number) % 4) {
        case 0: return;
        case 1: std::memcpy(image.data(), write.after.data(), kPageBytes); break;
        case 2:
            for (std::uint32_t at = 0; at < kPageBytes; at += kSectorBytes) {
                if (prng_.below(2) == 0) std::memcpy(&image[at], &write.after[at], kSectorBytes);
            }
            break;
        default:
            write.seen_bytes = static_cast<std::uint32_t>(prng_.between(write.seen_bytes, kPageBytes) / 8 * 8);
            std::memcpy(image.data(), write.after.data(), write.seen_bytes);
    }
    ums::copy_to_request(request, offset_of(write.page_id), image.data(), kPageBytes);
    const bool is_cached = setup_.is_close_to_open && prng_.below(2) == 0;
    if (is_cached) cached_[{write.file_id, write.page_id}].assign(image.begin(), image.end());
}

void ReaderView::give(ReaderTrouble& trouble, ums::IoRequest& request) {
    if (trouble.reads == 0) return;
    std::array<std::byte, kPageBytes> image{};
    ums::copy_from_request(request, offset_of(trouble.page_id), image.data(), kPageBytes);
    if (trouble.is_on_volume) {
        const bool is_there = std::memcmp(image.data(), trouble.image.data(), kPageBytes) == 0;
        trouble.was_given = trouble.was_given || (is_there && has_to_be_found(trouble));
        return;
    }
    if (!trouble.image.empty()) std::memcpy(image.data(), trouble.image.data(), kPageBytes);
    flip_bits(image, trouble.flipped_bits);
    ums::copy_to_request(request, offset_of(trouble.page_id), image.data(), kPageBytes);
    // An old image that no promise contradicts yet is legal, and proves nothing.
    if (!has_to_be_found(trouble)) return;
    trouble.was_given = true;
    if (trouble.reads != kReadsForGood) --trouble.reads;
}

}  // namespace sim
