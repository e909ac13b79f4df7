#include "reports/diskspd/diskspd_text.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "reports/diskspd/diskspd_size.hpp"
#include "tests/reports/diskspd/example_measurement.hpp"
#include "tests/support/catch.hpp"

using reports::diskspd_text;
using reports::DiskspdDocument;
using reports::DiskspdTextStyle;
using test::example_document;

namespace {

std::vector<std::string> text_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string first_line_with(const std::vector<std::string>& lines, const std::string& beginning) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(beginning); });
    return found == lines.end() ? "" : *found;
}

// Its second thread works on the second one.
DiskspdDocument document_of_two_targets() {
    DiskspdDocument document = example_document();
    reports::DiskspdTimeSpan& span = document.profile.time_spans[0];
    span.targets.push_back(span.targets[0]);
    span.targets[1].path = "u.dat";
    document.results.timespans[0].targets.push_back({.path = "/data/u.dat", .size_bytes = 8192});
    document.results.timespans[0].rows[1].target = 1;
    return document;
}

std::string example_text(const DiskspdDocument& document) { return diskspd_text(document, DiskspdTextStyle::v2_2); }

}  // namespace

TEST_CASE("DiskSpd's text: sizes are in the largest unit that fits") {
    CHECK(reports::diskspd_size(0) == "0");
    CHECK(reports::diskspd_size(512) == "512");
    CHECK(reports::diskspd_size(8192) == "8KiB");
    CHECK(reports::diskspd_size(1536) == "1.50KiB");
    CHECK(reports::diskspd_size(std::uint64_t{20} << 30) == "20GiB");
    CHECK(reports::diskspd_size(std::uint64_t{3} << 40) == "3TiB");
    CHECK(reports::diskspd_size(8192, 6) == "     8KiB");
}

TEST_CASE("DiskSpd's text: every line of a measurement is in its place") {
    const std::string expected =
        "\n"
        "Command Line: diskspd -b8K -t2 -r -L -D -w1 t.dat\n"
        "\n"
        "Input parameters:\n"
        "\n"
        "\ttimespan:   1\n"
        "\t-------------\n"
        "\tduration: 10s\n"
        "\twarm up time: 5s\n"
        "\tcool down time: 0s\n"
        "\tmeasuring latency\n"
        "\tgathering IOPS at intervals of 1000ms\n"
        "\trandom seed: 0\n"
        "\tpath: 't.dat'\n"
        "\t\tthink time: 0ms\n"
        "\t\tburst size: 0\n"
        "\t\tusing software cache\n"
        "\t\tusing hardware write cache, writethrough off\n"
        "\t\tperforming mix test (read/write ratio: 99/1)\n"
        "\t\tblock size: 8KiB\n"
        "\t\tusing random I/O (alignment: 8KiB)\n"
        "\t\tnumber of outstanding I/O operations per thread: 2\n"
        "\t\tthreads per file: 2\n"
        "\t\tusing I/O Completion Ports\n"
        "\t\tIO priority: normal\n"
        "\n"
        "System information:\n"
        "\n"
        "\tcomputer name: host\n"
        "\tstart time: 2023/11/14 22:13:20 UTC\n"
        "\n"
        "\tcpu count:\t\t2\n"
        "\tcore count:\t\t2\n"
        "\tgroup count:\t\t1\n"
        "\tnode count:\t\t1\n"
        "\tsocket count:\t\t1\n"
        "\theterogeneous cores:\tn\n"
        "\n"
        "\tactive power scheme:\tperformance\n"
        "\n"
        "Results for timespan 1:\n"
        "*******************************************************************************\n"
        "\n"
        "actual test time:\t10.00s\n"
        "thread count:\t\t2\n"
        "\n"
        "CPU |  Usage |  User  | Kernel |  Idle\n"
        "----------------------------------------\n"
        "   0|  30.50%|  10.00%|  20.50%|  69.50%\n"
        "   1|   0.00%|   0.00%|   0.00%| 100.00%\n"
        "----------------------------------------\n"
        "avg.|  15.25%|   5.00%|  10.25%|  84.75%\n"
        "\n"
        "Total IO\n"
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file\n"
        "------------------------------------------------------------------------------------------------------------------\n"
        "     0 |         8192000 |         1000 |       0.78 |     100.00 |    2.000 |      10.00 |     1.000 | t.dat (1GiB)\n"
        "     1 |         8200192 |         1001 |       0.78 |     100.10 |    2.018 |      10.00 |     1.150 | t.dat (1GiB)\n"
        "------------------------------------------------------------------------------------------------------------------\n"
        "total:          16392192 |         2001 |       1.56 |     200.10 |    2.009 |      20.00 |     1.078\n";
    const std::string text = example_text(example_document());
    CHECK(text.substr(0, expected.size()) == expected);
    CHECK_THAT(text, ContainsSubstring("\nRead IO\nthread |"));
    CHECK_THAT(text, ContainsSubstring("\nWrite IO\nthread |"));
    CHECK_THAT(text, ContainsSubstring(
                         "     0 |               0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A | t.dat"));
}

