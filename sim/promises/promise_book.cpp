#include "sim/promises/promise_book.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace sim {

namespace {

// Pages whose promises are withdrawn individually; if there are more, all promises of the file are withdrawn.
constexpr std::size_t kVoidPagesMax = 256;

}  // namespace

PromiseBook::PromiseBook(std::span<const BookedFile> files, std::size_t pages_max) : pages_max_(pages_max) {
    for (const BookedFile& booked : files) {
        File& file = files_[booked.id];
        file.is_log = booked.is_log;
        file.counting = booked.counting;
        if (booked.is_log && booked.counting == Counting::never) is_log_promised_ = false;
    }
}

void PromiseBook::page_written(const PromisedPage& page) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(page.file_id);
    if (found == files_.end() || found->second.counting == Counting::never) return;
    if (!has_room()) {
        dropped_pages_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    ++waiting_;
    if (found->second.counting == Counting::after_a_sync) {
        found->second.unsynced.push_back(page);
        return;
    }
    promised_.push_back(page);
    has_news_ = true;
}

void PromiseBook::sync_begins(std::uint32_t file_id) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(file_id);
    if (found == files_.end()) return;
    File& file = found->second;
    file.in_sync.insert(file.in_sync.end(), file.unsynced.begin(), file.unsynced.end());
    file.unsynced.clear();
}

void PromiseBook::sync_done(std::uint32_t file_id) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(file_id);
    if (found == files_.end() || found->second.in_sync.empty()) return;
    promised_.insert(promised_.end(), found->second.in_sync.begin(), found->second.in_sync.end());
    found->second.in_sync.clear();
    has_news_ = true;
}

void PromiseBook::hardened(std::uint64_t sequence, std::uint64_t lsn) {
    const std::lock_guard guard(lock_);
    if (!is_log_promised_ || sequence <= hardened_sequence_) return;
    hardened_sequence_ = sequence;
    hardened_lsn_ = lsn;
    has_news_ = true;
}

void PromiseBook::checkpoint_done(std::uint64_t begin_lsn) {
    const std::lock_guard guard(lock_);
    if (!is_log_promised_) return;
    checkpoint_lsn_ = std::max(checkpoint_lsn_, begin_lsn);
    has_news_ = true;
}

void PromiseBook::erase_pages(std::vector<PromisedPage>& pages, std::uint32_t file_id, std::uint64_t first_page, std::uint64_t end_page) {
    waiting_ -= std::erase_if(
        pages, [&](const PromisedPage& page) { return page.file_id == file_id && page.page_id >= first_page && page.page_id < end_page; });
}

void PromiseBook::erase_pages(std::uint32_t file_id, File& file, std::uint64_t first_page, std::uint64_t end_page) {
    erase_pages(promised_, file_id, first_page, end_page);
    erase_pages(file.unsynced, file_id, first_page, end_page);
    erase_pages(file.in_sync, file_id, first_page, end_page);
}

void PromiseBook::cut(std::uint32_t file_id, std::uint32_t pages, std::uint64_t lsn) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(file_id);
    if (found == files_.end()) return;
    File& file = found->second;
    erase_pages(file_id, file, pages, ~std::uint64_t{0});
    file.least_pages = file.is_cut ? std::min<std::uint64_t>(file.least_pages, pages) : pages;
    file.is_cut = has_news_ = true;
    file.cut_lsn = lsn;
    if (file.counting == Counting::never) return;  // what earlier runs were promised there is gone, but nobody promises the new size
    file.is_sized = true;
    file.pages = pages;
}

void PromiseBook::grown(std::uint32_t file_id, std::uint32_t pages) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(file_id);
    if (found == files_.end() || found->second.counting == Counting::never) return;
    found->second.is_sized = has_news_ = true;
    found->second.pages = pages;
}

void PromiseBook::void_page(std::uint32_t file_id, std::uint32_t page) {
    const std::lock_guard guard(lock_);
    const auto found = files_.find(file_id);
    if (found == files_.end()) return;
    File& file = found->second;
    erase_pages(file_id, file, page, std::uint64_t{page} + 1);
    file.void_pages.insert(page);
    if (file.void_pages.size() > kVoidPagesMax) {
        file.void_pages.clear();
        file.is_void = true;
        erase_pages(file_id, file, 0, ~std::uint64_t{0});
    }
    has_news_ = true;
}

bool PromiseBook::take_controls(PromiseBatch& batch) {
    for (auto& [id, file] : files_) {
        if (batch.controls.size() + kVoidPagesMax + 3 > kPromiseControlsMax) return false;
        if (file.is_cut) batch.controls.push_back({PromiseControlKind::cut, id, file.least_pages, file.cut_lsn});
        if (file.is_sized) batch.controls.push_back({PromiseControlKind::size, id, file.pages, 0});
        if (file.is_void) batch.controls.push_back({PromiseControlKind::void_file, id, 0, 0});
        for (const std::uint32_t page : file.void_pages) batch.controls.push_back({PromiseControlKind::void_page, id, page, 0});
        file.is_cut = file.is_sized = file.is_void = false;
        file.void_pages.clear();
    }
    return true;
}

PromiseBatch PromiseBook::take_batch() {
    PromiseBatch batch;
    const std::lock_guard guard(lock_);
    const bool are_all_taken = take_controls(batch);
    if (promised_.size() <= kPromisePagesMax) {
        batch.pages = std::exchange(promised_, {});
    } else {
        const auto end = promised_.begin() + kPromisePagesMax;
        batch.pages.assign(promised_.begin(), end);
        promised_.erase(promised_.begin(), end);
    }
    waiting_ -= batch.pages.size();
    batch.hardened_sequence = hardened_sequence_;
    batch.hardened_lsn = hardened_lsn_;
    batch.checkpoint_lsn = checkpoint_lsn_;
    has_news_ = !promised_.empty() || !are_all_taken;
    return batch;
}

bool PromiseBook::has_news() const {
    const std::lock_guard guard(lock_);
    return has_news_;
}

}  // namespace sim
