// A disk with sectors of 4 KB: it refuses shorter reads. What else is posted shows in the requests of the storage below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

#include "ums/io/forwarding_storage.hpp"

namespace sim::testing {

struct LargeSectors final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override {
        if (offset_bytes % 4096 != 0 || size_bytes % 4096 != 0) return std::make_error_code(std::errc::invalid_argument);
        return inner().read(file, offset_bytes, data, size_bytes, transferred_bytes);
    }
};

}  // namespace sim::testing
