// A storage under random load against a model of what a cut may leave: just a list of all completed requests. The model knows no units, no
// cache and no medium; it checks whether some choice of sizes explains every sector that a cut has left.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/support/seed.hpp"
#include "tests/ums/io/volatile_world.hpp"

using ums::FileHandle;
using ums::IoOperation;
using ums::IoRequest;
using ums::PowerCut;
using ums::testing::kSector;
using ums::testing::VolatileWorld;

namespace {

constexpr std::uint64_t kSectorsMax = 24;
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

// Which write a sector holds; 0: zeros. Every sector of a write holds this number in each of its words.
using WriteTag = std::uint64_t;

std::optional<WriteTag> tag_of(const ums::SimulatedFile& file, std::uint64_t sector) {
    std::array<WriteTag, kSector / sizeof(WriteTag)> words{};
    std::array<std::byte, kSector> bytes{};
    file.read(sector * kSector, bytes.data(), kSector);
    std::memcpy(words.data(), bytes.data(), kSector);
    const bool is_whole = std::all_of(words.begin(), words.end(), [&](WriteTag word) { return word == words[0]; });
    return is_whole ? std::optional(words[0]) : std::nullopt;
}

std::vector<std::byte> tagged(WriteTag tag, std::uint64_t sectors) {
    std::vector<std::byte> bytes(sectors * kSector);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(tag)) std::memcpy(bytes.data() + at, &tag, sizeof(tag));
    return bytes;
}

class DurabilityModel {
public:
    struct Change {
        bool is_size = false;
        std::uint64_t begin = 0;  // in sectors; for a size, the new one
        std::uint64_t end = 0;
        WriteTag tag = 0;
        bool durable = false;
    };

    explicit DurabilityModel(std::uint64_t sectors) : size_(sectors) { changes_.push_back({true, sectors, 0, 0, true}); }

    [[nodiscard]] std::size_t count() const { return changes_.size(); }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    void resize(std::uint64_t sectors) {
        if (sectors == size_) return;
        size_ = sectors;
        changes_.push_back({true, sectors, 0, 0, false});
    }
    void write(std::uint64_t begin, std::uint64_t end, WriteTag tag, bool durable) {
        resize(std::max(size_, end));
        if (durable) {
            // Since when the file has been large enough for the write.
            std::size_t large_since = changes_.size();
            for (std::size_t i = changes_.size(); i-- > 0 && (!changes_[i].is_size || changes_[i].begin >= end);) large_since = i;
            sync_sizes(first_size_from(large_since) + 1);
        }
        changes_.push_back({false, begin, end, tag, durable});
    }
    void sync(std::size_t covered) {
        sync_sizes(covered);
        for (std::size_t i = 0; i < covered; ++i) changes_[i].durable = true;
    }

    // What a sector may hold if the sizes up to change number `kept` have survived. Nothing if that is impossible.
    [[nodiscard]] std::set<WriteTag> allowed(std::uint64_t sector, std::size_t kept, const std::vector<Change>& in_flight) const {
        std::size_t from = 0;
        std::size_t until = changes_.size();
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            if (!changes_[i].is_size || sector < changes_[i].begin) continue;
            if (i <= kept) {
                from = i;
            } else {
                until = std::min(until, i);
            }
        }
        std::set<WriteTag> tags{0};
        for (std::size_t i = from; i < changes_.size(); ++i) {
            const Change& change = changes_[i];
            if (change.is_size || sector < change.begin || sector >= change.end) continue;
            if (i >= until && change.durable) return {};
            if (change.durable) tags.clear();
            if (i < until) tags.insert(change.tag);
        }
        for (const Change& change : in_flight) {
            const bool is_cut_since = until < changes_.size() || (change.is_size && sector >= change.begin);
            if (is_cut_since) break;
            if (!change.is_size && sector >= change.begin && sector < change.end) tags.insert(change.tag);
        }
        return tags;
    }

    [[nodiscard]] std::size_t last_durable_size() const {
        std::size_t last = 0;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            if (changes_[i].is_size && changes_[i].durable) last = i;
        }
        return last;
    }

    // Some prefix of the sizes explains the file.
    [[nodiscard]] bool explains(const ums::SimulatedFile& file, const std::vector<Change>& in_flight) const {
        for (std::size_t kept = last_durable_size(); kept < changes_.size(); ++kept) {
            if (changes_[kept].is_size && changes_[kept].begin * kSector == file.size_bytes() && fits(file, kept, in_flight)) return true;
        }
        return explains_under_way(file, in_flight);
    }

