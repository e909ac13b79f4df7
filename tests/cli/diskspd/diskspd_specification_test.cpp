#include "cli/diskspd/diskspd_specification.hpp"

#include <map>

#include "cli/diskspd/precreated_files.hpp"
#include "cli/diskspd/profile_reader.hpp"
#include "cli/process/exit_codes.hpp"
#include "reports/diskspd/diskspd_profile_xml.hpp"
#include "sim/bench/measurement.hpp"
#include "tests/support/catch.hpp"

using sim::MeasureAccess;
using sim::MeasureContents;
using sim::MeasureTarget;
using sim::MeasureTimespan;

namespace {

sim::MeasureSpec specified(std::vector<std::string> options) {
    if (options.empty() || options.back().starts_with('-')) options.emplace_back("t.dat");
    const cli::DiskspdArguments arguments = cli::parse_diskspd(options, 0);
    return cli::diskspd_specification(arguments, arguments.profile);
}

MeasureTarget first_target(const std::vector<std::string>& options) { return specified(options).timespans.at(0).targets.at(0); }

}  // namespace

TEST_CASE("DiskSpd: options become the engine's specification") {
    const MeasureTarget plain = first_target({});
    CHECK(plain.access == MeasureAccess::sequential);
    CHECK_FALSE(plain.direct);
    CHECK_FALSE(plain.write_through);
    CHECK(plain.source.contents == MeasureContents::counting);
    CHECK_FALSE(plain.may_overwrite);
    CHECK(plain.outstanding == 2);
    CHECK(first_target({"-Sh"}).direct);
    CHECK(first_target({"-Sh"}).write_through);
    CHECK(first_target({"-Su"}).direct);
    CHECK_FALSE(first_target({"-Su"}).write_through);
    CHECK(first_target({"-r"}).access == MeasureAccess::random);
    CHECK(first_target({"-r4K"}).alignment_bytes == 4096);
    CHECK(first_target({"-rs30"}).access == MeasureAccess::mixed);
    CHECK(first_target({"-rs30"}).random_percent == 30);
    CHECK(first_target({"-rs100"}).access == MeasureAccess::random);
    CHECK(first_target({"-t2", "-si"}).access == MeasureAccess::interlocked);
    CHECK(first_target({"-s0"}).is_stride_zero);
    CHECK_FALSE(first_target({"-s4K"}).is_stride_zero);
    CHECK(first_target({"-p"}).same_start);
    CHECK(first_target({"-B1M:1M"}).max_offset_bytes == 2 << 20);
    CHECK(first_target({"-g1000"}).rate.unit == sim::MeasureRateUnit::bytes_per_s);
    CHECK(first_target({"-g1000"}).rate.amount == 1e6);
    CHECK(first_target({"-g600000i"}).rate.unit == sim::MeasureRateUnit::requests_per_s);
    CHECK(first_target({"-g600000i"}).rate.amount == 600000);
    CHECK(first_target({"-Z"}).source.contents == MeasureContents::zeros);
    CHECK(first_target({"-Zr"}).source.contents == MeasureContents::incompressible);
    CHECK(first_target({"-Z1M"}).source.contents == MeasureContents::buffer);
    CHECK(first_target({"-c1M"}).create_bytes == 1 << 20);
    CHECK(first_target({"-i3", "-j4"}).burst_requests == 3);
    CHECK(first_target({"-i3", "-j4"}).think_time_ms == 4);
    CHECK(first_target({"--overwrite-foreign-files"}).may_overwrite);
    const MeasureTimespan span = specified({"-d3", "-W1", "-C2", "-z7", "-F4", "-O9", "-D200", "-L"}).timespans.at(0);
    CHECK(span.duration_s == 3);
    CHECK(span.warm_up_s == 1);
    CHECK(span.cool_down_s == 2);
    CHECK(span.seed == 7);
    CHECK(span.threads_total == 4);
    CHECK(span.requests_per_thread == 9);
    CHECK(span.iops_interval_ms == 200);
    CHECK(span.measure_latency);
    CHECK_FALSE(specified({}).timespans.at(0).measure_latency);
    CHECK(specified({"-u8"}).engine == sim::EngineChoice::uring);
}

TEST_CASE("DiskSpd: the threads of a target share its bursts, and each makes at least one request") {
    CHECK(first_target({"-i10", "-j4", "-t2"}).burst_requests == 5);
    CHECK(first_target({"-i10", "-j4", "-t3"}).burst_requests == 3);
    CHECK(first_target({"-i3", "-j4", "-t8"}).burst_requests == 1);
    CHECK(first_target({"-i12", "-j4", "-F4"}).burst_requests == 3);
    CHECK(first_target({"-t8"}).burst_requests == 0);
}

