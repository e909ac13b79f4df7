#include "tests/sim/support/random_run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>

#include "ums/base/prng.hpp"

namespace sim::testing {

namespace {

class Draw {
public:
    explicit Draw(std::uint64_t seed) : prng_(seed) {}

    std::uint32_t between(std::uint64_t low, std::uint64_t high) { return static_cast<std::uint32_t>(prng_.between(low, high)); }
    bool one_in(std::uint64_t n) { return prng_.below(n) == 0; }
    bool coin() { return one_in(2); }
    template <typename T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[prng_.below(values.size())];
    }
    // Small values more often than large ones.
    std::uint32_t skewed(std::uint64_t low, std::uint64_t high) { return between(low, between(low, high)); }

private:
    ums::Prng prng_;
};

void draw_files(Draw& draw, Options& options, const std::string& folder) {
    const std::uint32_t data_files = draw.one_of({1U, 1U, 2U, 3U});
    const std::uint32_t log_files = draw.one_of({1U, 1U, 2U});
    for (std::uint32_t i = 0; i < data_files; ++i) {
        FileOptions file;
        file.path = fmt::format("{}/data{}.mdx", folder, i);
        file.initial_size_mb = draw.skewed(1, 12);
        file.max_size_mb = file.initial_size_mb + draw.one_of({0U, 2U, 8U});
        file.shrinkable = draw.coin();
        file.increment_mb = file.shrinkable ? draw.between(1, 3) : 0;
        file.sparse = draw.one_in(4);
        options.files.push_back(file);
    }
    for (std::uint32_t i = 0; i < log_files; ++i) {
        const std::uint64_t size_mb = draw.skewed(1, 5);
        const FileOptions file{
            .path = fmt::format("{}/log{}.ldx", folder, i), .initial_size_mb = size_mb, .max_size_mb = size_mb, .is_log = true};
        options.files.insert(options.files.begin() + draw.between(0, options.files.size()), file);
    }
}

void draw_users(Draw& draw, Options& options, bool in_virtual_time) {
    RandomUserOptions& random = options.random_user;
    random.user_count = draw.one_of({-1, 0, 1, 3, 10, 40});
    random.jump_to_new_region_chance = draw.one_of({0U, 500U, 10000U});
    random.min_io_chain_pages = draw.skewed(1, 100);
    random.max_io_chain_pages = random.min_io_chain_pages + draw.skewed(0, 200);
    random.read_write_ratio = draw.one_of({0U, 3000U, 9000U, 10000U});
    random.min_log_per_buffer_bytes = draw.skewed(1, 4096);
    random.max_log_per_buffer_bytes = random.min_log_per_buffer_bytes + draw.skewed(0, 64000 - random.min_log_per_buffer_bytes);
    random.rollback_chance = draw.one_of({0U, 100U, 5000U});
    random.sleep_after_ms = in_virtual_time ? draw.between(1, 20) : draw.one_of({0U, 1U, 5U});
    random.yield_chance = draw.one_of({0U, 1000U, 10000U});
    random.cpu_simulation = draw.one_in(4);
    random.cpu_cycles_min = draw.between(0, 1000);
    random.cpu_cycles_max = random.cpu_cycles_min + draw.between(0, 10000);
    const std::uint32_t delay_min = in_virtual_time ? 1 : 0;
    options.audit_user = {draw.one_of({0, 1, 2, 5}), draw.skewed(1, 1024), draw.one_of({1U, 2U, 5U}), draw.skewed(delay_min, 50)};
    const std::uint32_t read_ahead_min = draw.skewed(1, 256);
    options.read_ahead_user = {draw.one_of({0, 1, 2, 5}), read_ahead_min, std::min(1024U, read_ahead_min + draw.skewed(0, 1000)),
                               draw.one_of({1U, 2U, 5U}), draw.skewed(delay_min, 50)};
    const std::uint32_t bulk_min = draw.skewed(1, 256);
    options.bulk_update_user = {draw.one_of({-1, 0, 1, 2, 5}), bulk_min, std::min(1024U, bulk_min + draw.skewed(0, 1000)),
                                draw.one_of({1U, 2U, 5U}), draw.skewed(delay_min, 50)};
    options.shrink_user.min_interval_s = draw.between(1, 2);
    options.shrink_user.max_interval_s = options.shrink_user.min_interval_s + draw.between(0, 1);
    options.shrink_user.min_extends = draw.between(1, 2);
    options.shrink_user.max_extends = options.shrink_user.min_extends + draw.between(0, 3);
}

// What few configurations set, and what SQL Server has added since SQLIOSim.
void draw_users_since(Draw& draw, Options& options) {
    if (draw.one_in(6)) {
        const std::uint32_t segment_kb = draw.one_of({64U, 256U, 1024U});
        options.columnstore_user = {.user_count = draw.one_of({-1, 1, 3}),
                                    .min_segment_kb = segment_kb,
                                    .max_segment_kb = segment_kb * draw.between(1, 2),
                                    .bulk_load_chance = draw.one_of({0U, 3000U, 10000U}),
                                    .row_group_segments = draw.between(1, 3),
                                    .delay_after_cycles = draw.between(1, 4),
                                    .delay_ms = draw.between(1, 50)};
    }
    if (draw.one_in(6)) {
        const std::uint32_t spill_kb = draw.one_of({64U, 512U});
        options.tempdb_user = {.user_count = draw.one_of({-1, 1, 3}),
                               .file_count = draw.between(1, 3),
                               .file_size_mb = draw.between(1, 2),
                               .min_spill_kb = spill_kb,
                               .max_spill_kb = spill_kb * draw.between(1, 2),
                               .delay_after_cycles = draw.between(1, 4),
                               .delay_ms = draw.between(1, 50)};
    }
    if (draw.one_in(6)) {
        const std::uint32_t pages = draw.skewed(1, 64);
        options.version_store_user = {.user_count = draw.one_of({-1, 1, 3}),
                                      .min_pages = pages,
                                      .max_pages = pages + draw.between(0, 64),
                                      .store_pages = 1024,
                                      .retention_ms = draw.one_of({0U, 100U, 5000U}),
                                      .delay_after_cycles = draw.between(1, 4),
                                      .delay_ms = draw.between(1, 50)};
    }
}

void draw_rare_files(Draw& draw, Options& options, bool in_virtual_time) {
    const auto any_durability = [&draw] {
        return draw.one_of({Durability::inherited, Durability::write_through, Durability::forced_flush, Durability::none});
    };
    if (draw.one_in(4)) options.durability = any_durability();
    for (FileOptions& file : options.files) {
        if (draw.one_in(8)) file.durability = any_durability();
        if (!file.is_log || !draw.one_in(4)) continue;
        file.increment_mb = draw.between(1, 2);
        file.max_size_mb += draw.between(1, 4);
    }
    if (!draw.one_in(4)) return;
    const auto source = std::find_if(options.files.begin(), options.files.end(), [](const FileOptions& file) { return !file.is_log; });
    FileOptions replica;
    replica.path = source->path + ":replica";
    replica.initial_size_mb = 1;
    replica.max_size_mb = draw.coin() ? source->max_size_mb : 1;
    replica.sparse = true;
    options.files.push_back(replica);
    options.audit_user.checks_snapshot = draw.coin();
    options.audit_user.snapshot_check_delay_s = in_virtual_time ? 1 : 0;
}

// With a generator of its own, so that it can be extended without changing what else a seed draws.
void draw_rare_settings(Draw& draw, Options& options, bool in_virtual_time) {
    options.merge_buffers = draw.one_in(4);
    options.delete_files_at_shutdown = draw.one_in(4);
    if (draw.one_in(8)) options.max_memory_mb = 0;
    if (draw.one_in(6)) {
        // Changes that need a second log record.
        options.random_user.min_log_per_buffer_bytes = draw.between(1, 63'488);
        options.random_user.max_log_per_buffer_bytes = 63'488;
    }
    if (draw.one_in(4)) options.recent.target_recovery_time_s = draw.one_of({1U, 60U});
    if (draw.one_in(4)) options.recent.checkpoint_slow_write_ms = draw.one_of({1U, 20U});
    if (draw.one_in(4)) options.recent.log_kb_outstanding = draw.one_of({60U, 600U});
    options.recent.log_instant_growth = draw.coin();
    draw_users_since(draw, options);
    draw_rare_files(draw, options, in_virtual_time);
}

std::string summary_of_rare_settings(const Options& o) {
    return fmt::format(
        " merge {} delete {} durability {} recovery {} slow {} log-kb {} instant {} columnstore {} x {}-{} tempdb {} x {}-{} versions {} x "
        "{}-{} snapshots {} |",
        o.merge_buffers, o.delete_files_at_shutdown, static_cast<int>(o.durability), o.recent.target_recovery_time_s,
        o.recent.checkpoint_slow_write_ms, o.recent.log_kb_outstanding, o.recent.log_instant_growth, o.columnstore_user.user_count,
        o.columnstore_user.min_segment_kb, o.columnstore_user.max_segment_kb, o.tempdb_user.user_count, o.tempdb_user.min_spill_kb,
        o.tempdb_user.max_spill_kb, o.version_store_user.user_count, o.version_store_user.min_pages, o.version_store_user.max_pages,
        o.audit_user.checks_snapshot);
}

}  // namespace

Options random_options(std::uint64_t seed, const std::string& folder, bool in_virtual_time) {
    Draw draw(ums::mix64(seed));
    Options options;
    options.seed = seed;
    options.cpu_count = draw.between(1, 4);
    options.max_memory_mb = draw.one_of({8U, 8U, 12U, 64U});
    options.stop_on_error = draw.coin();
    options.test_cycles = draw.one_in(4) ? 2 : 1;
    options.test_cycle_duration_s = in_virtual_time ? draw.between(1, 3) : 1;
    options.cache_hit_ratio = draw.one_of({0U, 1000U, 9000U, 10000U});
    options.no_buffering = draw.coin();
    options.write_through = draw.coin();
    options.max_outstanding_io = draw.one_of({0U, 0U, 1U, 2U, 16U});
    options.target_io_duration_ms = draw.one_of({1U, 10U, 100U});
    options.allow_io_bursts = draw.coin();
    options.use_scatter_gather = !draw.one_in(3);
    options.force_read_ahead = draw.coin();
    options.stamp_files = draw.one_in(4);
    options.checkpoint_pages = draw.one_of({32U, 128U});
    options.checkpoint_interval_ms = draw.one_of({1U, 50U, 1000U, 60'000U});
    options.log_flushes_outstanding = draw.one_of({1U, 2U, 32U, 112U});
    options.engine = draw.one_of({EngineChoice::automatic, EngineChoice::threads});
    draw_files(draw, options, folder);
    draw_users(draw, options, in_virtual_time);
    Draw rare(ums::mix64(seed ^ 0x72617265));
    draw_rare_settings(rare, options, in_virtual_time);
    return options;
}

std::string summary_of(const Options& o) {
    std::string text = fmt::format(
        "seed {} cpus {} memory {} cycles {} x {} s hits {} direct {} durable {} outstanding {} target {} bursts {} scatter {} force-ra {} "
        "stamp {} gather {} checkpoint-ms {} flushes {} | random {} jump {} chain {}-{} writes {} log {}-{} rollback {} sleep {} yield {} "
        "| "
        "audit {} x {} | ra {} x {}-{} | bulk {} x {}-{} | shrink {}-{} s {}-{} |",
        o.seed, o.cpu_count, o.max_memory_mb, o.test_cycles, o.test_cycle_duration_s, o.cache_hit_ratio, o.no_buffering, o.write_through,
        o.max_outstanding_io, o.target_io_duration_ms, o.allow_io_bursts, o.use_scatter_gather, o.force_read_ahead, o.stamp_files,
        o.checkpoint_pages, o.checkpoint_interval_ms, o.log_flushes_outstanding, o.random_user.user_count,
        o.random_user.jump_to_new_region_chance, o.random_user.min_io_chain_pages, o.random_user.max_io_chain_pages,
        o.random_user.read_write_ratio, o.random_user.min_log_per_buffer_bytes, o.random_user.max_log_per_buffer_bytes,
        o.random_user.rollback_chance, o.random_user.sleep_after_ms, o.random_user.yield_chance, o.audit_user.user_count,
        o.audit_user.buffers_validated_pages, o.read_ahead_user.user_count, o.read_ahead_user.min_pages, o.read_ahead_user.max_pages,
        o.bulk_update_user.user_count, o.bulk_update_user.min_pages, o.bulk_update_user.max_pages, o.shrink_user.min_interval_s,
        o.shrink_user.max_interval_s, o.shrink_user.min_extends, o.shrink_user.max_extends);
    text += summary_of_rare_settings(o);
    for (const FileOptions& file : o.files) {
        text +=
            fmt::format(" {} {}-{} MB{}{}{}", file.path.substr(file.path.rfind('/') + 1), file.initial_size_mb, file.max_size_mb,
                        file.sparse ? " sparse" : "", file.increment_mb != 0 ? fmt::format(" +{}", file.increment_mb) : "",
                        file.durability != Durability::inherited ? fmt::format(" durability {}", static_cast<int>(file.durability)) : "");
    }
    return text;
}

std::uint64_t hunt_runs(std::uint64_t usual) {
    const char* wanted = std::getenv("IOPROOF_HUNT_RUNS");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : usual;
}

void announce(const Options& options) {
    if (std::getenv("IOPROOF_HUNT_RUNS") != nullptr) std::fprintf(stderr, "%s\n", summary_of(options).c_str());
}

}  // namespace sim::testing
