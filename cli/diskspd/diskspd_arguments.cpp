#include "cli/diskspd/diskspd_arguments.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "cli/diskspd/diskspd_numbers.hpp"
#include "cli/diskspd/diskspd_parser.hpp"
#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

using reports::DiskspdProfile;
using reports::DiskspdTarget;
using reports::DiskspdTimeSpan;

bool is_option(std::string_view word) { return word.starts_with('-'); }

reports::DiskspdTextStyle text_style_of(std::string_view version) {
    if (version == "2.0") return reports::DiskspdTextStyle::v2_0;
    if (version == "2.1") return reports::DiskspdTextStyle::v2_1;
    if (version == "2.2") return reports::DiskspdTextStyle::v2_2;
    throw UsageError(fmt::format("--text-style: '{}' is not allowed; allowed are 2.0, 2.1, 2.2", version));
}

}  // namespace

const DiskspdParser::Entry* DiskspdParser::entry_of(char letter) {
    using P = DiskspdParser;
    static constexpr std::array kEntries{
        Entry{':', &P::experiments, true},
        Entry{'a', &P::affinity, false},
        Entry{'b', &P::block_size, false},
        Entry{'B', &P::base_offset, false},
        Entry{'c', &P::create, false},
        Entry{'C', &P::cool_down, true},
        Entry{'d', &P::duration, true},
        Entry{'D', &P::iops_interval, false},
        Entry{'e', &P::tracing, false},
        Entry{'f', &P::end_offset, false},
        Entry{'F', &P::total_threads, false},
        Entry{'g', &P::rate, false},
        Entry{'h', &P::no_caches, false},
        Entry{'i', &P::burst, false},
        Entry{'I', &P::priority, false},
        Entry{'j', &P::think_time, false},
        Entry{'l', &P::large_pages, false},
        Entry{'L', &P::latency, false},
        Entry{'n', &P::affinity_off, false},
        Entry{'N', &P::flush, false},
        Entry{'o', &P::outstanding, false},
        Entry{'O', &P::total_requests, false},
        Entry{'p', &P::parallel, false},
        Entry{'P', &P::progress, false},
        Entry{'r', &P::random, false},
        Entry{'R', &P::format, true},
        Entry{'s', &P::sequential, false},
        Entry{'S', &P::caching, false},
        Entry{'t', &P::threads, false},
        Entry{'T', &P::thread_stride, false},
        Entry{'u', &P::ring, false},
        Entry{'v', &P::verbose, true},
        Entry{'w', &P::writes, false},
        Entry{'W', &P::warm_up, true},
        Entry{'x', &P::completion_routines, false},
        Entry{'X', &P::profile_file, true},
        Entry{'y', &P::events, false},
        Entry{'z', &P::seed, true},
        Entry{'Z', &P::buffers, false},
    };
    const auto found = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& entry) { return entry.letter == letter; });
    return found == kEntries.end() ? nullptr : &*found;
}

void DiskspdParser::refuse(std::string_view allowed) const { throw UsageError(fmt::format("{}: {}", option_, allowed)); }

std::uint32_t DiskspdParser::number_at_least(std::string_view value, std::int64_t minimum) const {
    constexpr std::int64_t kNumberMax = std::numeric_limits<std::int32_t>::max();
    const std::int64_t number = lenient_number(value);
    if (number < minimum || number > kNumberMax) refuse(fmt::format("a whole number from {} to {} is needed", minimum, kNumberMax));
    return static_cast<std::uint32_t>(number);
}

std::uint64_t DiskspdParser::size(std::string_view value) const {
    const auto size_bytes = whole_size(value, target_.block_bytes);
    if (!size_bytes) refuse("a size is needed: bytes, or with K, M, G, T, or b for blocks");
    return *size_bytes;
}

void DiskspdParser::note(std::string_view text) { arguments_.notices.push_back(fmt::format("{}: {}", option_, text)); }

// ioproof's own switches; no option of DiskSpd begins with "--". Moves `index` to the last word consumed.
bool DiskspdParser::take_own_switch(const std::vector<std::string>& words, std::size_t& index) {
    const std::string_view word = words[index];
    if (!word.starts_with("--")) return false;
    constexpr std::string_view kStyle = "--text-style";
    if (word == "--overwrite-foreign-files") {
        arguments_.may_overwrite = true;
    } else if (word == "--verify") {
        arguments_.verifies = true;
    } else if (word.starts_with(kStyle) && (word.size() == kStyle.size() || word[kStyle.size()] == '=')) {
        const bool is_glued = word.size() > kStyle.size();
        const std::string value = is_glued ? words[index].substr(kStyle.size() + 1) : index + 1 < words.size() ? words[++index] : "";
        arguments_.text_style = text_style_of(value);
    } else {
        throw UsageError(
            fmt::format("{}: unknown; allowed are DiskSpd's options, --overwrite-foreign-files, --verify and --text-style", word));
    }
    return true;
}

