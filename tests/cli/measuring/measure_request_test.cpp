#include "cli/measuring/measure_request.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

#include "cli/measuring/bench_arguments.hpp"
#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"

using namespace sim;

namespace {

MeasureSpec spec_of_words(const std::vector<std::string>& words) {
    const cli::BenchArguments arguments = cli::parse_bench(words);
    REQUIRE(arguments.measure);
    return measure_spec_of(*arguments.measure);
}

MeasureTarget target_of_words(const std::vector<std::string>& words) { return spec_of_words(words).timespans[0].targets.at(0); }

}  // namespace

TEST_CASE("without switches of a measurement a bench measures the path of a run") {
    CHECK_FALSE(cli::parse_bench({"b.mdx", "--depth", "4", "--op", "write"}).measure);
    CHECK(cli::parse_bench({"b.mdx", "--threads", "1"}).measure);
    CHECK(cli::parse_bench({"b.mdx", "--repeat", "2"}).measure);
}

TEST_CASE("every preset gives a specification that the engine accepts, under its name") {
    for (const cli::MeasurePreset& preset : cli::measure_presets()) {
        const MeasureTarget target = target_of_words({"b.mdx", "--preset", std::string(preset.name)});
        CHECK(target.label == preset.name);
        CHECK(target.outstanding == preset.depth);
        CHECK_THAT(std::string(cli::presets_text()), ContainsSubstring(std::string(preset.name) + ": "));
    }
    const MeasureTarget log = target_of_words({"b.mdx", "--preset", "log", "--depth", "112"});
    CHECK(log.write_through);
    CHECK(log.block_bytes == 61440);
    CHECK(log.block_bytes_min == 512);
    CHECK(log.outstanding == 112);
    CHECK(log.source.contents == MeasureContents::sectors);
    CHECK(target_of_words({"b.mdx", "--preset", "log", "--verify", "off"}).source.contents == MeasureContents::incompressible);
    CHECK(target_of_words({"b.mdx", "--preset", "log", "--block", "8K"}).source.contents == MeasureContents::pages);
    for (const char* preset : {"backup", "restore", "scan", "read-ahead", "checkpoint", "tempdb"}) {
        CHECK(target_of_words({"b.mdx", "--preset", preset}).source.contents == MeasureContents::pages);
    }
    const MeasureTarget oltp = target_of_words({"b.mdx", "--preset", "oltp", "--write-percent", "10", "--threads", "4"});
    CHECK(oltp.write_percent == 10);
    CHECK(oltp.outstanding == 8);
    CHECK(oltp.source.contents == MeasureContents::pages);
}

TEST_CASE("a preset measures the load that its description names") {
    const auto size = [](std::uint32_t bytes) {
        return bytes < 1024      ? fmt::format("{} bytes", bytes)
               : bytes < 1 << 20 ? fmt::format("{}K", bytes >> 10)
                                 : fmt::format("{}M", bytes >> 20);
    };
    for (const cli::MeasurePreset& preset : cli::measure_presets()) {
        const MeasureTarget target = target_of_words({"b.mdx", "--preset", std::string(preset.name)});
        const std::string load(preset.load);
        INFO(load);
        const bool is_range = target.block_bytes_min != 0 && target.block_bytes_min != target.block_bytes;
        const std::string blocks = (is_range ? size(target.block_bytes_min) + " to " : "") + size(target.block_bytes) + ", ";
        CHECK(load.starts_with(blocks));
        CHECK_THAT(load, ContainsSubstring(target.access == MeasureAccess::random ? ", random" : ", sequential"));
        const std::map<std::uint32_t, std::string> mixes{
            {0, "reads"}, {30, "70 % reads"}, {50, "half reads, half writes"}, {100, "writes"}};
        CHECK_THAT(load, ContainsSubstring(mixes.at(target.write_percent)));
        CHECK((load.find("reads") != std::string::npos) == (target.write_percent < 100));
        CHECK((load.find("durable") != std::string::npos) == target.write_through);
        CHECK((load.find("zeros") != std::string::npos) == (target.source.contents == MeasureContents::zeros));
        CHECK((load.find("gathered") != std::string::npos) == (preset.name == std::string_view("checkpoint")));
        CHECK_THAT(std::string(cli::presets_text()),
                   ContainsSubstring(fmt::format("{}: {}, depth {}.", preset.name, load, target.outstanding)));
    }
    CHECK(target_of_words({"b.mdx", "--preset", "checkpoint"}).piece_bytes == 8192);
}

