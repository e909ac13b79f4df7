// Checks that no write of a page overlaps another transfer of it: the result of such a read is undefined, so a program that does this
// reports faults of its own making. It works at the interface to the storage, independent of the program's own ordering.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "tests/sim/support/faulty_storage.hpp"

namespace sim::testing {

class OverlapWatch final : public FaultyStorage::Observer {
public:
    void on_begin(const ums::IoRequest& request) override {
        if (!is_transfer(request)) return;
        const std::lock_guard guard(mutex_);
        ++count_;
        for (const ums::IoRequest* other : out_) {
            const bool same = other->file == request.file && other->offset_bytes < request.offset_bytes + request.size_bytes &&
                              request.offset_bytes < other->offset_bytes + other->size_bytes;
            if (!same) continue;
            if (other->operation == ums::IoOperation::write || request.operation == ums::IoOperation::write) {
                violations_.push_back(text_of(*other) + " is out while " + text_of(request) + " begins");
            } else {
                ++shared_reads_;
            }
        }
        out_.push_back(&request);
    }

    void on_end(const ums::IoRequest& request) override {
        if (!is_transfer(request)) return;
        const std::lock_guard guard(mutex_);
        std::erase(out_, &request);
    }

    [[nodiscard]] std::vector<std::string> violations() const {
        const std::lock_guard guard(mutex_);
        return violations_;
    }
    // Transfers seen.
    [[nodiscard]] std::uint64_t count() const {
        const std::lock_guard guard(mutex_);
        return count_;
    }

private:
    static bool is_transfer(const ums::IoRequest& request) {
        return request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    }
    static std::string text_of(const ums::IoRequest& request) {
        return std::string(request.operation == ums::IoOperation::write ? "write" : "read") + " of file " +
               std::to_string(request.file.value) + " at " + std::to_string(request.offset_bytes) + ", " +
               std::to_string(request.size_bytes);
    }

    mutable std::mutex mutex_;
    std::vector<const ums::IoRequest*> out_;
    std::vector<std::string> violations_;
    std::uint64_t count_ = 0;
    std::uint64_t shared_reads_ = 0;
};

}  // namespace sim::testing
