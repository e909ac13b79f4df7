// Options for the load on the targets.
#include <limits>

#include <fmt/format.h>

#include "cli/diskspd/diskspd_distribution.hpp"
#include "cli/diskspd/diskspd_numbers.hpp"
#include "cli/diskspd/diskspd_parser.hpp"
#include "cli/process/exit_codes.hpp"

namespace cli {

using reports::DiskspdCache;
using reports::DiskspdFlush;

// parse() has read -b<size> before all others.
void DiskspdParser::block_size(std::string_view value) {
    if (!value.starts_with('s')) return;
    value.remove_prefix(1);
    if (!value.empty() && value != "p" && value != "n" && !whole_size(value, target_.block_bytes)) {
        refuse("allowed are -bsp, -bsn and -bs<size>");
    }
    note("buffers are laid out in one way here");
}

// -B<base>[:<length>]
void DiskspdParser::base_offset(std::string_view value) {
    if (has_base_) refuse("the beginning is given once");
    const auto base = leading_size(value, target_.block_bytes);
    if (!base || (!base->rest.empty() && !base->rest.starts_with(':'))) refuse("a size is needed, and perhaps a length, as in -B1G:4G");
    has_base_ = true;
    target_.base_bytes = base->bytes;
    if (base->rest.empty()) return;
    if (has_end_) refuse("the end is given once, by -B<base>:<length> or by -f<size>");
    const std::uint64_t length_bytes = size(base->rest.substr(1));
    if (length_bytes == 0) refuse("a length of 0 leaves nothing");
    if (length_bytes > std::numeric_limits<std::uint64_t>::max() - base->bytes) refuse("ends beyond all files");
    target_.end_bytes = base->bytes + length_bytes;
    has_end_ = true;
}

void DiskspdParser::create(std::string_view value) {
    target_.create_bytes = size(value);
    if (*target_.create_bytes == 0) refuse("a file of 0 bytes has no place for a request");
}

// -f<size>, or hints.
void DiskspdParser::end_offset(std::string_view value) {
    if (value.empty()) refuse("a size is needed, or hints: r, s, t");
    if (value.front() >= '0' && value.front() <= '9') {
        if (has_end_) refuse("the end is given once, by -B<base>:<length> or by -f<size>");
        target_.end_bytes = size(value);
        has_end_ = true;
        return;
    }
    for (const char hint : value) {
        switch (hint) {
            case 'r': target_.random_hint = true; break;
            case 's': target_.sequential_hint = true; break;
            case 't': target_.temporary_hint = true; break;
            default: refuse("a size is needed, or hints: r, s, t");
        }
    }
    note("hints to Windows' cache have no counterpart; they change nothing");
}

// -g<n>: bytes per millisecond; -g<n>i: requests per second.
void DiskspdParser::rate(std::string_view value) {
    const char last = value.empty() ? '\0' : value.back();
    if (last != 'i' && (last < '0' || last > '9')) refuse("bytes in a millisecond are needed, or requests in a second, as in -g500i");
    target_.rate = number_at_least(value, 1);
    target_.is_rate_in_requests = last == 'i';
}

void DiskspdParser::no_caches(std::string_view) {
    if (has_cache_mode_ || target_.write_through) refuse("another option says something else about caches");
    has_cache_mode_ = true;
    target_.cache = DiskspdCache::unbuffered;
    target_.write_through = true;
}

void DiskspdParser::caching(std::string_view value) {
    if (value.empty()) cache_letter('u');
    for (const char letter : value) cache_letter(letter);
}

void DiskspdParser::cache_letter(char letter) {
    const auto set_cache = [&](DiskspdCache cache) {
        const bool is_unbuffered = cache == DiskspdCache::unbuffered;
        if (has_cache_mode_ || (is_unbuffered && target_.memory_mapped)) refuse("says two things about caches");
        has_cache_mode_ = true;
        target_.cache = cache;
    };
    const auto set_write_through = [&] {
        if (target_.write_through) refuse("says twice that writes go through");
        target_.write_through = true;
    };
    switch (letter) {
        case 'b': set_cache(DiskspdCache::on); break;
        case 'u': set_cache(DiskspdCache::unbuffered); break;
        case 'w': set_write_through(); break;
        case 'h':
            set_cache(DiskspdCache::unbuffered);
            set_write_through();
            break;
        case 'r': set_cache(DiskspdCache::local_off); break;
        case 'm':
            if (target_.memory_mapped) refuse("says twice that files are mapped");
            if (target_.cache == DiskspdCache::unbuffered) refuse("memory mapped files go through the cache");
            target_.memory_mapped = true;
            break;
        case 'y':
            set_cache(DiskspdCache::unbuffered);
            note("there are no file system filters to bypass; the same as -Su");
            break;
        case 'Y': refuse("nothing on Linux can promise this; -Su goes past the cache");
        default: refuse("allowed are b, h, m, r, u, w, y, as in -Suw");
    }
}

void DiskspdParser::burst(std::string_view value) { target_.burst_size = number_at_least(value, 1); }

void DiskspdParser::think_time(std::string_view value) { target_.think_time_ms = number_at_least(value, 1); }

void DiskspdParser::priority(std::string_view value) {
    target_.io_priority = number_at_least(value, 1);
    if (target_.io_priority > 3) refuse("1 very low, 2 low, 3 normal");
    if (target_.io_priority < 3) note("priorities are not set; use ionice");
}

void DiskspdParser::large_pages(std::string_view) {
    target_.large_pages = true;
    note("buffers have the system's own pages");
}

void DiskspdParser::flush(std::string_view value) {
    if (value == "v" || value == "V") {
        target_.flush = DiskspdFlush::view_of_file;
    } else if (value == "n" || value == "N") {
        target_.flush = DiskspdFlush::non_volatile;
    } else if (value == "i" || value == "I") {
        target_.flush = DiskspdFlush::non_volatile_no_drain;
    } else {
        refuse("allowed are -Nv, -Nn, -Ni");
    }
}

// -o<n>, or -oc<n>.
void DiskspdParser::outstanding(std::string_view value) {
    if (value.starts_with('c')) {
        static_cast<void>(number_at_least(value.substr(1), 1));
        note("completions are collected as they come");
        return;
    }
    target_.request_count = number_at_least(value, 1);
}

void DiskspdParser::parallel(std::string_view) { target_.is_parallel = true; }

void DiskspdParser::random(std::string_view value) {
    if (value.starts_with('s')) {
        random_share(value.substr(1));
        return;
    }
    if (value.starts_with('d')) {
        DiskspdDistribution distribution = parse_diskspd_distribution(value.substr(1), option_, target_.block_bytes);
        target_.distribution = std::move(distribution.ranges);
        target_.is_distribution_in_percent = distribution.is_in_percent;
        return;
    }
    const std::uint64_t alignment_bytes = value.empty() ? target_.block_bytes : size(value);
    if (alignment_bytes == 0) refuse("requests cannot be aligned to 0 bytes");
    if (target_.alignment_bytes) refuse(target_.random_percent > 0 ? "is given twice" : "-s asks for sequential requests");
    if (target_.random_percent == 0) target_.random_percent = 100;
    target_.alignment_bytes = alignment_bytes;
}

void DiskspdParser::random_share(std::string_view value) {
    const std::int64_t percent = lenient_number(value);
    if (percent < 1 || percent > 100) refuse("1 to 100 percent");
    if (target_.random_percent == 0 && target_.alignment_bytes) refuse("-s asks for sequential requests; alignment belongs to -r");
    if (target_.random_percent != 0 && target_.random_percent != 100) refuse("is given twice");
    target_.random_percent = static_cast<std::uint32_t>(percent);
}

// -s[i][<stride>]
void DiskspdParser::sequential(std::string_view value) {
    if (value.starts_with('i')) {
        target_.is_interlocked = true;
        value.remove_prefix(1);
    }
    if (target_.random_percent > 0) refuse("-r and -rs ask for random requests; their alignment is given by -r<size>");
    if (target_.alignment_bytes) refuse("is given twice");
    target_.alignment_bytes = value.empty() ? target_.block_bytes : size(value);
}

void DiskspdParser::threads(std::string_view value) { target_.threads_per_file = number_at_least(value, 1); }

void DiskspdParser::thread_stride(std::string_view value) {
    target_.thread_stride_bytes = size(value);
    if (target_.thread_stride_bytes == 0) refuse("a distance of 0 separates nothing");
}

void DiskspdParser::writes(std::string_view value) {
    if (value.empty()) {
        target_.write_percent = 0;
        note("no percentage is given: 0, that is, only reads");
        return;
    }
    target_.write_percent = number_at_least(value, 0);
    if (target_.write_percent > 100) refuse("0 to 100 percent");
}

// -Z, -Zr, -Z<size>[,<file>]
void DiskspdParser::buffers(std::string_view value) {
    if (value.empty()) {
        target_.zero_buffers = true;
        return;
    }
    if (value == "r") {
        span_.random_write_data = true;
        return;
    }
    const std::size_t comma = value.find(',');
    target_.buffer_bytes = size(value.substr(0, comma));
    if (target_.buffer_bytes == 0) refuse("a buffer has at least one block");
    if (comma != std::string_view::npos) target_.buffer_path = value.substr(comma + 1);
}

}  // namespace cli