private:
    [[nodiscard]] std::size_t first_size_from(std::size_t index) const {
        while (!changes_[index].is_size) ++index;
        return index;
    }
    void sync_sizes(std::size_t covered) {
        for (std::size_t i = 0; i < covered; ++i) changes_[i].durable |= changes_[i].is_size;
    }
    // If a size in flight has survived, so have all before it; zeros may be where it truncated the file.
    [[nodiscard]] bool explains_under_way(const ums::SimulatedFile& file, const std::vector<Change>& in_flight) const {
        std::vector<Change> writes;
        std::copy_if(in_flight.begin(), in_flight.end(), std::back_inserter(writes), [](const Change& each) { return !each.is_size; });
        std::uint64_t size = size_;
        std::uint64_t smallest = size_;
        for (const Change& change : in_flight) {
            if (!change.is_size) continue;
            size = change.end != 0 ? std::max(size, change.end) : change.begin;
            smallest = std::min(smallest, size);
            if (size * kSector == file.size_bytes() && fits(file, changes_.size() - 1, writes, smallest)) return true;
        }
        return false;
    }
    [[nodiscard]] bool fits(const ums::SimulatedFile& file, std::size_t kept, const std::vector<Change>& in_flight,
                            std::uint64_t zeros_from = kNowhere) const {
        for (std::uint64_t sector = 0; sector < file.size_bytes() / kSector; ++sector) {
            const std::optional<WriteTag> tag = tag_of(file, sector);
            if (!tag) return false;
            const bool is_cut = sector >= zeros_from && *tag == 0;
            if (!is_cut && allowed(sector, kept, in_flight).count(*tag) == 0) return false;
        }
        return true;
    }

    std::vector<Change> changes_;
    std::uint64_t size_;
};

// Random requests to one file, added to the model when they complete.
class RandomLoad {
public:
    struct Shape {
        bool resizes = true;
        std::uint64_t unit_sectors = 1;  // all offsets and sizes are multiples of it
    };

    RandomLoad(VolatileWorld& world, std::uint64_t seed, const Shape& shape)
        : model(kStartSectors), world_(world), prng_(seed), shape_(shape), file_(world.make("/f", kStartSectors * kSector)) {
        REQUIRE(!world.storage.reopen(file_, {.durable_writes = true}, durable_file_));
    }

    void step() {
        switch (prng_.below(10)) {
            case 0: return post_sync();
            case 1: return blocking_sync();
            case 2: return shape_.resizes ? post_resize() : post_write();
            case 3:
            case 4:
            case 5: return post_write();
            default: return come_back();
        }
    }

    [[nodiscard]] std::vector<DurabilityModel::Change> in_flight() const {
        std::vector<DurabilityModel::Change> changes;
        for (const Out& out : out_) {
            const IoRequest& request = *out.request;
            const std::uint64_t begin = request.offset_bytes / kSector;
            const std::uint64_t end = begin + request.size_bytes / kSector;
            if (request.operation == IoOperation::write) changes.push_back({false, begin, end, out.tag, false});
            if (request.operation == IoOperation::truncate) changes.push_back({true, begin, 0, 0, false});
            if (request.operation == IoOperation::allocate) changes.push_back({true, ~0ULL, end, 0, false});
        }
        return changes;
    }

    DurabilityModel model;

private:
    static constexpr std::uint64_t kStartSectors = 16;

    struct Out {
        IoRequest* request;
        WriteTag tag;
        std::size_t covered;
    };

    std::uint64_t draw(std::uint64_t low, std::uint64_t high) {
        return prng_.between(low / shape_.unit_sectors, high / shape_.unit_sectors) * shape_.unit_sectors;
    }
    void post_write() {
        if (out_.size() >= 6) return come_back();
        const std::uint64_t limit = shape_.resizes ? kSectorsMax : kStartSectors;
        const std::uint64_t begin = draw(0, limit - shape_.unit_sectors);
        const std::uint64_t end = draw(begin + shape_.unit_sectors, std::min(limit, begin + 8));
        const bool by_handle = prng_.below(6) == 0;
        const bool by_request = prng_.below(6) == 0;
        ++last_tag_;
        IoRequest& request = world_.post_bytes(IoOperation::write, by_handle ? durable_file_ : file_, begin * kSector,
                                               (end - begin) * kSector, tagged(last_tag_, end - begin), by_request);
        out_.push_back({&request, last_tag_, 0});
    }
    void post_sync() { out_.push_back({&world_.post(IoOperation::sync, file_, 0, 0), 0, model.count()}); }
    void blocking_sync() {
        if (prng_.below(4) != 0) return;
        REQUIRE(!world_.storage.sync(file_));
        model.sync(model.count());
    }
    void post_resize() {
        const std::uint64_t sectors = draw(4, kSectorsMax);
        IoRequest& request = prng_.below(2) == 0 ? world_.post(IoOperation::truncate, file_, sectors * kSector, 0)
                                                 : world_.post(IoOperation::allocate, file_, 0, sectors * kSector);
        out_.push_back({&request, 0, 0});
    }
    void come_back() {
        if (out_.empty()) return world_.clock.advance_to(world_.clock.now_ns() + prng_.below(ums::kNsPerMs));
        for (IoRequest* request : world_.step()) {
            const auto out = std::find_if(out_.begin(), out_.end(), [&](const Out& each) { return each.request == request; });
            const std::uint64_t begin = request->offset_bytes / kSector;
            const std::uint64_t end = begin + request->size_bytes / kSector;
            if (request->operation == IoOperation::write) {
                model.write(begin, end, out->tag, request->durable || request->file == durable_file_);
            } else if (request->operation == IoOperation::truncate) {
                model.resize(begin);
            } else if (request->operation == IoOperation::allocate) {
                model.resize(std::max(model.size(), end));
            } else {
                model.sync(out->covered);
            }
            out_.erase(out);
            world_.forget(request);
        }
    }

