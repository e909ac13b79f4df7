#include "sim/backup/backup_parts.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/backup/backup_files.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/files/transfer_failure.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kKbBytes = 1024;

// If there is no room, the system may have allocated all that was left of the disk, and other files on it may have to grow.
ums::Task<std::error_code> grow_or_stay(SimFile& file, std::uint64_t new_bytes) {
    const std::uint64_t old_bytes = file.size_bytes();
    const std::error_code error = co_await file.resize(new_bytes);
    if (error) static_cast<void>(co_await file.resize(old_bytes));
    co_return error;
}

}  // namespace

BackupParts::BackupParts(RunContext& run_context, BackupFiles& opened)
    : context(run_context),
      options(run_context.options.backup_user),
      block_pages(static_cast<std::uint32_t>(options.max_transfer_kb * kKbBytes / kPageBytes)),
      files(opened),
      chain(*files.chain, context.run_id, options.max_transfer_kb * kKbBytes, context.run, context.journal),
      buffers(options.buffer_count, options.max_transfer_kb * kKbBytes) {
    std::size_t restored = files.stripe_count;
    for (const auto& data : context.data_files) {
        if (!is_backed_up(data->file.options(), context.options.files)) continue;
        BackupSource source{.data = data.get()};
        if (!options.restore_folder.empty()) source.restored = files.data_files.at(restored++).get();
        if (options.differential_interval_s != 0) source.base_lsns.resize(data->ledger.pages_max());
        sources.push_back(std::move(source));
    }
    // BufferCount alone limits how much is outstanding.
    for (const auto& data : files.data_files) data->file.governor().allow_bursts(true);
    files.chain->governor().allow_bursts(true);
}

void BackupParts::spawn_tasks(ums::TaskGroup& group, const std::string& name, const std::function<ums::Task<void>()>& make_task) {
    for (std::uint32_t i = 0; i < options.reader_count; ++i) {
        context.schedulers[i % context.schedulers.size()].spawn(group, name, make_task());
    }
}

ums::Task<bool> BackupParts::sync(SimFile& file) {
    if (!file.needs_flushes() || context.run.is_stopping()) co_return !context.run.is_stopping();
    const std::error_code error = co_await file.sync();
    if (error) co_await end_run_unsynced(file, error, context.run, context.journal);
    co_return !error;
}

ums::Task<void> BackupParts::drop_cache(SimFile& file) const { return sync_and_drop_cache(file, context.run, context.journal); }

ums::Task<bool> BackupParts::empty(DataFile& data, std::uint32_t kept_pages, std::uint32_t pages) {
    co_await data.file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    std::error_code error;
    if (data.file.pages() > kept_pages) error = co_await data.file.resize(std::uint64_t{kept_pages} * kPageBytes);
    if (!error) static_cast<void>(co_await context.buffers.forget_from(data, kept_pages));
    const std::uint64_t new_bytes = std::uint64_t{pages} * kPageBytes;
    if (!error && pages > data.file.pages()) error = co_await grow_or_stay(data.file, new_bytes);
    bool has_more_room = false;
    if (is_about_space(error)) has_more_room = co_await chain.give_back_room();
    if (has_more_room) error = co_await grow_or_stay(data.file, new_bytes);
    data.file.resize_latch().release_exclusive();
    if (error) {
        context.journal.warning(fmt::format("{}: cannot be made {} MB large: {}.", data.file.path(), pages / (1024 * kKbBytes / kPageBytes),
                                            ums::error_text(error)));
    }
    co_return !error;
}

ums::Task<std::uint32_t> BackupParts::settled_pages(DataFile& data) {
    co_await data.file.resize_latch().acquire_shared(ums::WaitType::file_resize);
    const std::uint32_t pages = data.file.pages();
    data.file.resize_latch().release_shared();
    co_return pages;
}

}  // namespace sim
