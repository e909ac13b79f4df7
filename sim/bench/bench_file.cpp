#include "sim/bench/bench_file.hpp"

#include <algorithm>
#include <utility>

namespace sim {

namespace {

// Every task may hold one block, plus one page while it acquires memory; the passes need their share.
std::uint64_t pool_pages(const BenchOptions& options) {
    const std::uint64_t block_pages = (options.block_bytes_max + kPageBytes - 1) / kPageBytes;
    const std::uint64_t wanted = std::max(options.tasks_max() * (block_pages + 1), std::uint64_t{kPassTasks} * (kPassPages + 1));
    const std::uint64_t whole_groups = (wanted + kReadAheadPages) / kReadAheadPages * kReadAheadPages;
    return options.scatter ? 2 * whole_groups : whole_groups;
}

std::vector<std::unique_ptr<DataFile>> only(std::unique_ptr<DataFile> file) {
    std::vector<std::unique_ptr<DataFile>> files;
    files.push_back(std::move(file));
    return files;
}

}  // namespace

BenchFile::BenchFile(SimFile::Setup setup, std::uint64_t id_of_run, std::uint64_t used, const BenchOptions& options,
                     const FileContext& context, RunState& run_state)
    : run_id(id_of_run),
      used_bytes(used),
      run(run_state),
      journal(context.journal),
      files(only(std::make_unique<DataFile>(std::move(setup), PageLedger(used / kPageBytes), context))),
      data(*files.front()),
      pool(pool_pages(options) * kPageBytes, options.tasks_max() + kTransferPagesMax),
      diagnosis(id_of_run, false, files, pool, run_state, journal),
      checker(id_of_run, diagnosis),
      buffers(pool, checker, run_state, journal, 0) {
    data.file.governor().allow_bursts(true);
}

ums::Task<void> BenchFile::scatter_memory() {
    std::vector<Slot> slots;
    co_await pool.slots().acquire(static_cast<std::uint32_t>(pool.slots().count()), slots);
    std::erase_if(slots, [](Slot slot) { return slot % 2 != 0; });
    pool.slots().release(slots);
}

ums::Task<void> BenchFile::write_pages(PageWriter& writer, std::uint32_t first_page, std::uint32_t count, ums::Prng& prng) {
    const std::uint32_t end_page = first_page + count;
    for (std::uint32_t page = first_page; page < end_page; ++page) {
        const FixedPage fixed = co_await buffers.fix(data, page, FixIntent::overwrite, prng);
        if (fixed) BufferManager::change(data, fixed.frame());
    }
    for (std::uint32_t page = first_page; page < end_page;) {
        const PageWriter::Written written = co_await writer.write_around(data, page, true);
        page = std::max(page + 1, written.end_page);
    }
    for (std::uint32_t page = first_page; page < end_page; ++page) pool.evict({data.file.id(), page});
}

}  // namespace sim
