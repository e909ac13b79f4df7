#include "sim/rehearsal/crash_explanation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "sim/rehearsal/left_log.hpp"
#include "sim/rehearsal/left_page.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

class CrashExplainer {
public:
    CrashExplainer(const CrashPlan& plan, const CrashState& state, Knowledge knowledge)
        : options_(plan.options), power_(state.power), book_(state.book), log_(plan.options, state.power, state.book) {
        is_resumed_ = plan.start != nullptr;
        if (knowledge == Knowledge::files || !state.promises || state.promises->are_void()) return;
        // The ledger knows nothing about a log that went on without it.
        if (log_.incarnation() <= state.promises->section().incarnation) ledger_ = &*state.promises;
    }

    CrashExplanation explain() {
        is_any_signed_ = is_any_file_signed(options_, power_);
        const std::uint64_t promised = ledger_ == nullptr ? 0 : ledger_->hardened_sequence();
        is_log_lost_ = log_.lost_sequence(std::max(log_.hardened_sequence(), promised)).has_value();
        look_at_exceptions();
        if (ledger_ != nullptr) look_at_ledgers_files();
        if (is_any_signed_ || ledger_ != nullptr) {
            look_at_log();
            look_at_pages();
        }
        if (is_any_signed_) look_at_files();
        if (!explanation_.is_provable()) {
            for (const ums::LostWrite& lost : power_.lost) ++explanation_.unproven.at(static_cast<std::size_t>(reason_of(lost)));
        }
        return std::move(explanation_);
    }

private:
    using PagePlace = WriteBook::PagePlace;

    void prove(CrashRule rule, const std::string& path, std::uint64_t offset_bytes, std::uint64_t size_bytes, std::string text) {
        explanation_.proofs.push_back({rule, path, offset_bytes, size_bytes, std::move(text)});
    }

    [[nodiscard]] const ums::SimulatedFile* file_of(std::uint32_t file_id) const {
        const auto found = power_.files.find(options_.files.at(file_id - 1).path);
        return found == power_.files.end() ? nullptr : found->second.get();
    }
    // Nothing for a file of tempdb or of a backup, which the run adds itself.
    [[nodiscard]] std::optional<std::uint32_t> id_of(const std::string& path) const {
        const auto found = std::find_if(options_.files.begin(), options_.files.end(), [&](const auto& file) { return file.path == path; });
        if (found == options_.files.end()) return std::nullopt;
        return static_cast<std::uint32_t>(found - options_.files.begin()) + 1;
    }
    [[nodiscard]] bool is_replica(std::uint32_t file_id) const { return is_transient(options_.files.at(file_id - 1), options_.files); }

    // --- what the files prove ---

    // A checkpoint may except only pages of which a write failed. A run that continues knows less about some others, too.
    void look_at_exceptions() {
        if (log_.incarnation() != 1) return;
        constexpr std::size_t kListedMax = 256;
        const std::set<PagePlace>& failed = book_.failed_pages();
        const std::set<PagePlace>& unknown = log_.unknown_pages();
        const bool are_all_true = std::includes(failed.begin(), failed.end(), unknown.begin(), unknown.end());
        const bool are_too_many = log_.are_all_unknown() && failed.size() <= kListedMax;
        if (!are_all_true || are_too_many) explanation_.problem = "a checkpoint excepts pages of which no write had failed";
    }

    // By the blocks that are there, or by the ledger.
    void look_at_log() {
        const std::uint64_t hardened = is_any_signed_ ? log_.hardened_sequence() : 0;
        const std::uint64_t promised = ledger_ == nullptr ? 0 : ledger_->hardened_sequence();
        for (const std::uint64_t lost : log_.missing_up_to(std::max(hardened, promised))) {
            const WriteBook::Block& block = book_.blocks().at(lost);
            const CrashRule rule = lost < log_.needed_sequence() ? CrashRule::log_kept : CrashRule::log_row;
            prove(rule, options_.files.at(block.file_id - 1).path, block.offset_bytes, block.size_bytes,
                  fmt::format("block {} of the log is gone, but all up to {} had been acknowledged", lost, std::max(hardened, promised)));
            explanation_.proofs.back().sequence = lost;
            // Promises, and dead blocks of a run that went on, may make another checkpoint the last one, which needs less of the log.
            explanation_.proofs.back().is_found_by_any = ledger_ != nullptr || is_resumed_;
            explanation_.proofs.back().is_excused = !log_.has_file() || (rule == CrashRule::log_kept && !log_.shows_kept(lost));
        }
    }

