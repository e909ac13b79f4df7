#include "sim/verify/left_files.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/files/file_examiner.hpp"
#include "sim/files/file_names.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/damaged_signature.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

// Of a first page that is not what a run makes, which a cut may have left so.
constexpr std::uint32_t kSignatureRereads = 3;

// The first page of a file, as it came.
struct FirstPage {
    ums::MemoryRegion bytes{kPageBytes, ums::MemoryKind::plain};
    std::size_t read_bytes = 0;
    PageHeader header{};
    bool is_signature = false;  // whole, and of any format

    [[nodiscard]] bool is_whole() const { return read_bytes == kPageBytes; }
};

std::error_code read_first_page(ums::Storage& storage, ums::FileHandle file, FirstPage& page) {
    if (const std::error_code error = storage.read(file, 0, page.bytes.data(), kPageBytes, page.read_bytes)) return error;
    page.header = read_header(page.bytes.data());
    page.is_signature = page.is_whole() && has_signature(page.bytes.data()) && is_sound_page(page.bytes.data());
    return {};
}

void note_late_signature(FoundFile& file, const std::byte* page, std::uint32_t reread) {
    Finding late = name_late_signature(file.first.data(), page);
    late.place.is_log = file.left.options.is_log;
    late.place.file_id = file.left.id;
    late.place.path = file.left.options.path;
    late.place.size_bytes = kPageBytes;
    late.reads = 1 + reread;
    file.left.late_signature = std::move(late);
}

// Takes the first that is better than what came before. False if none is.
template <typename IsBetter>
bool read_again(FoundFile& file, ums::Storage& storage, Journal& journal, IsBetter is_better) {
    const WatchedCall call(journal, "rereading of the first page", file.left.options.path);
    for (std::uint32_t reread = 1; reread <= kSignatureRereads; ++reread) {
        FirstPage page;
        storage.drop_cache(file.setup.control);
        if (read_first_page(storage, file.setup.control, page) || !page.is_signature) continue;
        if (page.header.format != kPageFormat || !is_better(page.header)) continue;
        file.header = page.header;
        if (!file.left.late_signature) note_late_signature(file, page.bytes.data(), reread);
        return true;
    }
    return false;
}

bool is_same_file(const PageHeader& a, const PageHeader& b) { return a.run_id == b.run_id && a.file_id == b.file_id; }

class Opener {
public:
    Opener(const Options& options, ums::Storage& storage, LeftFileUse use, Journal& journal)
        : options_(use == LeftFileUse::read ? readable(options) : options),
          storage_(storage),
          use_(use),
          journal_(journal),
          examiner_(options_, storage) {}

    // A device that does not let its files be opened has lost them, as far as anybody can see: a finding, even before the first page.
    FoundFile open(const FileOptions& file, std::uint32_t id) {
        try {
            return open_named(file, id);
        } catch (const RefusedCall& refused) {
            if (is_device_error(refused.error)) {
                journal_.report(failed_request(id, file, FileRequest::open, refused.error));
            }
            throw;
        }
    }

    // What came may be old, or another file's, if the sound first pages contradict each other.
    void settle(std::vector<FoundFile>& all) {
        if (!contradict(all)) return;
        for (FoundFile& found : all) {
            if (!found.is_signed) continue;
            read_again(found, storage_, journal_, [&](const PageHeader& later) { return is_better(later, found, all); });
        }
    }

private:
    FoundFile open_named(const FileOptions& file, std::uint32_t id) {
        FoundFile found;
        found.left.options = file;
        found.left.id = found.place = id;
        const bool is_read_only = use_ == LeftFileUse::read;
        const WatchedCall call(journal_, "opening", file.path);
        const std::unique_ptr<FileClaim> claim = examiner_.examine_left(id, file, is_read_only);
        found.left.options = claim->file;
        if (claim->is_missing()) {
            found.left.signature = LeftFile::Signature::missing_file;
            return found;
        }
        read_signature(*claim, found);
        found.setup = examiner_.hand_over(*claim, id, is_read_only);
        return found;
    }

