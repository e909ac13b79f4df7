// Why a task waits, in the vocabulary of sys.dm_os_wait_stats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ums {

enum class WaitType : std::uint8_t {
    sos_scheduler_yield,  // gave up the CPU voluntarily
    sleep_task,           // SleepAfter, delays
    io_completion,        // an I/O without a page latch
    pageiolatch_sh,       // a page that is being read in, to look at it
    pageiolatch_ex,       // a page that is being read in, to change it
    pagelatch_sh,
    pagelatch_up,
    pagelatch_ex,
    writelog,          // commit: until the log is hardened
    logbuffer,         // room in the log buffers
    log_full,          // room in the ring of virtual log files
    request_block,     // the load governor's permission to post an I/O
    free_frame,        // a free frame of the buffer pool
    checkpoint_queue,  // the checkpoint waits for work
    lazywriter_sleep,
    dirty_page_poll,  // the indirect checkpoint checks how many pages are dirty
    log_writer_queue,
    file_resize,    // a file is growing or shrinking, or its use delays that
    task_join,      // a phase waits for its tasks
    blocking_call,  // a system call on a thread of its own
    backupio,       // a read or write of a backup or a restore
    backupbuffer,   // a buffer of a backup
    backupthread,   // a backup waits for its readers
    count_
};

inline constexpr std::size_t kWaitTypeCount = static_cast<std::size_t>(WaitType::count_);

// As printed, in the style of SQL Server: "PAGEIOLATCH_SH".
std::string_view name_of(WaitType type);

// One scheduler's waits of one type. Written by the scheduler's thread only.
struct WaitStatistics {
    std::uint64_t count = 0;
    std::uint64_t wait_ns = 0;  // from suspension to running again, signal wait included
    std::uint64_t wait_max_ns = 0;
    std::uint64_t signal_wait_ns = 0;  // from being runnable to running
};

using WaitTable = std::array<WaitStatistics, kWaitTypeCount>;

}  // namespace ums
