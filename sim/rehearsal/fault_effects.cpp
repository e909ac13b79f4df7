#include "sim/rehearsal/fault_effects.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sim {

namespace {

// At most this many reads in a row are wrong if the fault goes away by itself.
constexpr std::uint64_t kWrongReadsMax = 3;

bool is_zero(const ImageBytes& image) {
    return std::all_of(image.begin(), image.end(), [](std::byte value) { return value == std::byte{0}; });
}

ImageBytes image_in(const ums::IoRequest& request, std::uint32_t page) {
    ImageBytes image(kPageBytes);
    ums::copy_from_request(request, std::uint64_t{page} * kPageBytes, image.data(), kPageBytes);
    return image;
}

}  // namespace

// --- writes ---

void FaultEffects::finish_write(FaultyFile& file, const ums::IoRequest& request, const RequestFate& fate) {
    file.written(request);
    if (file.is_log()) {
        log_.finish_write(file, request);
        return;
    }
    // A place that is written again can be read again.
    std::erase_if(file.sick, [&](const FaultyFile::Sick& sick) {
        return !sick.on_write && sick.offset_bytes >= request.offset_bytes && sick.offset_bytes < request.offset_bytes + request.size_bytes;
    });
    for (const RequestFate::Chosen& chosen : fate.chosen) {
        if (!spoil_written_page(file, request, chosen)) parts_.choice.take_back(chosen);
    }
    remember_image(file, request);
}

InjectedFault& FaultEffects::put_wrong(FaultyFile& file, std::uint32_t page, FindingKind kind, const ImageBytes& image, std::string what) {
    InjectedFault& fault = parts_.record.add_page(kind, file, page, false, std::move(what));
    file.put_wrong(fault.offset_bytes, image.data(), kPageBytes, fault.number);
    return fault;
}

InjectedFault& FaultEffects::arm(FaultyFile& file, std::uint32_t page, FindingKind kind, FaultyFile::Armed armed, std::string what) {
    armed.reads = static_cast<std::uint32_t>(parts_.prng.between(1, kWrongReadsMax));
    InjectedFault& fault = parts_.record.add_page(kind, file, page, !armed.reverts, std::move(what));
    armed.fault = fault.number;
    file.armed[page] = std::move(armed);
    return fault;
}

