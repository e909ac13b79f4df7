#include "cli/witness/witness_shelf.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "sim/errors.hpp"
#include "ums/base/output_place.hpp"
#include "ums/base/whole_number.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".promises";

WitnessAnswer answer_of(WitnessStatus status, std::uint64_t number = 0, const std::error_code& error = {}) {
    return {kAnswerMagic, kWireVersion, static_cast<std::uint16_t>(status), static_cast<std::uint32_t>(error.value()), 0, number};
}

WitnessAnswer damaged_answer() { return answer_of(WitnessStatus::not_stored, 0, std::make_error_code(std::errc::io_error)); }

// The same host, and a file in common.
bool is_place_of(const sim::PromiseSection& place, const sim::PromiseSection& section) {
    const auto has_path_of = [&place](const sim::PromisedFile& file) {
        return std::any_of(place.files.begin(), place.files.end(),
                           [&file](const sim::PromisedFile& other) { return other.path == file.path; });
    };
    return place.host == section.host && std::any_of(section.files.begin(), section.files.end(), has_path_of);
}

// Nothing if the name is not one that a witness gives.
std::optional<std::uint64_t> run_of(const fs::path& path) {
    const std::string digits = path.stem().string();
    return digits.size() == 16 ? ums::whole_number<std::uint64_t>(digits, 16) : std::nullopt;
}

}  // namespace

WitnessShelf::WitnessShelf(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    fs::create_directory(folder_, error);
    if (!fs::is_directory(folder_)) {
        if (error && !fs::exists(folder_))
            throw sim::EnvironmentError(fmt::format("--store {}: {}", folder_.string(), ums::error_text(error)));
        throw UsageError(fmt::format("--store {}: is not a folder", folder_.string()));
    }
    const std::string lock_path = (folder_ / "lock").string();
    error = ums::create_output(lock_path, ums::OutputAccess::this_user, lock_);
    if (error == std::errc::file_exists) error = ums::open_existing_output(lock_path, lock_);
    if (error) throw sim::EnvironmentError(fmt::format("{}: {}", lock_path, ums::error_text(error)));
    if (!lock_.lock()) throw sim::EnvironmentError(fmt::format("--store {}: another witness keeps its promises there", folder_.string()));
    take_up();
    groups_.emplace(folder_, [this](std::uint64_t run_id) { return has_promises(run_id); });
}

fs::path WitnessShelf::path_of(std::uint64_t run_id) const { return folder_ / fmt::format("{:016x}{}", run_id, kExtension); }

// The files' times give the order of the sections, because each file was written to after its section began.
void WitnessShelf::take_up() {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        if (entry.path().extension() == kExtension) found.emplace_back(entry.last_write_time(), entry.path());
    }
    std::sort(found.begin(), found.end());
    for (const auto& [time, path] : found) {
        try {
            take_up(path);
        } catch (const sim::EnvironmentError& error) {
            note_damage(path, error.what());
        } catch (const sim::RefusedError& error) {
            note_damage(path, error.what());
        }
    }
}

void WitnessShelf::take_up(const fs::path& path) {
    const PromiseStore store(path, PromiseStore::Use::read);
    RunPlaces places;
    const sim::Promises promises = store.load(&places);
    if (promises.section().run_id == 0) {
        ums::remove_output(path.string());  // the witness ended before the first record was complete
        return;
    }
    KeptRun& run = runs_[promises.section().run_id];
    remember(run, promises.section());
    run.places = std::move(places);
    run.number = promises.last_number();
    run.size_bytes = store.size_bytes();
}

// The other runs are kept as before. What is left of the file may still say which files its run had.
void WitnessShelf::note_damage(const fs::path& path, const std::string& what) {
    damages_.push_back(what);
    const std::optional<std::uint64_t> run_id = run_of(path);
    if (!run_id) return;
    KeptRun& run = runs_[*run_id];
    if (const auto section = PromiseStore::section_of_damaged(path)) remember(run, *section);
    run.age = ++newest_age_;
    run.is_damaged = true;
}

