#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/io/request_bytes.hpp"
#include "ums/io/volatile_file.hpp"

namespace ums {

namespace {

// Decisions that do not concern a unit.
constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

}  // namespace

class VolatileFile::Cut {
public:
    Cut(const VolatileFile& file, const CutChoice& choice, std::span<const InFlightChange> in_flight)
        : file_(file), choice_(choice), in_flight_(in_flight) {}

    Remains make() {
        remains_.file = file_.medium_->copy();
        choose_size();
        for (const auto& [index, unit] : file_.units_) choose_contents(index, unit);
        for (const InFlightChange& each : in_flight_) {
            if (each.request->operation == IoOperation::write) write_in_flight(each);
        }
        collect_lost_contents();
        collect_torn();
        return std::move(remains_);
    }

private:
    // The changes of a unit that agree with the size: from the last cut that survived up to the first one that is lost.
    struct Window {
        std::uint64_t from = 0;
        std::uint64_t until = kNever;
    };

    // Sizes that the file had, those under way last.
    [[nodiscard]] std::vector<Size> all_sizes() const {
        std::vector<Size> sizes = file_.sizes_;
        std::uint64_t size_bytes = file_.size_bytes();
        for (const InFlightChange& each : in_flight_) {
            const IoRequest& request = *each.request;
            if (request.operation == IoOperation::truncate) size_bytes = request.offset_bytes;
            if (request.operation == IoOperation::allocate) size_bytes = std::max(size_bytes, request.offset_bytes + request.size_bytes);
            const bool is_resize = request.operation == IoOperation::truncate || request.operation == IoOperation::allocate;
            if (is_resize) sizes.push_back({each.change, size_bytes});
        }
        return sizes;
    }

    void choose_size() {
        sizes_ = all_sizes();
        while (size_count_ < sizes_.size() && choice_.keeps(file_.medium_->inode(), sizes_[size_count_].change, kWholeFile)) {
            remains_.file->resize(sizes_[size_count_++].size_bytes);
        }
        std::size_t promised_count = 0;
        while (promised_count < file_.sizes_.size() && file_.sizes_[promised_count].change <= file_.promised_size_) ++promised_count;
        if (size_count_ >= promised_count) return;
        const std::uint64_t actual = size_bytes();
        const bool is_fine = std::any_of(sizes_.begin() + static_cast<std::ptrdiff_t>(promised_count) - 1, sizes_.end(),
                                         [actual](const Size& size) { return size.size_bytes == actual; });
        if (is_fine) return;
        const std::uint64_t promised = sizes_[promised_count - 1].size_bytes;
        remains_.lost.push_back(
            {file_.path_, LostPart::size, std::min(actual, promised), std::max(actual, promised) - std::min(actual, promised)});
    }

    [[nodiscard]] std::uint64_t size_bytes() const { return remains_.file->size_bytes(); }

    [[nodiscard]] Window window_of(std::uint64_t index) const {
        Window window;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (index * file_.setup_.unit_bytes < sizes_[i].size_bytes) continue;
            if (i < size_count_) {
                window.from = sizes_[i].change;
            } else {
                window.until = std::min(window.until, sizes_[i].change);
            }
        }
        return window;
    }

    void choose_contents(std::uint64_t index, const Unit& unit) {
        const std::uint64_t offset_bytes = index * file_.setup_.unit_bytes;
        if (offset_bytes >= size_bytes()) return;
        const Window window = window_of(index);
        std::uint64_t chosen = window.from;
        const Version* contents = nullptr;
        for (const Version& version : unit.versions) {
            if (version.change < window.from || version.change >= window.until || file_.is_in_hole(index)) continue;
            if (!choice_.keeps(file_.medium_->inode(), version.change, index)) continue;
            chosen = version.change;
            contents = &version;
        }
        if (contents != nullptr) remains_.file->write(offset_bytes, contents->bytes.get(), file_.setup_.unit_bytes);
        chosen_[index] = chosen;
        if (is_broken_promise(index, unit, chosen)) lost_.insert(index);
    }

