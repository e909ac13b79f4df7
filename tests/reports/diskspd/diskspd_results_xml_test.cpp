#include "reports/diskspd/diskspd_results_xml.hpp"

#include <sstream>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include "tests/reports/diskspd/example_measurement.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/xml_checker.hpp"

using boost::property_tree::ptree;
using test::example_document;

namespace {

// Parsed with an independent reader.
ptree tree_of(const reports::DiskspdDocument& document) {
    const std::string text = reports::diskspd_results_xml(document);
    REQUIRE(test::xml_error(text).empty());
    std::istringstream stream(text);
    ptree tree;
    read_xml(stream, tree);
    return tree;
}

std::vector<ptree> children(const ptree& parent, const std::string& name) {
    std::vector<ptree> found;
    for (const auto& [key, child] : parent) {
        if (key == name) found.push_back(child);
    }
    return found;
}

}  // namespace

TEST_CASE("DiskSpd's XML: the first line is <Results>, for which readers check") {
    CHECK(reports::diskspd_results_xml(example_document()).starts_with("<Results>\n  <System>\n    <ComputerName>host</ComputerName>\n"));
}

TEST_CASE("DiskSpd's XML: system and profile precede the results") {
    const ptree tree = tree_of(example_document());
    CHECK(tree.get<std::string>("Results.System.Tool.Version") == "ioproof 1.2");
    CHECK(tree.get<std::string>("Results.System.RunTime") == "2023/11/14 22:13:20 UTC");
    CHECK(tree.get<std::string>("Results.System.PowerScheme.<xmlattr>.Name") == "performance");
    CHECK(tree.get<int>("Results.System.ProcessorTopology.Group.<xmlattr>.ActiveProcessors") == 2);
    CHECK(tree.get<std::string>("Results.System.ProcessorTopology.Socket.Group.<xmlattr>.Mask") == "0x3");
    const ptree& target = tree.get_child("Results.Profile.TimeSpans.TimeSpan.Targets.Target");
    CHECK(target.get<int>("Random") == 8192);
    CHECK(target.get<int>("BlockSize") == 8192);
    CHECK(target.get<int>("RequestCount") == 2);
    CHECK(target.get<int>("WriteRatio") == 1);
    CHECK(target.get<std::string>("RandomAccess") == "false");
    CHECK_FALSE(target.get_child_optional("StrideSize").has_value());
}

TEST_CASE("DiskSpd's XML: buckets are in order: all percents, the nines, the longest") {
    const ptree tree = tree_of(example_document());
    const ptree& latency = tree.get_child("Results.TimeSpan.Latency");
    const std::vector<ptree> buckets = children(latency, "Bucket");
    REQUIRE(buckets.size() == 108);
    for (int percent = 0; percent < 100; ++percent) CHECK(buckets[static_cast<std::size_t>(percent)].get<int>("Percentile") == percent);
    CHECK(buckets[100].get<std::string>("Percentile") == "99.9");
    CHECK(buckets[106].get<std::string>("Percentile") == "99.9999999");
    CHECK(buckets[107].get<std::string>("Percentile") == "100");
    CHECK(buckets[0].get<double>("ReadMilliseconds") == 1);
    CHECK(buckets[107].get<double>("WriteMilliseconds") == 20);
    CHECK(buckets[107].get<double>("TotalMilliseconds") == 20);
    CHECK(latency.get<double>("AverageReadMilliseconds") == 2);
    CHECK(latency.get<double>("ReadLatencyStdev") == 1);
}

TEST_CASE("DiskSpd's XML: every child of a thread's target except name, size and latency is a number") {
    const ptree tree = tree_of(example_document());
    const std::vector<ptree> threads = children(tree.get_child("Results.TimeSpan"), "Thread");
    REQUIRE(threads.size() == 2);
    CHECK(threads[1].get<int>("Id") == 1);
    for (const auto& [name, child] : threads[1].get_child("Target")) {
        INFO(name);
        if (name == "Path" || name == "FileSize" || name.find("Latency") != std::string::npos || name == "Iops") continue;
        CHECK_NOTHROW(child.get_value<double>());
    }
    CHECK(threads[1].get<int>("Target.ReadCount") == 1000);
    CHECK(threads[1].get<int>("Target.WriteCount") == 1);
    CHECK(threads[1].get<int>("Target.IOCount") == 1001);
    CHECK(threads[1].get<int>("Target.BytesCount") == 8200192);
    CHECK(threads[0].get<double>("Target.AverageReadLatencyMilliseconds") == 2);
    CHECK_FALSE(threads[0].get_child_optional("Target.AverageWriteLatencyMilliseconds").has_value());
}