    // All files are created before the first log block is written.
    void look_at_files() {
        if (log_.is_empty()) return;
        for (std::uint32_t id = 1; id <= options_.files.size(); ++id) {
            const FileOptions& options = options_.files[id - 1];
            if (is_replica(id)) continue;
            const ums::SimulatedFile* const file = file_of(id);
            if (file == nullptr) {
                prove(CrashRule::file_there, options.path, 0, 0, fmt::format("{} is gone, but the log has blocks", options.path));
            } else if (options.is_log) {
                look_at_log_file(*file, id, options.path);
            } else {
                look_at_size(*file, options.path, std::max<std::uint64_t>(promised_pages(id), 1));
            }
        }
    }

    void look_at_log_file(const ums::SimulatedFile& file, std::uint32_t id, const std::string& path) {
        if (!has_run_signature(file)) {
            prove(CrashRule::file_signed, path, 0, kPageBytes, fmt::format("{} has no signature, but the log has blocks", path));
        }
        const std::uint64_t least_bytes = log_.vlf_end_bytes(id);
        if (file.size_bytes() >= least_bytes) return;
        prove(CrashRule::file_size, path, file.size_bytes(), least_bytes - file.size_bytes(),
              fmt::format("{} has {} bytes, but its blocks say {}", path, file.size_bytes(), least_bytes));
    }

    void look_at_size(const ums::SimulatedFile& file, const std::string& path, std::uint64_t pages) {
        const std::uint64_t size_bytes = file.size_bytes() / kPageBytes * kPageBytes;
        if (size_bytes >= pages * kPageBytes) return;
        prove(CrashRule::file_size, path, size_bytes, pages * kPageBytes - size_bytes,
              fmt::format("{} has {} pages, but it had {}", path, size_bytes / kPageBytes, pages));
    }

    // From the last file_resize in the row, or from the sums of the checkpoint.
    [[nodiscard]] std::uint64_t promised_pages(std::uint32_t file_id) const {
        const std::uint64_t initial = std::uint64_t{options_.files.at(file_id - 1).initial_size_mb} * ums::kMb / kPageBytes;
        std::uint64_t pages = log_.begin_lsn() == 0 ? 0 : initial;
        for (const WriteBook::Resize& resize : book_.resizes()) {
            if (resize.file_id == file_id && resize.lsn <= log_.end_lsn()) pages = resize.page_count;
        }
        return pages;
    }

    void look_at_pages() {
        for (const auto& [place, page] : book_.pages()) {
            const ums::SimulatedFile* const file = file_of(place.file_id);
            if (file == nullptr || (std::uint64_t{place.page_id} + 1) * kPageBytes > file->size_bytes()) continue;
            const LeftPage left = read_left_page(*file, place.page_id);
            if (ledger_ != nullptr && left.oldest < ledgers_version(place)) {
                prove_page(CrashRule::page_least, "is older than the ledger says", place, left, false);
                explanation_.proofs.back().is_by_ledger = true;
                name_versions(ledgers_version(place), page);
            } else if (is_any_signed_ && is_too_old(place, page, left)) {
                const bool is_by_sums = !is_in_log(page);
                prove_page(CrashRule::page_least, "is older than the last complete checkpoint", place, left, is_by_sums);
                // A first page without its signature is wrong by itself: a verification need not know more than that it was made.
                name_versions(is_by_sums && place.page_id == 0 ? 1 : least_version(place, page), page);
            }
            // If no file has the signature of the run, the ledger says whose files they are.
            if (is_ahead(*file, place, page, left)) {
                prove_page(CrashRule::page_in_log, "is ahead of the log", place, left, false);
                // A write that failed waited for the log like any other, but may have arrived in part. If the log does not mention the
                // page, its sectors alone do not say that they are too new.
                explanation_.proofs.back().is_excused = !left.is_whole && log_.is_unknown(place) && !is_in_log(page);
            }
        }
    }