    // It is older than what was promised, and does not happen to equal that or anything later.
    [[nodiscard]] bool is_broken_promise(std::uint64_t index, const Unit& unit, std::uint64_t chosen) const {
        const std::size_t promised = version_at(unit, unit.promised);
        if (promised == unit.versions.size() || chosen >= unit.versions[promised].change) return false;
        const std::uint64_t unit_bytes = file_.setup_.unit_bytes;
        std::vector<std::byte> actual(unit_bytes);
        remains_.file->read(index * unit_bytes, actual.data(), unit_bytes);
        return std::none_of(unit.versions.begin() + static_cast<std::ptrdiff_t>(promised), unit.versions.end(),
                            [&](const Version& version) { return std::memcmp(version.bytes.get(), actual.data(), unit_bytes) == 0; });
    }

    void write_in_flight(const InFlightChange& each) {
        const IoRequest& request = *each.request;
        const std::uint64_t unit_bytes = file_.setup_.unit_bytes;
        const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
        const std::uint64_t begin_unit = file_.first_unit(request.offset_bytes);
        const std::uint64_t end_unit = file_.end_unit(end_bytes);
        std::uint64_t written = 0;
        for (std::uint64_t index = begin_unit; index < end_unit; ++index) {
            const bool is_there = index * unit_bytes < size_bytes() && window_of(index).until == kNever && !file_.is_in_hole(index);
            if (!is_there || !choice_.keeps(file_.medium_->inode(), each.change, index)) continue;
            const std::uint64_t begin = std::max(request.offset_bytes, index * unit_bytes);
            const std::uint64_t end = std::min({end_bytes, (index + 1) * unit_bytes, size_bytes()});
            visit_request_bytes(request, begin, end - begin, [&, at = begin](const std::byte* from, std::uint64_t count) mutable {
                remains_.file->write(at, from, count);
                at += count;
            });
            chosen_[index] = each.change;
            if (end - begin == unit_bytes) lost_.erase(index);
            ++written;
        }
        if (written > 0 && written < end_unit - begin_unit) {
            remains_.torn.push_back({file_.path_, request.offset_bytes, request.size_bytes, true});
        }
    }

    void collect_lost_contents() {
        const std::uint64_t unit_bytes = file_.setup_.unit_bytes;
        std::uint64_t end_bytes = kNever;  // of the range that is being collected
        for (const std::uint64_t index : lost_) {
            if (index * unit_bytes == end_bytes) {
                remains_.lost.back().size_bytes += unit_bytes;
            } else {
                remains_.lost.push_back({file_.path_, LostPart::contents, index * unit_bytes, unit_bytes});
            }
            end_bytes = (index + 1) * unit_bytes;
        }
    }

    // Some units hold the write or something later, others something earlier.
    void collect_torn() {
        for (const auto& [change, range] : file_.writes_) {
            const std::uint64_t begin_unit = file_.first_unit(range.offset_bytes);
            const std::uint64_t end_unit = file_.end_unit(range.offset_bytes + range.size_bytes);
            std::uint64_t older = 0;
            for (auto each = chosen_.lower_bound(begin_unit); each != chosen_.end() && each->first < end_unit; ++each) {
                if (each->second < change && units_hold(each->first, change)) ++older;
            }
            if (older > 0 && older < end_unit - begin_unit) {
                remains_.torn.push_back({file_.path_, range.offset_bytes, range.size_bytes, false});
            }
        }
    }

    // Whether the unit's contents of this change are still in the cache: else they, or later ones, are on the medium.
    [[nodiscard]] bool units_hold(std::uint64_t index, std::uint64_t change) const {
        const std::vector<Version>& versions = file_.units_.at(index).versions;
        return std::any_of(versions.begin(), versions.end(), [change](const Version& version) { return version.change == change; });
    }

    const VolatileFile& file_;
    const CutChoice& choice_;
    const std::span<const InFlightChange> in_flight_;
    Remains remains_;
    std::vector<Size> sizes_;
    std::size_t size_count_ = 0;                     // of `sizes_`, those that are there
    std::map<std::uint64_t, std::uint64_t> chosen_;  // the change that each unit of the cache holds now
    std::set<std::uint64_t> lost_;                   // units
};

VolatileFile::Remains VolatileFile::cut(const CutChoice& choice, std::span<const InFlightChange> in_flight) const {
    return Cut(*this, choice, in_flight).make();
}

}  // namespace ums
