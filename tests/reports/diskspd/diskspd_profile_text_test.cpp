#include "reports/diskspd/diskspd_profile_text.hpp"

#include <string>

#include "tests/reports/diskspd/example_measurement.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("DiskSpd's text: every setting of a profile is shown") {
    reports::DiskspdProfile profile = test::example_document().profile;
    reports::DiskspdTimeSpan& span = profile.time_spans[0];
    span.is_affinity_off = true;
    span.cpus = {{0, 1}, {1, 2}};
    span.thread_count = 4;
    span.request_count = 8;
    span.random_write_data = true;
    reports::DiskspdTarget& target = span.targets[0];
    target.path = "*1";
    target.cache = reports::DiskspdCache::local_off;
    target.write_through = true;
    target.zero_buffers = true;
    target.buffer_bytes = 1 << 20;
    target.is_parallel = true;
    target.random_percent = 30;
    target.base_bytes = 4096;
    target.end_bytes = 8192;
    target.thread_stride_bytes = 1024;
    target.sequential_hint = target.random_hint = target.temporary_hint = true;
    target.io_priority = 1;
    target.rate = 5;
    target.distribution = {{90, 10}, {10, 90}};
    target.is_distribution_in_percent = true;
    profile.experiments = 1;
    profile.is_verbose = true;
    const std::string text = reports::diskspd_profile_text(profile, reports::DiskspdTextStyle::v2_2);
    for (const char* line : {"Experiment Flags: 0x1 (1)\n",
                             "\tusing verbose mode\n",
                             "\taffinity disabled\n",
                             "\tthread pool with 4 threads\n",
                             "\tnumber of outstanding I/O operations per thread: 8\n",
                             "\tadvanced affinity round robin (group/core): 0/1, 1/2\n",
                             "\tgenerating random data for each write IO\n"
                             "\t  WARNING: this increases the CPU cost of issuing writes and should only\n"
                             "\t           be compared to other results using the -Zr flag\n",
                             "\tpath: template target '1'\n",
                             "\t\tlocal software cache disabled, remote cache enabled\n",
                             "\t\thardware and software write caches disabled, writethrough on\n",
                             "\t\tzeroing write buffers\n",
                             "\t\twrite buffer size: 1MiB\n",
                             "\t\twrite buffer source: random fill\n",
                             "\t\tusing parallel async I/O\n",
                             "\t\tusing mixed random/sequential I/O (30% random) (alignment/stride: 8KiB)\n",
                             "\t\trelative IO weight in thread pool: 1\n",
                             "\t\tbase file offset: 4KiB\n",
                             "\t\tmax file size: 8KiB\n",
                             "\t\tthread stride size: 1KiB\n",
                             "\t\tusing FILE_FLAG_SEQUENTIAL_SCAN hint\n",
                             "\t\tusing FILE_FLAG_RANDOM_ACCESS hint\n",
                             "\t\tusing FILE_ATTRIBUTE_TEMPORARY hint\n",
                             "\t\tIO priority: very low\n",
                             "\t\tthroughput rate-limited to 5 B/ms\n",
                             "\t\tIO Distribution:\n",
                             "\t\t    90% of IO => [ 0% -  10%) of target\n"}) {
        INFO(line);
        CHECK_THAT(text, ContainsSubstring(line));
    }
}