    void prove_page(CrashRule rule, std::string_view what, const PagePlace& place, const LeftPage& left, bool is_by_sums) {
        const std::string& path = options_.files.at(place.file_id - 1).path;
        prove(rule, path, std::uint64_t{place.page_id} * kPageBytes, kPageBytes,
              fmt::format("page {} of {} {}", place.page_id, path, what));
        CrashProof& proof = explanation_.proofs.back();
        proof.is_torn = !left.is_whole && left.newest != 0;
        proof.is_by_sums = is_by_sums;
        const std::uint64_t region_bytes = std::uint64_t{log_.region_pages(place.file_id)} * kPageBytes;
        proof.region_begin_bytes = proof.offset_bytes / region_bytes * region_bytes;
        proof.region_end_bytes = proof.region_begin_bytes + region_bytes;
        proof.is_excused = is_by_sums && !proof.is_torn && is_region_void(place);  // no write of a torn one can have been in flight
    }

    void name_versions(std::uint32_t least, const WriteBook::Page& page) {
        explanation_.proofs.back().least_version = least;
        explanation_.proofs.back().newest_version = std::max(page.acknowledged.version, least);
    }

    // The row of the log has a change of the page.
    [[nodiscard]] bool is_in_log(const WriteBook::Page& page) const {
        return std::any_of(page.changes.begin(), page.changes.end(), [this](const WriteBook::Change& change) {
            return change.lsn >= log_.begin_lsn() && change.lsn <= log_.end_lsn();
        });
    }

    // The sums of the page's region are not compared: a write of a page in it had failed.
    [[nodiscard]] bool is_region_void(const PagePlace& place) const {
        const std::uint32_t region = log_.region_pages(place.file_id);
        return std::any_of(log_.unknown_pages().begin(), log_.unknown_pages().end(), [&](const PagePlace& unknown) {
            return unknown.file_id == place.file_id && unknown.page_id / region == place.page_id / region;
        });
    }

    [[nodiscard]] bool is_too_old(const PagePlace& place, const WriteBook::Page& page, const LeftPage& left) const {
        return left.oldest < least_version(place, page) && !is_released(place, page);
    }

    [[nodiscard]] bool is_ahead(const ums::SimulatedFile& file, const PagePlace& place, const WriteBook::Page& page,
                                const LeftPage& left) const {
        if (left.is_whole) return left.lsn > log_.end_lsn();
        // A file that may not have been created may hold anything; so may a page that was cut off.
        if (log_.is_empty() && !has_run_signature(file) && !is_made_by_ledger(place.file_id)) return false;
        if (is_cut_off(place.file_id, place.page_id)) return false;
        const auto change = std::find_if(page.changes.rbegin(), page.changes.rend(),
                                         [&](const WriteBook::Change& each) { return each.version == left.newest; });
        if (change == page.changes.rend()) return false;
        // A torn page shows only its version, which the log knows from the first of two records on.
        return (change->is_rest ? std::next(change) : change)->lsn > log_.end_lsn();
    }

    [[nodiscard]] bool is_made_by_ledger(std::uint32_t file_id) const {
        if (ledger_ == nullptr) return false;
        const std::vector<PromisedFile>& files = ledger_->section().files;
        return std::any_of(files.begin(), files.end(), [&](const PromisedFile& file) { return file.id == file_id; });
    }

    // The version of the page when the last complete checkpoint began.
    [[nodiscard]] std::uint32_t least_version(const PagePlace& place, const WriteBook::Page& page) const {
        std::uint32_t version = place.page_id == 0 && !log_.is_empty() ? 1 : 0;  // the signature
        std::uint64_t lsn = 0;
        for (const WriteBook::Change& change : page.changes) {
            if (change.lsn >= log_.begin_lsn()) {
                // The checkpoint does not count a change whose second record is behind its beginning.
                if (change.is_rest && change.version == version) --version;
                break;
            }
            version = change.version;
            lsn = change.lsn;
        }
        const bool is_cut_off_since = std::any_of(book_.resizes().begin(), book_.resizes().end(), [&](const WriteBook::Resize& resize) {
            return resize.file_id == place.file_id && resize.page_count <= place.page_id && resize.lsn > lsn &&
                   resize.lsn < log_.begin_lsn();
        });
        return is_cut_off_since ? 0 : version;
    }

