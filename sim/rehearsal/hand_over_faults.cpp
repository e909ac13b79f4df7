#include "sim/rehearsal/hand_over_faults.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "sim/log/log_block_check.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/results.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/units.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

// Images to choose from, of pages that the files have always had: nothing is promised beyond a cut.
class Pool {
public:
    Pool(const std::vector<PastOwner>& owners, const CrashStart& start) : owners_(owners), start_(start) {
        for (const WriteBook::Resize& resize : start.book.resizes()) {
            const auto [least, is_new] = least_pages_.try_emplace(resize.file_id, resize.page_count);
            if (!is_new) least->second = std::min(least->second, resize.page_count);
        }
        for (const auto& [path, file] : start.files) {
            sizes_[path] = file->size_bytes() / kPageBytes;
            except_unknown_pages(*file);
        }
    }

    // An image that an owner wrote in its time, before it was promised a newer one.
    [[nodiscard]] const OwnerWrites::Image* older(ums::Prng& prng, const std::vector<HandedFault>& used) const {
        return draw(prng, [&](const PastOwner& owner, const OwnerWrites::Image& image) {
            return image.moment < owner.cut_moment && image.lsn <= owner.owned.last_lsn && image.version < promised(image) &&
                   is_free(image, used);
        });
    }
    // What an owner wrote after its time, with a change that it made then.
    [[nodiscard]] const OwnerWrites::Image* of_zombie(ums::Prng& prng, const std::vector<HandedFault>& used) const {
        return draw(prng, [&](const PastOwner& owner, const OwnerWrites::Image& image) {
            return has_range(owner) && image.moment > owner.cut_moment && image.lsn > owner.owned.last_lsn && promised(image) != 0 &&
                   is_free(image, used);
        });
    }
    // Who made the change in this image. A later owner may have written it, to redo the change.
    [[nodiscard]] const KnownOwner& maker_of(const OwnerWrites::Image& image) const {
        auto owner = std::find_if(owners_.begin(), owners_.end(), [&](const PastOwner& each) {
            const std::vector<OwnerWrites::Image>& images = each.writes->images();
            return std::any_of(images.begin(), images.end(), [&](const OwnerWrites::Image& written) { return &written == &image; });
        });
        while (owner != owners_.begin() && vlf_of_lsn(image.lsn) < owner->owned.first_vlf) --owner;
        return owner->owned;
    }
    // The image of the same page that was promised.
    [[nodiscard]] const OwnerWrites::Image* promised_image(const OwnerWrites::Image& older) const {
        for (auto owner = owners_.rbegin(); owner != owners_.rend(); ++owner) {
            for (const OwnerWrites::Image& image : owner->writes->images()) {
                const bool is_it = image.moment < owner->cut_moment && image.file_id == older.file_id && image.page_id == older.page_id &&
                                   image.version == promised(older);
                if (is_it) return &image;
            }
        }
        return nullptr;
    }

private:
    using Predicate = std::function<bool(const PastOwner&, const OwnerWrites::Image&)>;

    [[nodiscard]] const OwnerWrites::Image* draw(ums::Prng& prng, const Predicate& is_meant) const {
        std::vector<const OwnerWrites::Image*> found;
        for (const PastOwner& owner : owners_) {
            for (const OwnerWrites::Image& image : owner.writes->images()) {
                if (image.page_id != 0 && is_within(image) && is_meant(owner, image)) found.push_back(&image);
            }
        }
        return found.empty() ? nullptr : found[prng.below(found.size())];
    }
    // A checkpoint has declared that it promises nothing about them, because they could not be brought up to the log. In a data file this
    // finds nothing.
    void except_unknown_pages(const ums::SimulatedFile& file) {
        std::vector<std::byte> bytes(file.size_bytes());
        file.read(0, bytes.data(), bytes.size());
        for (std::size_t at = 0; at + kSectorBytes <= bytes.size(); at += kSectorBytes) {
            const bool is_block = read_block_header(&bytes[at]).magic == kLogMagic && is_sound_block(&bytes[at], bytes.size() - at);
            if (!is_block) continue;
            static_cast<void>(for_each_record(&bytes[at], [this](const LogRecordHeader& record, std::span<const std::byte> /*body*/) {
                if (record.kind == static_cast<std::uint16_t>(LogRecordKind::page_unknown))
                    unknown_.insert({record.file_id, record.page_id});
            }));
        }
    }
    // If an owner was cut off before any of its log reached the volume, the next one learns nothing about it and begins with the same
    // numbers.
    [[nodiscard]] static bool has_range(const PastOwner& owner) { return vlf_of_lsn(owner.owned.last_lsn) >= owner.owned.first_vlf; }
    [[nodiscard]] std::uint32_t promised(const OwnerWrites::Image& image) const {
        return start_.promises->page(image.file_id, image.page_id).version;
    }
    [[nodiscard]] bool is_within(const OwnerWrites::Image& image) const {
        const auto least = least_pages_.find(image.file_id);
        const bool was_never_cut = least == least_pages_.end() || image.page_id < least->second;
        const auto size = sizes_.find(image.path);
        const bool is_known = !unknown_.contains({image.file_id, image.page_id});
        return was_never_cut && is_known && size != sizes_.end() && image.page_id < size->second;
    }
    [[nodiscard]] static bool is_free(const OwnerWrites::Image& image, const std::vector<HandedFault>& used) {
        return std::none_of(used.begin(), used.end(), [&image](const HandedFault& each) {
            return each.trouble.path == image.path && each.trouble.page_id == image.page_id;
        });
    }

