#include "cli/diskspd/diskspd_arguments.hpp"

#include <functional>

#include "cli/diskspd/diskspd_numbers.hpp"
#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

using cli::check_diskspd_profile;
using cli::DiskspdArguments;
using cli::parse_diskspd;
using reports::DiskspdCache;
using reports::DiskspdFlush;
using reports::DiskspdTarget;
using reports::DiskspdTimeSpan;

namespace {

// Appends a target to the options.
DiskspdArguments parsed(std::vector<std::string> options) {
    options.emplace_back("t.dat");
    return parse_diskspd(options, 77);
}

DiskspdTimeSpan span_of_options(const std::vector<std::string>& options) { return parsed(options).profile.time_spans.at(0); }

// The message about contradictory options.
std::string contradiction_in(const std::vector<std::string>& options) {
    try {
        check_diskspd_profile(parsed(options).profile);
    } catch (const cli::UsageError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("DiskSpd: numbers are parsed as leniently as by DiskSpd, sizes are not") {
    CHECK(cli::lenient_number("8") == 8);
    CHECK(cli::lenient_number(" 8") == 8);
    CHECK(cli::lenient_number("8 threads") == 8);
    CHECK(cli::lenient_number("-3") == -3);
    CHECK(cli::lenient_number("x") == 0);
    CHECK(cli::lenient_number("") == 0);
    CHECK(cli::lenient_number("99999999999999999999999") == std::int64_t{1} << 62);
    CHECK(cli::whole_size("4096", 1) == 4096);
    CHECK(cli::whole_size("4k", 1) == 4096);
    CHECK(cli::whole_size("1T", 1) == std::uint64_t{1} << 40);
    CHECK(cli::whole_size("8b", 4096) == 32768);
    CHECK(cli::whole_size("8B", 4096) == 32768);
    for (const char* wrong : {"", "K", " 4", "4KB", "4x", "-4", "18446744073709551616", "99999999T"}) {
        INFO(wrong);
        CHECK_FALSE(cli::whole_size(wrong, 4096));
    }
}

TEST_CASE("DiskSpd: without options a target is read sequentially for ten seconds") {
    const DiskspdArguments arguments = parsed({});
    const DiskspdTimeSpan& span = arguments.profile.time_spans.at(0);
    CHECK(span.duration_s == 10);
    CHECK(span.warm_up_s == 5);
    CHECK(span.cool_down_s == 0);
    CHECK(span.seed == 0);
    CHECK(span.thread_count == 0);
    CHECK_FALSE(span.measures_latency);
    const DiskspdTarget& target = span.targets.at(0);
    CHECK(target.path == "t.dat");
    CHECK(target.block_bytes == 65536);
    CHECK(target.request_count == 2);
    CHECK(target.threads_per_file == 1);
    CHECK(target.write_percent == 0);
    CHECK(target.random_percent == 0);
    CHECK(target.alignment() == 65536);
    CHECK(target.cache == DiskspdCache::on);
    CHECK_FALSE(target.write_through);
    CHECK_FALSE(target.create_bytes);
    CHECK(arguments.notices.empty());
}

TEST_CASE("DiskSpd: every option does what it says") {
    struct Case {
        std::vector<std::string> options;
        std::function<bool(const DiskspdTarget&, const DiskspdTimeSpan&)> holds;
    };
    const std::vector<Case> cases{
        {{"-a0,2"}, [](auto&, auto& s) { return s.cpus.size() == 2 && s.cpus[1].cpu == 2 && s.cpus[1].group == 0; }},
        {{"-ag0,0,1,g1,3"}, [](auto&, auto& s) { return s.cpus.size() == 3 && s.cpus[2].group == 1 && s.cpus[2].cpu == 3; }},
        {{"-a1-3", "-ag1,0"}, [](auto&, auto& s) { return s.cpus.size() == 4 && s.cpus[2].cpu == 3 && s.cpus[3].group == 1; }},
        {{"-a"}, [](auto&, auto& s) { return s.cpus.empty() && !s.is_affinity_off; }},
        {{"-ag"}, [](auto&, auto& s) { return s.cpus.empty(); }},
        {{"-b8K"}, [](auto& t, auto&) { return t.block_bytes == 8192; }},
        {{"-B1M"}, [](auto& t, auto&) { return t.base_bytes == 1 << 20 && t.end_bytes == 0; }},
        {{"-B1M:2M"}, [](auto& t, auto&) { return t.base_bytes == 1 << 20 && t.end_bytes == 3 << 20; }},
        {{"-B2b:3b", "-b4K"}, [](auto& t, auto&) { return t.base_bytes == 8192 && t.end_bytes == 20480; }},
        {{"-c1G"}, [](auto& t, auto&) { return t.create_bytes == std::uint64_t{1} << 30; }},
        {{"-c16b", "-b4K"}, [](auto& t, auto&) { return t.create_bytes == 65536U; }},
        {{"-C3"}, [](auto&, auto& s) { return s.cool_down_s == 3; }},
        {{"-d15"}, [](auto&, auto& s) { return s.duration_s == 15; }},
        {{"-d0"}, [](auto&, auto& s) { return s.duration_s == 0; }},
        {{"-D"}, [](auto&, auto& s) { return s.gathers_iops && s.interval_ms == 1000; }},
        {{"-D250"}, [](auto&, auto& s) { return s.gathers_iops && s.interval_ms == 250; }},
        {{"-D0"}, [](auto&, auto& s) { return s.gathers_iops && s.interval_ms == 1000; }},
        {{"-f64M"}, [](auto& t, auto&) { return t.end_bytes == 64 << 20; }},
        {{"-frst"}, [](auto& t, auto&) { return t.random_hint && t.sequential_hint && t.temporary_hint && t.end_bytes == 0; }},
        {{"-F4"}, [](auto&, auto& s) { return s.thread_count == 4; }},
        {{"-g1000"}, [](auto& t, auto&) { return t.rate == 1000 && !t.is_rate_in_requests; }},
        {{"-g1000i"}, [](auto& t, auto&) { return t.rate == 1000 && t.is_rate_in_requests; }},
        {{"-h"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && t.write_through; }},
        {{"-i8", "-j20"}, [](auto& t, auto&) { return t.burst_size == 8 && t.think_time_ms == 20; }},
        {{"-I1"}, [](auto& t, auto&) { return t.io_priority == 1; }},
        {{"-l"}, [](auto& t, auto&) { return t.large_pages; }},
        {{"-L"}, [](auto&, auto& s) { return s.measures_latency; }},
        {{"-n"}, [](auto&, auto& s) { return s.is_affinity_off; }},
        {{"-Sm", "-Nv"}, [](auto& t, auto&) { return t.memory_mapped && t.flush == DiskspdFlush::view_of_file; }},
        {{"-o32"}, [](auto& t, auto&) { return t.request_count == 32; }},
        {{"-o 8"}, [](auto& t, auto&) { return t.request_count == 8; }},
        {{"-oc4"}, [](auto& t, auto&) { return t.request_count == 2; }},
        {{"-F2", "-O16"}, [](auto&, auto& s) { return s.request_count == 16; }},
        {{"-p"}, [](auto& t, auto&) { return t.is_parallel; }},
        {{"-r"}, [](auto& t, auto&) { return t.random_percent == 100 && t.alignment() == 65536; }},
        {{"-r4K", "-b8K"}, [](auto& t, auto&) { return t.random_percent == 100 && t.alignment() == 4096; }},
        {{"-r", "-b8K"}, [](auto& t, auto&) { return t.alignment() == 8192; }},
        {{"-rs40"}, [](auto& t, auto&) { return t.random_percent == 40 && !t.alignment_bytes; }},
        {{"-rs40", "-r4K"}, [](auto& t, auto&) { return t.random_percent == 40 && t.alignment() == 4096; }},
        {{"-r4K", "-rs40"}, [](auto& t, auto&) { return t.random_percent == 40 && t.alignment() == 4096; }},
        {{"-rs100", "-r"}, [](auto& t, auto&) { return t.random_percent == 100; }},
        {{"-r", "-rdpct90/10:0/10:5/20"},
         [](auto& t, auto&) {
             return t.is_distribution_in_percent && t.distribution.size() == 4 && t.distribution[2].span == 20 &&
                    t.distribution[3].io_percent == 5 && t.distribution[3].span == 60;
         }},
        {{"-r", "-rdpct40/50:60/50"}, [](auto& t, auto&) { return t.distribution.size() == 2; }},
        {{"-r", "-rdpct100/50"}, [](auto& t, auto&) { return t.distribution.size() == 1; }},
        {{"-r", "-rdabs90/1G"},
         [](auto& t, auto&) {
             return !t.is_distribution_in_percent && t.distribution.size() == 2 && t.distribution[0].span == 1U << 30 &&
                    t.distribution[1].io_percent == 10 && t.distribution[1].span == 0;
         }},
        {{"-s"}, [](auto& t, auto&) { return t.random_percent == 0 && t.alignment() == 65536; }},
        {{"-s128K"}, [](auto& t, auto&) { return t.alignment() == 131072 && !t.is_interlocked; }},
        {{"-s0"}, [](auto& t, auto&) { return t.alignment() == 0; }},
        {{"-si"}, [](auto& t, auto&) { return t.is_interlocked && t.alignment() == 65536; }},
        {{"-si4K"}, [](auto& t, auto&) { return t.is_interlocked && t.alignment() == 4096; }},
        {{"-S"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && !t.write_through; }},
        {{"-Su"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && !t.write_through; }},
        {{"-Sw"}, [](auto& t, auto&) { return t.cache == DiskspdCache::on && t.write_through; }},
        {{"-Suw"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && t.write_through; }},
        {{"-Swu"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && t.write_through; }},
        {{"-Sh"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered && t.write_through; }},
        {{"-Sb"}, [](auto& t, auto&) { return t.cache == DiskspdCache::on; }},
        {{"-Sr"}, [](auto& t, auto&) { return t.cache == DiskspdCache::local_off; }},
        {{"-Sy"}, [](auto& t, auto&) { return t.cache == DiskspdCache::unbuffered; }},
        {{"-t4"}, [](auto& t, auto&) { return t.threads_per_file == 4; }},
        {{"-t2", "-T1M"}, [](auto& t, auto&) { return t.thread_stride_bytes == 1 << 20; }},
        {{"-w40"}, [](auto& t, auto&) { return t.write_percent == 40; }},
        {{"-w"}, [](auto& t, auto&) { return t.write_percent == 0; }},
        {{"-W0"}, [](auto&, auto& s) { return s.warm_up_s == 0; }},
        {{"-x"}, [](auto&, auto& s) { return s.completion_routines; }},
        {{"-z"}, [](auto&, auto& s) { return s.seed == 77; }},
        {{"-z5"}, [](auto&, auto& s) { return s.seed == 5; }},
        {{"-z 5"}, [](auto&, auto& s) { return s.seed == 5; }},
        {{"-z \r\n5"}, [](auto&, auto& s) { return s.seed == 5; }},
        {{"-Z"}, [](auto& t, auto&) { return t.zero_buffers; }},
        {{"-Zr"}, [](auto&, auto& s) { return s.random_write_data; }},
        {{"-Z20M"}, [](auto& t, auto&) { return t.buffer_bytes == 20 << 20 && t.buffer_path.empty(); }},
        {{"-Z1M,some, file"}, [](auto& t, auto&) { return t.buffer_bytes == 1 << 20 && t.buffer_path == "some, file"; }},
    };
    for (const Case& entry : cases) {
        INFO(entry.options.front());
        const DiskspdTimeSpan span = span_of_options(entry.options);
        CHECK(entry.holds(span.targets.at(0), span));
        CHECK(contradiction_in(entry.options).empty());
    }
}

TEST_CASE("DiskSpd: options that apply to the whole profile") {
    CHECK(parsed({"-Rxml"}).profile.format == reports::DiskspdFormat::xml);
    CHECK(parsed({"-Rtext"}).profile.format == reports::DiskspdFormat::text);
    CHECK(parsed({"-Rp"}).profile.is_profile_only);
    CHECK(parsed({"-Rpxml"}).profile.format == reports::DiskspdFormat::xml);
    CHECK(parse_diskspd({"-Rs"}, 0).profile.is_system_only);
    CHECK(parsed({"-v"}).profile.is_verbose);
    CHECK(parsed({"-vs"}).profile.shows_waits);
    CHECK(parsed({"-P"}).profile.progress == 65536);
    CHECK(parsed({"-P100"}).profile.progress == 100);
    CHECK(parsed({"-:1"}).profile.experiments == 1);
    CHECK(parsed({"-u8"}).wants_ring);
    CHECK(parsed({"-un16p"}).wants_ring);
    CHECK(parsed({"-ac"}).cpu_order == cli::DiskspdCpuOrder::cores_first);
    CHECK(parsed({"-ag1"}).cpu_groups == std::vector<std::uint32_t>{1});
    CHECK(parsed({"-?", "nonsense"}).wants_usage);
    CHECK(parsed({"--verify"}).verifies);
    CHECK(parsed({"--overwrite-foreign-files"}).may_overwrite);
    CHECK(parsed({"--text-style", "2.0"}).text_style == reports::DiskspdTextStyle::v2_0);
    CHECK(parsed({"--text-style", "2.1"}).text_style == reports::DiskspdTextStyle::v2_1);
    CHECK(parsed({"--text-style=2.0", "-o3"}).text_style == reports::DiskspdTextStyle::v2_0);
    CHECK(parse_diskspd({"a", "b"}, 0).profile.time_spans.at(0).targets.size() == 2);
}

TEST_CASE("DiskSpd: a line says what has no effect on Linux") {
    for (const char* option : {"-ePROCESS", "-eq", "-frs", "-I2", "-l", "-oc8", "-bsp", "-bsn", "-bs4K", "-x", "-vs", "-as", "-aP", "-aup",
                               "-Sy", "-:1", "-w", "-u4"}) {
        INFO(option);
        const DiskspdArguments arguments = parsed({option});
        REQUIRE(arguments.notices.size() == 1);
        CHECK(arguments.notices.front().starts_with(option));
    }
}

TEST_CASE("DiskSpd: an invalid option is refused by its name") {
    for (const char* option :
         {"-o",          "-o0",         "-o-1",         "-t0",        "-F0",    "-O0",     "-i0",       "-j0",      "-I0",     "-I4",
          "-d-1",        "-W-1",        "-C-1",         "-bX",        "-b0",    "-b4G",    "-b",        "-B",       "-B1M:",   "-B1Mx",
          "-c",          "-cX",         "-c0",          "-f",         "-fx",    "-f1MB",   "-g",        "-g0",      "-gi",     "-g5x",
          "-r0",         "-rX",         "-rs",          "-rs0",       "-rs101", "-rd",     "-rdpct",    "-rdpct5",  "-rdx1/1", "-rdpct10/0",
          "-rdpct101/5", "-rdpct5/101", "-rdabs10/0",   "-R",         "-Rjson", "-Rpjson", "-sX",       "-Sx",      "-Sbu",    "-Shw",
          "-Sww",        "-Smm",        "-Sum",         "-Shm",       "-Syu",   "-SY",     "-T0",       "-TX",      "-v1",     "-w101",
          "-w-1",        "-zx",         "-z4294967296", "-Z0",        "-ZX",    "-e",      "-eNOTHING", "-yfevent", "-yevent", "-a,",
          "-a1,",        "-ax",         "-a256",        "-ag65536,1", "-a3-1",  "-N",      "-Nx",       "-u",       "-u0",     "-u8x",
          "-q",          "-",           "-oc0",         "-X"}) {
        INFO(option);
        CHECK_THROWS_AS(parsed({option}), cli::UsageError);
        CHECK_THROWS_WITH(parsed({option}), ContainsSubstring(option));
    }
    CHECK_THROWS_AS(parsed({"--text-style", "1"}), cli::UsageError);
    CHECK_THROWS_AS(parsed({"--json", "x"}), cli::UsageError);
    CHECK_THROWS_AS(parse_diskspd({"-d1"}, 0), cli::UsageError);
}

TEST_CASE("DiskSpd: options precede targets, and their values are attached") {
    CHECK_THROWS_WITH(parse_diskspd({"-o", "8", "-t2", "t.dat"}, 0), ContainsSubstring("-t2: options come before the targets"));
    CHECK_THROWS_AS(parse_diskspd({"t.dat", "-L"}, 0), cli::UsageError);
    CHECK(parse_diskspd({"-o8", "/absolute/path"}, 0).profile.time_spans.at(0).targets.at(0).path == "/absolute/path");
}

TEST_CASE("DiskSpd: options that contradict each other are refused") {
    struct Case {
        std::vector<std::string> options;
        const char* says;
    };
    const std::vector<Case> cases{
        {{"-r", "-s"}, "-r"},
        {{"-s", "-r"}, "-s asks"},
        {{"-r", "-r"}, "twice"},
        {{"-s", "-s"}, "twice"},
        {{"-s", "-rs50"}, "-s asks"},
        {{"-rs50", "-rs60"}, "twice"},
        {{"-rs50", "-s"}, "-r<size>"},
        {{"-f1G", "-B1M:1M"}, "the end is given once"},
        {{"-B1M", "-B2M"}, "the beginning is given once"},
        {{"-B2M", "-f1M"}, "not after its beginning"},
        {{"-h", "-Su"}, "two things about caches"},
        {{"-Su", "-h"}, "another option"},
        {{"-Su", "-Sm"}, "memory mapped"},
        {{"-Sm", "-Su"}, "two things"},
        {{"-Smu"}, "two things"},
        {{"-Sm", "-h"}, "go through the cache"},
        {{"-Nn", "-Sb"}, "add -Sm"},
        {{"-Nv"}, "add -Sm"},
        {{"-Sm", "-x"}, "-Sm: not together with -x"},
        {{"-n", "-a1"}, "-n and -a"},
        {{"-n", "-ag0"}, "-n and -ag"},
        {{"-F2", "-t2"}, "-F and -t"},
        {{"-g10", "-x"}, "-g: not together with -x"},
        {{"-i5"}, "-i and -j"},
        {{"-j5"}, "-i and -j"},
        {{"-F2", "-O4", "-g10"}, "-g: not together with -O"},
        {{"-F2", "-O4", "-i1", "-j1"}, "-j: not together with -O"},
        {{"-F2", "-O4", "-p"}, "-p: not together with -O"},
        {{"-r", "-t2", "-T1M"}, "-T: is for sequential"},
        {{"-r", "-p"}, "-p: is for sequential"},
        {{"-T1M"}, "more than one thread"},
        {{"-t2", "-si", "-T1M"}, "-T: not together with -si"},
        {{"-t2", "-si", "-p"}, "-p: not together with -si"},
        {{"-rdpct50/50"}, "add -r or -rs"},
        {{"-r", "-rdpct60/50:50/50"}, "at most 100 percent"},
        {{"-r", "-rdpct10/60:10/50"}, "at most 100 percent"},
        {{"-r", "-rdpct10/60:10/40"}, "80 percent of the requests"},
        {{"-r", "-rdabs10/4K"}, "at least one block"},
        {{"-Z4K"}, "a buffer is at least one block"},
    };
    for (const Case& entry : cases) {
        INFO(entry.options.front() << " " << entry.options.back());
        CHECK_THAT(contradiction_in(entry.options), ContainsSubstring(entry.says));
    }
}

TEST_CASE("DiskSpd: options that work but hardly as intended give a warning") {
    CHECK_THAT(check_diskspd_profile(parsed({"-t2"}).profile).at(0), ContainsSubstring("not sequential"));
    CHECK_THAT(check_diskspd_profile(parsed({"-si"}).profile).at(0), ContainsSubstring("one thread"));
    CHECK_THAT(check_diskspd_profile(parsed({"-p", "-o1"}).profile).at(0), ContainsSubstring("one request"));
    CHECK_THAT(check_diskspd_profile(parsed({"-O8"}).profile).at(0), ContainsSubstring("-O: has no effect without -F"));
    CHECK(check_diskspd_profile(parsed({"-F1", "-O8"}).profile).empty());
    CHECK_THAT(check_diskspd_profile(parsed({"-Sr"}).profile).at(0), ContainsSubstring("this machine's cache is bypassed"));
    for (const char* both : {"-Srm", "-Smr"}) {
        CHECK_THAT(check_diskspd_profile(parsed({both}).profile).at(0), ContainsSubstring("no effect with -Sm"));
    }
    for (const char* mapped : {"-Sm", "-Smw", "-Swm", "-Sbm", "-Smb"}) {
        INFO(mapped);
        CHECK(check_diskspd_profile(parsed({mapped, "-Nv"}).profile).empty());
    }
    for (const char* contents : {"-Z", "-Zr", "-Z64K"}) {
        CHECK(check_diskspd_profile(parsed({contents}).profile).empty());
        CHECK_THAT(check_diskspd_profile(parsed({contents}).profile, true).at(0), ContainsSubstring("-Z: has no effect with --verify"));
    }
    CHECK(check_diskspd_profile(parsed({}).profile, true).empty());
    CHECK(check_diskspd_profile(parsed({"-t2", "-si"}).profile).empty());
    CHECK(check_diskspd_profile(parsed({"-t2", "-T1M"}).profile).empty());
}

TEST_CASE("DiskSpd: only times, format and targets may be given with a profile, and they override it") {
    const DiskspdArguments arguments = parse_diskspd({"-Xp.xml", "-d3", "-W1", "-C2", "-z9", "-Rxml", "-v", "a.dat", "b.dat"}, 0);
    CHECK(arguments.profile_path == "p.xml");
    CHECK(arguments.profile.time_spans.empty());
    CHECK(arguments.substitutes == std::vector<std::string>{"a.dat", "b.dat"});
    reports::DiskspdProfile profile;
    profile.time_spans.resize(2);
    profile.time_spans[0].targets.resize(2);
    profile.time_spans[0].targets[0].path = "*2";
    profile.time_spans[0].targets[1].path = "*3";
    profile.time_spans[1].targets.resize(2);
    profile.time_spans[1].targets[0].path = "fixed";
    profile.time_spans[1].targets[1].path = "*1";
    cli::complete_diskspd_profile(arguments, profile);
    CHECK(profile.time_spans[0].targets[0].path == "b.dat");
    CHECK(profile.time_spans[0].targets[1].path == "*3");
    CHECK(profile.time_spans[1].targets[0].path == "fixed");
    CHECK(profile.time_spans[1].targets[1].path == "a.dat");
    CHECK(profile.time_spans[1].duration_s == 3);
    CHECK(profile.time_spans[1].warm_up_s == 1);
    CHECK(profile.time_spans[1].cool_down_s == 2);
    CHECK(profile.time_spans[1].seed == 9);
    CHECK(profile.format == reports::DiskspdFormat::xml);
    CHECK(profile.is_verbose);
    CHECK_THROWS_WITH(check_diskspd_profile(profile), ContainsSubstring("*3: the profile leaves this target open"));
    CHECK_THROWS_WITH(parse_diskspd({"-Xp.xml", "-o4"}, 0), ContainsSubstring("-o4: not allowed beside -X"));
    CHECK_THROWS_WITH(parse_diskspd({"-b4K", "-Xp.xml"}, 0), ContainsSubstring("-b4K: not allowed beside -X"));
    CHECK_THROWS_AS(parse_diskspd({"-Xp.xml", "-Xq.xml"}, 0), cli::UsageError);
}

TEST_CASE("DiskSpd: a target on the command line for which the profile has no place is refused, not forgotten") {
    const DiskspdArguments arguments = parse_diskspd({"-Xp.xml", "a.dat", "b.dat"}, 0);
    reports::DiskspdProfile profile;
    profile.time_spans.resize(1);
    profile.time_spans[0].targets.resize(2);
    profile.time_spans[0].targets[0].path = "*1";
    profile.time_spans[0].targets[1].path = "fixed";
    CHECK_THROWS_WITH(cli::complete_diskspd_profile(arguments, profile), ContainsSubstring("b.dat: the profile has no target *2"));
}

TEST_CASE("DiskSpd: the command lines of articles and of other tools are accepted") {
    const std::vector<std::vector<std::string>> lines{
        {"-c1000G", "-d10", "-r", "-w0", "-t8", "-o8", "-b8K", "-h", "-L"},
        {"-c1G", "-d10", "-w0", "-r", "-b8k", "-o 4", "-t 2", "-h", "-L"},
        {"-c1000G", "-d10", "-w0", "-t2", "-o8", "-b512K", "-h", "-L"},
        {"-d15", "-o1", "-F1", "-b60K", "-h", "-s", "-L", "-w100"},
        {"-d15", "-o32", "-t4", "-b64K", "-h", "-si", "-L", "-w0"},
        {"-d15", "-o32", "-t4", "-b512K", "-h", "-s", "-L", "-w0"},
        {"-c8192K", "-d1"},
        {"-c1G", "-b4K", "-t2", "-d10", "-a0,1"},
        {"-c496G", "-b8K", "-r4K", "-t16", "-o32", "-w100", "-d300", "-Suw", "-W15", "-D", "-L", "-Rtext"},
        {"-Z20M", "-z", "-h", "-t8", "-o8", "-b4K", "-rs100", "-w30", "-W60", "-C60", "-d120", "-D", "-L", "-Rxml"},
        {"-b8K", "-d30", "-h", "-L", "-o32", "-t8", "-r", "-w40", "-c10G"},
    };
    for (const std::vector<std::string>& line : lines) {
        INFO(line.at(0) << " " << line.at(1));
        CHECK(contradiction_in(line).empty());
        CHECK(parsed(line).notices.empty());
    }
}