bool FaultEffects::spoil_written_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen) {
    const ImageBytes right = image_in(request, chosen.page);
    if (file.is_used(chosen.page) || is_zero(right)) return false;
    std::string what;
    const FindingKind kind = chosen.kind;
    switch (kind) {
        case FindingKind::bit_corruption: {
            const ImageBytes wrong = corrupt_image(right, parts_.prng, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::foreign_page: {
            const ImageBytes wrong = foreign_image(right, parts_.prng, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::future_version: {
            const ImageBytes wrong = future_image(right, parts_.prng, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::zeroed_page: {
            InjectedFault& fault = put_wrong(file, chosen.page, kind, ImageBytes(kPageBytes), "the write left zeros");
            // Zeros were there before the first write, so it is as if the write had never arrived.
            if (is_zero(chosen.older)) fault.expected = FindingKind::lost_write;
            return true;
        }
        default: return spoil_with_older(file, chosen, right);
    }
}

bool FaultEffects::spoil_with_older(FaultyFile& file, const RequestFate::Chosen& chosen, const ImageBytes& right) {
    const bool never_written = is_zero(chosen.older);
    // The same image again, after a write that was cut short: losing this write loses nothing.
    if (chosen.older == right) return false;
    // What an earlier run left there is not an older version of this page.
    if (!never_written && read_header(chosen.older.data()).run_id != read_header(right.data()).run_id) return false;
    std::string what;
    switch (const FindingKind kind = chosen.kind) {
        case FindingKind::lost_write: put_wrong(file, chosen.page, kind, chosen.older, "the write never arrived"); return true;
        case FindingKind::torn_page: {
            const ImageBytes wrong = torn_image(chosen.older, right, parts_.prng, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::misdirected_write: return misdirect_write(file, chosen.page, chosen.older, right);
        case FindingKind::stale_read:
            if (never_written) return false;
            arm(file, chosen.page, kind, {.image = chosen.older}, "reads return the version before");
            return true;
        case FindingKind::reverted_page:
            if (never_written) return false;
            arm(file, chosen.page, kind, {.reverts = true, .image = chosen.older}, "after one right read the version before is back");
            return true;
        default: return false;
    }
}

bool FaultEffects::misdirect_write(FaultyFile& file, std::uint32_t page, const ImageBytes& older, const ImageBytes& right) {
    const std::vector<FaultyFile*> candidates = parts_.files.written_data_files();
    constexpr int kTries = 16;
    for (int i = 0; i < kTries; ++i) {
        FaultyFile& victim_file = parts_.prng.below(2) == 0 ? file : *candidates[parts_.prng.below(candidates.size())];
        const auto victim = static_cast<std::uint32_t>(parts_.prng.below(victim_file.pages_written()));
        const bool same = &victim_file == &file && victim == page;
        if (same || victim_file.is_used(victim) || victim_file.write_count(victim) == 0) continue;
        const FindingKind kind = FindingKind::misdirected_write;
        const std::uint64_t here_number =
            put_wrong(file, page, kind, older, fmt::format("the write went to page {} of {}", victim, victim_file.path())).number;
        InjectedFault& there =
            put_wrong(victim_file, victim, kind, right, fmt::format("the image of page {} of {} was written here", page, file.path()));
        InjectedFault& here = parts_.record.at(here_number);
        here.went_elsewhere = true;
        here.partner = there.number;
        there.partner = here.number;
        here.other_path = victim_file.path();
        here.other_page = victim;
        there.other_path = file.path();
        there.other_page = page;
        return true;
    }
    return false;
}

void FaultEffects::remember_image(FaultyFile& file, const ums::IoRequest& request) {
    constexpr std::uint64_t kOneIn = 4;
    if (request.offset_bytes % kPageBytes != 0 || request.size_bytes < kPageBytes || parts_.prng.below(kOneIn) != 0) return;
    const auto page = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    if (file.write_count(page) == 0) return;
    remembered_ = image_in(request, page);
    remembered_file_ = &file;
    remembered_page_ = page;
}

// --- reads ---

void FaultEffects::finish_read(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate) {
    for (const RequestFate::Chosen& chosen : fate.chosen) {
        const bool is_sound = !file.is_used(chosen.page) && file.write_count(chosen.page) > 0;
        if (!is_sound || !spoil_read_page(file, request, chosen)) parts_.choice.take_back(chosen);
    }
    if (file.is_log() && parts_.record.is_work(file, request)) {
        parts_.record.log_read(file, request);
        log_.finish_read(file, request);
    }
    std::uint64_t last_fault = 0;
    file.apply_wrong(request, [&](std::uint64_t fault) {
        if (parts_.record.is_work(file, request) && fault != last_fault) parts_.record.expose(fault);
        if (request.is_search) parts_.record.at(fault).was_glimpsed = true;
        last_fault = fault;
    });
    if (last_fault != 0) log_.was_read(file, last_fault);
    if (!file.armed.empty() && parts_.record.is_work(file, request)) serve_armed(file, request, fate);
}

void FaultEffects::serve_armed(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate) {
    const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
    auto next = file.armed.lower_bound(static_cast<std::uint32_t>((request.offset_bytes + kPageBytes - 1) / kPageBytes));
    while (next != file.armed.end() && (std::uint64_t{next->first} + 1) * kPageBytes <= end_bytes) {
        const auto entry = next++;
        const std::uint32_t page = entry->first;
        FaultyFile::Armed& armed = entry->second;
        const std::uint64_t offset_bytes = std::uint64_t{page} * kPageBytes;
        if (armed.reverts) {
            file.put_wrong(offset_bytes, armed.image.data(), kPageBytes, armed.fault);
            file.armed.erase(entry);
            continue;
        }
        if (armed.keeps_buffer) {
            const auto saved =
                std::find_if(fate.buffers.begin(), fate.buffers.end(), [page](const auto& each) { return each.page == page; });
            if (saved == fate.buffers.end()) continue;  // armed while this request was in flight
            ums::copy_to_request(request, offset_bytes + armed.begin, saved->bytes.data() + armed.begin, armed.end - armed.begin);
        } else {
            ums::copy_to_request(request, offset_bytes, armed.image.data(), kPageBytes);
        }
        parts_.record.expose(armed.fault);
        if (--armed.reads == 0) file.armed.erase(entry);
    }
}

bool FaultEffects::spoil_read_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen) {
    const std::uint32_t page = chosen.page;
    const ImageBytes right = image_in(request, page);
    if (is_zero(right)) return false;
    std::string what;
    FaultyFile::Armed armed;
    const FindingKind kind = chosen.kind;
    switch (kind) {
        case FindingKind::misdirected_read: return misdirect_read(file, request, page);
        case FindingKind::bit_corruption: armed.image = corrupt_image(right, parts_.prng, what); break;
        case FindingKind::foreign_page: armed.image = foreign_image(right, parts_.prng, what); break;
        case FindingKind::future_version: armed.image = future_image(right, parts_.prng, what); break;
        case FindingKind::zeroed_page:
            armed.image.assign(kPageBytes, std::byte{0});
            what = "zeros came";
            break;
        case FindingKind::bytes_not_read: {
            armed.keeps_buffer = true;
            const std::uint64_t how = parts_.prng.below(3);
            if (how == 1) armed.begin = static_cast<std::uint32_t>(parts_.prng.between(1, kPageBytes / 8 - 1) * 8);
            if (how == 2) {
                armed.begin = static_cast<std::uint32_t>(parts_.prng.below(kSectorsPerPage) * kSectorBytes);
                armed.end = armed.begin + kSectorBytes;
            }
            what = fmt::format("bytes {} to {} were left as they were", armed.begin, armed.end - 1);
            break;
        }
        default: return false;
    }
    arm(file, page, kind, std::move(armed), what);
    return true;
}

// The neighbor in the same request, or a page that was written a while ago.
bool FaultEffects::misdirect_read(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page) {
    const auto first = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    const auto count = static_cast<std::uint32_t>(request.size_bytes / kPageBytes);
    FaultyFile::Armed armed;
    const FaultyFile* other_file = &file;
    std::uint32_t other_page = page + 1 < first + count ? page + 1 : page - 1;
    const bool has_neighbour = count > 1 && file.write_count(other_page) > 0 && parts_.prng.below(2) == 0;
    if (has_neighbour) {
        armed.image = image_in(request, other_page);
    } else {
        if (remembered_file_ == nullptr || (remembered_file_ == &file && remembered_page_ == page)) return false;
        armed.image = remembered_;
        other_file = remembered_file_;
        other_page = remembered_page_;
    }
    std::string what = fmt::format("page {} of {} came", other_page, other_file->path());
    InjectedFault& fault = arm(file, page, FindingKind::misdirected_read, std::move(armed), std::move(what));
    fault.other_path = other_file->path();
    fault.other_page = other_page;
    return true;
}

}  // namespace sim