TEST_CASE("DiskSpd's text: a line feed in a name begins no line") {
    DiskspdDocument plain = document_of_two_targets();
    for (reports::DiskspdTarget& target : plain.profile.time_spans[0].targets) {
        target.distribution = {{.io_percent = 100, .span = 8192}};
        target.buffer_bytes = 8192;
        target.buffer_path = "b";
    }
    DiskspdDocument odd = plain;
    odd.profile.command_line += "\ntotal: 1";
    for (reports::DiskspdTarget& target : odd.profile.time_spans[0].targets) {
        target.path += "\ntotal: 1";
        target.buffer_path += "\ntotal: 1";
    }
    const std::vector<std::string> lines = text_lines(example_text(odd));
    const std::vector<std::string> plain_lines = text_lines(example_text(plain));
    CHECK(lines.size() == plain_lines.size());
    CHECK(first_line_with(lines, "total:") == first_line_with(plain_lines, "total:"));
}

TEST_CASE("DiskSpd's text: latencies from the shortest to the longest, with nine nines") {
    const std::string text = example_text(example_document());
    const std::size_t begin = text.find("\nTotal latency distribution:\n");
    REQUIRE(begin != std::string::npos);
    const std::vector<std::string> lines = text_lines(text.substr(begin + 1));
    REQUIRE(lines.size() == 18);
    CHECK(lines[1] == "  %-ile |  Read (ms) | Write (ms) | Total (ms)");
    CHECK(lines[2] == "----------------------------------------------");
    CHECK(lines[3] == "    min |      1.000 |     20.000 |      1.000");
    CHECK(lines[4].starts_with("   25th |"));
    CHECK(lines[10].starts_with("3-nines |"));
    CHECK(lines[16].starts_with("9-nines |"));
    CHECK(lines[17] == "    max |      3.000 |     20.000 |     20.000");
}

TEST_CASE("DiskSpd's text: unmeasured figures have no column and no table") {
    DiskspdDocument document = example_document();
    document.profile.time_spans[0].measures_latency = false;
    std::string text = example_text(document);
    CHECK_THAT(text, ContainsSubstring("|    MiB/s   |  I/O per s | IopsStdDev |  file\n"));
    CHECK(text.find("%-ile") == std::string::npos);
    document.profile.time_spans[0].gathers_iops = false;
    text = example_text(document);
    CHECK_THAT(text, ContainsSubstring("|    MiB/s   |  I/O per s |  file\n"
                                       "------------------------------------------------------------------------------\n"
                                       "     0 |         8192000 |         1000 |       0.78 |     100.00 | t.dat (1GiB)\n"));
}

TEST_CASE("DiskSpd's text: a direction without requests has no latencies") {
    DiskspdDocument document = example_document();
    document.results.timespans[0].rows[1].writes = {};
    const std::string text = example_text(document);
    CHECK_THAT(text, ContainsSubstring("    min |      1.000 |        N/A |      1.000\n"));
    CHECK_THAT(text, ContainsSubstring("    max |      3.000 |        N/A |      3.000\n"));
}

TEST_CASE("DiskSpd's text: scripts find the first total, and the mean of all CPUs, where they expect them") {
    const std::vector<std::string> lines = text_lines(example_text(example_document()));
    const std::string total = first_line_with(lines, "total:");
    std::vector<std::string> columns;
    std::istringstream stream(total);
    for (std::string column; std::getline(stream, column, '|');) columns.push_back(column);
    REQUIRE(columns.size() == 7);
    CHECK(std::stod(columns[2]) == 1.56);
    CHECK(std::stod(columns[3]) == 200.10);
    CHECK(std::stod(columns[4]) == 2.009);
    CHECK(first_line_with(lines, "avg.") == "avg.|  15.25%|   5.00%|  10.25%|  84.75%");
}

