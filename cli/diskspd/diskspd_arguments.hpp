// DiskSpd's command line. Pure: nothing is opened or read.
//
// Each option is one word with its value attached; all come before the targets. -b is read first, so that sizes in blocks ("8b") mean the
// same everywhere. Source: the options of DiskSpd 2.2 and 2.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace cli {

// The order in which threads are bound to CPUs without a list: by number, or one CPU of each core first (-ac).
enum class DiskspdCpuOrder : std::uint8_t { by_number, cores_first };

// Options that may accompany -X, and then override the profile.
struct DiskspdOverrides {
    std::optional<std::uint32_t> warm_up_s{};
    std::optional<std::uint32_t> duration_s{};
    std::optional<std::uint32_t> cool_down_s{};
    std::optional<std::uint32_t> seed{};
    std::optional<reports::DiskspdFormat> format{};
};

struct DiskspdArguments {
    bool wants_usage = false;  // -?: nothing else matters
    reports::DiskspdProfile profile;
    std::string profile_path;  // -X; empty = none. `profile` then has no time span
    DiskspdOverrides overrides;
    std::vector<std::string> substitutes;  // with -X: replace the targets *1, *2 ... of the profile

    DiskspdCpuOrder cpu_order = DiskspdCpuOrder::by_number;
    std::vector<std::uint32_t> cpu_groups;  // -ag1: all CPUs of these groups, too
    bool wants_ring = false;                // -u: io_uring, without a fallback
    // ioproof's own:
    reports::DiskspdTextStyle text_style = reports::DiskspdTextStyle::v2_2;
    bool may_overwrite = false;  // --overwrite-foreign-files
    bool verifies = false;       // --verify

    std::vector<std::string> notices;  // one line each: what is accepted, but has no effect on Linux
};

// `words`: those after the command's name. `bare_seed`: for -z without a number. Throws UsageError. Checks each option by itself, and
// whatever DiskSpd checks while parsing; check_diskspd_profile() checks the rest.
DiskspdArguments parse_diskspd(const std::vector<std::string>& words, std::uint32_t bare_seed);

// Applies the overrides to a profile that was read from a file, and inserts the substitutes. Throws UsageError if the profile has no place
// for one of them.
void complete_diskspd_profile(const DiskspdArguments& arguments, reports::DiskspdProfile& profile);

// Throws UsageError for contradictions in a profile. Returns warnings, one line each, about what works but is hardly intended.
// `verifies`: with --verify.
std::vector<std::string> check_diskspd_profile(const reports::DiskspdProfile& profile, bool verifies = false);

}  // namespace cli
