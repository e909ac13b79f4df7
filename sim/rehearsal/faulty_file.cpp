#include "sim/rehearsal/faulty_file.hpp"

#include <algorithm>
#include <cstring>

namespace sim {

namespace {

bool is_zero(const std::byte* begin, std::size_t size_bytes) {
    return std::all_of(begin, begin + size_bytes, [](std::byte value) { return value == std::byte{0}; });
}

}  // namespace

void FaultyFile::put_wrong(std::uint64_t offset_bytes, const std::byte* bytes, std::uint64_t size_bytes, std::uint64_t fault) {
    for (std::uint64_t done = 0; done < size_bytes; done += kSectorBytes) {
        WrongSector& sector = wrong_[(offset_bytes + done) / kSectorBytes];
        sector.fault = fault;
        std::memcpy(sector.bytes.data(), bytes + done, kSectorBytes);
    }
}

bool FaultyFile::has_wrong(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    const auto sector = wrong_.lower_bound(offset_bytes / kSectorBytes);
    return sector != wrong_.end() && sector->first * kSectorBytes < offset_bytes + size_bytes;
}

void FaultyFile::heal(std::uint64_t fault) {
    std::erase_if(wrong_, [fault](const auto& entry) { return entry.second.fault == fault; });
}

bool FaultyFile::still_wrong(std::uint64_t fault) const {
    return std::any_of(wrong_.begin(), wrong_.end(), [fault](const auto& entry) { return entry.second.fault == fault; });
}

void FaultyFile::written(const ums::IoRequest& request) {
    const auto first = wrong_.lower_bound(request.offset_bytes / kSectorBytes);
    const auto end = wrong_.lower_bound((request.offset_bytes + request.size_bytes) / kSectorBytes);
    wrong_.erase(first, end);
    if (is_log_ || request.offset_bytes % kPageBytes != 0) return;
    auto page = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    writes_.resize(std::max<std::size_t>(writes_.size(), page + request.size_bytes / kPageBytes));
    for (std::uint32_t i = 0; i < request.segment_count; ++i) {
        const ums::IoSegment& segment = request.segments[i];
        for (std::size_t begin = 0; begin + kPageBytes <= segment.size_bytes; begin += kPageBytes, ++page) {
            // If any byte of a page is not zero, its header is not zero either.
            writes_[page] = is_zero(segment.data + begin, kSectorBytes) ? 0 : writes_[page] + 1;
        }
    }
}

void FaultyFile::record_failure(const ums::IoRequest& request) {
    failed_.emplace_back(request.offset_bytes, request.offset_bytes + request.size_bytes);
}

void FaultyFile::record_failed_page(std::uint32_t page) { failed_pages_.insert(page); }

bool FaultyFile::has_failed(const ums::IoRequest& request) const {
    const auto page = failed_pages_.lower_bound(static_cast<std::uint32_t>(request.offset_bytes / kPageBytes));
    const bool has_failed_page =
        page != failed_pages_.end() && std::uint64_t{*page} * kPageBytes < request.offset_bytes + request.size_bytes;
    return has_failed_page || has_failed_as_a_whole(request);
}

bool FaultyFile::has_failed_as_a_whole(const ums::IoRequest& request) const {
    const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
    return std::any_of(failed_.begin(), failed_.end(),
                       [&](const auto& range) { return range.first < end_bytes && request.offset_bytes < range.second; });
}

void FaultyFile::cut(std::uint64_t size_bytes) {
    smallest_bytes = std::min(smallest_bytes, size_bytes);
    wrong_.erase(wrong_.lower_bound(size_bytes / kSectorBytes), wrong_.end());
    const std::uint64_t pages = size_bytes / kPageBytes;
    if (writes_.size() > pages) writes_.resize(pages);
    std::erase_if(armed, [pages](const auto& entry) { return entry.first >= pages; });
    std::erase_if(sick, [size_bytes](const Sick& place) { return place.offset_bytes >= size_bytes; });
}

void FaultyFile::use(std::uint32_t page) {
    if (used_.size() <= page) used_.resize(std::size_t{page} + 1);
    used_[page] = true;
}

}  // namespace sim
