#include "reports/thresholds.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/verdict.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using reports::evaluate_threshold;
using reports::parse_thresholds;
using reports::Threshold;
using Figure = reports::Threshold::Figure;

namespace {

Threshold parsed(std::string_view text) {
    std::string problem;
    const auto thresholds = parse_thresholds(text, problem);
    INFO(text << ": " << problem);
    REQUIRE(thresholds);
    REQUIRE(thresholds->size() == 1);
    return thresholds->front();
}

std::string problem_of(std::string_view text) {
    std::string problem;
    INFO(text);
    CHECK_FALSE(parse_thresholds(text, problem));
    return problem;
}

// A run whose data file reads took 1 ms, its log flushes 4 ms, and one of those 40 ms.
sim::Results measured_results() {
    sim::Results results = sound_results();
    for (sim::FileResult& file : results.files) file.latency = {};
    sim::LatencyResult& reads = results.files[0].latency[static_cast<std::size_t>(sim::IoClass::read)];
    reads.count = 1000;
    reads.mean_ns = 1'000'000;
    reads.max_ns = 9'000'000;
    reads.percentiles_ns.fill(1'500'000);
    sim::LatencyResult& flushes = results.files[1].latency[static_cast<std::size_t>(sim::IoClass::log_flush)];
    flushes.count = 100;
    flushes.mean_ns = 4'000'000;
    flushes.max_ns = 40'000'000;
    flushes.percentiles_ns.fill(5'000'000);
    results.files[0].throttle_count = 101;
    return results;
}

bool is_exceeded(std::string_view text, const sim::Results& results = measured_results()) {
    return evaluate_threshold(parsed(text), results).is_exceeded;
}

}  // namespace

TEST_CASE("a threshold has a class, figure, limit and file") {
    const Threshold plain = parsed("p99 > 50ms");
    CHECK(plain.figure == Figure::percentile);
    CHECK(sim::kLatencyPercents[plain.percentile] == 99);
    CHECK(plain.limit == 50'000);
    CHECK_FALSE(plain.io_class);
    CHECK_FALSE(plain.at_limit);
    CHECK(plain.file.empty());

    const Threshold full = parsed("  log_flush.p99.9>=1.5 s in /mnt/my log/a.ldx ");
    CHECK(full.expression == "log_flush.p99.9>=1.5 s in /mnt/my log/a.ldx");
    CHECK(sim::kLatencyPercents[full.percentile] == 99.9);
    CHECK(full.io_class == sim::IoClass::log_flush);
    CHECK(full.at_limit);
    CHECK(full.limit == 1'500'000);
    CHECK(full.file == "/mnt/my log/a.ldx");

    CHECK(parsed("read.longest > 700us").limit == 700);
    CHECK(parsed("average>0ms").figure == Figure::average);
    CHECK(parsed("throttled > 100").limit == 100);
    CHECK(parsed("long_io > 0 in a.mdx").file == "a.mdx");
    CHECK(parsed("warnings >= 1").figure == Figure::warnings);
}

TEST_CASE("commas separate thresholds") {
    std::string problem;
    const auto thresholds = parse_thresholds("p99 > 50ms, scatter_read.average > 1 s,throttled>3", problem);
    REQUIRE(thresholds);
    REQUIRE(thresholds->size() == 3);
    CHECK((*thresholds)[1].io_class == sim::IoClass::scatter_read);
    CHECK((*thresholds)[2].expression == "throttled>3");
}

TEST_CASE("a comma in the name of a file does not end its threshold") {
    std::string problem;
    const auto thresholds = parse_thresholds("p99 > 50ms in /mnt/a,b, c.mdx, long_io > 0 in d,e.mdx", problem);
    REQUIRE(thresholds);
    REQUIRE(thresholds->size() == 2);
    CHECK((*thresholds)[0].file == "/mnt/a,b, c.mdx");
    CHECK((*thresholds)[0].expression == "p99 > 50ms in /mnt/a,b, c.mdx");
    CHECK((*thresholds)[1].file == "d,e.mdx");
    CHECK_THAT(problem_of("p99 > 50ms, a.mdx"), ContainsSubstring("'a.mdx' is not a limit"));
}

TEST_CASE("every percentile of the results and every class can be named") {
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
        for (std::size_t k = 0; k < sim::kIoClassCount; ++k) {
            const auto io_class = static_cast<sim::IoClass>(k);
            const Threshold threshold = parsed(fmt::format("{}.p{} > 1ms", name_of(io_class), sim::kLatencyPercents[i]));
            CHECK(threshold.percentile == i);
            CHECK(threshold.io_class == io_class);
        }
    }
}

