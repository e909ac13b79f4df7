// What rehearsals never draw they never test.
#include "sim/rehearsal/rehearsal_options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/rehearsal.hpp"
#include "tests/support/catch.hpp"

using sim::FileOptions;
using sim::Options;

namespace {

constexpr std::uint64_t kOptionSeeds = 2000;

bool has_file(const Options& options, const std::function<bool(const FileOptions&)>& is_meant) {
    return std::any_of(options.files.begin(), options.files.end(), is_meant);
}

std::ptrdiff_t log_files(const Options& options) {
    return std::count_if(options.files.begin(), options.files.end(), [](const FileOptions& file) { return file.is_log; });
}

bool is_replica(const Options& options, const FileOptions& file) { return sim::source_of_replica(file, options.files) != nullptr; }

using Predicate = std::function<bool(const Options&)>;

const std::map<std::string, Predicate>& what_must_occur() {
    static const std::map<std::string, Predicate> kAll{
        {"a second log file", [](const Options& o) { return log_files(o) == 2; }},
        {"a log that grows with zeros", [](const Options& o) { return o.files[1].increment_mb != 0 && !o.recent.log_instant_growth; }},
        {"a log that grows without zeros", [](const Options& o) { return o.files[1].increment_mb != 0 && o.recent.log_instant_growth; }},
        {"changes of two log records", [](const Options& o) { return o.random_user.max_log_per_buffer_bytes > sim::kLogBlockBytesMax; }},
        {"a file with its own durability",
         [](const Options& o) {
             return has_file(o, [](const FileOptions& file) { return file.durability != sim::Durability::inherited; });
         }},
        {"syncs", [](const Options& o) { return !o.write_through; }},
        {"a sparse data file",
         [](const Options& o) { return has_file(o, [&o](const FileOptions& file) { return file.sparse && !is_replica(o, file); }); }},
        {"a replica", [](const Options& o) { return has_file(o, [&o](const FileOptions& file) { return is_replica(o, file); }); }},
        {"checks of snapshots", [](const Options& o) { return o.audit_user.checks_snapshot; }},
        {"StopOnError", [](const Options& o) { return o.stop_on_error; }},
        {"two cycles", [](const Options& o) { return o.test_cycles == 2; }},
        {"merged buffers", [](const Options& o) { return o.merge_buffers; }},
        {"few requests at a time", [](const Options& o) { return o.max_outstanding_io != 0; }},
        {"no bursts", [](const Options& o) { return !o.allow_io_bursts; }},
        {"many rollbacks", [](const Options& o) { return o.random_user.rollback_chance == 5000; }},
        {"backups", [](const Options& o) { return o.backup_user.is_on(); }},
        {"differential backups", [](const Options& o) { return o.backup_user.differential_interval_s != 0; }},
        {"several full backups", [](const Options& o) { return o.backup_user.full_interval_s != 0; }},
        {"backups that are not verified", [](const Options& o) { return !o.backup_user.verify; }},
        {"tempdb", [](const Options& o) { return o.tempdb_user.user_count != 0; }},
    };
    return kAll;
}

// What config would have refused.
bool is_allowed(const Options& options) {
    const sim::RandomUserOptions& random = options.random_user;
    const bool are_files_sound = std::all_of(options.files.begin(), options.files.end(), [](const FileOptions& file) {
        return file.initial_size_mb > 0 && file.initial_size_mb <= file.max_size_mb;
    });
    return are_files_sound && random.min_log_per_buffer_bytes <= random.max_log_per_buffer_bytes &&
           random.min_io_chain_pages <= random.max_io_chain_pages &&
           (options.backup_user.verify || !options.backup_user.restore_folder.empty());
}

}  // namespace

TEST_CASE("everything that a rehearsal can draw occurs, and none of it in most of the runs that need not have it") {
    std::map<std::string, std::uint64_t> counts;
    for (std::uint64_t seed = 1; seed <= kOptionSeeds; ++seed) {
        const Options options = sim::rehearsal_options(seed);
        INFO("seed " << seed);
        CHECK(is_allowed(options));
        CHECK(is_allowed(sim::draw_crash_plan(seed, {}).options));
        for (const auto& [what, occurs] : what_must_occur()) counts[what] += occurs(options) ? 1 : 0;
    }
    for (const auto& [what, occurs] : what_must_occur()) {
        INFO(what << ": " << counts[what] << " of " << kOptionSeeds);
        CHECK(counts[what] >= kOptionSeeds / 200);
        CHECK(counts[what] < kOptionSeeds / 2);
    }
}

TEST_CASE("a lie about syncs or durable writes is told of a file whose writes become durable that way") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        for (const auto lie : {ums::PowerLie::flush_ignored, ums::PowerLie::overtaking, ums::PowerLie::fua_ignored}) {
            const Options options = sim::draw_crash_plan(seed, {lie}).options;
            const bool is_about_writes = lie == ums::PowerLie::fua_ignored;
            const sim::Durability wanted = is_about_writes ? sim::Durability::write_through : sim::Durability::forced_flush;
            for (const FileOptions& file : options.files) CHECK(durability_of(options, file) == wanted);
        }
    }
}

TEST_CASE("in a sixteenth of the runs more writes fail than a checkpoint lists, and in a sixteenth of those that are cut some or many do") {
    std::uint64_t many = 0;
    std::uint64_t cut = 0;
    for (std::uint64_t seed = 1; seed <= kOptionSeeds; ++seed) {
        for (const sim::FaultPlan& plan : sim::draw_fault_plans(sim::FindingKind::lost_write, seed)) {
            if (plan.failing == sim::FailingRequests::written_pages && plan.count_max > 64) ++many;
        }
        cut += sim::draw_crash_plan(seed, {}).faults.size();
    }
    for (const std::uint64_t count : {many, cut}) {
        CHECK(count >= kOptionSeeds / 32);
        CHECK(count <= kOptionSeeds / 8);
    }
}

TEST_CASE("fault plans have one fault, two, or many") {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t seed = 1; seed <= kOptionSeeds; ++seed) {
        for (const sim::FaultPlan& plan : sim::draw_fault_plans(sim::FindingKind::lost_write, seed)) ++counts[plan.count_max];
    }
    CHECK(counts[1] > kOptionSeeds / 2);
    CHECK(counts[2] > kOptionSeeds / 10);
    CHECK(counts[6] > kOptionSeeds / 50);
}