TEST_CASE("without further switches a measurement has the defaults that its help names") {
    const cli::BenchArguments arguments = cli::parse_bench({"b", "--threads", "1"});
    const MeasureTimespan timespan = measure_spec_of(*arguments.measure).timespans[0];
    CHECK(timespan.duration_s == 5);
    CHECK(timespan.warm_up_s == 0);
    CHECK(timespan.cool_down_s == 0);
    CHECK(timespan.iops_interval_ms == 1000);
    CHECK(timespan.seed == 0);
    const MeasureTarget& target = timespan.targets.at(0);
    CHECK(target.access == MeasureAccess::random);
    CHECK(target.block_bytes == 8192);
    CHECK(target.outstanding == 32);
    CHECK(target.threads == 1);
    CHECK(target.write_percent == 0);
    CHECK(target.source.compressible_percent == 0);
    CHECK(target.source.duplicate_percent == 0);
    CHECK(target.rate.unit == MeasureRateUnit::none);
    CHECK(target.direct);
    CHECK_FALSE(target.may_overwrite);
    CHECK(arguments.plan.rounds == 1);
    CHECK(cli::parse_bench({"b", "--until-stable"}).plan.rounds == 25);
    CHECK(cli::parse_bench({"b", "--within", "5"}).plan.rounds == 25);
    CHECK(cli::parse_bench({"b", "--within", "5", "--repeat", "7"}).plan.rounds == 7);
    CHECK(cli::kTolerancePercent == 5);
}

TEST_CASE("each readable switch changes the specification") {
    CHECK(target_of_words({"b", "--random-percent", "30"}).random_percent == 30);
    CHECK(target_of_words({"b", "--random-percent", "0"}).access == MeasureAccess::sequential);
    CHECK(target_of_words({"b", "--threads", "1", "--pattern", "sequential"}).access == MeasureAccess::interlocked);
    CHECK(target_of_words({"b", "--hot", "90/10,0/20"}).spans.size() == 2);
    CHECK(target_of_words({"b", "--align", "64K"}).alignment_bytes == 65536);
    CHECK(target_of_words({"b", "--from", "1M", "--to", "2M"}).base_offset_bytes == 1 << 20);
    CHECK(target_of_words({"b", "--from", "1M", "--to", "2M"}).max_offset_bytes == 2 << 20);
    CHECK(target_of_words({"b", "--contents", "zeros"}).source.contents == MeasureContents::zeros);
    CHECK(target_of_words({"b", "--compressible", "20"}).source.compressible_percent == 20);
    CHECK(target_of_words({"b", "--compressible", "20"}).source.contents == MeasureContents::incompressible);
    CHECK(target_of_words({"b", "--duplicate", "20"}).source.duplicate_percent == 20);
    CHECK(target_of_words({"b", "--threads", "1", "--block", "4K"}).source.contents == MeasureContents::sectors);
    CHECK(target_of_words({"b", "--contents", "sectors"}).source.contents == MeasureContents::sectors);
    CHECK(target_of_words({"b", "--rate", "1000", "--threads", "4"}).rate.amount == 250);
    CHECK(target_of_words({"b", "--rate", "1000"}).rate.unit == MeasureRateUnit::requests_per_s);
    CHECK(target_of_words({"b", "--rate", "100M"}).rate.amount == 104'857'600);
    CHECK(target_of_words({"b", "--rate", "100M"}).rate.unit == MeasureRateUnit::bytes_per_s);
    CHECK(target_of_words({"b", "--burst", "10", "--think", "5"}).burst_requests == 10);
    CHECK(target_of_words({"b", "--burst", "10", "--think", "5"}).think_time_ms == 5);
    CHECK(target_of_words({"b", "--flush-every", "7", "--op", "write"}).flush_every_writes == 7);
    CHECK(target_of_words({"b", "--flush-every", "7", "--mix", "read-ahead=1,log=1"}).flush_every_writes == 0);
    CHECK(target_of_words({"b", "--flush-every", "7", "--mix", "log=1,read-ahead=1"}).flush_every_writes == 7);
    CHECK(target_of_words({"b", "--overwrite-foreign-files"}).may_overwrite);
    CHECK(target_of_words({"b", "--threads", "1", "--op", "write", "--durable"}).write_through);
    CHECK_FALSE(target_of_words({"b", "--threads", "1", "--buffered"}).direct);
    CHECK(target_of_words({"b", "--mapped"}).view == MeasureView::mapped);
    CHECK_FALSE(target_of_words({"b", "--mapped"}).direct);
    CHECK(target_of_words({"b", "--buffered", "--threads", "1"}).view == MeasureView::none);
    CHECK(target_of_words({"b", "--threads", "1", "--scatter"}).piece_bytes == 8192);
    CHECK(target_of_words({"b", "--threads", "1", "--size", "4M"}).create_bytes == 4 << 20);
    const MeasureTimespan timespan = spec_of_words({"b", "--warm-up", "3", "--cool-down", "2", "--interval", "100", "--affinity", "70,2",
                                                    "--seconds", "9", "--seed", "4", "--cpus", "2", "--threads", "2"})
                                         .timespans[0];
    CHECK(timespan.warm_up_s == 3);
    CHECK(timespan.cool_down_s == 2);
    CHECK(timespan.duration_s == 9);
    CHECK(timespan.iops_interval_ms == 100);
    CHECK(timespan.affinity == std::vector<std::uint32_t>{70, 2});
    CHECK(timespan.seed == 4);
    CHECK(timespan.cpu_count == 2);
    CHECK_FALSE(spec_of_words({"b", "--threads", "1", "--verify", "off"}).verify);
}