TEST_CASE("DiskSpd: shares of requests go to their parts of the target, and the remainder to the rest") {
    const MeasureTarget percent = first_target({"-r", "-rdpct90/10:0/10:5/20"});
    REQUIRE(percent.spans.size() == 4);
    CHECK(percent.spans[0].io_percent == 90);
    CHECK(percent.spans[0].target_percent == 10);
    CHECK(percent.spans[1].io_percent == 0);
    CHECK(percent.spans[3].io_percent == 5);
    CHECK(percent.spans[3].target_percent == 60);
    CHECK(first_target({"-r", "-rdabs40/1M"}).spans.size() == 1);  // the engine knows the rest
    const MeasureTarget bytes = first_target({"-r", "-rdabs40/1M:60/2M"});
    REQUIRE(bytes.spans.size() == 2);
    CHECK(bytes.spans[1].size_bytes == 2 << 20);
    CHECK(bytes.spans[1].target_percent == 0);
}

TEST_CASE("DiskSpd: --verify writes ioproof's pages, or sectors if blocks or offsets are not whole pages") {
    CHECK(specified({"-b8K", "--verify"}).verify);
    CHECK(first_target({"-b64K", "--verify", "-Z"}).source.contents == MeasureContents::pages);
    CHECK_FALSE(specified({"-b8K"}).verify);
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{{"-b4K"}, {"-b8K", "-r4K"}, {"-b8K", "-B512"}}) {
        std::vector<std::string> words = options;
        words.emplace_back("--verify");
        CHECK(first_target(words).source.contents == MeasureContents::sectors);
        CHECK(sim::check_measure_spec(specified(words)).empty());
    }
    CHECK_THAT(sim::check_measure_spec(specified({"-b1000", "--verify"})), ContainsSubstring("multiple"));
}

TEST_CASE("DiskSpd: -Sm maps the file, and -N selects how writes are flushed") {
    using sim::MeasureView;
    CHECK(first_target({}).view == MeasureView::none);
    CHECK(first_target({"-Sm"}).view == MeasureView::mapped);
    CHECK(first_target({"-Sm", "-Nv"}).view == MeasureView::synced);
    CHECK(first_target({"-Sm", "-Nn"}).view == MeasureView::lines_written);
    CHECK(first_target({"-Sm", "-Ni"}).view == MeasureView::lines_started);
    CHECK(first_target({"-Smw"}).write_through);
    for (const char* mapped : {"-Sm", "-Smw", "-Smr", "-Smb"}) {
        CHECK_FALSE(first_target({mapped}).direct);
        CHECK(sim::check_measure_spec(specified({mapped, "-o8", "-t2", "-r"})).empty());
    }
}

TEST_CASE("DiskSpd: ThreadTargets select the threads of a target, with their own weight or the target's") {
    cli::DiskspdArguments arguments = cli::parse_diskspd({"-F3", "-O4", "a", "b"}, 0);
    reports::DiskspdProfile& profile = arguments.profile;
    profile.time_spans[0].targets[1].weight = 7;
    profile.time_spans[0].targets[1].thread_weights = {{1, 0}, {2, 9}};
    const sim::MeasureSpec spec = cli::diskspd_specification(arguments, profile);
    CHECK(spec.timespans[0].targets[0].thread_shares.empty());
    const auto& shares = spec.timespans[0].targets[1].thread_shares;
    REQUIRE(shares.size() == 2);
    CHECK(shares[0].thread == 1);
    CHECK(shares[0].weight == 7);
    CHECK(shares[1].thread == 2);
    CHECK(shares[1].weight == 9);
    CHECK(sim::check_measure_spec(spec).empty());
    // A thread without a target, and one that is named twice.
    profile.time_spans[0].targets[0].thread_weights = {{1, 1}};
    CHECK_THAT(sim::check_measure_spec(cli::diskspd_specification(arguments, profile)), ContainsSubstring("thread 0 has no target"));
    profile.time_spans[0].targets[0].thread_weights = {{0, 1}, {0, 2}};
    CHECK_THAT(sim::check_measure_spec(cli::diskspd_specification(arguments, profile)), ContainsSubstring("named twice"));
}

