// Opens, creates, locks and prepares the test files. Nothing that is not ours is ever written to: an existing file must begin with our
// signature page, real database names and block devices are refused (all three unless overwrite_foreign_files says otherwise), and what was
// made is removed again when the start fails.
//
// A block device is used as a file of fixed size, its first InitialSize MB: it is never deleted, cut, extended or sparse.
#pragma once

#include <cstdint>
#include <string>

#include "sim/errors.hpp"
#include "sim/files/file_stamper.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/options.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/run/run_state.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class FileCreator {
public:
    // `run`: cuts stamping short when it stops, the file is not complete then; and is ended by a write that does not come back. Without it
    // nobody watches over the time.
    FileCreator(const Options& options, ums::Storage& storage, Journal& journal, std::uint64_t run_id, RunState* run = nullptr)
        : options_(options), storage_(storage), journal_(journal), run_id_(run_id), run_(run) {}

    // Leaves the file with its signature page, at its size, locked, and open for transfers. Throws RefusedError or EnvironmentError
    // with a message for a person; a file that it made is removed again then. Runs as a task: zero-stamping takes a while.
    ums::Task<SimFile::Setup> prepare(std::uint32_t id, const FileOptions& file);

    // Takes a file that an earlier run made as it is: locked, open for transfers, nothing written. `header` is that of its first page,
    // which says whose its pages are. Only our own files, whatever overwrite_foreign_files says. Throws as prepare() does.
    SimFile::Setup adopt(const FileOptions& file, PageHeader& header);

private:
    class Pending;  // what must be undone if the preparation fails

    ums::Task<SimFile::Setup> make(std::uint32_t id, const FileOptions& file);
    ums::Task<void> watch(std::uint32_t id, const FileOptions& file, ums::Event& done);
    void refuse_dangerous_name(const FileOptions& file) const;
    bool open_existing(const FileOptions& file, Pending& pending) const;
    void open_control(const FileOptions& file, const ums::OpenOptions& how, Pending& pending) const;
    PageHeader check_signature(const FileOptions& file, const Pending& pending) const;
    [[nodiscard]] SimFile::Setup setup_of(std::uint32_t id, const FileOptions& file, const Pending& pending,
                                          std::uint64_t size_bytes) const;
    void create(const FileOptions& file, Pending& pending) const;
    void check_space(const FileOptions& file, std::uint64_t present_bytes) const;
    [[nodiscard]] std::uint64_t wanted_size(const FileOptions& file, const Pending& pending) const;
    [[nodiscard]] static FileOptions usable_options(const FileOptions& file, const Pending& pending, std::uint64_t size_bytes);
    ums::Task<void> set_size(const FileOptions& file, const Pending& pending, const FileStamper& stamper, std::uint64_t size_bytes) const;
    static ums::Task<void> stamp(const FileOptions& file, const FileStamper& stamper, std::uint64_t begin_bytes, std::uint64_t end_bytes);
    ums::FileHandle open_for_transfers(const FileOptions& file) const;
    [[nodiscard]] bool direct() const { return options_.no_buffering; }

    const Options& options_;
    ums::Storage& storage_;
    Journal& journal_;
    std::uint64_t run_id_;
    RunState* run_;
};

}  // namespace sim
