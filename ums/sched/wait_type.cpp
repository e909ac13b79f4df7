#include "ums/sched/wait_type.hpp"

#include "ums/base/assert.hpp"

namespace ums {

std::string_view name_of(WaitType type) {
    switch (type) {
        case WaitType::sos_scheduler_yield: return "SOS_SCHEDULER_YIELD";
        case WaitType::sleep_task: return "SLEEP_TASK";
        case WaitType::io_completion: return "IO_COMPLETION";
        case WaitType::pageiolatch_sh: return "PAGEIOLATCH_SH";
        case WaitType::pageiolatch_ex: return "PAGEIOLATCH_EX";
        case WaitType::pagelatch_sh: return "PAGELATCH_SH";
        case WaitType::pagelatch_up: return "PAGELATCH_UP";
        case WaitType::pagelatch_ex: return "PAGELATCH_EX";
        case WaitType::writelog: return "WRITELOG";
        case WaitType::logbuffer: return "LOGBUFFER";
        case WaitType::log_full: return "LOG_FULL";
        case WaitType::request_block: return "REQUEST_BLOCK";
        case WaitType::free_frame: return "FREE_FRAME";
        case WaitType::checkpoint_queue: return "CHECKPOINT_QUEUE";
        case WaitType::lazywriter_sleep: return "LAZYWRITER_SLEEP";
        case WaitType::dirty_page_poll: return "DIRTY_PAGE_POLL";
        case WaitType::log_writer_queue: return "LOGMGR_QUEUE";
        case WaitType::file_resize: return "FILE_RESIZE";
        case WaitType::task_join: return "TASK_JOIN";
        case WaitType::blocking_call: return "PREEMPTIVE_OS_FILEOPS";
        case WaitType::backupio: return "BACKUPIO";
        case WaitType::backupbuffer: return "BACKUPBUFFER";
        case WaitType::backupthread: return "BACKUPTHREAD";
        case WaitType::count_: break;
    }
    UMS_ASSERT(false && "unknown wait type");
}

}  // namespace ums
