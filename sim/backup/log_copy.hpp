// Copies the log into the chain of a backup, from where it began up to any later place, and keeps the log from reusing what has not been
// copied yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/backup/backup_parts.hpp"
#include "sim/log/log_auditor.hpp"

namespace sim {

class LogCopy final : private LogAuditor::BlockSink {
public:
    LogCopy(BackupParts& parts, LogAuditor& reader) : parts_(parts), reader_(reader) {}

    // Keeps the log from here on.
    void begin();
    // Copies what has been logged since, as part of this backup. One task at a time. False if the log was reused before it could be copied
    // (then is_broken()), the run stops, there is no room, or a fault was found.
    ums::Task<bool> copy(std::uint32_t set_number);
    // Keeps no log any more.
    void end();

    [[nodiscard]] bool is_going_on() const { return is_going_on_; }
    [[nodiscard]] bool is_broken() const { return is_broken_; }
    // Everything before this has been copied.
    [[nodiscard]] const LogMark& mark() const { return mark_; }
    [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }
    // The share of the log that is kept for the next copy, 0 … 1.
    [[nodiscard]] double kept_share() const { return parts_.context.log.share_since(mark_); }

private:
    void take(const std::byte* block, std::uint32_t size_bytes) override;
    ums::Task<bool> has_taken() override;
    ums::Task<LogMark> mark_whole();
    ums::Task<bool> copy_to(const LogMark& end);

    BackupParts& parts_;
    LogAuditor& reader_;
    LogMark mark_;
    std::uint32_t set_number_ = 0;
    std::vector<std::byte> blocks_;        // taken, but not yet in the chain
    std::vector<std::size_t> block_ends_;  // in them
    std::uint64_t copied_bytes_ = 0;
    bool is_going_on_ = false;
    bool is_broken_ = false;
};

}  // namespace sim