void WitnessShelf::remember(KeptRun& run, const sim::PromiseSection& section) {
    run.age = ++newest_age_;
    run.incarnation = section.incarnation;
    run.section_id = section.section_id;
    run.utc_us = section.utc_us;
    run.number = 0;
    note_place(run.places, section);
}

WitnessAnswer WitnessShelf::keep(std::span<const std::byte> record, std::uint64_t client) {
    try {
        if (const auto section = sim::decode_section(record)) return begin(*section, record, client);
        if (const auto batch = sim::decode_batch(record)) return add(*batch, record, client);
    } catch (const StoreError& failed) {
        return answer_of(WitnessStatus::not_stored, 0, failed.error);
    } catch (const sim::EnvironmentError&) {
        return answer_of(WitnessStatus::not_stored, 0, std::make_error_code(std::errc::io_error));
    } catch (const sim::RefusedError&) {
        return answer_of(WitnessStatus::not_stored, 0, std::make_error_code(std::errc::io_error));
    }
    return answer_of(WitnessStatus::not_understood);
}

// A process that was fenced off may send its section late, when its successor has begun another one. A repair of files that went back in
// time has an earlier incarnation, too, but begins after the section that it replaces. A section that names the one before it needs no
// clocks for this, which may be those of two hosts.
bool WitnessShelf::is_outdated(const sim::PromiseSection& section, const KeptRun& run) {
    if (section.section_id == run.section_id || section.incarnation > run.incarnation) return false;
    if (section.incarnation > 0 && section.keeps_section != 0) return section.keeps_section != run.section_id;
    return section.utc_us < run.utc_us;
}

WitnessAnswer WitnessShelf::begin(const sim::PromiseSection& section, std::span<const std::byte> record, std::uint64_t client) {
    const auto known = runs_.find(section.run_id);
    if (known != runs_.end() && known->second.section_id == section.section_id && section.incarnation > 0 && known->second.number > 0) {
        known->second.client = client;
        return answer_of(WitnessStatus::kept);  // a repetition, because the answer was lost
    }
    if (section.run_id == 0 || section.section_id == 0) return answer_of(WitnessStatus::not_understood);
    if (known != runs_.end() && known->second.is_damaged) return damaged_answer();
    if (known != runs_.end() && is_outdated(section, known->second)) return answer_of(WitnessStatus::other_section);
    if (known == runs_.end() && !make_room()) return answer_of(WitnessStatus::no_room);
    // A run that cannot begin must not take the place of another one: runs_ has it only once its section is stored.
    const bool is_known = known != runs_.end();
    std::unique_ptr<PromiseStore> store = is_known ? std::move(known->second.store) : nullptr;
    const bool is_in_use = store != nullptr;
    if (!is_in_use) store = std::make_unique<PromiseStore>(path_of(section.run_id), PromiseStore::Use::write);
    if (const std::error_code error = store->append(record)) {
        if (is_known) {
            known->second.store = std::move(store);
            if (!is_in_use) known->second.client = client;  // otherwise who has written to it so far goes on
        } else if (store->size_bytes() == 0) {
            ums::remove_output(path_of(section.run_id).string());
        }
        return answer_of(WitnessStatus::not_stored, 0, error);
    }
    KeptRun& run = runs_[section.run_id];
    run.store = std::move(store);
    run.client = client;
    remember(run, section);
    if (section.incarnation == 0) void_others(section);
    return answer_of(WitnessStatus::kept);
}