TEST_CASE("a mix needs a file and a weight for each class") {
    const MeasureTimespan timespan =
        spec_of_words({"/m/b", "--mix", "oltp=70,log=20,backup=10", "--depth", "64", "--threads", "4"}).timespans[0];
    REQUIRE(timespan.targets.size() == 3);
    CHECK(timespan.threads_total == 4);
    CHECK(timespan.requests_per_thread == 16);
    CHECK(timespan.targets[0].path == "/m/b.oltp");
    CHECK(timespan.targets[1].label == "log");
    CHECK(timespan.targets[0].weight == 70);
    CHECK(timespan.targets[2].weight == 10);
}

TEST_CASE("an impossible measurement is refused with the switch and what is allowed") {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"--preset", "oltp"},
                                                                                       {"b", "--preset", "olap"},
                                                                                       {"b", "--mix", "oltp"},
                                                                                       {"b", "--mix", "oltp=0"},
                                                                                       {"b", "--mix", "oltp=1,oltp=2"},
                                                                                       {"b", "--mix", "oltp=1", "--preset", "log"},
                                                                                       {"b", "--mix", "oltp=1", "--rate", "5"},
                                                                                       {"b", "--threads", "3"},
                                                                                       {"b", "--write-percent", "101"},
                                                                                       {"b", "--hot", "60/50,50/50"},
                                                                                       {"b", "--hot", "60"},
                                                                                       {"b", "--rate", "0"},
                                                                                       {"b", "--threads", "1", "--size", "0"},
                                                                                       {"b", "--align", "0"},
                                                                                       {"b", "--to", "0"},
                                                                                       {"null:", "--repeat", "3"},
                                                                                       {"b", "null:", "--preset", "oltp"},
                                                                                       {"b", "--contents", "random"},
                                                                                       {"b", "--contents", "pages", "--block", "4K"},
                                                                                       {"b", "--affinity", "1024"},
                                                                                       {"b", "--burst", "5"},
                                                                                       {"b", "--until-stable", "--within", "5"},
                                                                                       {"b", "--block", "1000", "--threads", "1"}}) {
        INFO(words.back());
        CHECK_THROWS_AS(cli::parse_bench(words), cli::UsageError);
    }
}

TEST_CASE("rounds end when there are enough") {
    cli::RoundPlan plan;
    plan.rounds = 10;
    reports::MeasureRounds rounds;
    rounds.requests_per_s = {100, 100, 100};
    CHECK_FALSE(plan.is_enough(rounds));
    plan.within_percent = 5;
    CHECK(plan.is_enough(rounds));
    rounds.requests_per_s = {100, 140, 60};
    CHECK_FALSE(plan.is_enough(rounds));
    plan.within_percent.reset();
    plan.until_stable = true;
    CHECK_FALSE(plan.is_enough(rounds));
    rounds.requests_per_s = {500, 100, 100, 101, 99, 100};
    CHECK(plan.is_enough(rounds));
    rounds.requests_per_s.assign(10, 0);
    CHECK(plan.is_enough(rounds));
}
