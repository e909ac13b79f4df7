#include "sim/rehearsal/owner_view.hpp"

#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

OwnerView::OwnerView(ums::SimulatedStorage& volume, const ums::Clock& clock, const Options& options)
    : WatchedStorage(volume, clock), volume_(volume) {
    std::uint32_t id = 0;
    for (const FileOptions& file : options.files) {
        ++id;
        if (!file.is_log && source_of_replica(file, options.files) == nullptr) ids_[file.path] = id;
    }
}

OwnerView::PageWrite* OwnerView::under_way(std::uint32_t file_id, std::uint32_t page_id) {
    const auto found = under_way_.find({file_id, page_id});
    return found == under_way_.end() ? nullptr : &found->second;
}

std::uint32_t OwnerView::id_of(const std::string& path) const {
    const auto found = ids_.find(path);
    return found == ids_.end() ? 0 : found->second;
}

std::uint32_t OwnerView::pages_of(const std::string& path) const {
    return static_cast<std::uint32_t>(volume_.find(path)->size_bytes() / kPageBytes);
}

// --- a lost owner ---

bool OwnerView::is_gone() const { return loss_.loss == HostLoss::owner_killed && loss_.is_now(now_ns()); }

std::uint64_t OwnerView::stands_still_until_ns() const {
    return loss_.loss == HostLoss::owner_frozen && loss_.is_now(now_ns()) ? loss_.until_ns : 0;
}

std::error_code OwnerView::remove(ums::FileHandle file) {
    return is_gone() ? std::make_error_code(std::errc::no_such_device) : WatchedStorage::remove(file);
}

// The volume has the write by now, but nobody is told: of each page, all, nothing or some sectors have arrived.
void OwnerView::cut_short(ums::IoRequest& request, std::uint32_t file_id) {
    request.error = std::make_error_code(std::errc::no_such_device);
    request.transferred_bytes = 0;
    growing_.erase(&request);
    if (request.operation != ums::IoOperation::write) return;
    for (std::uint64_t at = request.offset_bytes; at + kPageBytes <= request.offset_bytes + request.size_bytes; at += kPageBytes) {
        const auto node = under_way_.extract({file_id, static_cast<std::uint32_t>(at / kPageBytes)});
        if (node.empty()) continue;
        const PageWrite& write = node.mapped();
        const std::uint64_t fate = ums::mix64(write.number);
        const bool arrives_in_part = fate % 3 == 2;
        for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
            const bool has_arrived = fate % 3 == 0 || (arrives_in_part && (fate >> (8 + sector)) % 2 == 0);
            const std::uint32_t begin = sector * kSectorBytes;
            if (!has_arrived) volume_.find(write.path)->write(at + begin, &write.before[begin], kSectorBytes);
        }
    }
}

// --- requests ---

std::uint64_t OwnerView::submitted(ums::IoRequest& request) {
    if (watch_.request && stands_still_until_ns() == 0) watch_.request();
    const std::string& path = path_of(request.file);
    const std::uint32_t file_id = id_of(path);
    if (file_id == 0) return 0;
    const bool is_resize = request.operation == ums::IoOperation::allocate || request.operation == ums::IoOperation::truncate;
    if (is_resize) growing_[&request] = pages_of(path);
    if (request.operation == ums::IoOperation::write) note_pages(request, path, file_id);
    return 0;
}

void OwnerView::note_pages(const ums::IoRequest& request, const std::string& path, std::uint32_t file_id) {
    for (std::uint64_t at = request.offset_bytes; at + kPageBytes <= request.offset_bytes + request.size_bytes; at += kPageBytes) {
        const auto page_id = static_cast<std::uint32_t>(at / kPageBytes);
        PageWrite& write = under_way_[{file_id, page_id}] = {};
        write.path = path;
        write.file_id = file_id;
        write.page_id = page_id;
        write.number = ++last_number_;
        write.before.resize(kPageBytes);
        write.after.resize(kPageBytes);
        volume_.find(path)->read(at, write.before.data(), kPageBytes);
        ums::copy_from_request(request, at, write.after.data(), kPageBytes);
    }
}

void OwnerView::came_back(ums::IoRequest& request) {
    const std::string& path = path_of(request.file);
    const std::uint32_t file_id = id_of(path);
    if (is_gone()) {
        cut_short(request, file_id);
        if (under_way_.empty() && watch_.gone) watch_.gone();
        return;
    }
    if (watch_.request) watch_.request();
    if (file_id == 0) return;
    if (request.operation == ums::IoOperation::write) pages_came_back(request, file_id);
    const auto growing = growing_.find(&request);
    if (growing == growing_.end()) return;
    const std::uint32_t old_pages = growing->second;
    growing_.erase(growing);
    const bool has_grown = !request.error && pages_of(path) > old_pages;
    if (has_grown && watch_.has_grown) watch_.has_grown({path, file_id, old_pages});
}

void OwnerView::pages_came_back(const ums::IoRequest& request, std::uint32_t file_id) {
    for (std::uint64_t at = request.offset_bytes; at + kPageBytes <= request.offset_bytes + request.size_bytes; at += kPageBytes) {
        const auto write = under_way_.extract({file_id, static_cast<std::uint32_t>(at / kPageBytes)});
        if (!write.empty() && !request.error && watch_.page_written) watch_.page_written(write.mapped());
    }
}

}  // namespace sim
