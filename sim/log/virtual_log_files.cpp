#include "sim/log/virtual_log_files.hpp"

#include <algorithm>

#include "sim/page/log_layout.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

using ums::kMb;

}  // namespace

std::uint64_t vlf_count_for(std::uint64_t size_bytes) {
    const std::uint64_t usual = size_bytes < 64 * kMb ? 4 : size_bytes <= 1024 * kMb ? 8 : 16;
    return std::max(usual, (size_bytes + kVlfBytesMax - 1) / kVlfBytesMax);
}

// The files alternate, so that all of them are used even if little is logged.
std::vector<VlfPlace> divide_log(std::span<const LogFileShape> files, std::uint32_t alignment_bytes) {
    std::vector<VlfPlace> places;
    std::size_t before = 0;
    for (std::uint64_t i = 0; i == 0 || places.size() > before; ++i) {
        before = places.size();
        for (const LogFileShape& shape : files) {
            const std::uint64_t usable_bytes = shape.prepared_bytes - kPageBytes;
            const std::uint64_t count = vlf_count_for(shape.prepared_bytes);
            const std::uint64_t each_bytes = usable_bytes / count / alignment_bytes * alignment_bytes;
            if (i < count) places.push_back({shape.file, kPageBytes + i * each_bytes, each_bytes});
        }
    }
    for (const LogFileShape& shape : files) {
        const std::uint64_t end_bytes = shape.file->size_bytes();
        std::uint64_t begin = shape.prepared_bytes;
        for (std::size_t step = 0; shape.growth_bytes != 0 && begin + shape.growth_bytes <= end_bytes; ++step) {
            const std::uint32_t vlfs = step < shape.growth_vlfs.size() ? shape.growth_vlfs[step] : 1;
            const std::vector<VlfPlace> grown = divide_growth(*shape.file, begin, shape.growth_bytes, vlfs);
            places.insert(places.end(), grown.begin(), grown.end());
            begin += shape.growth_bytes;
        }
    }
    return places;
}

std::vector<VlfPlace> divide_growth(SimFile& file, std::uint64_t begin_bytes, std::uint64_t growth_bytes, std::uint32_t vlfs) {
    const std::uint64_t each_bytes = vlfs <= 1 ? kVlfBytesMax : std::clamp(growth_bytes / vlfs / kMb * kMb, kMb, kVlfBytesMax);
    std::vector<VlfPlace> places;
    for (std::uint64_t at = 0; at < growth_bytes;) {
        const bool is_last = vlfs > 1 && places.size() + 1 >= vlfs && growth_bytes - at <= kVlfBytesMax;
        const std::uint64_t size_bytes = is_last ? growth_bytes - at : std::min(each_bytes, growth_bytes - at);
        places.push_back({&file, begin_bytes + at, size_bytes});
        at += size_bytes;
    }
    return places;
}

std::uint32_t log_alignment_bytes(std::span<SimFile* const> files, ums::Storage& storage) {
    constexpr std::uint32_t kLargeSectorBytes = 4096;
    const ums::MemoryRegion buffer(kLargeSectorBytes, ums::MemoryKind::plain);
    for (const SimFile* file : files) {
        std::size_t transferred = 0;
        if (storage.read(file->transfer_handle(), kSectorBytes, buffer.data(), kSectorBytes, transferred)) return kLargeSectorBytes;
    }
    return kSectorBytes;
}

std::uint64_t block_digest(std::uint64_t block_sequence, std::uint32_t checksum) {
    return ums::mix64(ums::mix64(block_sequence) ^ checksum);
}

VirtualLogFiles::VirtualLogFiles(const std::vector<SimFile*>& files, std::uint32_t alignment_bytes) : alignment_bytes_(alignment_bytes) {
    std::vector<LogFileShape> shapes;
    for (SimFile* file : files) shapes.push_back({file, file->size_bytes(), 0});
    for (const VlfPlace& place : divide_log(shapes, alignment_bytes)) add(place);
    UMS_ASSERT(!vlfs_.empty());
    begin(0);
}

VirtualLogFiles::VirtualLogFiles(std::span<const VlfPlace> places, std::span<const UsedVlf> used, std::uint32_t last_sequence,
                                 std::uint32_t alignment_bytes)
    : alignment_bytes_(alignment_bytes), last_sequence_(last_sequence) {
    for (const VlfPlace& place : places) add(place);
    std::uint32_t newest = 0;
    for (const UsedVlf& old : used) {
        const auto found = std::find_if(vlfs_.begin(), vlfs_.end(), [&old](const VirtualLogFile& vlf) {
            return vlf.file == old.file && vlf.offset_bytes == old.offset_bytes;
        });
        UMS_ASSERT(found != vlfs_.end() && old.sequence != 0 && old.sequence <= last_sequence);
        const auto index = static_cast<std::uint32_t>(found - vlfs_.begin());
        take(index, old.sequence);
        found->end_bytes = found->size_bytes;  // nothing is added to it
        if (old.sequence <= newest) continue;
        newest = old.sequence;
        current_ = index;
    }
    advance();
}

void VirtualLogFiles::add(const VlfPlace& place) { add(*place.file, place.offset_bytes, place.offset_bytes + place.size_bytes); }

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
    current_ = index;
    take(index, ++last_sequence_);
}

void VirtualLogFiles::take(std::uint32_t index, std::uint32_t sequence) {
    VirtualLogFile& vlf = vlfs_[index];
    UMS_ASSERT(vlf.sequence == 0);
    vlf.sequence = sequence;
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