WitnessAnswer WitnessShelf::add(const sim::PromiseBatch& batch, std::span<const std::byte> record, std::uint64_t client) {
    const auto known = runs_.find(batch.run_id);
    if (known == runs_.end()) return answer_of(WitnessStatus::unknown_run);
    KeptRun& run = known->second;
    if (run.is_damaged) return damaged_answer();
    if (batch.section_id != run.section_id) return answer_of(WitnessStatus::other_section);
    run.client = client;
    if (batch.number <= run.number) return answer_of(WitnessStatus::kept, batch.number);
    // A batch that is skipped may have taken a promise back. The client had sent it, so it was lost here, with an earlier witness.
    if (batch.number != run.number + 1) return answer_of(WitnessStatus::missing_batch, run.number);
    if (!run.store) {
        auto store = std::make_unique<PromiseStore>(path_of(batch.run_id), PromiseStore::Use::write);
        run.is_damaged = store->size_bytes() < run.size_bytes;
        if (run.is_damaged) return damaged_answer();
        run.store = std::move(store);
    }
    if (const std::error_code error = run.store->append(record)) return answer_of(WitnessStatus::not_stored, 0, error);
    run.number = batch.number;
    if (run.store->is_due()) static_cast<void>(run.store->compact());
    return answer_of(WitnessStatus::kept, batch.number);
}

bool WitnessShelf::has_promises(std::uint64_t run_id) const {
    const auto run = runs_.find(run_id);
    return run != runs_.end() && (run->second.is_damaged || run->second.incarnation > 0);
}

bool WitnessShelf::make_room() {
    if (runs_.size() < kRunsMax) return true;
    auto oldest = runs_.end();
    for (auto run = runs_.begin(); run != runs_.end(); ++run) {
        if (run->second.incarnation == 0 && !run->second.is_damaged && (oldest == runs_.end() || run->second.age < oldest->second.age))
            oldest = run;
    }
    if (oldest == runs_.end()) return false;
    remove(oldest->first);
    return true;
}

// Also what was promised to other hosts that have taken the files over: this one reaches them by the same paths as before. But if such a
// host is at work, the paths lead this one to other files by now.
void WitnessShelf::void_others(const sim::PromiseSection& section) {
    const auto is_of_section = [&section](const sim::PromiseSection& place) { return is_place_of(place, section); };
    std::vector<std::uint64_t> voided;
    for (const auto& [run_id, run] : runs_) {
        if (run_id == section.run_id || run.is_damaged || run.places.empty()) continue;
        const auto first = run.store ? std::prev(run.places.end()) : run.places.begin();
        if (std::any_of(first, run.places.end(), is_of_section)) voided.push_back(run_id);
    }
    for (const std::uint64_t run_id : voided) remove(run_id);
}

void WitnessShelf::remove(std::uint64_t run_id) {
    runs_.erase(run_id);
    ums::remove_output(path_of(run_id).string());
}

bool WitnessShelf::may_be_of(const KeptRun& run, const sim::PromiseSection& wanted) {
    if (run.places.empty()) return run.is_damaged;
    const sim::PromiseSection& present = run.places.back();
    return (run.is_damaged && present.files.empty()) || is_place_of(present, wanted);
}

std::unique_ptr<PromiseStore> WitnessShelf::find(const sim::PromiseSection& wanted) const {
    auto best = wanted.run_id == 0 ? runs_.end() : runs_.find(wanted.run_id);
    if (best == runs_.end()) {
        for (auto run = runs_.begin(); run != runs_.end(); ++run) {
            if (!may_be_of(run->second, wanted)) continue;
            if (best == runs_.end() || run->second.age > best->second.age) best = run;
        }
    }
    if (best == runs_.end()) return nullptr;
    if (best->second.is_damaged) {
        throw sim::EnvironmentError(fmt::format("{}: is damaged", path_of(best->first).string()));
    }
    auto store = std::make_unique<PromiseStore>(path_of(best->first), PromiseStore::Use::read);
    if (store->size_bytes() < best->second.kept_bytes()) {
        throw sim::EnvironmentError(fmt::format("{}: is damaged: promises are missing at its end", path_of(best->first).string()));
    }
    return store;
}

void WitnessShelf::put_away(std::uint64_t run_id, std::uint64_t client) {
    const auto run = runs_.find(run_id);
    if (run == runs_.end() || !run->second.store || run->second.client != client) return;
    run->second.size_bytes = run->second.store->size_bytes();
    run->second.store.reset();
}

}  // namespace cli
