#include "sim/backup/backup_chain.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using sim::BackupSet;

TEST_CASE("of the backups of a chain only the newest keeps its sums, however many there are") {
    const std::array files{sim::SummedFile{.file_id = 1, .page_count = 640, .pages_max = 640}};
    std::vector<BackupSet> sets;
    for (std::uint32_t number = 1; number <= 3; ++number) {
        BackupSet set{.kind = sim::BackupKind::log, .number = number};
        set.sums = sim::PageSums(files, 1024);
        sim::add_to_chain(sets, std::move(set));
    }
    REQUIRE(sets.size() == 3);
    CHECK(sets[0].sums.files().empty());
    CHECK(sets[1].sums.files().empty());
    CHECK(sets[2].sums.files().size() == 1);
    CHECK(sets[0].number == 1);
    CHECK(sets[2].number == 3);
}

namespace {

template <typename Set>
constexpr bool kKeepsPageRuns = requires(Set set) { set.runs; };

}  // namespace

// A differential backup of scattered changes has a run for each extent: in a chain of days, they would fill the memory.
TEST_CASE("no backup of a chain keeps in memory where its pages are") { STATIC_REQUIRE_FALSE(kKeepsPageRuns<BackupSet>); }

TEST_CASE("a wrong chunk of a chain that cannot be read again is not called persistent") {
    using namespace sim::testing;
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    bool was_wrong = false;
    const auto is_first_chunk = [](const auto& request, const std::string& path) {
        return request.operation == ums::IoOperation::read && path.ends_with(".trn") && request.offset_bytes == sim::kPageBytes;
    };
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (was_wrong || request.owner == nullptr || !is_first_chunk(request, path)) return;
        request.segments[0].data[100] ^= std::byte{0x20};
        was_wrong = true;
    });
    run.storage.set_fault([&](const Recorded& request) {
        const bool fails = was_wrong && is_first_chunk(request, request.path);
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const sim::Results results = run.run(options);
    INFO(run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::log_block_damaged);
    CHECK(results.findings[0].reasoning.at(1) == "No re-read returned anything, so nobody knows whether the fault stays.");
}

TEST_CASE("a sound chunk in the place of another one is found in a chain of backups") {
    using namespace sim::testing;
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    std::vector<std::byte> first;
    run.storage.set_tamper([&first](ums::IoRequest& request, const std::string& path) {
        const bool is_of_chain = request.operation == ums::IoOperation::read && request.owner != nullptr && path.ends_with(".trn");
        if (!is_of_chain || request.error) return;
        std::byte* const data = request.segments[0].data;
        if (request.offset_bytes == sim::kPageBytes) first.assign(data, data + request.size_bytes);
        const bool is_second = !first.empty() && request.offset_bytes == sim::kPageBytes + first.size();
        if (is_second && request.size_bytes >= first.size()) std::copy(first.begin(), first.end(), data);
    });
    const sim::Results results = run.run(options);
    INFO(run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::log_stale_block);
    CHECK_FALSE(results.findings[0].transient);
    CHECK(results.findings[0].place.offset_bytes == sim::kPageBytes + first.size());
    CHECK_THAT(results.findings[0].description, ContainsSubstring("but chunk 1 came back"));
    REQUIRE(results.findings[0].received);
    const sim::ChunkHeader header = sim::read_chunk_header(first.data());
    CHECK(results.findings[0].received->run_id == header.run_id);
    CHECK(results.findings[0].received->checksum == header.checksum);
    CHECK(results.findings[0].received->calculated_checksum == header.checksum);
}

TEST_CASE("a later chunk of the same chain in the place of another one is a gap, not an old chunk") {
    using namespace sim::testing;
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    std::vector<std::byte> later;  // as small as the first one
    run.storage.set_tamper([&later](ums::IoRequest& request, const std::string& path) {
        const bool is_of_chain = request.operation == ums::IoOperation::read && request.owner != nullptr && path.ends_with(".trn");
        if (!is_of_chain || request.error || request.size_bytes != sim::kBackupAlignmentBytes) return;
        std::byte* const data = request.segments[0].data;
        const bool is_first = request.offset_bytes == sim::kPageBytes;
        if (!is_first) later.assign(data, data + request.size_bytes);
        if (is_first && !later.empty()) std::copy(later.begin(), later.end(), data);  // when the restore reads it
    });
    const sim::Results results = run.run(options);
    INFO(run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::log_gap);
    CHECK(results.findings[0].place.offset_bytes == sim::kPageBytes);
    const std::string number = std::to_string(sim::read_chunk_header(later.data()).sequence);
    CHECK_THAT(results.findings[0].description, ContainsSubstring("but chunk " + number + " came back"));
}

TEST_CASE("of a chunk whose bits are wrong, a finding has the checksum in its header and the one of its bytes") {
    using namespace sim::testing;
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    run.storage.set_tamper([](ums::IoRequest& request, const std::string& path) {
        const bool is_of_chain = request.operation == ums::IoOperation::read && request.owner != nullptr && path.ends_with(".trn");
        if (is_of_chain && request.offset_bytes == sim::kPageBytes) request.segments[0].data[100] ^= std::byte{0x20};
    });
    const sim::Results results = run.run(options);
    INFO(run.sink.text());
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].kind == sim::FindingKind::log_block_damaged);
    REQUIRE(results.findings[0].expected);
    REQUIRE(results.findings[0].received);
    CHECK(results.findings[0].received->run_id == results.run_id);
    CHECK(results.findings[0].received->checksum == results.findings[0].expected->checksum);
    CHECK(results.findings[0].received->calculated_checksum != results.findings[0].received->checksum);
}
