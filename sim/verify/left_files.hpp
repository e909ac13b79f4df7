// Opens the files that a run left, without changing them, and determines to which run they belong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/finding.hpp"
#include "sim/options.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/promises/promises.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// A file of the configuration, as it was found.
struct LeftFile {
    // torn: its header is that of the run, and the rest is from several writes, because page 0 of a data file is written like any other;
    // or it is page 0 of another file.
    enum class Signature : std::uint8_t { ours, missing_file, zeros, other_run, torn, damaged };

    FileOptions options;
    std::uint32_t id = 0;
    Signature signature = Signature::ours;
    std::unique_ptr<SimFile> file;  // null: there is none
    // Only a later read of the first page returned a signature page: for the caller to report.
    std::optional<Finding> late_signature;
    // torn, of a log: only a few bytes of the signature are wrong. Without path and number of the file.
    std::optional<Finding> damaged_signature;

    [[nodiscard]] bool is_as_made() const { return signature == Signature::ours; }
};

// The same before it has a SimFile.
struct FoundFile {
    LeftFile left;
    SimFile::Setup setup;                           // unless the file is missing
    std::uint32_t place = 0;                        // in the configuration, from 1
    PageHeader header{};                            // of its first page
    bool is_signed = false;                         // that page is a signature page
    std::map<std::uint16_t, std::uint32_t> runs{};  // of a first page of several signatures: run tag and time of each
    ums::MemoryRegion first{};                      // its first page, as it came first
};

struct FoundFiles {
    std::uint64_t run_id = 0;       // 0: none of the files says to which run it belongs
    std::uint64_t made_utc_us = 0;  // when the newest first page of that run was written
    // The signature of a log is partly from the run that created the data files and partly from another one, which was about to replace all
    // of them.
    bool is_being_replaced = false;
    std::size_t named = 0;         // in the configuration, with replicas
    std::vector<FoundFile> files;  // without replicas, whose changes are not logged
    // Those of find_left_files(), to read first pages again.
    ums::Storage* storage = nullptr;
    Journal* journal = nullptr;
};

// Someone outside of the storage knows that the files belong to this run (0: nobody does). First pages of an earlier run that agree with
// each other may be old all the same: they are read again, and if a later read returns one of this run, the files become those of this run.
// Throws as become_run().
void expect_run(FoundFiles& found, std::uint64_t run_id);

// A first page of the run that is older than was promised is read again: if it was only what came first, no later read shows that. After
// become_run().
void expect_versions(FoundFiles& found, const Promises& promises);

// A ledger outside the storage knows that the files belong to this run. Throws RefusedError if some of its files are not named.
void become_run(FoundFiles& found, std::uint64_t run_id);

// Throws NoFilesError if nothing shows to which run these files belong.
void refuse_unknown_run(const FoundFiles& found, Job job);

enum class LeftFileUse : std::uint8_t { read, write };

// Throws EnvironmentError if they cannot be opened or are in use, RefusedError if they have another format.
[[nodiscard]] FoundFiles find_left_files(const Options& options, ums::Storage& storage, LeftFileUse use, Journal& journal);

// For a run that does not take them.
void close_found(const FoundFiles& found, ums::Storage& storage, Journal& journal);

struct LeftFiles {
    std::uint64_t run_id = 0;
    bool is_being_replaced = false;  // see FoundFiles
    std::vector<LeftFile> files;     // without replicas, whose changes are not logged
};

[[nodiscard]] LeftFiles open_left_files(FoundFiles found, const FileContext& context);

// For messages: what is wrong with the file's first page.
[[nodiscard]] std::string signature_text(const LeftFile& left);

}  // namespace sim