    static bool contradict(const std::vector<FoundFile>& all) {
        for (auto a = all.begin(); a != all.end(); ++a) {
            const bool has_other = std::any_of(a + 1, all.end(), [&a](const FoundFile& b) {
                return b.is_signed && (b.header.run_id != a->header.run_id || is_same_file(a->header, b.header));
            });
            if (a->is_signed && has_other) return true;
        }
        return false;
    }

    // A run follows on the one before; and no file has the number of another one.
    static bool is_better(const PageHeader& later, const FoundFile& found, const std::vector<FoundFile>& all) {
        if (later.run_id != found.header.run_id) return later.write_utc_us > found.header.write_utc_us;
        const auto is_of_another = [&](const PageHeader& header) {
            return std::any_of(all.begin(), all.end(), [&](const FoundFile& each) {
                return &each != &found && each.is_signed && is_same_file(each.header, header);
            });
        };
        return is_of_another(found.header) && !is_of_another(later);
    }

    // Nothing is written, so nothing can be destroyed.
    static Options readable(Options options) {
        options.overwrite_foreign_files = true;
        return options;
    }

    void read_signature(const FileClaim& claim, FoundFile& found) {
        FirstPage first = take_first_page(claim, found);
        found.first = std::move(first.bytes);
        for (std::uint32_t reread = 1; reread <= kSignatureRereads && first.is_whole() && !found.is_signed; ++reread) {
            storage_.drop_cache(claim.control);
            const FirstPage page = take_first_page(claim, found);
            if (found.is_signed) note_late_signature(found, page.bytes.data(), reread);
        }
    }

    // Says what it is, in `found`.
    FirstPage take_first_page(const FileClaim& claim, FoundFile& found) {
        FirstPage page;
        if (const auto error = read_first_page(storage_, claim.control, page)) {
            fail_start(claim.file.path, "its first page cannot be read", error);
        }
        found.header = page.header;
        found.is_signed = page.is_signature;
        if (found.is_signed && found.header.format != kPageFormat) {
            throw RefusedError(fmt::format(
                "{}: refused: its pages are of format {}, but this version of ioproof reads format {}. Use the version that made them.",
                claim.file.path, found.header.format, kPageFormat));
        }
        found.runs.clear();
        if (page.is_whole() && !found.is_signed) found.runs = runs_of(page.bytes.data());
        const bool is_empty = is_all_zero(page.bytes.data(), page.read_bytes / 8 * 8);
        found.left.signature = is_empty ? LeftFile::Signature::zeros : LeftFile::Signature::damaged;
        return page;
    }

    // Returns nothing unless the page consists of sectors of complete signatures.
    static std::map<std::uint16_t, std::uint32_t> runs_of(const std::byte* page) {
        std::map<std::uint16_t, std::uint32_t> runs;
        for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
            const SectorStamp stamp = read_stamp(page, sector);
            const bool is_signature = stamp.page_id == 0 && stamp.version == 1 && (stamp.file_and_sector & 0xf) == sector;
            const auto [run, is_new] = runs.try_emplace(stamp.run_tag, stamp.write_time_low);
            if (!is_signature || run->second != stamp.write_time_low) return {};
        }
        return runs;
    }

    const Options options_;
    ums::Storage& storage_;
    const LeftFileUse use_;
    Journal& journal_;
    FileExaminer examiner_;
};

// Whose log it is says what the others must be, and a run that replaces the files of another one begins with the logs: the newest of them.
// Without a log, most of the files.
std::uint64_t run_of(const std::vector<FoundFile>& all) {
    const PageHeader* newest = nullptr;
    std::map<std::uint64_t, std::size_t> votes;
    for (const FoundFile& found : all) {
        if (!found.is_signed) continue;
        ++votes[found.header.run_id];
        const bool is_newer = newest == nullptr || found.header.write_utc_us > newest->write_utc_us;
        if (found.left.options.is_log && is_newer) newest = &found.header;
    }
    if (newest != nullptr) return newest->run_id;
    const auto most = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == votes.end() ? 0 : most->first;
}

