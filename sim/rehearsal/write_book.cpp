#include "sim/rehearsal/write_book.hpp"

#include <algorithm>
#include <span>

#include "sim/files/file_names.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/rehearsal/written_pages.hpp"
#include "ums/base/assert.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

namespace {

// Blocks may be requested in any order, in several files, and again after a failure; their LSNs say how they follow on each other.
template <typename Logged>
void insert_by_lsn(std::vector<Logged>& all, const Logged& logged) {
    const auto place = std::lower_bound(all.begin(), all.end(), logged.lsn, [](const Logged& each, auto lsn) { return each.lsn < lsn; });
    if (place == all.end() || place->lsn != logged.lsn) all.insert(place, logged);
}

}  // namespace

WriteBook::WriteBook(const Options& options) {
    std::uint32_t id = 0;
    for (const FileOptions& file : options.files) {
        ++id;
        if (!is_transient(file, options.files)) files_[file.path] = {id, file.is_log};
    }
}

void WriteBook::observe(const ums::PowerMoment& moment) {
    const bool is_write = moment.operation == ums::IoOperation::write && moment.request != nullptr;
    if (!is_write) return;
    const auto file = files_.find(*moment.path);
    if (file == files_.end()) return;
    if (file->second.is_log) {
        if (moment.kind == ums::PowerMoment::Kind::submission) observe_block(moment, file->second.id);
        return;
    }
    const bool has_come_back = moment.kind == ums::PowerMoment::Kind::completion && !moment.request->error;
    if (has_come_back) observe_pages(moment, file->second.id);
}

void WriteBook::write_failed(const std::string& path, std::uint64_t offset_bytes) {
    const auto file = files_.find(path);
    if (file != files_.end()) failed_pages_.insert({file->second.id, static_cast<std::uint32_t>(offset_bytes / kPageBytes)});
}

void WriteBook::observe_pages(const ums::PowerMoment& moment, std::uint32_t file_id) {
    for_each_written_page(moment, [&](const PageHeader& header, std::uint64_t offset_bytes) {
        UMS_ASSERT(header.file_id == file_id && header.page_id == offset_bytes / kPageBytes);
        pages_[{file_id, header.page_id}].acknowledged = {header.lsn, header.version, false};
    });
}

void WriteBook::observe_block(const ums::PowerMoment& moment, std::uint32_t file_id) {
    std::vector<std::byte> bytes(moment.size_bytes);
    ums::copy_from_request(*moment.request, moment.offset_bytes, bytes.data(), bytes.size());
    if (!is_sound_block(bytes.data(), bytes.size())) return;  // initial contents of the file, or its signature
    const LogBlockHeader header = read_block_header(bytes.data());
    blocks_[header.sequence] = {header.first_lsn, moment.offset_bytes, header.size_bytes, file_id};
    const bool is_whole = for_each_record(bytes.data(), [this](const LogRecordHeader& record, std::span<const std::byte> /*body*/) {
        const auto kind = static_cast<LogRecordKind>(record.kind);
        if (kind == LogRecordKind::page_update || kind == LogRecordKind::filler) {
            insert_by_lsn(pages_[{record.file_id, record.page_id}].changes, {record.lsn, record.version, kind == LogRecordKind::filler});
        } else if (kind == LogRecordKind::file_resize) {
            insert_by_lsn(resizes_, {record.lsn, record.file_id, record.page_count});
        }
    });
    UMS_ASSERT(is_whole);
}

void WriteBook::forget_behind(std::uint64_t end_sequence, std::uint64_t end_lsn) {
    blocks_.erase(blocks_.upper_bound(end_sequence), blocks_.end());
    std::erase_if(resizes_, [end_lsn](const Resize& resize) { return resize.lsn > end_lsn; });
    for (auto& [place, page] : pages_) {
        std::erase_if(page.changes, [end_lsn](const Change& change) { return change.lsn > end_lsn; });
        acknowledge_last(page);
    }
}

void WriteBook::forget_failed(std::uint64_t begin_lsn, const std::function<bool(const PagePlace&)>& is_failed,
                              const std::function<std::uint32_t(const PagePlace&)>& left_version) {
    for (auto& [place, page] : pages_) {
        const bool is_changed_since = !page.changes.empty() && page.changes.back().lsn >= begin_lsn;
        if (is_changed_since || !is_failed(place)) continue;
        std::erase_if(page.changes, [left = left_version(place)](const Change& change) { return change.version > left; });
        acknowledge_last(page);
    }
}

// The signature page is written without a logged change.
void WriteBook::acknowledge_last(Page& page) {
    if (!page.changes.empty())
        page.acknowledged = page.changes.back();
    else if (page.acknowledged.lsn != 0)
        page.acknowledged = {};
}

}  // namespace sim
