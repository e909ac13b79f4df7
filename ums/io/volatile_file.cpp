// Writes that arrive, and how they reach the medium. For the cut see volatile_file_cut.cpp.
#include "ums/io/volatile_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ums/base/assert.hpp"

namespace ums {

VolatileFile::VolatileFile(std::string path, std::unique_ptr<SimulatedFile> medium, const Setup& setup)
    : path_(std::move(path)), setup_(setup), medium_(std::move(medium)) {
    UMS_ASSERT(setup_.unit_bytes > 0);
    UMS_ASSERT(medium_->size_bytes() % setup_.unit_bytes == 0);
}

std::uint64_t VolatileFile::cached_bytes() const {
    std::uint64_t count = 0;
    for (const auto& [index, unit] : units_) count += unit.versions.size();
    return count * setup_.unit_bytes;
}

std::uint64_t VolatileFile::promised_size_bytes() const {
    std::uint64_t promised_bytes = medium_->size_bytes();
    for (const Size& size : sizes_) {
        if (size.change <= promised_size_) promised_bytes = size.size_bytes;
    }
    return promised_bytes;
}

// --- what has come back ---

void VolatileFile::write(std::uint64_t change, std::uint64_t offset_bytes, std::span<const std::byte> data) {
    if (data.empty()) return;
    const std::uint64_t end_bytes = offset_bytes + data.size();
    if (end_bytes > size_bytes()) resize(change, end_bytes);
    for (std::uint64_t index = first_unit(offset_bytes); index < end_unit(end_bytes); ++index) {
        const auto known = units_.find(index);
        const std::uint64_t unit_begin = index * setup_.unit_bytes;
        const std::uint64_t begin = std::max(unit_begin, offset_bytes);
        const std::uint64_t end = std::min(unit_begin + setup_.unit_bytes, end_bytes);
        Version version{change, std::make_unique_for_overwrite<std::byte[]>(setup_.unit_bytes)};
        if (end - begin < setup_.unit_bytes) read_newest(index, known == units_.end() ? nullptr : &known->second, version.bytes.get());
        std::memcpy(version.bytes.get() + (begin - unit_begin), data.data() + (begin - offset_bytes), end - begin);
        Unit& unit = known == units_.end() ? units_[index] : known->second;
        UMS_ASSERT(unit.versions.empty() || unit.versions.back().change < change);
        unit.versions.push_back(std::move(version));
    }
    writes_.emplace(change, Range{offset_bytes, data.size()});
}

void VolatileFile::resize(std::uint64_t change, std::uint64_t size) {
    UMS_ASSERT(size % setup_.unit_bytes == 0);
    if (size != size_bytes()) sizes_.push_back({change, size});
}

// The last change, not yet on the medium, that cut the unit off; 0: none.
std::uint64_t VolatileFile::last_cut_of(std::uint64_t unit) const {
    std::uint64_t change = 0;
    for (const Size& size : sizes_) {
        if (unit * setup_.unit_bytes >= size.size_bytes) change = size.change;
    }
    return change;
}

void VolatileFile::read_newest(std::uint64_t index, const Unit* unit, std::byte* bytes) const {
    const std::uint64_t cut = last_cut_of(index);
    if (unit != nullptr && unit->versions.back().change >= cut) {
        std::memcpy(bytes, unit->versions.back().bytes.get(), setup_.unit_bytes);
    } else if (cut != 0) {
        std::memset(bytes, 0, setup_.unit_bytes);
    } else {
        medium_->read(index * setup_.unit_bytes, bytes, setup_.unit_bytes);
    }
}

// Index of the unit's contents as of this change; versions.size(): as on the medium.
std::size_t VolatileFile::version_at(const Unit& unit, std::uint64_t change) {
    std::size_t index = unit.versions.size();
    for (std::size_t i = 0; i < unit.versions.size() && unit.versions[i].change <= change; ++i) index = i;
    return index;
}

// If nothing ever reaches the medium, what preceded the promised contents no longer matters.
void VolatileFile::forget_older(Unit& unit) {
    const std::size_t promised = version_at(unit, unit.promised);
    if (promised == unit.versions.size()) return;
    unit.versions.erase(unit.versions.begin(), unit.versions.begin() + static_cast<std::ptrdiff_t>(promised));
}

// --- what gets to the medium ---

VolatileFile::Units::iterator VolatileFile::harden_unit(Units::iterator unit, std::uint64_t change) {
    std::vector<Version>& versions = unit->second.versions;
    const std::size_t last = version_at(unit->second, change);
    if (last == versions.size() || is_in_hole(unit->first)) return std::next(unit);
    const std::uint64_t offset_bytes = unit->first * setup_.unit_bytes;
    UMS_ASSERT(offset_bytes + setup_.unit_bytes <= medium_->size_bytes());
    medium_->write(offset_bytes, versions[last].bytes.get(), setup_.unit_bytes);
    versions.erase(versions.begin(), versions.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    return versions.empty() ? units_.erase(unit) : std::next(unit);
}

void VolatileFile::harden_sizes(std::uint64_t change) {
    auto size = sizes_.begin();
    for (; size != sizes_.end() && size->change <= change; ++size) {
        medium_->resize(size->size_bytes);
        for (auto unit = units_.lower_bound(end_unit(size->size_bytes)); unit != units_.end();) {
            std::erase_if(unit->second.versions, [&](const Version& version) { return version.change < size->change; });
            unit = unit->second.versions.empty() ? units_.erase(unit) : std::next(unit);
        }
    }
    sizes_.erase(sizes_.begin(), size);
}

void VolatileFile::harden(std::uint64_t change) {
    harden_sizes(change);
    for (auto unit = units_.begin(); unit != units_.end();) unit = harden_unit(unit, change);
    writes_.erase(writes_.begin(), writes_.upper_bound(change));
}

// The size change without which bytes up to `end_bytes` are not in the file: the first one after the last size, up to this change, that was
// too small for them. 0: none.
std::uint64_t VolatileFile::size_needed(std::uint64_t change, std::uint64_t end_bytes) const {
    std::uint64_t needed = 0;
    bool is_too_small = medium_->size_bytes() < end_bytes;
    for (const Size& size : sizes_) {
        if (size.change > change) break;
        if (is_too_small) needed = size.change;
        is_too_small = size.size_bytes < end_bytes;
    }
    return needed;
}

void VolatileFile::harden_write(std::uint64_t change, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    harden_sizes(size_needed(change, offset_bytes + size_bytes));
    const std::uint64_t end = end_unit(offset_bytes + size_bytes);
    for (auto unit = units_.lower_bound(first_unit(offset_bytes)); unit != units_.end() && unit->first < end;) {
        unit = harden_unit(unit, change);
    }
    writes_.erase(change);
}

// --- promises ---

void VolatileFile::promise(std::uint64_t change) {
    promised_size_ = std::max(promised_size_, change);
    for (auto& [index, unit] : units_) {
        unit.promised = std::max(unit.promised, change);
        if (is_in_hole(index)) forget_older(unit);
    }
}

void VolatileFile::promise_write(std::uint64_t change, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    promised_size_ = std::max(promised_size_, size_needed(change, offset_bytes + size_bytes));
    const std::uint64_t end = end_unit(offset_bytes + size_bytes);
    for (auto unit = units_.lower_bound(first_unit(offset_bytes)); unit != units_.end() && unit->first < end; ++unit) {
        unit->second.promised = std::max(unit->second.promised, change);
        if (is_in_hole(unit->first)) forget_older(unit->second);
    }
}

}  // namespace ums
