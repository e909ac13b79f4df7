// How a log block that a backup reads must be named, once it is wrong.
#include "sim/rehearsal/log_faults.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

using sim::FindingKind;

namespace {

constexpr std::uint32_t kReadBlockBytes = 1024;

std::vector<std::byte> block_to_read(std::uint64_t sequence) {
    std::vector<std::byte> block(kReadBlockBytes, std::byte{7});
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.size_bytes = kReadBlockBytes;
    header.sequence = sequence;
    std::memcpy(block.data(), &header, sizeof header);
    return block;
}

// A log of which every block that a backup reads goes wrong.
class SpoiltLog {
public:
    SpoiltLog(FindingKind kind, std::uint64_t seed)
        : prng_(seed),
          choice_({{.kind = kind, .rate = 1, .place = sim::FaultPlace::log_backup, .count_max = 1}},
                  {.inner = disk_, .moment = moment_, .prng = prng_, .record = record_}) {}

    void write(std::uint64_t sequence) {
        std::vector<std::byte> block = block_to_read(sequence);
        const ums::IoSegment segment{block.data(), block.size()};
        ums::IoRequest request;
        fill(request, ums::IoOperation::write, sequence, segment);
        faults_.finish_write(log_, request);
    }
    void read(std::uint64_t sequence) {
        std::vector<std::byte> block = block_to_read(sequence);
        const ums::IoSegment segment{block.data(), block.size()};
        ums::IoRequest request;
        fill(request, ums::IoOperation::read, sequence, segment);
        faults_.finish_read(log_, request);
    }
    void lose(std::uint64_t sequence) { record_.log_block_lost({.sequence = sequence}); }
    void damage(std::uint64_t sequence) { record_.log_block_spoilt(sequence); }
    [[nodiscard]] const sim::InjectedFault& fault() const { return record_.all().front(); }

private:
    void fill(ums::IoRequest& request, ums::IoOperation operation, std::uint64_t sequence, const ums::IoSegment& segment) const {
        request.operation = operation;
        request.offset_bytes = sequence * kReadBlockBytes;
        request.size_bytes = kReadBlockBytes;
        request.segments = &segment;
        request.segment_count = 1;
        request.owner = this;
    }

    ums::VirtualClock clock_;
    ums::SimulatedStorage disk_{clock_, ums::simulated_disk(1)};
    sim::FaultMoment moment_{clock_};
    ums::Prng prng_;
    sim::FaultyFiles files_{std::vector<std::string>{"log.ldx"}};
    sim::FaultyFile& log_ = files_.at("log.ldx");
    sim::FaultRecord record_{files_, moment_};
    sim::FaultChoice choice_;
    sim::LogFaults faults_{choice_, record_, prng_, true};
};

// What else it may be called, of a block that stays wrong after blocks up to `last` have been written and `read` was read. Before that,
// those behind `sound` were lost, and damaged, in turn.
std::optional<FindingKind> or_else_of(FindingKind kind, std::uint64_t last, std::uint64_t read, std::uint64_t sound) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SpoiltLog log(kind, seed);
        for (std::uint64_t sequence = 1; sequence <= last; ++sequence) log.write(sequence);
        for (std::uint64_t sequence = sound + 1; sequence <= last; sequence += 2) log.lose(sequence);
        for (std::uint64_t sequence = sound + 2; sequence <= last; sequence += 2) log.damage(sequence);
        log.read(read);
        if (!log.fault().transient) return log.fault().or_else;
    }
    FAIL("none of them stays wrong");
    return std::nullopt;
}

}  // namespace

TEST_CASE("a block that a backup reads may be called the end of the log only if nothing that was logged after it is left") {
    for (const FindingKind kind : {FindingKind::log_gap, FindingKind::log_stale_block}) {
        CHECK(or_else_of(kind, 3, 3, 3) == FindingKind::wal_violation);
        CHECK_FALSE(or_else_of(kind, 4, 3, 4).has_value());
        CHECK(or_else_of(kind, 5, 3, 3) == FindingKind::wal_violation);
        CHECK_FALSE(or_else_of(kind, 6, 3, 4).has_value());
    }
    CHECK_FALSE(or_else_of(FindingKind::log_block_damaged, 3, 3, 3).has_value());
}
