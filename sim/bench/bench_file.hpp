// A file of a measurement with everything that a run has around it: ledger, buffer pool, checker. Each file has its own, because existing
// files may belong to different runs and have the same number.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/bench/bench_options.hpp"
#include "sim/buffer/buffer_manager.hpp"
#include "sim/buffer/page_writer.hpp"
#include "sim/buffer/range_reader.hpp"
#include "sim/diagnosis/page_diagnosis.hpp"
#include "sim/files/data_file.hpp"

namespace sim {

// The requests of a pass over an entire file, before and after the measurement.
inline constexpr std::uint32_t kPassPages = 128;
inline constexpr std::uint32_t kPassTasks = 8;

class BenchFile {
public:
    // `used`: how many bytes of the file are used, from its beginning. All references must outlive the file.
    BenchFile(SimFile::Setup setup, std::uint64_t id_of_run, std::uint64_t used, const BenchOptions& options, const FileContext& context,
              RunState& run_state);

    // Takes pages out of the pool so that no two of the remaining ones are adjacent. Before any other use.
    ums::Task<void> scatter_memory();

    [[nodiscard]] RangeReader make_reader() { return RangeReader(buffers, run, journal, {true, true}); }
    [[nodiscard]] PageWriter make_writer() { return PageWriter({run_id, kTransferPagesMax, true, true}, pool, nullptr, run, journal); }
    [[nodiscard]] std::uint32_t used_pages() const { return static_cast<std::uint32_t>(used_bytes / kPageBytes); }

    // Makes new versions of [first_page, first_page + count), and has `writer` stamp and write them. Hold no latch.
    ums::Task<void> write_pages(PageWriter& writer, std::uint32_t first_page, std::uint32_t count, ums::Prng& prng);

    const std::uint64_t run_id;
    const std::uint64_t used_bytes;
    RunState& run;
    Journal& journal;
    const std::vector<std::unique_ptr<DataFile>> files;  // only this one
    DataFile& data;
    BufferPool pool;
    PageDiagnosis diagnosis;
    PageChecker checker;
    BufferManager buffers;
    std::atomic<std::uint64_t> next_block{0};  // for sequential loads
};

}  // namespace sim