TEST_CASE("DiskSpd's XML: CPUs, their mean, and the requests of each interval") {
    const ptree tree = tree_of(example_document());
    const ptree& span = tree.get_child("Results.TimeSpan");
    CHECK(span.get<double>("TestTimeSeconds") == 10);
    CHECK(span.get<int>("ThreadCount") == 2);
    CHECK(span.get<int>("ProcCount") == 2);
    CHECK(span.get<double>("CpuUtilization.Average.UsagePercent") == 15.25);
    CHECK(span.get<double>("CpuUtilization.Average.UserPercent") == 5);
    CHECK(span.get<double>("CpuUtilization.Average.KernelPercent") == 10.25);
    CHECK(span.get<double>("CpuUtilization.Average.IdlePercent") == 84.75);
    CHECK(children(span.get_child("CpuUtilization"), "CPU").at(1).get<int>("Id") == 1);
    const std::vector<ptree> intervals = children(span.get_child("Iops"), "Bucket");
    REQUIRE(intervals.size() == 10);
    CHECK(intervals[1].get<int>("<xmlattr>.SampleMillisecond") == 2000);
    CHECK(intervals[1].get<int>("<xmlattr>.Read") == 220);
    CHECK(intervals[1].get<double>("<xmlattr>.ReadAvgLatencyMilliseconds") == 2);
    CHECK(intervals[1].get<double>("<xmlattr>.ReadLatencyStdDev") == 1);
    CHECK(span.get<double>("Iops.ReadIopsStdDev") == 20);
    CHECK(span.get<double>("Iops.IopsStdDev") == 20);
}

TEST_CASE("DiskSpd's XML: the last interval is listed as if it were whole, as DiskSpd does") {
    reports::DiskspdDocument document = example_document();
    document.results.timespans[0].duration_ns = 9'500'000'000;
    const std::vector<ptree> intervals = children(tree_of(document).get_child("Results.TimeSpan.Iops"), "Bucket");
    REQUIRE(intervals.size() == 10);
    CHECK(intervals[9].get<int>("<xmlattr>.SampleMillisecond") == 10'000);
    CHECK(intervals[9].get<int>("<xmlattr>.Read") == 220);
}

TEST_CASE("DiskSpd's XML: ioproof's own elements are beside the threads, and only if pages were verified") {
    reports::DiskspdDocument document = example_document();
    CHECK_FALSE(tree_of(document).get_child_optional("Results.TimeSpan.Integrity").has_value());
    document.is_verified = true;
    document.results.finding_count = 3;
    document.results.timespans[0].targets[0].pages_verified = 2000;
    document.results.timespans[0].targets[0].pages_read_back = 7;
    const ptree tree = tree_of(document);
    CHECK(tree.get<int>("Results.TimeSpan.Integrity.PagesVerified") == 2000);
    CHECK(tree.get<int>("Results.TimeSpan.Integrity.PagesReadBack") == 7);
    CHECK(tree.get<int>("Results.TimeSpan.Integrity.FindingsOfAllTimeSpans") == 3);
}

TEST_CASE("DiskSpd's XML: names are escaped, and a time span that was not measured has an Error") {
    reports::DiskspdDocument document = example_document();
    document.profile.time_spans[0].targets[0].path = "a <b> & 'c'.dat";
    CHECK(tree_of(document).get<std::string>("Results.TimeSpan.Thread.Target.Path") == "a <b> & 'c'.dat");
    document.results.timespans[0].duration_ns = 0;
    CHECK(tree_of(document).get_child_optional("Results.TimeSpan.Error").has_value());
}
