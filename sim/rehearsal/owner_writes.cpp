#include "sim/rehearsal/owner_writes.hpp"

#include <utility>

#include "sim/files/file_names.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/rehearsal/written_pages.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

namespace {

// LSN of the first record if the request writes a log block; otherwise 0.
std::uint64_t first_lsn_of(const ums::IoRequest& request) {
    LogBlockHeader header{};
    if (request.size_bytes < sizeof header) return 0;
    ums::copy_from_request(request, request.offset_bytes, reinterpret_cast<std::byte*>(&header), sizeof header);
    return header.magic == kLogMagic ? header.first_lsn : 0;
}

}  // namespace

OwnerWrites::OwnerWrites(const Options& options) {
    std::uint32_t id = 0;
    for (const FileOptions& file : options.files) {
        ++id;
        if (source_of_replica(file, options.files) == nullptr) files_[file.path] = {id, file.is_log};
    }
}

void OwnerWrites::observe(const ums::PowerMoment& moment) {
    if (moment.operation != ums::IoOperation::write || moment.request == nullptr) return;
    const auto file = files_.find(*moment.path);
    if (file == files_.end()) return;
    if (file->second.is_log) {
        if (first_lsn_ == 0) first_lsn_ = first_lsn_of(*moment.request);
        return;
    }
    const bool has_come_back = moment.kind == ums::PowerMoment::Kind::completion && !moment.request->error;
    if (has_come_back) take_pages(moment, file->second.id);
}

void OwnerWrites::take_pages(const ums::PowerMoment& moment, std::uint32_t file_id) {
    for_each_written_page(moment, [&](const PageHeader& header, std::uint64_t offset_bytes) {
        Image image;
        image.moment = moment.number;
        image.path = *moment.path;
        image.file_id = file_id;
        image.page_id = header.page_id;
        image.version = header.version;
        image.lsn = header.lsn;
        image.bytes.resize(kPageBytes);
        ums::copy_from_request(*moment.request, offset_bytes, image.bytes.data(), kPageBytes);
        images_.push_back(std::move(image));
    });
}

}  // namespace sim
