#include "reports/sqlio/sqlio_text.hpp"

#include <algorithm>
#include <sstream>

#include "tests/reports/diskspd/example_measurement.hpp"
#include "tests/support/catch.hpp"

namespace {

reports::SqlioHead example_head() {
    reports::SqlioHead head;
    head.seconds = 10;
    head.block_kb = 8;
    head.pattern = "random";
    head.outstanding = 16;
    head.buffering = "not use file nor disk caches (as is SQL Server)";
    head.measures_latency = true;
    head.files = {{.path = "testfile.dat", .threads = 8}};
    return head;
}

std::vector<std::string> sqlio_lines(const reports::SqlioHead& head) {
    std::vector<std::string> lines;
    std::istringstream stream(reports::sqlio_text(head, test::example_timespan_results()));
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("SQLIO's text: nineteen lines, each in its place") {
    const std::vector<std::string> lines = sqlio_lines(example_head());
    REQUIRE(lines.size() == 19);
    CHECK(lines[0] == "sqlio v1.5.SG");
    CHECK(lines[1] == "using system counter for latency timings, 1000000000 counts per second");
    CHECK(lines[2] == "8 threads reading for 10 secs from file testfile.dat");
    CHECK(lines[3] == "\tusing 8KB random IOs");
    CHECK(lines[4] == "\tenabling multiple I/Os per thread with 16 outstanding");
    CHECK(lines[5] == "\tbuffering set to not use file nor disk caches (as is SQL Server)");
    CHECK(lines[6] == "using current size: 1024 MB for file: testfile.dat");
    CHECK(lines[7] == "initialization done");
    CHECK(lines[8] == "CUMULATIVE DATA:");
    CHECK(lines[9] == "throughput metrics:");
    CHECK(lines[10] == "IOs/sec:   200.10");
    CHECK(lines[11] == "MBs/sec:     1.56");
    CHECK(lines[12] == "latency metrics:");
    CHECK(lines[13] == "Min_Latency(ms): 1");
    CHECK(lines[14] == "Avg_Latency(ms): 2");
    CHECK(lines[15] == "Max_Latency(ms): 20");
    CHECK(lines[16] == "histogram:");
    CHECK(lines[17] == "ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+");
    // 3 ms lies on the boundary of two columns of the histogram.
    CHECK(lines[18].substr(0, 8) == "%:  0 50");
    CHECK((lines[18].substr(8, 6) == " 50  0" || lines[18].substr(8, 6) == "  0 50"));
    CHECK(lines[18].size() == std::string("%:  0 50  0 50  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0").size());
}

TEST_CASE("SQLIO's text: the histogram has 25 numbers, even if one of them is 100") {
    for (const std::uint64_t latency_ns : {std::uint64_t{500'000}, std::uint64_t{1'500'000}, std::uint64_t{60'000'000}}) {
        INFO(latency_ns);
        sim::MeasureTimespanResults results;
        results.duration_ns = 1'000'000'000;
        results.rows.resize(1);
        results.rows[0].reads.requests = 1;
        results.rows[0].reads.latency.add(latency_ns);
        const std::string text = reports::sqlio_text(example_head(), results);
        std::istringstream shares(text.substr(text.find("%:") + 2));
        std::vector<int> numbers;
        for (int number = 0; shares >> number;) numbers.push_back(number);
        REQUIRE(numbers.size() == 25);
        CHECK(numbers[std::min<std::size_t>(latency_ns / 1'000'000, 24)] == 100);
        CHECK(text.find("%: ") != std::string::npos);
    }
}

TEST_CASE("SQLIO's text: one thread, writes, stripes, and files of a parameter file have their own wording") {
    reports::SqlioHead head = example_head();
    head.is_write = true;
    head.pattern.clear();
    head.stripe_kb = 128;
    head.run_requests = 64;
    head.files = {{.path = "a.dat", .threads = 4, .cpu_mask = 3, .is_size_specified = true}, {.path = "b.dat", .threads = 1}};
    head.parameter_path = "param.txt";
    std::vector<std::string> lines = sqlio_lines(head);
    CHECK(lines[2] == "parameter file used: param.txt");
    CHECK(lines[3] == "\tfile a.dat with 4 threads (0-3) using mask 0x3 (3)");
    CHECK(lines[4] == "\tfile b.dat with 1 thread (4) using mask 0x0 (0)");
    CHECK(lines[5] == "5 threads writing for 10 secs to files a.dat and b.dat");
    CHECK(lines[6] == "\tusing 8KB IOs over 128KB stripes with 64 IOs per run");
    CHECK(lines[9] == "using specified size: 1024 MB for file: a.dat");
    head = example_head();
    head.files[0].threads = 1;
    CHECK(sqlio_lines(head)[2] == "1 thread reading for 10 secs from file testfile.dat");
}

TEST_CASE("SQLIO's text: without -L there are no latencies, without -o and -B no lines for them") {
    reports::SqlioHead head = example_head();
    head.measures_latency = false;
    head.outstanding.reset();
    head.buffering = {};
    const std::vector<std::string> lines = sqlio_lines(head);
    REQUIRE(lines.size() == 9);
    CHECK(lines[1].starts_with("8 threads reading"));
    CHECK(lines[3].starts_with("using current size"));
    CHECK(lines[8] == "MBs/sec:     1.56");
}

TEST_CASE("SQLIO's text: a line feed in a name moves no line") {
    reports::SqlioHead head = example_head();
    head.files[0].path = "a\nb.dat";
    const std::vector<std::string> lines = sqlio_lines(head);
    REQUIRE(lines.size() == 19);
    CHECK(lines[2] == "8 threads reading for 10 secs from file a\\u000ab.dat");
    CHECK(lines[10] == "IOs/sec:   200.10");
    const std::size_t plain = [&] {
        head.files[0].path = "a.dat";
        head.parameter_path = "p.txt";
        return sqlio_lines(head).size();
    }();
    head.files[0].path = "a\n.dat";
    head.parameter_path = "p\n.txt";
    CHECK(sqlio_lines(head).size() == plain);
}
