// One file behind a cache that forgets: what the medium holds and, for every unit (what the device writes atomically) and for the size, all
// later changes that are not on the medium yet, in the order of completion. Changes are numbered by the storage, 1, 2, ... over all its
// files. Knows nothing of time or lies: the storage says what reaches the medium, and when. One thread.
//
// After a power cut a unit holds what the medium has or any later contents, whatever its neighbors hold. Changes of the size stay in order:
// if one of them is lost, so are those after it. What a truncation removed does not come back when the file grows again. Sizes are
// multiples of the unit (asserted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ums/base/units.hpp"
#include "ums/io/cut_choice.hpp"
#include "ums/io/io_request.hpp"
#include "ums/io/power_cut.hpp"
#include "ums/io/simulated_storage.hpp"

namespace ums {

// A request that the device has not completed. Such requests have higher numbers than all others.
struct InFlightChange {
    std::uint64_t change = 0;
    const IoRequest* request = nullptr;  // write, allocate, truncate; its memory is still in place
};

class VolatileFile {
public:
    struct Setup {
        std::uint32_t unit_bytes = 512;
        std::uint64_t hole_begin_bytes = kNever;  // what is written at or beyond this offset never reaches the medium
    };

    // `medium` is durable as it is.
    VolatileFile(std::string path, std::unique_ptr<SimulatedFile> medium, const Setup& setup);

    [[nodiscard]] const std::string& path() const { return path_; }
    // As a reader sees it.
    [[nodiscard]] std::uint64_t size_bytes() const { return sizes_.empty() ? medium_->size_bytes() : sizes_.back().size_bytes; }
    // The least size that the device promises to have after a cut.
    [[nodiscard]] std::uint64_t promised_size_bytes() const;
    // What the cache holds.
    [[nodiscard]] std::uint64_t cached_bytes() const;

    // --- completed ---

    // May extend the file: that is a change of its size, also numbered `change`. Within the file, any offset and size will do.
    void write(std::uint64_t change, std::uint64_t offset_bytes, std::span<const std::byte> data);
    void resize(std::uint64_t change, std::uint64_t size_bytes);

    // --- reaching the medium ---

    // All changes up to this one.
    void harden(std::uint64_t change);
    // This write and earlier ones to the same place; also the changes of the size up to it, if the write could not be found without them.
    void harden_write(std::uint64_t change, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    // Changes of the size up to this one.
    void harden_sizes(std::uint64_t change);

    // --- what the device promises to have after a cut; the same ranges ---

    void promise(std::uint64_t change);
    void promise_write(std::uint64_t change, std::uint64_t offset_bytes, std::uint64_t size_bytes);

    // --- power goes ---

    struct Remains {
        std::unique_ptr<SimulatedFile> file;
        std::vector<LostWrite> lost;
        std::vector<TornWrite> torn;
    };
    [[nodiscard]] Remains cut(const CutChoice& choice, std::span<const InFlightChange> in_flight) const;

private:
    struct Version {
        std::uint64_t change;
        std::unique_ptr<std::byte[]> bytes;  // of the whole unit
    };
    struct Unit {
        std::uint64_t promised = 0;     // the contents as of this change, or later ones
        std::vector<Version> versions;  // later than what the medium has; never empty
    };
    using Units = std::map<std::uint64_t, Unit>;  // by offset / unit_bytes
    struct Size {
        std::uint64_t change;
        std::uint64_t size_bytes;
    };
    struct Range {
        std::uint64_t offset_bytes;
        std::uint64_t size_bytes;
    };
    class Cut;

    [[nodiscard]] std::uint64_t first_unit(std::uint64_t offset_bytes) const { return offset_bytes / setup_.unit_bytes; }
    [[nodiscard]] std::uint64_t end_unit(std::uint64_t end_bytes) const { return (end_bytes + setup_.unit_bytes - 1) / setup_.unit_bytes; }
    [[nodiscard]] bool is_in_hole(std::uint64_t unit) const { return unit * setup_.unit_bytes >= setup_.hole_begin_bytes; }
    [[nodiscard]] std::uint64_t size_needed(std::uint64_t change, std::uint64_t end_bytes) const;
    [[nodiscard]] std::uint64_t last_cut_of(std::uint64_t unit) const;
    void read_newest(std::uint64_t index, const Unit* unit, std::byte* bytes) const;
    static std::size_t version_at(const Unit& unit, std::uint64_t change);
    static void forget_older(Unit& unit);
    Units::iterator harden_unit(Units::iterator unit, std::uint64_t change);

    const std::string path_;
    const Setup setup_;
    std::unique_ptr<SimulatedFile> medium_;
    Units units_;
    std::vector<Size> sizes_;  // not on the medium yet
    std::uint64_t promised_size_ = 0;
    std::map<std::uint64_t, Range> writes_;  // by change; not wholly on the medium yet
};

}  // namespace ums
