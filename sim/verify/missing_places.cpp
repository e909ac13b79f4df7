#include "sim/verify/missing_places.hpp"

#include <algorithm>

#include "sim/page/log_layout.hpp"

namespace sim {

namespace {

std::uint32_t vlf_of(const LogBlockPlace& block) { return vlf_of_lsn(block.first_lsn); }

class NeighboursOfMissing {
public:
    NeighboursOfMissing(const LogContents& contents, const BlockRange& missing)
        : blocks_(contents.blocks), missing_(missing), promised_incarnation_(contents.promised_incarnation) {
        const auto behind = from(missing.last + 1);
        if (behind != blocks_.end()) behind_ = &*behind;
        const auto before = from(missing.first - 1);
        if (before != blocks_.end() && before->sequence == missing.first - 1) before_ = &*before;
    }

    [[nodiscard]] std::vector<MissingPlace> places() const {
        if (const std::optional<MissingPlace> at_end = place_before_next()) return {*at_end};
        const std::optional<MissingPlace> after = place_after_last();
        if (after && after->is_certain) return {*after};
        const std::optional<MissingPlace> next = place_in_next_vlf();
        if (next && next->is_certain) return {*next};
        std::vector<MissingPlace> places;
        if (after) places.push_back(*after);
        if (next) places.push_back(*next);
        return places;
    }

private:
    using Iterator = std::vector<LogBlockPlace>::const_iterator;

    [[nodiscard]] Iterator from(std::uint64_t sequence) const { return first_from(blocks_, sequence); }
    [[nodiscard]] bool is_behind_next() const { return behind_ != nullptr && behind_->sequence == missing_.last + 1; }
    [[nodiscard]] bool are_in_one_vlf() const { return before_ != nullptr && behind_ != nullptr && vlf_of(*before_) == vlf_of(*behind_); }

    // A run that is resumed goes on in any VLF that is free.
    [[nodiscard]] bool are_of_one_incarnation() const {
        if (behind_ != nullptr) return behind_->incarnation == before_->incarnation;
        return promised_incarnation_ == 0 || promised_incarnation_ == before_->incarnation;
    }
    [[nodiscard]] std::uint64_t rest_of_vlf_bytes() const {
        return std::uint64_t{before_->vlf_sectors - before_->vlf_sector} * kSectorBytes - before_->size_bytes;
    }

    // Blocks follow each other without gaps: a single one ends where the next one begins, unless that begins its VLF.
    [[nodiscard]] std::optional<MissingPlace> place_before_next() const {
        const bool is_single = missing_.first == missing_.last && is_behind_next() && behind_->vlf_sector != 0;
        if (!is_single || are_in_one_vlf()) return std::nullopt;
        const std::uint32_t sectors = std::min(behind_->vlf_sector, kLogBlockBytesMax / kSectorBytes);
        MissingPlace place;
        place.file_id = behind_->file_id;
        place.size_bytes = std::uint64_t{sectors} * kSectorBytes;
        place.offset_bytes = behind_->offset_bytes - place.size_bytes;
        place.vlf_sequence = vlf_of(*behind_);
        place.vlf_sector = behind_->vlf_sector - sectors;
        // Without the one before it, nothing says whether it was the first of its VLF.
        place.begins_there = before_ != nullptr || missing_.first == 1;
        return place;
    }

    // Unless it did not fit there. The block that begins the next VLF shows that it did.
    [[nodiscard]] std::optional<MissingPlace> place_after_last() const {
        if (before_ == nullptr || rest_of_vlf_bytes() < kSectorBytes) return std::nullopt;
        MissingPlace place;
        place.file_id = before_->file_id;
        place.offset_bytes = before_->offset_bytes + before_->size_bytes;
        place.size_bytes = std::min<std::uint64_t>(kLogBlockBytesMax, rest_of_vlf_bytes());
        place.vlf_sequence = vlf_of(*before_);
        place.vlf_sector = before_->vlf_sector + before_->size_bytes / kSectorBytes;
        const bool fits_any = place.size_bytes == kLogBlockBytesMax;
        const bool begins_next_vlf = is_behind_next() && behind_->vlf_sector == 0 && vlf_of(*behind_) == place.vlf_sequence + 1;
        place.is_certain = are_in_one_vlf() || (are_of_one_incarnation() && (fits_any || begins_next_vlf));
        if (are_in_one_vlf()) place.size_bytes = std::min(place.size_bytes, behind_->offset_bytes - place.offset_bytes);
        return place;
    }

    [[nodiscard]] std::optional<MissingPlace> place_in_next_vlf() const {
        if (before_ == nullptr) return std::nullopt;
        const std::uint32_t next_vlf = vlf_of(*before_) + 1;
        const auto in_next =
            std::find_if(from(missing_.first), blocks_.end(), [next_vlf](const LogBlockPlace& block) { return vlf_of(block) == next_vlf; });
        if (in_next == blocks_.end()) return std::nullopt;
        MissingPlace place;
        place.file_id = in_next->file_id;
        place.offset_bytes = in_next->offset_bytes - std::uint64_t{in_next->vlf_sector} * kSectorBytes;
        place.size_bytes = std::min<std::uint64_t>(kLogBlockBytesMax, std::uint64_t{in_next->vlf_sectors} * kSectorBytes);
        place.vlf_sequence = next_vlf;
        place.is_certain = rest_of_vlf_bytes() < kSectorBytes && are_of_one_incarnation();
        return place;
    }

    const std::vector<LogBlockPlace>& blocks_;
    const BlockRange missing_;
    const std::uint32_t promised_incarnation_;
    const LogBlockPlace* before_ = nullptr;
    const LogBlockPlace* behind_ = nullptr;  // the first one, whatever its number
};

}  // namespace

std::vector<MissingPlace> places_of_missing(const LogContents& contents, const BlockRange& missing) {
    return NeighboursOfMissing(contents, missing).places();
}

std::optional<MissingPlace> certain_place(const std::vector<MissingPlace>& places) {
    if (places.size() != 1 || !places.front().is_certain) return std::nullopt;
    return places.front();
}

bool is_used_again(const LogContents& contents, const MissingPlace& place) {
    const std::uint64_t vlf_begin = place.offset_bytes - std::uint64_t{place.vlf_sector} * kSectorBytes;
    return std::any_of(contents.blocks.begin(), contents.blocks.end(), [&](const LogBlockPlace& block) {
        const std::uint64_t begin = block.offset_bytes - std::uint64_t{block.vlf_sector} * kSectorBytes;
        return block.file_id == place.file_id && begin == vlf_begin && vlf_of(block) > place.vlf_sequence;
    });
}

}  // namespace sim