    VolatileWorld& world_;
    ums::Prng prng_;
    const Shape shape_;
    const FileHandle file_;
    FileHandle durable_file_;
    std::vector<Out> out_;
    WriteTag last_tag_ = 0;
};

ums::VolatileOptions draw_options(ums::Prng& prng) {
    ums::VolatileOptions options;
    options.seed = prng.next();
    options.destage_min_ns = prng.below(3) == 0 ? ums::kNever : ums::kNsPerMs;
    options.destage_max_ns = options.destage_min_ns == ums::kNever ? ums::kNever : 10 * ums::kNsPerMs;
    return options;
}

ums::DiskModel random_disk(std::uint64_t seed) {
    return [prng = ums::Prng(seed)](const IoRequest&, std::uint32_t) mutable { return prng.between(1, 300) * ums::kNsPerUs; };
}

}  // namespace

TEST_CASE("a cut of an honest device leaves what its promises allow, whatever the load") {
    ums::Prng prng(ums::testing::test_seed("honest device against the model"));
    std::uint64_t moved_sizes = 0;
    std::uint64_t torn = 0;
    for (int turn = 0; turn < 300; ++turn) {
        const std::uint64_t seed = prng.next();
        CAPTURE(turn, seed);
        ums::VolatileOptions options = draw_options(prng);
        RandomLoad::Shape shape;
        shape.unit_sectors = prng.below(2) == 0 ? 1 : 2;
        options.atomic_unit_bytes = static_cast<std::uint32_t>(shape.unit_sectors * kSector);
        VolatileWorld world(options, random_disk(seed));
        RandomLoad load(world, seed, shape);
        for (int step = 0; step < 80; ++step) {
            load.step();
            const PowerCut cut = world.storage.cut(prng.next());
            const ums::SimulatedFile& file = *cut.files.at("/f");
            const bool is_explained = load.model.explains(file, load.in_flight());
            CAPTURE(step);
            REQUIRE(is_explained);
            moved_sizes += file.size_bytes() != load.model.size() * kSector ? 1 : 0;
            torn += cut.torn.size();
        }
    }
    CHECK(moved_sizes > 100);
    CHECK(torn > 1000);
}

TEST_CASE("the list of lost writes is exactly what a lying device has lost of its promises") {
    ums::Prng prng(ums::testing::test_seed("lying device against the model"));
    constexpr std::array kLies = {ums::PowerLie::flush_ignored, ums::PowerLie::fua_ignored, ums::PowerLie::one_file_ignored,
                                  ums::PowerLie::overtaking,    ums::PowerLie::rolled_back, ums::PowerLie::write_hole};
    std::map<ums::PowerLie, std::uint64_t> damaged;
    for (int turn = 0; turn < 240; ++turn) {
        const ums::PowerLie lie = kLies.at(static_cast<std::size_t>(turn) % kLies.size());
        const std::uint64_t seed = prng.next();
        CAPTURE(turn, seed, name_of(lie));
        ums::VolatileOptions options = draw_options(prng);
        options.lying_path = "/f";
        options.hole_begin_bytes = prng.below(16) * kSector;
        options.overtaking_ns = options.rolled_back_ns = 2 * ums::kNsPerMs;
        options.lies = {lie};
        VolatileWorld world(options, random_disk(seed));
        RandomLoad load(world, seed, {.resizes = false});
        world.clock.advance_to(20 * ums::kNsPerMs);  // by now name and size have reached the medium by themselves
        if (options.destage_min_ns == ums::kNever && lie != ums::PowerLie::fua_ignored && lie != ums::PowerLie::write_hole) continue;
        for (int step = 0; step < 100; ++step) {
            load.step();
            const PowerCut cut = world.storage.cut(prng.next());
            const ums::SimulatedFile& file = *cut.files.at("/f");
            std::set<std::uint64_t> expected;
            std::set<std::uint64_t> listed;
            for (std::uint64_t sector = 0; sector < file.size_bytes() / kSector; ++sector) {
                const std::set<WriteTag> allowed = load.model.allowed(sector, 0, load.in_flight());
                const std::optional<WriteTag> tag = tag_of(file, sector);
                REQUIRE(tag);
                if (allowed.count(*tag) == 0) expected.insert(sector);
            }
            for (const ums::LostWrite& lost : cut.lost) {
                REQUIRE(lost.part == ums::LostPart::contents);
                for (std::uint64_t at = 0; at < lost.size_bytes; at += kSector) listed.insert((lost.offset_bytes + at) / kSector);
            }
            REQUIRE(listed == expected);
            damaged[lie] += expected.empty() ? 0 : 1;
        }
    }
    for (const ums::PowerLie lie : kLies) {
        CAPTURE(name_of(lie));
        CHECK(damaged[lie] > 50);
    }
}
