#include "cli/measuring/overwritable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/database_name.hpp"
#include "ums/base/memory_region.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kLookedThroughMaxBytes = std::uint64_t{16} << 30;
constexpr std::size_t kLookedAtBytes = std::size_t{1} << 20;

class OpenFile {
public:
    OpenFile(ums::Storage& storage, const std::string& path) : storage_(storage) {
        is_open_ = !storage.open(path, {.read_only = true}, handle_);
    }
    ~OpenFile() {
        if (is_open_) storage_.close(handle_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] bool is_open() const { return is_open_; }
    [[nodiscard]] ums::FileHandle handle() const { return handle_; }

private:
    ums::Storage& storage_;
    ums::FileHandle handle_;
    bool is_open_ = false;
};

// `bytes`: from an offset in the file that is a multiple of 256.
bool is_filling(const std::byte* bytes, std::size_t size_bytes) {
    constexpr std::size_t kBlockBytes = 256;
    for (std::size_t begin = 0; begin < size_bytes; begin += kBlockBytes) {
        const std::size_t count = std::min(kBlockBytes, size_bytes - begin);
        const std::byte* const block = bytes + begin;
        const bool is_zero = std::all_of(block, block + count, [](std::byte value) { return value == std::byte{0}; });
        if (is_zero) continue;
        for (std::size_t i = 0; i < count; ++i) {
            if (block[i] != static_cast<std::byte>(i)) return false;
        }
    }
    return true;
}

// Checks all data of the file.
bool is_all_filling(ums::Storage& storage, ums::FileHandle file, std::uint64_t size_bytes) {
    const ums::MemoryRegion piece(kLookedAtBytes, ums::MemoryKind::plain);
    std::uint64_t looked_through_bytes = 0;
    std::uint64_t offset_bytes = 0;
    while (offset_bytes < size_bytes) {
        std::uint64_t begin_bytes = 0;
        std::uint64_t end_bytes = 0;
        if (storage.next_data(file, offset_bytes, begin_bytes, end_bytes)) return false;
        if (begin_bytes >= size_bytes) return true;
        begin_bytes = begin_bytes / kLookedAtBytes * kLookedAtBytes;
        while (begin_bytes < end_bytes) {
            std::size_t read_bytes = 0;
            if (storage.read(file, begin_bytes, piece.data(), kLookedAtBytes, read_bytes) || read_bytes == 0) return false;
            if (!is_filling(piece.data(), read_bytes)) return false;
            begin_bytes += kLookedAtBytes;
            looked_through_bytes += read_bytes;
            if (looked_through_bytes > kLookedThroughMaxBytes) return false;
        }
        offset_bytes = std::max(begin_bytes, end_bytes);
    }
    return true;
}

}  // namespace

bool holds_nothing(ums::Storage& storage, const std::string& path) {
    if (sim::is_database_name(path)) return false;
    ums::FileStatus status;
    if (storage.status(path, status) || status.kind != ums::FileKind::regular) return false;
    const OpenFile file(storage, path);
    if (!file.is_open()) return false;
    const bool is_free = is_all_filling(storage, file.handle(), status.size_bytes);
    storage.drop_cache(file.handle());
    return is_free;
}

}  // namespace cli
