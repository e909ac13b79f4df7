// Copies the log into the chain of a backup, from the place where it began to any later one, and keeps the log from using again what is not
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

    // From here on the log is kept.
    void begin();
    // Copies what has been logged since, as part of this backup. One task at a time. False: the log was used again before it could be
    // copied (that is_broken() says), or the run stops, or there is no room, or a fault was found.
    ums::Task<bool> copy(std::uint32_t set_number);
    // Nothing is kept any more.
    void end();

    [[nodiscard]] bool is_going_on() const { return is_going_on_; }
    [[nodiscard]] bool is_broken() const { return is_broken_; }
    // Up to where everything is copied.
    [[nodiscard]] const LogMark& mark() const { return mark_; }
    [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }
    // Which part of the log is kept for the next copy, 0 … 1.
    [[nodiscard]] double kept_share() const { return parts_.context.log.share_since(mark_.vlf_sequence); }

private:
    void take(const std::byte* block, std::uint32_t size_bytes) override;
    ums::Task<bool> has_taken() override;
    ums::Task<LogMark> mark_whole();
    ums::Task<bool> copy_to(const LogMark& end);

    BackupParts& parts_;
    LogAuditor& reader_;
    LogMark mark_;
    std::uint32_t set_number_ = 0;
    std::vector<std::byte> blocks_;        // taken and not yet in the chain
    std::vector<std::size_t> block_ends_;  // in them
    std::uint64_t copied_bytes_ = 0;
    bool is_going_on_ = false;
    bool is_broken_ = false;
};

}  // namespace sim
