#include "cli/diskspd/diskspd_affinity.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::uint32_t kDiskspdCpuMax = 255;
constexpr std::uint32_t kDiskspdGroupMax = 65535;

[[noreturn]] void refuse_affinity(std::string_view option) {
    throw UsageError(
        fmt::format("{}: not a list of CPUs; allowed are CPUs up to 255 and ranges of them, and groups up to 65535, as in -a0,2,4-7 or "
                    "-ag0,0,1,g1,0,1",
                    option));
}

std::optional<std::uint32_t> number_up_to(std::string_view text, std::uint32_t maximum) {
    const auto value = ums::whole_number<std::uint32_t>(text);
    return value && *value <= maximum ? value : std::nullopt;
}

// A group that no CPU follows means all of its CPUs.
struct OpenGroup {
    std::uint32_t number = 0;
    bool is_named = false;
    bool has_cpus = false;
};

void close_group(const OpenGroup& group, DiskspdArguments& arguments) {
    if (group.is_named && !group.has_cpus) arguments.cpu_groups.push_back(group.number);
}

// True if the text names an order instead of CPUs.
bool take_order(std::string_view text, DiskspdArguments& arguments) {
    if (text.empty() || text == "g") return true;
    if (text == "c") {
        arguments.cpu_order = DiskspdCpuOrder::cores_first;
        return true;
    }
    if (text == "s") {
        arguments.notices.emplace_back("-as: Linux has no groups of processors; CPUs are taken as they are numbered");
        return true;
    }
    constexpr std::string_view kEfficiency[] = {"p", "P", "e", "E", "up"};
    if (std::find(std::begin(kEfficiency), std::end(kEfficiency), text) == std::end(kEfficiency)) return false;
    arguments.notices.push_back(fmt::format("-a{}: cores of several kinds are not told apart; CPUs are taken as they are numbered", text));
    return true;
}

}  // namespace

void parse_diskspd_affinity(std::string_view text, std::string_view option, DiskspdArguments& arguments, reports::DiskspdTimeSpan& span) {
    if (take_order(text, arguments)) return;
    OpenGroup group;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        if (item.starts_with('g')) {
            const auto number = number_up_to(item.substr(1), kDiskspdGroupMax);
            if (!number) refuse_affinity(option);
            close_group(group, arguments);
            group = {.number = *number, .is_named = true};
        } else {
            const std::size_t dash = item.find('-');
            const auto first = number_up_to(item.substr(0, dash), kDiskspdCpuMax);
            const auto last = dash == std::string_view::npos ? first : number_up_to(item.substr(dash + 1), kDiskspdCpuMax);
            if (!first || !last || *first > *last) refuse_affinity(option);
            for (std::uint32_t cpu = *first; cpu <= *last; ++cpu) span.cpus.push_back({.group = group.number, .cpu = cpu});
            group.has_cpus = true;
        }
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    close_group(group, arguments);
}

}  // namespace cli