    // After the checkpoint began, the file was cut before the end of these pages.
    [[nodiscard]] bool is_cut_off(std::uint32_t file_id, std::uint32_t last_page) const {
        return std::any_of(book_.resizes().begin(), book_.resizes().end(), [&](const WriteBook::Resize& resize) {
            return resize.file_id == file_id && resize.page_count <= last_page && resize.lsn >= log_.begin_lsn() &&
                   resize.lsn <= log_.end_lsn();
        });
    }

    // Nothing is promised about the page, or only sums could tell, and those of its region are void because of a cut.
    [[nodiscard]] bool is_released(const PagePlace& place, const WriteBook::Page& page) const {
        if (log_.is_unknown(place) || is_cut_off(place.file_id, place.page_id)) return true;
        const std::uint32_t region = log_.region_pages(place.file_id);
        return !is_in_log(page) && is_cut_off(place.file_id, place.page_id / region * region + region - 1);
    }

    // --- what the ledger proves ---

    void look_at_ledgers_files() {
        for (const PromisedFile& promised : ledger_->section().files) {
            const ums::SimulatedFile* const file = file_of(promised.id);
            if (file == nullptr || file->size_bytes() < kPageBytes || (promised.is_log && !has_run_signature(*file))) {
                prove(file == nullptr   ? CrashRule::file_there
                      : promised.is_log ? CrashRule::file_signed
                                        : CrashRule::file_size,
                      promised.path, 0, kPageBytes,
                      fmt::format("{} is not as it was made, but the ledger says that it had been", promised.path));
                continue;
            }
            const std::uint64_t least = std::min<std::uint64_t>(ledger_->page_count(promised.id), unheard_cut(promised.id));
            look_at_size(*file, promised.path, least);
        }
    }

    // The smallest page count to which the file was cut, by the log, since the last cut that the ledger knows of. Of a cut in a part of the
    // log that is lost, only its limit is known.
    [[nodiscard]] std::uint64_t unheard_cut(std::uint32_t file_id) const {
        const FileOptions& options = options_.files.at(file_id - 1);
        std::uint64_t before = std::uint64_t{options.initial_size_mb} * ums::kMb / kPageBytes;
        const bool may_be_hidden = is_log_lost_ && !options.is_log && options.shrinkable && options.increment_mb != 0;
        std::uint64_t least = may_be_hidden ? before : ~std::uint64_t{0};
        for (const WriteBook::Resize& resize : book_.resizes()) {
            if (resize.file_id != file_id || resize.lsn > log_.end_lsn()) continue;
            const bool is_cut = resize.page_count < before;
            before = resize.page_count;
            if (is_cut && resize.lsn > ledger_->cut_lsn(file_id)) least = std::min<std::uint64_t>(least, resize.page_count);
        }
        return least;
    }

    // The version that the ledger demands of the page, minus what the log takes back.
    [[nodiscard]] std::uint32_t ledgers_version(const PagePlace& place) const {
        const std::uint32_t signature = place.page_id == 0 ? 1 : 0;
        const std::uint32_t promised = ledger_->page(place.file_id, place.page_id).version;
        const bool is_void = place.page_id >= unheard_cut(place.file_id) || log_.takes_back(place, promised);
        return is_void ? signature : std::max(promised, signature);
    }

    // --- why a loss is not proven ---

    [[nodiscard]] MissReason reason_of(const ums::LostWrite& lost) const {
        const std::optional<std::uint32_t> of_options = id_of(lost.path);
        if (!of_options || is_replica(*of_options)) return MissReason::not_logged;
        const std::uint32_t file_id = *of_options;
        if (!is_any_signed_) return MissReason::no_signature;
        if (log_.is_empty()) return MissReason::nothing_logged;
        if (options_.files.at(file_id - 1).is_log) return reason_of_log(file_id, lost);
        if (lost.part == ums::LostPart::size) return reason_of_size(file_id, lost);
        return reason_of_pages(file_id, lost);
    }

