// Checks everything that can be known about a test file before the first change: its name, what is under that name, whose it is, and
// whether it can be locked, replaced, and made as large as required. Changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "sim/files/file_claim.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/finding.hpp"
#include "sim/options.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// Whether files are opened past the system's cache: NoBuffering asks for it, and scatter reads and gather writes require it.
[[nodiscard]] constexpr bool is_unbuffered(const Options& options) { return options.no_buffering || options.use_scatter_gather; }

// Throws RefusedError if a file's first page has a format that this version does not know.
void refuse_newer_format(const std::string& path, const PageHeader& header);

class FileExaminer {
public:
    // Both references must outlive the examiner and its claims. `run_id`: of a run that continues, whose replicas are replaced however a
    // crash left them; otherwise 0.
    FileExaminer(const Options& options, ums::Storage& storage, std::uint64_t run_id = 0)
        : options_(options), storage_(storage), resumed_run_id_(run_id) {}

    // Opens and locks an existing file that may be used; a missing one is still to be created. Throws RefusedError or EnvironmentError with
    // a message for a person. Each file once: two names of one file are reported.
    [[nodiscard]] std::unique_ptr<FileClaim> examine(std::uint32_t id, const FileOptions& file);
    // A file that an earlier run made, to be taken as it is. Only our own files, whatever overwrite_foreign_files says. `header` is set to
    // that of its first page.
    [[nodiscard]] std::unique_ptr<FileClaim> examine_own(const FileOptions& file, PageHeader& header);

    // A file as a crash left it, whatever it holds: open and locked; or missing.
    [[nodiscard]] std::unique_ptr<FileClaim> examine_left(std::uint32_t id, const FileOptions& file, bool is_read_only);
    // A file on which a run on another host works: only to be read, and not locked.
    [[nodiscard]] std::unique_ptr<FileClaim> examine_shared(std::uint32_t id, const FileOptions& file);

    // Opens and locks what is under the name of the claim, or a new file.
    void open(FileClaim& claim, ums::OpenOptions how) const;
    void check_size(const FileClaim& claim) const;
    // Hands the file over for transfers, opened a second time for that; `id` is its id.
    [[nodiscard]] SimFile::Setup hand_over(FileClaim& claim, std::uint32_t id, bool is_read_only = false) const;
    [[nodiscard]] std::uint64_t present_bytes(const FileClaim& claim) const;

private:
    struct Known {
        std::string path;
        ums::FileStatus status;
    };

    [[nodiscard]] std::unique_ptr<FileClaim> inspect(std::uint32_t id, const FileOptions& file);
    void refuse_kind(const FileClaim& claim) const;
    void refuse_duplicate(const FileClaim& claim);
    void open_unlocked(FileClaim& claim, ums::OpenOptions how) const;
    void fit_size(FileClaim& claim) const;
    // Returns an empty header for a file that a measurement wrote (measure_mark.hpp): it is ours, but has no pages.
    [[nodiscard]] PageHeader check_signature(const FileClaim& claim) const;
    [[nodiscard]] bool may_be_left_replica(const std::byte* page, std::size_t size_bytes) const;
    void plan(FileClaim& claim) const;
    void plan_device(FileClaim& claim) const;

    const Options& options_;
    ums::Storage& storage_;
    const std::uint64_t resumed_run_id_;
    std::vector<Known> known_;
};

// A refusal by the system, from which the caller may draw conclusions.
class RefusedCall final : public EnvironmentError {
public:
    RefusedCall(const std::string& text, FileRequest what, std::error_code why) : EnvironmentError(text), request(what), error(why) {}
    FileRequest request;
    std::error_code error;
};

// Throws a RefusedCall with a message for a person: what could not be done with the file, and why. `request`: FileRequest::none if it has
// been reported.
[[noreturn]] void fail_start(const std::string& path, std::string_view what, std::error_code error,
                             FileRequest request = FileRequest::open);

// Throws an EnvironmentError: the file system does not do what O_DIRECT asks for. `what` it refuses: "access", "writes".
[[noreturn]] void fail_unbuffered(const std::string& path, std::string_view what);

// Throws an EnvironmentError if a device could not be opened with `how` because it takes no writes.
void refuse_read_only_device(const std::string& path, const ums::OpenOptions& how, std::error_code error);

}  // namespace sim
