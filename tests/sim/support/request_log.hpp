// Records the transfers that reach the storage: which, how long, and how many were outstanding at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/limits.hpp"
#include "tests/sim/support/faulty_storage.hpp"

namespace sim::testing {

class RequestLog final : public FaultyStorage::Observer {
public:
    struct Entry {
        bool is_write = false;
        std::int32_t file = 0;  // the handle
        std::uint64_t page = 0;
        std::uint64_t pages = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    void on_begin(const ums::IoRequest& request) override {
        const std::lock_guard guard(mutex_);
        in_flight_max_ = std::max(in_flight_max_, ++in_flight_);
        if (request.operation != ums::IoOperation::read && request.operation != ums::IoOperation::write) return;
        entries_.push_back({request.operation == ums::IoOperation::write, request.file.value, request.offset_bytes / kPageBytes,
                            request.size_bytes / kPageBytes});
    }
    void on_end(const ums::IoRequest&) override {
        const std::lock_guard guard(mutex_);
        --in_flight_;
    }

    // What has been posted to the file since the last call for that file.
    [[nodiscard]] std::vector<Entry> take(const SimFile& file) {
        const std::lock_guard guard(mutex_);
        std::vector<Entry> taken;
        std::erase_if(entries_, [&](const Entry& entry) {
            if (entry.file != file.transfer_handle().value) return false;
            taken.push_back(entry);
            return true;
        });
        return taken;
    }
    [[nodiscard]] std::uint32_t in_flight_max() const {
        const std::lock_guard guard(mutex_);
        return in_flight_max_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
    std::uint32_t in_flight_ = 0;
    std::uint32_t in_flight_max_ = 0;
};

}  // namespace sim::testing