TEST_CASE("an invalid threshold is refused with what is allowed") {
    CHECK_THAT(problem_of(""), ContainsSubstring("write FIGURE > VALUE"));
    CHECK_THAT(problem_of("p99"), ContainsSubstring("write FIGURE > VALUE"));
    CHECK_THAT(problem_of("p99 < 5ms"), ContainsSubstring("write FIGURE > VALUE"));
    CHECK_THAT(problem_of("p98 > 5ms"), ContainsSubstring("'p98' is not allowed; allowed are p25, p50") && ContainsSubstring("warnings"));
    CHECK_THAT(problem_of("flush.p99 > 5ms"), ContainsSubstring("'flush.p99'") && ContainsSubstring("log_flush"));
    CHECK_THAT(problem_of("read.throttled > 5"), ContainsSubstring("counted for a file, not for a class"));
    for (const char* text :
         {"p99 > 5", "p99 > ms", "p99 > -5ms", "p99 > 5 min", "p99 > nan ms", "p99 > inf s", "p99 > 1e300s", "p99 >> 5ms"}) {
        CHECK_THAT(problem_of(text), ContainsSubstring("us, ms or s"));
    }
    for (const char* text : {"throttled > 5ms", "throttled > 1.5", "long_io > -1", "warnings > x"}) {
        CHECK_THAT(problem_of(text), ContainsSubstring("a whole number"));
    }
    CHECK_THAT(problem_of("p99 > 5ms,"), ContainsSubstring("write FIGURE > VALUE"));
    CHECK_THAT(problem_of("\x1b[31m > 5ms"), !ContainsSubstring("\x1b"));
}

TEST_CASE("the parser turns any text into thresholds or a reason") {
    const std::uint64_t seed = ums::testing::test_seed("thresholds");
    ums::Prng prng(seed);
    static constexpr std::array<std::string_view, 26> kPieces{
        "p99", "p99.9", "p98",  "read",  "log_flush", ".", ">", ">=", "5",    "0.5",  "1e9",     "1e400",     "ms",
        "us",  "s",     " in ", "a.mdx", ",",         " ", "-", "=",  "\x1b", "\xff", "average", "throttled", "warnings"};
    const sim::Results results = measured_results();
    std::uint64_t good = 0;
    for (int i = 0; i < 20'000; ++i) {
        // A valid text, with some pieces replaced, removed or inserted.
        std::vector<std::string_view> pieces{"read", ".",    "p99",   " ", ">",         " ", "5", " ",
                                             "ms",   " in ", "a.mdx", ",", "throttled", ">", "5"};
        for (std::uint64_t k = prng.below(5); k > 0; --k) {
            const std::size_t at = prng.below(pieces.size());
            const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
            const std::uint64_t how = prng.below(3);
            if (how == 0) pieces[at] = kPieces.at(prng.below(kPieces.size()));
            if (how == 1) pieces.erase(place);
            if (how == 2) pieces.insert(place, kPieces.at(prng.below(kPieces.size())));
        }
        const std::string text = fmt::format("{}", fmt::join(pieces, ""));
        std::string problem;
        const auto thresholds = parse_thresholds(text, problem);
        CHECK(thresholds.has_value() == problem.empty());
        if (!thresholds) continue;
        ++good;
        for (const Threshold& threshold : *thresholds) {
            CHECK(threshold.limit >= 0);
            // An accepted threshold must be accepted again, with the same meaning.
            CHECK(parsed(threshold.expression).limit == threshold.limit);
            static_cast<void>(evaluate_threshold(threshold, results));
        }
    }
    CHECK(good > 2000);
}