// Separates the options from the paths after them.
void DiskspdParser::split(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!is_option(words[i])) {
            paths_.push_back(words[i]);
        } else if (!paths_.empty()) {
            throw UsageError(
                fmt::format("{}: options come before the targets, and a value is attached to its option: -o8, not -o 8", words[i]));
        } else if (!take_own_switch(words, i)) {
            options_.push_back(words[i]);
        }
    }
}

void DiskspdParser::read_block_size() {
    for (const std::string& option : options_) {
        if (!option.starts_with("-b") || option.starts_with("-bs")) continue;
        option_ = option;
        const std::uint64_t block_bytes = size(std::string_view(option).substr(2));
        if (block_bytes == 0 || block_bytes >= std::numeric_limits<std::uint32_t>::max())
            refuse("a block has at least 1 byte, and less than 4G");
        target_.block_bytes = static_cast<std::uint32_t>(block_bytes);
    }
}

// A profile defines the entire load, so only a few options may accompany it.
void DiskspdParser::check_profile_beside() {
    const bool has_profile = std::any_of(options_.begin(), options_.end(), [](const std::string& word) { return word.starts_with("-X"); });
    if (!has_profile) return;
    for (const std::string& option : options_) {
        const Entry* const entry = option.size() > 1 ? entry_of(option[1]) : nullptr;
        if (entry != nullptr && !entry->composes) {
            throw UsageError(fmt::format("{}: not allowed beside -X; allowed are -W, -d, -C, -R, -v and -z", option));
        }
    }
}

DiskspdArguments DiskspdParser::parse(const std::vector<std::string>& words) {
    arguments_.wants_usage = std::find(words.begin(), words.end(), "-?") != words.end();
    if (arguments_.wants_usage) return arguments_;
    split(words);
    check_profile_beside();
    read_block_size();
    for (const std::string& option : options_) {
        option_ = option;
        const Entry* const entry = option.size() > 1 ? entry_of(option[1]) : nullptr;
        if (entry == nullptr) throw UsageError(fmt::format("'{}': no such option; -? lists the options", option));
        (this->*entry->handler)(option_.substr(2));
    }
    finish();
    return std::move(arguments_);
}

void DiskspdParser::finish() {
    if (!arguments_.profile_path.empty()) {
        arguments_.substitutes = paths_;
        return;
    }
    if (arguments_.profile.is_system_only) return;
    if (span_.is_affinity_off && !arguments_.cpu_groups.empty()) {
        throw UsageError("-n and -ag: threads are bound to CPUs, or they are not; give one of them");
    }
    if (paths_.empty()) throw UsageError("name a target, as in 'diskspd -c1G -d10 testfile.dat'; -? shows all options");
    for (const std::string& path : paths_) {
        span_.targets.push_back(target_);
        span_.targets.back().path = path;
    }
    arguments_.profile.time_spans.push_back(span_);
}

DiskspdArguments parse_diskspd(const std::vector<std::string>& words, std::uint32_t bare_seed) {
    return DiskspdParser(bare_seed).parse(words);
}

void complete_diskspd_profile(const DiskspdArguments& arguments, DiskspdProfile& profile) {
    profile.is_profile_only = arguments.profile.is_profile_only;
    profile.is_verbose |= arguments.profile.is_verbose;
    profile.shows_waits |= arguments.profile.shows_waits;
    profile.format = arguments.overrides.format.value_or(profile.format);
    if (arguments.profile.experiments != 0) profile.experiments = arguments.profile.experiments;
    std::vector<bool> is_used(arguments.substitutes.size());
    for (DiskspdTimeSpan& span : profile.time_spans) {
        span.warm_up_s = arguments.overrides.warm_up_s.value_or(span.warm_up_s);
        span.duration_s = arguments.overrides.duration_s.value_or(span.duration_s);
        span.cool_down_s = arguments.overrides.cool_down_s.value_or(span.cool_down_s);
        span.seed = arguments.overrides.seed.value_or(span.seed);
        for (DiskspdTarget& target : span.targets) {
            if (!target.path.starts_with('*')) continue;
            const std::string_view digits = std::string_view(target.path).substr(1);
            const auto number = ums::whole_number<std::size_t>(digits);
            if (!number || *number < 1 || *number > arguments.substitutes.size()) continue;
            target.path = arguments.substitutes[*number - 1];
            is_used[*number - 1] = true;
        }
    }
    for (std::size_t i = 0; i < is_used.size(); ++i) {
        if (is_used[i]) continue;
        throw UsageError(fmt::format("{}: the profile has no target *{} that this could be", arguments.substitutes[i], i + 1));
    }
}

}  // namespace cli
