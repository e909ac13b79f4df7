#include "sim/preflight/judgement.hpp"

#include <array>
#include <string_view>

#include "sim/preflight/checks.hpp"

namespace sim {

namespace {

struct Check {
    std::string_view topic;
    void (*look)(const PreflightFacts& facts, Lines& lines);
};

constexpr std::array kChecks{
    Check{"file system", check_file_system},
    Check{"mount options", check_mount_options},
    Check{"access times", check_access_times},
    Check{"free space", check_free_space},
    Check{"direct I/O", check_direct_io},
    Check{"fallocate", check_reservation},
    Check{"extents", check_extents},
    Check{"device", check_device},
    Check{"write cache", check_write_cache},
    Check{"flushes", check_flushes},
    Check{"durable writes", check_write_times},
    Check{"SQL Server settings", check_sql_server_settings},
    Check{"sector sizes", check_sector_sizes},
    Check{"alignment", check_alignment},
    Check{"stripes", check_stripes},
    Check{"I/O scheduler", check_io_scheduler},
    Check{"read-ahead", check_read_ahead},
    Check{"container", check_container},
    Check{"I/O limits", check_io_limits},
    Check{"memory", check_memory},
    Check{"io_uring", check_io_uring},
    Check{"other users", check_other_users},
    Check{"foreign load", check_foreign_load},
};

}  // namespace

std::vector<PreflightLine> evaluate_preflight(const PreflightFacts& facts) {
    std::vector<PreflightLine> judged;
    for (const Check& check : kChecks) {
        Lines lines(judged, check.topic, facts.folder);
        check.look(facts, lines);
    }
    return judged;
}

}  // namespace sim
