#include "tests/config/random_options.hpp"

#include <algorithm>
#include <string>

#include "config/parameter_table.hpp"

namespace config_test {

namespace {

using config::Field;
using config::Parameter;

// Blanks, quotes, comment characters, brackets, control characters and UTF-8, but no backslash, which would make a Windows path.
std::string random_name(ums::Prng& prng) {
    static const std::string kPieces[] = {" ",
                                          "\t",
                                          "\"",
                                          "'",
                                          ";",
                                          "#",
                                          "=",
                                          "[",
                                          "]",
                                          "a",
                                          "B",
                                          "0",
                                          "x",
                                          "/",
                                          ".",
                                          "\x7F",
                                          "\x01",
                                          "\xC3\xA4",
                                          "\xE2\x82\xAC",
                                          "\xF0\x9F\x98\x80"};
    std::string name;
    const std::uint64_t length = prng.between(1, 12);
    for (std::uint64_t i = 0; i < length; ++i) name += kPieces[prng.below(std::size(kPieces))];
    return name;
}

std::uint64_t random_magnitude(const Parameter& row, ums::Prng& prng) {
    if (!row.range.only.empty()) return row.range.only[prng.below(row.range.only.size())];
    const auto min = static_cast<std::uint64_t>(std::max<std::int64_t>(row.range.min, 0));
    if (row.range.or_zero && prng.chance(2500)) return 0;
    if (row.range.max == ~std::uint64_t{0}) return prng.next() >> prng.below(64);
    if (prng.chance(2000)) return prng.chance(5000) ? min : row.range.max;
    return prng.between(min, row.range.max);
}

void randomize(const Parameter& row, Field field, ums::Prng& prng) {
    if (auto** flag = std::get_if<bool*>(&field)) {
        **flag = prng.chance(5000);
    } else if (auto** text = std::get_if<std::string*>(&field)) {
        **text = random_name(prng);
    } else if (auto** durability = std::get_if<sim::Durability*>(&field)) {
        **durability = static_cast<sim::Durability>(prng.below(row.choices.size()));
    } else if (auto** number = std::get_if<std::int32_t*>(&field)) {
        // User counts, small enough for all of them together to fit one CPU.
        **number = static_cast<std::int32_t>(prng.between(0, 120)) - 1;
    } else if (auto** small = std::get_if<std::uint32_t*>(&field)) {
        **small = static_cast<std::uint32_t>(random_magnitude(row, prng));
    } else if (auto** large = std::get_if<std::uint64_t*>(&field)) {
        **large = random_magnitude(row, prng);
    }
}

template <typename T>
void order(T& min, T& max) {
    if (max < min) std::swap(min, max);
}

void make_consistent(sim::Options& o, ums::Prng& prng) {
    static constexpr std::uint32_t kLogSizes[] = {1, 64, 256, 512, 8192, 64000};
    auto& random_user = o.random_user;
    random_user.max_log_per_buffer_bytes = kLogSizes[prng.below(std::size(kLogSizes))];
    random_user.min_log_per_buffer_bytes = std::min(random_user.min_log_per_buffer_bytes, random_user.max_log_per_buffer_bytes);
    if (random_user.cpu_simulation && random_user.cpu_cycles_max == 0) random_user.cpu_cycles_max = 1;
    if (!o.no_buffering) o.use_scatter_gather = false;
    order(random_user.min_io_chain_pages, random_user.max_io_chain_pages);
    order(random_user.cpu_cycles_min, random_user.cpu_cycles_max);
    order(o.read_ahead_user.min_pages, o.read_ahead_user.max_pages);
    order(o.bulk_update_user.min_pages, o.bulk_update_user.max_pages);
    order(o.columnstore_user.min_segment_kb, o.columnstore_user.max_segment_kb);
    order(o.tempdb_user.min_spill_kb, o.tempdb_user.max_spill_kb);
    order(o.version_store_user.min_pages, o.version_store_user.max_pages);
    order(o.shrink_user.min_interval_s, o.shrink_user.max_interval_s);
    order(o.shrink_user.min_extends, o.shrink_user.max_extends);
    o.backup_user.max_transfer_kb = o.backup_user.max_transfer_kb / 64 * 64;
    auto& backup = o.backup_user;
    const bool full_is_first = backup.full_interval_s != 0 && backup.full_interval_s <= backup.differential_interval_s;
    if (full_is_first || backup.differential_interval_s >= o.test_cycle_duration_s) backup.differential_interval_s = 0;
    const bool full_is_before_log = backup.full_interval_s != 0 && backup.full_interval_s <= backup.log_interval_s;
    if (full_is_before_log && backup.full_interval_s < o.test_cycle_duration_s) backup.log_interval_s = 0;
    o.shrink_user.max_extends = std::max(o.shrink_user.min_extends, std::min(o.shrink_user.max_extends, 10U));
}

void make_consistent(sim::FileOptions& file, std::size_t index, const sim::Options& o) {
    file.path += std::to_string(index) + "e";  // makes all paths different from each other and from the XML log
    file.is_log = index == 0 ? false : index == 1 ? true : file.is_log;
    if (file.max_size_mb < file.initial_size_mb) std::swap(file.max_size_mb, file.initial_size_mb);
    const std::uint64_t share =
        o.max_memory_mb == 0 ? file.increment_mb : (o.max_memory_mb - 1) / (o.files.size() * o.shrink_user.max_extends);
    file.increment_mb = std::min(file.increment_mb, share);
    const std::uint64_t room_mb = file.max_size_mb - file.initial_size_mb;
    if (file.is_log && room_mb > 0) file.increment_mb = std::min(file.increment_mb, room_mb);
    if (file.is_log || file.increment_mb == 0 || file.max_size_mb == file.initial_size_mb) file.shrinkable = false;
}

// SnapshotCheck needs a replica, and LogInstantGrowth a log that may grow.
void fit_files_to_switches(sim::Options& o) {
    o.audit_user.checks_snapshot = o.audit_user.checks_snapshot && o.files.size() > 2;
    if (o.audit_user.checks_snapshot) {
        o.files.back().path = o.files.front().path + ":r";
        o.files.back().sparse = true;
        o.files.back().is_log = false;
    } else {
        o.audit_user.snapshot_check_delay_s = 0;
    }
    const bool may_grow = std::any_of(o.files.begin(), o.files.end(), [](const sim::FileOptions& file) {
        return file.is_log && file.increment_mb != 0 && file.max_size_mb > file.initial_size_mb;
    });
    o.recent.log_instant_growth = o.recent.log_instant_growth && may_grow;
}

}  // namespace

sim::Options random_options(ums::Prng& prng) {
    sim::Options o;
    o.files.resize(prng.between(2, 5));
    for (const Parameter& row : config::parameter_table()) {
        const std::size_t copies = row.section == config::Section::file ? o.files.size() : 1;
        for (std::size_t i = 0; i < copies; ++i) randomize(row, config::field_of(row, o, i), prng);
    }
    o.error_file += "log";
    make_consistent(o, prng);
    for (std::size_t i = 0; i < o.files.size(); ++i) make_consistent(o.files[i], i, o);
    fit_files_to_switches(o);
    return o;
}

}  // namespace config_test