TEST_CASE("a threshold is judged by the worst of all the files and classes that it covers") {
    CHECK(is_exceeded("p99 > 4ms"));
    CHECK_FALSE(is_exceeded("p99 > 5ms"));
    CHECK(is_exceeded("p99 >= 5ms"));
    CHECK(is_exceeded("read.p50 > 1ms"));
    CHECK_FALSE(is_exceeded("read.p99 > 4ms"));
    CHECK_FALSE(is_exceeded("gather_write.p99 > 0ms"));
    CHECK(is_exceeded("longest > 39ms"));
    CHECK_FALSE(is_exceeded("longest > 39ms in sqliosim.mdx"));
    CHECK(is_exceeded("longest > 39ms in sqliosim.ldx"));
    CHECK(is_exceeded("average > 3ms"));
    CHECK(is_exceeded("throttled > 100"));
    CHECK_FALSE(is_exceeded("throttled > 101"));
    CHECK_FALSE(is_exceeded("long_io > 0"));
    CHECK_FALSE(is_exceeded("warnings > 0"));
}

TEST_CASE("a threshold names a file of a run by the path to which symbolic links lead, or by the user's name for it") {
    sim::Results results = measured_results();
    results.files[0].path = "/real/a.mdx";
    results.files[0].named_as = "link/b.mdx";
    for (const char* name : {"/real/a.mdx", "a.mdx", "link/b.mdx", "b.mdx"}) {
        CAPTURE(name);
        CHECK(is_exceeded(fmt::format("read.longest > 8 ms in {}", name), results));
    }
    CHECK_FALSE(is_exceeded("read.longest > 8 ms in link/a.mdx", results));
    CHECK(evaluate_threshold(parsed("read.longest > 8 ms in b.mdx"), results).path == "/real/a.mdx");
}

TEST_CASE("the result says what was measured, and where") {
    const sim::Results results = measured_results();
    const sim::ThresholdResult worst = evaluate_threshold(parsed("p99 > 4ms"), results);
    CHECK(worst.path == results.files[1].path);
    CHECK(worst.io_class == "log_flush");
    CHECK(worst.value == 5000);
    CHECK(reports::threshold_text(worst) == "p99 > 4ms: 5.0 ms was measured for log_flush of " + results.files[1].path);
    const sim::ThresholdResult none = evaluate_threshold(parsed("gather_write.p99 > 4ms"), results);
    CHECK(none.measured.empty());
    CHECK_THAT(reports::threshold_text(none), ContainsSubstring("nothing to measure"));
    const sim::ThresholdResult count = evaluate_threshold(parsed("throttled > 1"), results);
    CHECK(reports::threshold_text(count) == "throttled > 1: 101 was measured in " + results.files[0].path);
}

TEST_CASE("what was measured is shown beyond the limit that it exceeds") {
    sim::Results results = measured_results();
    results.files[0].latency[0].max_ns = 50'700'000;
    results.files[0].latency[0].count = 1;
    const sim::ThresholdResult result = evaluate_threshold(parsed("read.longest > 50 ms"), results);
    CHECK(result.is_exceeded);
    CHECK(result.measured == "50.7 ms");
    results.files[0].latency[0].max_ns = 2'000'400'000;
    CHECK(evaluate_threshold(parsed("read.longest > 2 s"), results).measured == "2.0004 s");
    results.files[0].latency[0].max_ns = 700'200;
    CHECK(evaluate_threshold(parsed("read.longest > 700 us"), results).measured == "700.2 us");
}