TEST_CASE("DiskSpd's text of 2.0: bytes, MB, the number of processors and the latency table without a title") {
    DiskspdDocument document = example_document();
    document.profile.time_spans[0].targets[0].cache = reports::DiskspdCache::unbuffered;
    document.profile.time_spans[0].targets[0].write_through = true;
    const std::string text = diskspd_text(document, DiskspdTextStyle::v2_0);
    CHECK_THAT(text, ContainsSubstring("\t\tsoftware and hardware write cache disabled\n"));
    CHECK_THAT(text, ContainsSubstring("\t\tblock size: 8192\n"));
    CHECK_THAT(text, ContainsSubstring("proc count:\t\t2\n"));
    CHECK_THAT(text, ContainsSubstring("|     MB/s   |"));
    CHECK_THAT(text, ContainsSubstring("t.dat (1GB)\n"));
    CHECK_THAT(text, ContainsSubstring("\t\tnumber of outstanding I/O operations: 2\n"));
    CHECK_THAT(text, ContainsSubstring("\t\tthread stride size: 0\n"));
    CHECK_THAT(text, ContainsSubstring("\t\tIO priority: normal\n\n\n\nResults for timespan 1:\n"));
    CHECK_THAT(text, ContainsSubstring("\n\n\n  %-ile |  Read (ms)"));
    CHECK(text.find("Total latency distribution") == std::string::npos);
    CHECK(text.find("9-nines") == std::string::npos);
}

TEST_CASE("DiskSpd's text of 2.1: the number of processors, and total: above the latency table") {
    DiskspdDocument document = example_document();
    const std::string text = diskspd_text(document, DiskspdTextStyle::v2_1);
    CHECK_THAT(text, ContainsSubstring("\t\tblock size: 8KiB\n"));
    CHECK_THAT(text, ContainsSubstring("\t\tnumber of outstanding I/O operations per thread: 2\n"));
    CHECK(text.find("thread stride size") == std::string::npos);
    CHECK_THAT(text, ContainsSubstring("proc count:\t\t2\n"));
    CHECK_THAT(text, ContainsSubstring("\nCPU |  Usage |  User  |  Kernel |  Idle\n"));
    CHECK_THAT(text, ContainsSubstring("\navg.|  15.25%|   5.00%|   10.25%|  84.75%\n"));
    CHECK_THAT(text, ContainsSubstring("|    MiB/s   |"));
    CHECK_THAT(text, ContainsSubstring("t.dat (1GiB)\n"));
    CHECK_THAT(text, ContainsSubstring("\n\n\n\ntotal:\n  %-ile |  Read (ms)"));
    CHECK_THAT(text, ContainsSubstring("9-nines"));
}

TEST_CASE("DiskSpd's text of 2.1 has the latencies of each file above those of all, that of 2.0 only those of all") {
    DiskspdDocument document = document_of_two_targets();
    const std::string newer = diskspd_text(document, DiskspdTextStyle::v2_1);
    CHECK_THAT(newer, ContainsSubstring("\n\n\n\nt.dat\n  %-ile |"));
    CHECK_THAT(newer, ContainsSubstring("\n\nu.dat\n  %-ile |"));
    CHECK_THAT(newer, ContainsSubstring("     20.000\n\ntotal:\n  %-ile |"));
    const std::string older = diskspd_text(document, DiskspdTextStyle::v2_0);
    const std::size_t table = older.find("%-ile");
    REQUIRE(table != std::string::npos);
    CHECK(older.find("%-ile", table + 1) == std::string::npos);
}

TEST_CASE("DiskSpd's text of 2.0 has MB in the totals of several time spans, too") {
    DiskspdDocument document = example_document();
    document.profile.time_spans.push_back(document.profile.time_spans[0]);
    document.results.timespans.push_back(document.results.timespans[0]);
    CHECK_THAT(diskspd_text(document, DiskspdTextStyle::v2_0),
               ContainsSubstring("\ntype   |       bytes     |     I/Os     |     MB/s   |"));
    CHECK_THAT(example_text(document), ContainsSubstring("\ntype   |       bytes     |     I/Os     |    MiB/s   |"));
}

