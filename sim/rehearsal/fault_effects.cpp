// What a FaultInjector does to a request that has come back.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "sim/rehearsal/fault_injector.hpp"

namespace sim {

namespace {

// So many reads in a row are wrong at most, where a fault goes away by itself.
constexpr std::uint64_t kWrongReadsMax = 3;

bool is_zero(const PageImage& image) {
    return std::all_of(image.begin(), image.end(), [](std::byte value) { return value == std::byte{0}; });
}

PageImage image_in(const ums::IoRequest& request, std::uint32_t page) {
    PageImage image(kPageBytes);
    copy_from_request(request, std::uint64_t{page} * kPageBytes, image.data(), kPageBytes);
    return image;
}

}  // namespace

// --- writes ---

void FaultInjector::finish_write(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    file.written(request);
    if (file.is_log()) {
        finish_log_write(file, request);
        return;
    }
    // Written anew, a place can be read again.
    std::erase_if(file.sick, [&](const FaultyFile::Sick& sick) {
        return !sick.on_write && sick.offset_bytes >= request.offset_bytes && sick.offset_bytes < request.offset_bytes + request.size_bytes;
    });
    for (RequestFate::Chosen& chosen : fate.chosen) {
        if (!spoil_written_page(file, request, chosen)) ++plans_[chosen.plan].count_max;
    }
    remember_image(file, request);
}

void FaultInjector::put_wrong(FaultyFile& file, std::uint32_t page, FindingKind kind, const PageImage& image, std::string what) {
    const InjectedFault& fault = add_page(kind, file, page, false, std::move(what));
    file.put_wrong(fault.offset_bytes, image.data(), kPageBytes, fault.number);
}

void FaultInjector::arm(FaultyFile& file, std::uint32_t page, FindingKind kind, FaultyFile::Armed armed, std::string what) {
    armed.reads = static_cast<std::uint32_t>(prng_.between(1, kWrongReadsMax));
    armed.fault = add_page(kind, file, page, !armed.reverts, std::move(what)).number;
    file.armed[page] = std::move(armed);
}

bool FaultInjector::spoil_written_page(FaultyFile& file, const ums::IoRequest& request, RequestFate::Chosen& chosen) {
    const PageImage right = image_in(request, chosen.page);
    if (file.is_used(chosen.page) || is_zero(right)) return false;
    std::string what;
    const FindingKind kind = plans_[chosen.plan].kind;
    switch (kind) {
        case FindingKind::bit_corruption: {
            const PageImage wrong = corrupt_image(right, prng_, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::foreign_page: {
            const PageImage wrong = foreign_image(right, prng_, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::future_version: {
            const PageImage wrong = future_image(right, prng_, what);
            put_wrong(file, chosen.page, kind, wrong, what);
            return true;
        }
        case FindingKind::zeroed_page:
            put_wrong(file, chosen.page, kind, PageImage(kPageBytes), "the write left zeros");
            // Zeros were there before the first write: as if it had never come.
            if (is_zero(chosen.older)) faults_.back().expected = FindingKind::lost_write;
            return true;
        default: return spoil_with_older(file, chosen, right);
    }
}

bool FaultInjector::spoil_with_older(FaultyFile& file, RequestFate::Chosen& chosen, const PageImage& right) {
    const bool never_written = is_zero(chosen.older);
    // The same image once more, after a write that was cut short: if this write is lost, nothing is.
    if (chosen.older == right) return false;
    // What an earlier run left there is no older version of this page.
    if (!never_written && read_header(chosen.older.data()).run_id != read_header(right.data()).run_id) return false;
    std::string what;
    switch (const FindingKind kind = plans_[chosen.plan].kind) {
        case FindingKind::lost_write: put_wrong(file, chosen.page, kind, chosen.older, "the write never arrived"); return true;
        case FindingKind::torn_page: {
            const PageImage wrong = torn_image(chosen.older, right, prng_, what);
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

bool FaultInjector::misdirect_write(FaultyFile& file, std::uint32_t page, const PageImage& older, const PageImage& right) {
    std::vector<FaultyFile*> candidates;
    for (const auto& [path, other] : files_) {
        if (!other->is_log() && other->pages_written() > 0) candidates.push_back(other.get());
    }
    constexpr int kTries = 16;
    for (int i = 0; i < kTries; ++i) {
        FaultyFile& victim_file = prng_.below(2) == 0 ? file : *candidates[prng_.below(candidates.size())];
        const auto victim = static_cast<std::uint32_t>(prng_.below(victim_file.pages_written()));
        const bool same = &victim_file == &file && victim == page;
        if (same || victim_file.is_used(victim) || victim_file.write_count(victim) == 0) continue;
        const FindingKind kind = FindingKind::misdirected_write;
        put_wrong(file, page, kind, older, fmt::format("the write went to page {} of {}", victim, victim_file.path()));
        put_wrong(victim_file, victim, kind, right, fmt::format("the image of page {} of {} was written here", page, file.path()));
        InjectedFault& here = faults_[faults_.size() - 2];
        InjectedFault& there = faults_.back();
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

void FaultInjector::remember_image(FaultyFile& file, const ums::IoRequest& request) {
    constexpr std::uint64_t kOneIn = 4;
    if (request.offset_bytes % kPageBytes != 0 || request.size_bytes < kPageBytes || prng_.below(kOneIn) != 0) return;
    const auto page = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    if (file.write_count(page) == 0) return;
    remembered_ = image_in(request, page);
    remembered_file_ = &file;
    remembered_page_ = page;
}

// --- reads ---

void FaultInjector::finish_read(FaultyFile& file, ums::IoRequest& request, RequestFate& fate) {
    for (const RequestFate::Chosen& chosen : fate.chosen) {
        const bool is_sound = !file.is_used(chosen.page) && file.write_count(chosen.page) > 0;
        if (!is_sound || !spoil_read_page(file, request, chosen)) ++plans_[chosen.plan].count_max;
    }
    if (file.is_log() && is_work(file, request)) note_missed_blocks(file, request);
    std::uint64_t last_fault = 0;
    file.apply_wrong(request, [&](std::uint64_t fault) {
        if (is_work(file, request) && fault != last_fault) expose(fault);
        last_fault = fault;
    });
    if (!file.armed.empty() && is_work(file, request)) serve_armed(file, request, fate);
}

void FaultInjector::serve_armed(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate) {
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
            if (saved == fate.buffers.end()) continue;  // armed while this request was out
            copy_to_request(request, offset_bytes + armed.begin, saved->bytes.data() + armed.begin, armed.end - armed.begin);
        } else {
            copy_to_request(request, offset_bytes, armed.image.data(), kPageBytes);
        }
        expose(armed.fault);
        if (--armed.reads == 0) file.armed.erase(entry);
    }
}

bool FaultInjector::spoil_read_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen) {
    const std::uint32_t page = chosen.page;
    const PageImage right = image_in(request, page);
    if (is_zero(right)) return false;
    std::string what;
    FaultyFile::Armed armed;
    const FindingKind kind = plans_[chosen.plan].kind;
    switch (kind) {
        case FindingKind::misdirected_read: return misdirect_read(file, request, page);
        case FindingKind::bit_corruption: armed.image = corrupt_image(right, prng_, what); break;
        case FindingKind::foreign_page: armed.image = foreign_image(right, prng_, what); break;
        case FindingKind::future_version: armed.image = future_image(right, prng_, what); break;
        case FindingKind::zeroed_page:
            armed.image.assign(kPageBytes, std::byte{0});
            what = "zeros came";
            break;
        case FindingKind::bytes_not_read: {
            armed.keeps_buffer = true;
            const std::uint64_t how = prng_.below(3);
            if (how == 1) armed.begin = static_cast<std::uint32_t>(prng_.between(1, kPageBytes / 8 - 1) * 8);
            if (how == 2) {
                armed.begin = static_cast<std::uint32_t>(prng_.below(kSectorsPerPage) * kSectorBytes);
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

// The neighbour of the same request, or a page that was written a while ago.
bool FaultInjector::misdirect_read(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page) {
    const auto first = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    const auto count = static_cast<std::uint32_t>(request.size_bytes / kPageBytes);
    FaultyFile::Armed armed;
    const FaultyFile* other_file = &file;
    std::uint32_t other_page = page + 1 < first + count ? page + 1 : page - 1;
    const bool has_neighbour = count > 1 && file.write_count(other_page) > 0 && prng_.below(2) == 0;
    if (has_neighbour) {
        armed.image = image_in(request, other_page);
    } else {
        if (remembered_file_ == nullptr || (remembered_file_ == &file && remembered_page_ == page)) return false;
        armed.image = remembered_;
        other_file = remembered_file_;
        other_page = remembered_page_;
    }
    arm(file, page, FindingKind::misdirected_read, std::move(armed), fmt::format("page {} of {} came", other_page, other_file->path()));
    faults_.back().other_path = other_file->path();
    faults_.back().other_page = other_page;
    return true;
}

}  // namespace sim