TEST_CASE("what was measured has the digits that tables have, if they show on which side of the limit it is") {
    sim::Results results = measured_results();
    results.files[0].latency[0].count = 1;
    results.files[0].latency[0].max_ns = 12'345'678;
    CHECK(evaluate_threshold(parsed("read.longest > 5 ms"), results).measured == "12 ms");
    CHECK(evaluate_threshold(parsed("read.longest > 20 ms"), results).measured == "12 ms");
    CHECK(evaluate_threshold(parsed("read.longest > 12 ms"), results).measured == "12.3 ms");
    CHECK(evaluate_threshold(parsed("read.longest > 12.345 ms"), results).measured == "12.35 ms");
    results.files[0].latency[0].max_ns = 9'876'543;
    CHECK(evaluate_threshold(parsed("read.longest > 5 ms"), results).measured == "9.8 ms");
}

TEST_CASE("what was measured has no exponent") {
    sim::Results results = measured_results();
    results.files[0].latency[0].count = 1;
    results.files[0].latency[0].max_ns = 999'900'000;
    CHECK(evaluate_threshold(parsed("read.longest > 999.5 ms"), results).measured == "999.9 ms");
    results.files[0].latency[0].max_ns = 1'234'600'000'000;
    CHECK(evaluate_threshold(parsed("read.longest > 30 s"), results).measured == "1235 s");
}

TEST_CASE("warnings are counted for their file, also those that are not listed") {
    sim::Results results = measured_results();
    results.files[1].warnings = 2;
    CHECK(is_exceeded("warnings > 1", results));
    CHECK(is_exceeded("warnings > 1 in sqliosim.ldx", results));
    CHECK_FALSE(is_exceeded("warnings > 0 in sqliosim.mdx", results));
}

TEST_CASE("late requests to the files of backups count for a limit, too") {
    sim::Results results = measured_results();
    sim::BackupFileResult stripe;
    stripe.path = "/backups/ioproof_backup_1.bak";
    stripe.warnings = 2;
    stripe.long_ios = 3;
    results.backup.emplace().files.push_back(stripe);
    const sim::ThresholdResult warnings = evaluate_threshold(parsed("warnings > 0"), results);
    CHECK(warnings.is_exceeded);
    CHECK(warnings.value == 2);
    CHECK(warnings.path == stripe.path);
    CHECK(is_exceeded("long_io > 2", results));
    CHECK_FALSE(is_exceeded("long_io > 3", results));
    CHECK_FALSE(is_exceeded("warnings > 0 in sqliosim.mdx", results));
    CHECK(evaluate_threshold(parsed("throttled > 100"), results).path == results.files[0].path);
}

TEST_CASE("a run above a limit fails with its own wording, and wrong data outranks it") {
    sim::Results results = measured_results();
    results.thresholds = {evaluate_threshold(parsed("p99 > 4ms"), results), evaluate_threshold(parsed("p99 > 40ms"), results)};
    const reports::Verdict verdict = reports::verdict_of(results);
    CHECK(verdict.judgement == reports::Judgement::fail);
    CHECK_THAT(verdict.reasons[0].text,
               ContainsSubstring("The storage kept what it was given, but is slower than you allow: p99 > 4ms: 5.0 ms was measured") &&
                   !ContainsSubstring("40ms") && !ContainsSubstring("Do not trust"));
    results.outcome = sim::Outcome::stopped;
    CHECK(reports::verdict_of(results).reasons[0].id == "threshold_incomplete");
    CHECK(reports::verdict_of(results).reasons[1].id == "stopped");
    results.finding_count = 1;
    CHECK(reports::verdict_of(results).reasons[0].id == "fail");
    results = measured_results();
    results.thresholds = {evaluate_threshold(parsed("p99 > 40ms"), results)};
    CHECK(reports::verdict_of(results).judgement == reports::Judgement::pass);
}