TEST_CASE("DiskSpd: options without a counterpart in the engine are refused with a reason") {
    CHECK_THROWS_WITH(specified({"#1"}), ContainsSubstring("Windows physical disk"));
    CHECK_THROWS_WITH(specified({"C:"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(specified({"X:\\testfile.dat"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(specified({"\\\\server\\share\\f"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(specified({"data\\testfile.dat"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(specified({".\\testfile.dat"}), ContainsSubstring("Windows path"));
    CHECK(first_target({"a:b"}).path == "a:b");
    CHECK(first_target({"/mnt/a\\b"}).path == "/mnt/a\\b");
}

TEST_CASE("DiskSpd: a file that two time spans create is created once") {
    cli::DiskspdArguments arguments = cli::parse_diskspd({"-c1M", "t.dat"}, 0);
    arguments.profile.time_spans.push_back(arguments.profile.time_spans.front());
    const sim::MeasureSpec spec = cli::diskspd_specification(arguments, arguments.profile);
    CHECK_FALSE(spec.timespans.at(0).targets.at(0).keep_existing);
    CHECK(spec.timespans.at(1).targets.at(0).keep_existing);
}

TEST_CASE("DiskSpd: which files PrecreateFiles creates beforehand, and how large") {
    using Precreate = reports::DiskspdPrecreate;
    // a: 1M twice; b: 1M and none; c: 1M and 2M; d: none.
    cli::DiskspdArguments arguments = cli::parse_diskspd({"-c1M", "a", "b", "c", "d"}, 0);
    reports::DiskspdProfile& profile = arguments.profile;
    profile.time_spans.push_back(profile.time_spans.front());
    profile.time_spans[0].targets.at(3).create_bytes.reset();
    profile.time_spans[1].targets.at(3).create_bytes.reset();
    profile.time_spans[0].targets.at(1).create_bytes.reset();
    profile.time_spans[1].targets.at(2).create_bytes = 2 << 20;
    const auto sizes_by = [&](Precreate rule) {
        profile.precreate = rule;
        return cli::precreated_sizes(profile);
    };
    using Sizes = std::map<std::string, std::uint64_t>;
    CHECK(sizes_by(Precreate::none).empty());
    CHECK(sizes_by(Precreate::use_max_size) == Sizes{{"a", 1 << 20}, {"b", 1 << 20}, {"c", 2 << 20}});
    CHECK(sizes_by(Precreate::constant_sizes) == Sizes{{"a", 1 << 20}});
    CHECK(sizes_by(Precreate::constant_or_zero_sizes) == Sizes{{"a", 1 << 20}, {"b", 1 << 20}});
    sim::MeasureSpec spec = cli::diskspd_specification(arguments, profile);
    const sim::MeasureSpec making = cli::precreation_of(spec, sizes_by(Precreate::use_max_size));
    REQUIRE(making.timespans.at(0).targets.size() == 3);
    CHECK(making.timespans[0].targets[2].create_bytes == 2 << 20);
    CHECK(making.timespans[0].targets[2].write_percent == 0);
    CHECK(sim::check_measure_spec(making).empty());
    cli::take_as_made(spec, sizes_by(Precreate::constant_sizes));
    CHECK(spec.timespans[1].targets.at(0).create_bytes == 0);
    CHECK(spec.timespans[1].targets.at(2).create_bytes == 2 << 20);
}

TEST_CASE("DiskSpd: by default threads are bound to all CPUs in turn, and profiles keep those of -ag and -ac") {
    std::vector<std::uint32_t> allowed{0, 1, 2, 3};
    ums::ProcessorTopology topology;
    topology.processors = {{.id = 0, .core = 0}, {.id = 1, .core = 0}, {.id = 2, .core = 1}, {.id = 3, .core = 1}};
    const auto cpus_of = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = options;
        if (words.empty() || !words.back().starts_with("-t")) words.emplace_back("-t8");
        words.emplace_back("t.dat");
        const cli::DiskspdArguments arguments = cli::parse_diskspd(words, 0);
        reports::DiskspdProfile profile = arguments.profile;
        cli::name_diskspd_cpus(arguments, allowed, topology, profile.time_spans.at(0));
        const std::vector<std::uint32_t> cpus = cli::diskspd_cpus(profile.time_spans.at(0), allowed);
        // A profile that is written and read again binds the threads to the same ones.
        const reports::DiskspdProfile read = cli::read_diskspd_profile(reports::diskspd_profile_xml(profile), "p.xml").profile;
        CHECK(cli::diskspd_cpus(read.time_spans.at(0), allowed) == cpus);
        return cpus;
    };
    using Cpus = std::vector<std::uint32_t>;
    CHECK(cpus_of({}) == allowed);
    CHECK(cpus_of({"-n"}).empty());
    CHECK(cpus_of({"-a3,1"}) == Cpus{3, 1});
    CHECK(cpus_of({"-a1-2"}) == Cpus{1, 2});
    CHECK(cpus_of({"-ac"}) == Cpus{0, 2, 1, 3});
    CHECK(cpus_of({"-ag0"}) == allowed);
    CHECK(cpus_of({"-a3", "-ag0"}) == Cpus{3, 0, 1, 2, 3});
    CHECK(cpus_of({"-t1"}) == Cpus{0});
    CHECK(cpus_of({"-a3,1", "-t1"}) == Cpus{3});
    CHECK(cpus_of({"-ac", "-t2"}) == Cpus{0, 2});
    CHECK_THROWS_WITH(cpus_of({"-a4"}), ContainsSubstring("CPU 4 is not there"));
    CHECK_THROWS_WITH(cpus_of({"-ag1"}), ContainsSubstring("no CPU in this group"));
    CHECK_THROWS_WITH(cpus_of({"-ag1,0"}), ContainsSubstring("CPU 64 is not there"));
    allowed = {0, 63, 64, 70};
    CHECK(cpus_of({"-ag1,0,g0,63"}) == Cpus{64, 63});
    CHECK(cpus_of({"-ag1"}) == Cpus{64, 70});
    CHECK(cpus_of({"-a70"}) == Cpus{70});
}
