#include "sim/users/users.hpp"

#include <fmt/format.h>

#include "ums/base/prng.hpp"

namespace sim {

std::vector<UserSection> user_sections(const RunContext& context) {
    const Options& o = context.options;
    const auto count = [&o](std::int32_t user_count) { return user_count_for(user_count, o.cpu_count); };
    std::vector<UserSection> sections{
        {"RandomUser", "Random User", count(o.random_user.user_count), run_random_user, context.random_user},
        {"AuditUser", "Audit User", count(o.audit_user.user_count), run_audit_user, context.audit_user},
        {"ReadAheadUser", "Read Ahead User", count(o.read_ahead_user.user_count), run_read_ahead_user, context.read_ahead_user},
        {"BulkUpdateUser", "Bulk Update User", count(o.bulk_update_user.user_count), run_bulk_update_user, context.bulk_update_user},
        {"ShrinkUser", "Shrink User", 1, run_shrink_user, context.shrink_user},
    };
    const UserSection recent[] = {
        {"ColumnstoreUser", "Columnstore User", count(o.columnstore_user.user_count), run_columnstore_user, context.columnstore_user},
        {"TempdbUser", "Tempdb User", count(o.tempdb_user.user_count), run_tempdb_user, context.tempdb_user},
        {"VersionStoreUser", "Version Store User", count(o.version_store_user.user_count), run_version_store_user,
         context.version_store_user},
    };
    for (const UserSection& section : recent) {
        if (section.count > 0) sections.push_back(section);
    }
    return sections;
}

void start_users(RunContext& context, ums::TaskGroup& users, std::uint64_t seed, std::uint32_t& next_cpu) {
    std::uint64_t section_number = 0;
    for (const UserSection& section : user_sections(context)) {
        std::uint64_t user_seed = seed ^ ++section_number;
        for (std::uint32_t i = 0; i < section.count; ++i) {
            user_seed = ums::mix64(user_seed);
            ums::Scheduler& scheduler = context.schedulers[next_cpu++ % context.schedulers.size()];
            scheduler.spawn(users, fmt::format("{} {}", section.task_name, i + 1), section.run(context, user_seed));
        }
    }
}

}  // namespace sim
