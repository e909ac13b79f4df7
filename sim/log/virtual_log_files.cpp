#include "sim/log/virtual_log_files.hpp"

#include <algorithm>

#include "sim/page/log_layout.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/size.hpp"

namespace sim {

namespace {

using ums::kMb;

std::uint64_t vlf_count_for(std::uint64_t size_bytes) {
    const std::uint64_t usual = size_bytes < 64 * kMb ? 4 : size_bytes <= 1024 * kMb ? 8 : 16;
    return std::max(usual, (size_bytes + kVlfBytesMax - 1) / kVlfBytesMax);
}

}  // namespace

std::uint64_t block_digest(std::uint64_t block_sequence, std::uint32_t checksum) {
    return ums::mix64(ums::mix64(block_sequence) ^ checksum);
}

// The files take turns, so that all of them are used however little is logged.
VirtualLogFiles::VirtualLogFiles(const std::vector<SimFile*>& files, std::uint32_t alignment_bytes) : alignment_bytes_(alignment_bytes) {
    std::uint64_t added = 0;
    for (std::uint64_t i = 0; i == 0 || added > 0; ++i) {
        added = 0;
        for (SimFile* file : files) {
            const std::uint64_t usable_bytes = file->size_bytes() - kPageBytes;
            const std::uint64_t count = vlf_count_for(file->size_bytes());
            const std::uint64_t each_bytes = usable_bytes / count / alignment_bytes * alignment_bytes;
            if (i >= count) continue;
            add(*file, kPageBytes + i * each_bytes, kPageBytes + (i + 1) * each_bytes);
            ++added;
        }
    }
    UMS_ASSERT(!vlfs_.empty());
    begin(0);
}

void VirtualLogFiles::add(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    UMS_ASSERT(begin_bytes % alignment_bytes_ == 0 && end_bytes > begin_bytes);
    VirtualLogFile vlf;
    vlf.file = &file;
    vlf.offset_bytes = begin_bytes;
    vlf.size_bytes = std::min(kVlfBytesMax, (end_bytes - begin_bytes) / alignment_bytes_ * alignment_bytes_);
    vlfs_.push_back(vlf);
    ++free_count_;
    free_vlf_bytes_ += vlf.size_bytes;
    total_bytes_ += vlf.size_bytes;
}

void VirtualLogFiles::begin(std::uint32_t index) {
    VirtualLogFile& vlf = vlfs_[index];
    UMS_ASSERT(vlf.sequence == 0);
    current_ = index;
    vlf.sequence = ++last_sequence_;
    vlf.end_bytes = 0;
    vlf.first_block = 0;
    vlf.block_count = 0;
    vlf.digest = 0;
    --free_count_;
    free_vlf_bytes_ -= vlf.size_bytes;
}

void VirtualLogFiles::advance() {
    UMS_ASSERT(free_count_ > 0);
    std::uint32_t index = current_;
    do {
        index = (index + 1) % count();
    } while (vlfs_[index].sequence != 0);
    begin(index);
}

void VirtualLogFiles::truncate(std::uint32_t sequence) {
    for (VirtualLogFile& vlf : vlfs_) {
        if (vlf.sequence == 0 || vlf.sequence >= sequence || &vlf == &current()) continue;
        vlf.sequence = 0;
        ++free_count_;
        free_vlf_bytes_ += vlf.size_bytes;
    }
}

std::uint64_t VirtualLogFiles::free_bytes() const { return free_vlf_bytes_ + vlfs_[current_].size_bytes - vlfs_[current_].end_bytes; }

}  // namespace sim