    // Decided by the newest block that was at this place and is gone.
    [[nodiscard]] MissReason reason_of_log(std::uint32_t file_id, const ums::LostWrite& lost) const {
        std::uint64_t newest = 0;
        for (const auto& [sequence, block] : book_.blocks()) {
            const bool is_there = block.file_id == file_id && block.offset_bytes < lost.offset_bytes + lost.size_bytes &&
                                  lost.offset_bytes < block.offset_bytes + block.size_bytes;
            if (is_there && !log_.has(sequence)) newest = sequence;
        }
        // A growth that no block has used yet: the file is as long as the blocks say.
        const bool is_unused_growth = newest == 0 && lost.part == ums::LostPart::size;
        if (is_unused_growth) return MissReason::end_of_log;
        if (newest == 0) return MissReason::unexplained;
        if (newest > log_.end_sequence()) return MissReason::end_of_log;
        return newest < log_.needed_sequence() ? MissReason::before_checkpoint : MissReason::unexplained;
    }

    // The file is as long as the log says: what was lost is a growth that the log does not have yet, or a cut.
    [[nodiscard]] MissReason reason_of_size(std::uint32_t file_id, const ums::LostWrite& lost) const {
        const ums::SimulatedFile* const file = file_of(file_id);
        if (file == nullptr) return MissReason::unexplained;
        return file->size_bytes() == lost.offset_bytes ? MissReason::end_of_log : MissReason::released;
    }

    [[nodiscard]] MissReason reason_of_pages(std::uint32_t file_id, const ums::LostWrite& lost) const {
        MissReason first = MissReason::not_logged;
        const std::uint64_t last_page = (lost.offset_bytes + lost.size_bytes - 1) / kPageBytes;
        for (std::uint64_t page = lost.offset_bytes / kPageBytes; page <= last_page; ++page) {
            first = std::min(first, reason_of_page({file_id, static_cast<std::uint32_t>(page)}));
        }
        return first;
    }

    [[nodiscard]] MissReason reason_of_page(const PagePlace& place) const {
        const auto found = book_.pages().find(place);
        if (found == book_.pages().end()) return MissReason::unexplained;
        const WriteBook::Change acknowledged = found->second.acknowledged;
        if (acknowledged.version == 0) return MissReason::unexplained;
        if (acknowledged.lsn > log_.end_lsn()) return MissReason::end_of_log;
        if (acknowledged.lsn >= log_.begin_lsn()) return MissReason::since_checkpoint;
        const bool is_void = is_released(place, found->second) || (!is_in_log(found->second) && is_region_void(place));
        return is_void ? MissReason::released : MissReason::unexplained;
    }

    const Options& options_;
    const ums::PowerCut& power_;
    const WriteBook& book_;
    const LeftLog log_;
    bool is_resumed_ = false;
    const Promises* ledger_ = nullptr;  // if set, what it holds is evidence, too
    bool is_any_signed_ = false;
    bool is_log_lost_ = false;  // a part that recovery needs
    CrashExplanation explanation_;
};

}  // namespace

std::string_view name_of(MissReason reason) {
    static constexpr std::array<std::string_view, kMissReasonCount> kNames = {
        "unexplained", "no_signature", "nothing_logged", "end_of_log", "since_checkpoint", "released", "before_checkpoint", "not_logged"};
    return kNames.at(static_cast<std::size_t>(reason));
}

MissReason CrashExplanation::reason() const {
    const auto first = std::find_if(unproven.begin(), unproven.end(), [](std::uint32_t count) { return count > 0; });
    UMS_ASSERT(first != unproven.end());
    return static_cast<MissReason>(first - unproven.begin());
}

CrashExplanation explain_cut(const CrashPlan& plan, const CrashState& state, Knowledge knowledge) {
    return CrashExplainer(plan, state, knowledge).explain();
}

}  // namespace sim
