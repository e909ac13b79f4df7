// A transfer that failed, or came back short: how often it is retried, what the error is about, and the finding that it makes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <system_error>

#include "sim/finding.hpp"
#include "sim/limits.hpp"
#include "sim/options.hpp"
#include "ums/base/units.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

// SQL Server retries a failed read four times (errors 823, 824, 825).
inline constexpr std::uint32_t kIoRetries = 4;
inline constexpr std::array<std::uint64_t, kIoRetries> kRetryPausesMs = {1, 10, 100, 500};

// No room: space, quota or maximum file size. Never the storage's fault; retrying does not help.
[[nodiscard]] bool is_about_space(const std::error_code& error);
// The device, or the file system on it, accepts no more requests: retrying does not help.
[[nodiscard]] bool is_about_device(const std::error_code& error);
// This machine, or this process within its limits, lacks something: memory, threads (ECANCELED from io_uring), descriptors.
[[nodiscard]] bool is_about_machine(const std::error_code& error);
// Any other error of a transfer or a sync is the storage's answer: a finding.
[[nodiscard]] inline bool is_about_storage(const std::error_code& error) { return !is_about_space(error) && !is_about_machine(error); }
// Names and sizes are refused for many reasons on the caller's side. These few errors are the storage's own.
[[nodiscard]] bool is_device_error(const std::error_code& error);

struct TransferFailure {
    ums::IoOperation operation{};
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::error_code error;
    std::uint64_t transferred_bytes = 0;  // without an error: it came back short

    [[nodiscard]] bool is_complete() const { return !error && transferred_bytes == size_bytes; }
};

// "Input/output error", "only 512 bytes came".
[[nodiscard]] std::string cause_of(const TransferFailure& failure);

// Only the place, without text and figures: which file, which page, how many bytes.
[[nodiscard]] Finding place_of_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request, FindingKind kind);

// The transfer succeeded when it was retried (SQL Server's error 825): still a finding.
[[nodiscard]] Finding recovered_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure);
// The transfer failed all `tries` times.
[[nodiscard]] Finding persistent_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure,
                                         std::uint32_t tries);

// A request about the file as a whole failed.
[[nodiscard]] Finding failed_request(std::uint32_t file_id, const FileOptions& file, FileRequest request, const std::error_code& error);

[[nodiscard]] inline bool is_late(const ums::IoRequest& request) { return request.duration_ns() >= kLongIoSeconds * ums::kNsPerSecond; }
// A warning about a late request.
[[nodiscard]] Finding late_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request);

// A disk file returns all that is requested. A transfer that was cut short, and completed when the rest was requested, is a fault that only
// the engine sees.
[[nodiscard]] inline bool is_interrupted(const ums::IoRequest& request) {
    return request.short_bytes != 0 && request.is_complete_transfer();
}
[[nodiscard]] Finding interrupted_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request);

// "read", "write", … and the range, for messages about a request.
[[nodiscard]] std::string describe_request(const ums::IoRequest& request);
// The messages for a request that is retried, and for a late one.
[[nodiscard]] std::string retry_message(const std::string& path, const TransferFailure& failure);
[[nodiscard]] std::string late_message(const std::string& path, const ums::IoRequest& request);

}  // namespace sim
