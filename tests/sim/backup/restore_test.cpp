// Restores of chains that the test makes: whether they lead to what the file was. In virtual time, on files in memory.
#include "sim/backup/restore.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sim/backup/backup.hpp"
#include "sim/backup/backup_format.hpp"
#include "sim/context/file_resizer.hpp"
#include "sim/limits.hpp"
#include "tests/sim/support/backup_world.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;

namespace {

template <typename Value>
void put_into_body(std::vector<std::byte>& body, const Value& value) {
    const std::size_t at = body.size();
    body.resize(at + sizeof value);
    std::memcpy(body.data() + at, &value, sizeof value);
}

// Appends a full backup with neither pages nor log, according to which the file had so many pages.
ums::Task<sim::BackupSet> append_bare_backup(sim::BackupParts& parts, std::uint32_t page_count) {
    const sim::SimFile& file = parts.sources.front().data->file;
    const sim::LogMark mark = parts.context.log.mark();
    sim::BackupSet set{.kind = sim::BackupKind::full, .number = 1};
    set.last_lsn = mark.last_lsn;
    set.sums = mark.sums;
    set.shrunk.push_back(file.shrunk_count);
    std::vector<std::byte> begin;
    put_into_body(begin, sim::SetBegin{static_cast<std::uint32_t>(set.kind), 1, parts.files.stripe_count, parts.block_pages});
    put_into_body(begin, sim::SetFile{file.id(), page_count});
    std::vector<std::byte> end;
    put_into_body(end, sim::SetEnd{set.last_lsn, 0, 0});
    bool is_appended = co_await parts.chain.append(sim::ChunkKind::set_begin, set.number, begin);
    if (is_appended) is_appended = co_await parts.chain.append(sim::ChunkKind::set_end, set.number, end);
    CHECK(is_appended);
    set.end_chunk = parts.chain.chunk_count();
    co_return set;
}

}  // namespace

TEST_CASE("a restored file that is not what the data file was at the end of the backup is found, although all that was read is sound") {
    struct Chain {
        bool lacks_change;
        std::uint32_t page_count;
        std::string said;
    };
    const auto chain = GENERATE(Chain{false, 1024, ""}, Chain{true, 1024, "changes are missing from page 256 on"},
                                Chain{false, 1000, "The restored file has 1000 pages"});
    ums::Semaphore outstanding(sim::kOutstandingIoMax);
    WorkerWorld world;
    world.options.backup_user.folders = "/memory";
    world.options.backup_user.restore_folder = "/memory";
    world.run([&outstanding, &chain](WorkerWorld& w) -> ums::Task<void> {
        co_await add_backup_files(w, outstanding);
        if (chain.lacks_change) co_await w.change_page(300);
        sim::BackupParts parts(w.context(), w.parts->backup_files);
        const bool is_begun = co_await parts.chain.begin(1);
        REQUIRE(is_begun);
        sim::BackupSet set = co_await append_bare_backup(parts, chain.page_count);
        std::vector<sim::BackupSet> sets;
        sets.push_back(std::move(set));
        sim::BackupResult result;
        sim::Restore restore(parts, sets, result);
        const bool is_done = co_await restore.run();
        CHECK(is_done);
        CHECK(result.compared.count == 1);
    });
    const std::vector<sim::Finding> findings = world.sink.findings();
    INFO(world.sink.text());
    REQUIRE(findings.size() == (chain.said.empty() ? 0 : 1));
    if (findings.empty()) return;
    CHECK(findings[0].kind == sim::FindingKind::wal_violation);
    CHECK(findings[0].place.role == sim::FileRole::restored);
    CHECK_THAT(findings[0].description, ContainsSubstring(chain.said));
}

// The log of the differential backup begins where that of the full one ended.
TEST_CASE("a restored file is compared as a whole although it was cut, and grew again, before its differential backup") {
    ums::Semaphore outstanding(sim::kOutstandingIoMax);
    WorkerWorld world;
    world.options.backup_user.folders = "/memory";
    world.options.backup_user.restore_folder = "/memory";
    world.options.backup_user.differential_interval_s = 1;
    world.options.backup_user.log_interval_s = 3600;
    world.run([&outstanding](WorkerWorld& w) -> ums::Task<void> {
        co_await add_backup_files(w, outstanding);
        sim::Backup backup(w.context(), w.parts->backup_files, *w.parts->checkpoint, *w.parts->log_auditor);
        ums::TaskGroup tasks;
        w.state.release_users();
        (*w.schedulers)[0].spawn(tasks, "Backup", backup.serve());
        co_await w.sleep_ms(500);
        co_await w.change_page(300);
        sim::FileResizer resizer(w.context());
        co_await resizer.resize(w.data(), 2 * ums::kMb);
        co_await resizer.resize(w.data(), 8 * ums::kMb);
        co_await w.change_page(40);
        co_await w.sleep_ms(1000);
        w.state.end_users();
        w.state.users_have_ended();
        co_await tasks.join();
        co_await backup.finish();
        CHECK(w.data().file.shrunk_count == 1);
        CHECK(backup.result().full.count == 1);
        CHECK(backup.result().differential.count == 1);
        CHECK(backup.result().compared.count == 1);
    });
    INFO(world.sink.text());
    CHECK(world.sink.findings().empty());
    CHECK(world.sink.count_of(sim::Severity::info, "not compared as a whole") == 0);
}