TEST_CASE("DiskSpd's text: every target and time span has its own tables") {
    DiskspdDocument document = document_of_two_targets();
    document.profile.time_spans.push_back(document.profile.time_spans[0]);
    document.results.timespans.push_back(document.results.timespans[0]);
    const std::string text = example_text(document);
    CHECK_THAT(text, ContainsSubstring("\nLatency distribution: t.dat\n"));
    CHECK_THAT(text, ContainsSubstring("\nLatency distribution: u.dat\n"));
    CHECK_THAT(text, ContainsSubstring("| u.dat (8KiB)\n"));
    CHECK_THAT(text, ContainsSubstring("\nResults for timespan 2:\n"));
    CHECK_THAT(text, ContainsSubstring("\n\nTotals:\n"));
    CHECK_THAT(text, ContainsSubstring("write  |           16384 |            2 |       0.00 |       0.10\n"));
    CHECK_THAT(text, ContainsSubstring("read   |        32768000 |         4000 |       1.56 |     200.00\n"));
    CHECK_THAT(text, ContainsSubstring("\ntotal test time:\t20.00s\n"));
}

TEST_CASE("DiskSpd's text: targets that name the same file share a latency table") {
    DiskspdDocument document = example_document();
    reports::DiskspdTimeSpan& span = document.profile.time_spans[0];
    sim::MeasureTimespanResults& found = document.results.timespans[0];
    span.targets.push_back(span.targets[0]);
    found.targets.push_back(found.targets[0]);
    found.rows[1].target = 1;
    CHECK(example_text(document).find("\nLatency distribution: ") == std::string::npos);
    span.targets.push_back(span.targets[0]);
    span.targets[2].path = "u.dat";
    found.targets.push_back({.path = "/data/u.dat", .size_bytes = 8192});
    found.rows.push_back(found.rows[0]);
    found.rows[2].target = 2;
    const std::string text = example_text(document);
    const std::size_t begin = text.find("\nLatency distribution: t.dat\n");
    REQUIRE(begin != std::string::npos);
    CHECK(text.find("\nLatency distribution: t.dat\n", begin + 1) == std::string::npos);
    const std::vector<std::string> lines = text_lines(text.substr(begin + 1));
    CHECK(lines.at(3) == "    min |      1.000 |     20.000 |      1.000");
    CHECK(lines.at(17) == "    max |      3.000 |     20.000 |     20.000");
    CHECK(lines.at(19) == "Latency distribution: u.dat");
}

TEST_CASE("DiskSpd's text: of three or more threads in a row that share a distribution only the ends are listed") {
    DiskspdDocument document = example_document();
    document.profile.time_spans[0].targets[0].distribution = {{90, 10}, {10, 90}};
    document.profile.time_spans[0].targets[0].is_distribution_in_percent = true;
    CHECK_THAT(example_text(document), ContainsSubstring("\ntarget: t.dat [thread: 0 1]\n"));
    auto& rows = document.results.timespans[0].rows;
    for (const std::uint32_t thread : {2U, 3U, 5U, 7U, 8U}) {
        rows.push_back(rows[0]);
        rows.back().thread = thread;
    }
    CHECK_THAT(example_text(document), ContainsSubstring("\ntarget: t.dat [thread: 0 - 3 5 7 8]\n"));
}

TEST_CASE("DiskSpd's text: parts of a target without requests are in the profile, but not in the effective distribution") {
    DiskspdDocument document = example_document();
    document.profile.time_spans[0].targets[0].distribution = {{90, 10}, {0, 20}, {10, 70}};
    document.profile.time_spans[0].targets[0].is_distribution_in_percent = true;
    const std::string text = example_text(document);
    CHECK_THAT(text, ContainsSubstring("\t\t     0% of IO => [10% -  30%) of target\n"));
    CHECK_THAT(text, ContainsSubstring("\ntarget: t.dat [thread: 0 1]\n"
                                       "    90% of IO => [     0    - 102.40MiB)\n"
                                       "    10% of IO => [307.20MiB -      1GiB)\n"
                                       "\nTotal IO\n"));
}

TEST_CASE("DiskSpd's text: a time span that ended before it was measured says so") {
    DiskspdDocument document = example_document();
    document.results.timespans[0].duration_ns = 0;
    CHECK_THAT(example_text(document), ContainsSubstring("was interrupted before the measurements began"));
}
