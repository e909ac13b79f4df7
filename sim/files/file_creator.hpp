// Opens, creates, locks and prepares the test files, in three steps: everything is checked for all files before anything that exists is
// deleted, and all of that is deleted before files are filled. Nothing that is not ours is ever written to: an existing file must begin
// with our signature page, and real database names and block devices are refused (all three unless overwrite_foreign_files says otherwise).
// What was created and not handed over is removed when the creator is destroyed.
//
// A block device is used as a file of fixed size, its first InitialSize MB: it is never deleted, cut, extended or sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "sim/files/file_claim.hpp"
#include "sim/files/file_examiner.hpp"
#include "sim/files/file_stamper.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/options.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

struct NumberedFile {
    std::uint32_t id = 0;
    FileOptions file;
};

// Numbers them in order, from `first_id` on.
[[nodiscard]] std::vector<NumberedFile> numbered(const std::vector<FileOptions>& files, std::uint32_t first_id = 1);

// All steps throw RefusedError or EnvironmentError with a message for a person. They run as tasks: zero-stamping takes a while.
class FileCreator {
public:
    // `run`: when it stops, stamping is cut short, and the file is then incomplete; a write that does not come back ends the run. Without
    // it, nothing watches the time.
    FileCreator(const Options& options, ums::Storage& storage, Journal& journal, std::uint64_t run_id, RunState* run = nullptr)
        : options_(options),
          storage_(storage),
          journal_(journal),
          run_id_(run_id),
          run_(run),
          examiner_(options, storage, options.job == Job::run ? 0 : run_id) {}
    FileCreator(const FileCreator&) = delete;
    FileCreator& operator=(const FileCreator&) = delete;
    // Closes what it has not handed over; see FileClaim.
    ~FileCreator();

    // Step 1, once: checks all files, locks those that exist, and creates those that do not, empty except for the signature page. Changes
    // nothing that existed.
    ums::Task<void> claim(const std::vector<NumberedFile>& files);
    // Sizes and names as the run will use them.
    [[nodiscard]] std::vector<FileOptions> files() const;

    // Step 2, when everything else that a run needs is there: files of an earlier run are deleted and recreated, if DeleteFilesAtStartup
    // says so.
    ums::Task<void> replace_old_files();

    // Step 3, for each file: leaves it with its signature page, at its size, locked, and open for transfers.
    ums::Task<SimFile::Setup> prepare(std::size_t index);

    // Takes a file of an earlier run as it is: locked, open for transfers, nothing written. `header` is set to that of its first page,
    // which says to which run its pages belong. Only our own files, whatever overwrite_foreign_files says.
    SimFile::Setup adopt(const FileOptions& file, PageHeader& header);

private:
    void check_open_files() const;
    ums::Task<void> make(FileClaim& claim);
    ums::Task<void> sign(FileClaim& claim);
    ums::Task<void> fill(FileClaim& claim);
    ums::Task<void> set_size(const FileClaim& claim);
    void remove(FileClaim& claim) const;
    [[nodiscard]] std::error_code make_durable(const FileClaim& claim) const;
    [[nodiscard]] std::error_code truncate(const FileClaim& claim, std::uint64_t size_bytes) const;
    [[nodiscard]] std::error_code allocate(const FileClaim& claim) const;
    ums::Task<void> stamp(const FileClaim& claim, std::uint64_t begin_bytes, std::uint64_t end_bytes);
    ums::Task<void> watched(const FileClaim& claim, ums::Task<void>& work);
    ums::Task<void> watch(const FileClaim& claim, ums::Event& done);
    [[nodiscard]] SimFile::Setup hand_over(FileClaim& claim, std::uint32_t id);
    [[noreturn]] void rethrow_classified(std::uint32_t id, const FileOptions& file, const std::exception_ptr& failure) const;
    [[nodiscard]] FileStamper stamper_of(const FileClaim& claim) const;
    [[nodiscard]] bool is_stopping() const { return run_ != nullptr && run_->is_stopping(); }

    const Options& options_;
    ums::Storage& storage_;
    Journal& journal_;
    const std::uint64_t run_id_;
    RunState* const run_;
    FileExaminer examiner_;
    std::vector<std::unique_ptr<FileClaim>> claims_;
};

}  // namespace sim