    const std::vector<PastOwner>& owners_;
    const CrashStart& start_;
    std::map<std::uint32_t, std::uint32_t> least_pages_;         // by file
    std::map<std::string, std::uint64_t> sizes_;                 // in pages, by path
    std::set<std::pair<std::uint32_t, std::uint32_t>> unknown_;  // file and page
};

// Its first sectors are those of the newer image.
std::vector<std::byte> torn_image(const OwnerWrites::Image& newer, const OwnerWrites::Image& older, ums::Prng& prng) {
    std::vector<std::byte> image = older.bytes;
    std::memcpy(image.data(), newer.bytes.data(), prng.between(1, kSectorsPerPage - 1) * kSectorBytes);
    return image;
}

// While it takes the files over, the new owner can only say what the one before it had been promised; later it sees whose image it is.
bool names_right_owner(const HandedFault& handed, const Finding& finding, const KnownOwner& last) {
    const bool is_taking_over =
        finding.moment.phase == name_of(Phase::log_analysis) || finding.moment.phase == name_of(Phase::page_verification);
    const KnownOwner& owner = is_taking_over ? last : handed.made_by;
    const GroupFact& fact = *finding.group_fact;
    return fact.rank == owner.rank && fact.host == owner.host && fact.incarnation == owner.incarnation &&
           fact.path == handed.trouble.path && fact.page_id == handed.trouble.page_id;
}

// The class that the finding must have; nothing if it depends on what the new owner has done with the page since.
std::optional<FindingKind> expected_class(HandOverFault fault) {
    switch (fault) {
        case HandOverFault::lost_write: return FindingKind::lost_write;
        case HandOverFault::torn_write: return FindingKind::torn_page;
        case HandOverFault::stale_cache: return FindingKind::stale_read;
        case HandOverFault::honest:
        case HandOverFault::late_write:
        case HandOverFault::zombie: return std::nullopt;
    }
    UMS_ASSERT(false && "unknown fault");
}

}  // namespace

std::vector<HandedFault> draw_hand_over_faults(HandOverFault fault, const std::vector<PastOwner>& owners, const CrashStart& start,
                                               ums::Prng& prng) {
    std::vector<HandedFault> faults;
    if (fault == HandOverFault::honest) return faults;
    const Pool pool(owners, start);
    for (std::uint64_t i = prng.between(1, 3); i > 0; --i) {
        const OwnerWrites::Image* const image = fault == HandOverFault::zombie ? pool.of_zombie(prng, faults) : pool.older(prng, faults);
        if (image == nullptr) break;
        HandedFault handed;
        handed.file_id = image->file_id;
        handed.fault = fault;
        handed.made_by = pool.maker_of(*image);
        handed.trouble.path = image->path;
        handed.trouble.page_id = image->page_id;
        handed.trouble.image = image->bytes;
        handed.trouble.lands_at_ns = prng.below(900) * ums::kNsPerMs;
        if (fault == HandOverFault::stale_cache) handed.trouble.stale_reads = static_cast<std::uint32_t>(prng.between(1, 6));
        if (fault == HandOverFault::torn_write) {
            const OwnerWrites::Image* const newer = pool.promised_image(*image);
            if (newer == nullptr) continue;
            handed.trouble.image = torn_image(*newer, *image, prng);
        }
        faults.push_back(std::move(handed));
    }
    return faults;
}

bool stands_there_from_the_start(HandOverFault fault) { return fault == HandOverFault::lost_write || fault == HandOverFault::torn_write; }

bool is_hand_over_named_right(const HandedFault& handed, const Finding& finding, const KnownOwner& last) {
    const bool has_fact = finding.group_fact && finding.group_fact->kind == expected_fact(handed.fault);
    const bool has_class = finding.kind == expected_class(handed.fault).value_or(finding.kind);
    return has_fact && has_class && names_right_owner(handed, finding, last);
}

}  // namespace sim