// Nothing but the log has been touched yet: its first page is of two signatures, written at two times, one by the run of the data files.
bool are_being_replaced(const std::vector<FoundFile>& all) {
    std::set<std::uint16_t> data_runs;
    for (const FoundFile& found : all) {
        if (!found.left.options.is_log && found.is_signed) data_runs.insert(static_cast<std::uint16_t>(found.header.run_id));
    }
    return data_runs.size() == 1 && std::any_of(all.begin(), all.end(), [&](const FoundFile& found) {
               const auto& runs = found.runs;
               return found.left.options.is_log && runs.size() == 2 && runs.contains(*data_runs.begin()) &&
                      runs.begin()->second != std::next(runs.begin())->second;
           });
}

// No two files of a run have the same number: of several, the one at that place of the configuration is believed or, if none is, the first.
// The others begin with the page of another file.
bool is_misplaced(const FoundFile& file, const FoundFiles& found) {
    if (!file.is_signed || file.header.run_id != found.run_id) return false;
    const auto is_same = [&](const FoundFile& each) {
        return each.is_signed && each.header.run_id == found.run_id && each.header.file_id == file.header.file_id;
    };
    const auto is_at_its_place = [&](const FoundFile& each) { return is_same(each) && each.place == each.header.file_id; };
    auto believed = std::find_if(found.files.begin(), found.files.end(), is_at_its_place);
    if (believed == found.files.end()) believed = std::find_if(found.files.begin(), found.files.end(), is_same);
    return &*believed != &file;
}

// What the first page is to the run.
void find_signature(FoundFile& file, const FoundFiles& found) {
    using Signature = LeftFile::Signature;
    LeftFile& left = file.left;
    if (left.signature == Signature::missing_file || left.signature == Signature::zeros) return;
    const bool is_of_other_file = is_misplaced(file, found);
    const bool bears_run = file.header.magic == kPageMagic && file.header.run_id == found.run_id;
    if (file.is_signed && !is_of_other_file) {
        left.signature = file.header.run_id == found.run_id ? Signature::ours : Signature::other_run;
    } else {
        const bool is_of_other_log = is_of_other_file && left.options.is_log;
        left.signature = bears_run && !is_of_other_log ? Signature::torn : Signature::damaged;
        const bool is_torn_log = left.signature == Signature::torn && left.options.is_log;
        left.damaged_signature = is_torn_log ? name_damaged_signature(file.first.data(), 1 + kSignatureRereads) : std::nullopt;
    }
}

void refuse_unnamed_file(const FoundFile& file, std::size_t named) {
    if (file.header.file_id <= named) return;
    throw RefusedError(
        fmt::format("{}: it is file {} of its run, but only {} named. Name all files as the run did, by the same -cfg or -dir.",
                    file.left.options.path, file.header.file_id, named == 1 ? "one file is" : fmt::format("{} files are", named)));
}

// A file whose first page does not say its number has that of its place in the configuration. If another file has that number, the user
// named them in another order than the run did, and it has one that is left over.
void number_the_rest(std::vector<FoundFile>& files) {
    std::set<std::uint32_t> taken;
    for (const FoundFile& file : files) {
        if (file.left.is_as_made()) taken.insert(file.left.id);
    }
    std::vector<FoundFile*> rest;
    for (FoundFile& file : files) {
        if (!file.left.is_as_made() && !taken.insert(file.left.id).second) rest.push_back(&file);
    }
    std::uint32_t free = 1;
    for (FoundFile* const file : rest) {
        while (!taken.insert(free).second) ++free;
        file->left.id = file->setup.id = free;
    }
}

// Which of the files are of this run, and which numbers they have in it.
void belong_to(FoundFiles& found, std::uint64_t run_id) {
    found.run_id = run_id;
    found.made_utc_us = 0;
    for (FoundFile& file : found.files) {
        find_signature(file, found);
        file.left.id = file.place;
        if (file.left.is_as_made()) {
            refuse_unnamed_file(file, found.named);
            found.made_utc_us = std::max(found.made_utc_us, file.header.write_utc_us);
            file.left.id = file.header.file_id;
        }
        file.setup.id = file.left.id;
    }
    number_the_rest(found.files);
    for (FoundFile& file : found.files) {
        if (file.left.late_signature) file.left.late_signature->place.file_id = file.left.id;
    }
}

}  // namespace

FoundFiles find_left_files(const Options& options, ums::Storage& storage, LeftFileUse use, Journal& journal) {
    Opener opener(options, storage, use, journal);
    FoundFiles found;
    found.storage = &storage;
    found.journal = &journal;
    std::uint32_t place = 0;
    for (const FileOptions& file : options.files) {
        ++place;
        if (!is_transient(file, options.files)) found.files.push_back(opener.open(file, place));
    }
    opener.settle(found.files);
    found.named = options.files.size();
    found.is_being_replaced = are_being_replaced(found.files);
    belong_to(found, run_of(found.files));
    return found;
}

void expect_run(FoundFiles& found, std::uint64_t run_id) {
    if (run_id == 0 || found.run_id == run_id) return;
    bool is_of_run = false;
    for (FoundFile& file : found.files) {
        if (!file.is_signed || file.header.run_id == run_id) continue;
        const bool has_come = read_again(file, *found.storage, *found.journal, [&](const PageHeader& later) {
            return later.run_id == run_id && later.write_utc_us > file.header.write_utc_us;
        });
        if (has_come) is_of_run = true;
    }
    if (is_of_run) become_run(found, run_id);
}

void expect_versions(FoundFiles& found, const Promises& promises) {
    for (FoundFile& file : found.files) {
        const bool is_old = file.left.is_as_made() && file.header.version < promises.page(file.left.id, 0).version;
        if (!is_old) continue;
        read_again(file, *found.storage, *found.journal,
                   [&](const PageHeader& later) { return is_same_file(later, file.header) && later.version > file.header.version; });
    }
}

void become_run(FoundFiles& found, std::uint64_t run_id) {
    if (found.run_id == run_id) return;
    found.is_being_replaced = false;
    belong_to(found, run_id);
}

void refuse_unknown_run(const FoundFiles& found, Job job) {
    if (found.run_id != 0) return;
    throw NoFilesError(
        fmt::format("{}: nothing to {}: none of the files begins with ioproof's signature. Name the files as the run did, by the same "
                    "-cfg or -dir.",
                    found.files.empty() ? std::string("no file") : found.files.front().left.options.path,
                    job == Job::resume   ? "resume"
                    : job == Job::repair ? "repair"
                                         : "verify"));
}

void close_found(const FoundFiles& found, ums::Storage& storage, Journal& journal) {
    for (const FoundFile& file : found.files) {
        const WatchedCall call(journal, "closing", file.left.options.path);
        if (file.setup.transfers.is_open()) storage.close(file.setup.transfers);
        if (file.setup.control.is_open()) storage.close(file.setup.control);
    }
}

LeftFiles open_left_files(FoundFiles found, const FileContext& context) {
    LeftFiles left_files;
    left_files.run_id = found.run_id;
    left_files.is_being_replaced = found.is_being_replaced;
    for (FoundFile& each : found.files) {
        if (each.left.signature != LeftFile::Signature::missing_file) {
            each.left.file = std::make_unique<SimFile>(std::move(each.setup), context);
        }
        left_files.files.push_back(std::move(each.left));
    }
    return left_files;
}

std::string signature_text(const LeftFile& left) {
    switch (left.signature) {
        case LeftFile::Signature::ours: return "is as the run made it";
        case LeftFile::Signature::missing_file: return "is not there";
        case LeftFile::Signature::zeros: return "has zeros, or nothing, where its signature page must be";
        case LeftFile::Signature::other_run: return "is of another run";
        case LeftFile::Signature::torn:
            return left.damaged_signature ? "begins with a damaged signature page" : "begins with a torn signature page";
        case LeftFile::Signature::damaged: return "begins with something other than the signature page";
    }
    UMS_ASSERT(false && "unknown signature");
}

}  // namespace sim
