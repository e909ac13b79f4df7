#include "reports/file_summary.hpp"

#include <regex>

#include "tests/reports/example_results.hpp"
#include "tests/support/catch.hpp"

using reports::file_summary;

TEST_CASE("the final summary has exactly SQLIOSim's form") {
    CHECK(file_summary(example_data_file()) ==
          std::vector<std::string>{
              "********** Final Summary for file /data/sqliosim.mdx **********",
              "File Attributes: Compression = No, Encryption = No, Sparse = No",
              "Target IO Duration (ms) = 100, Running Average IO Duration (ms) = 15, Number of times IO throttled = 382, "
              "IO request blocks = 108",
              "Reads = 187508, Scatter Reads = 259268, Writes = 15286, Gather Writes = 130498, Total IO Time (ms) = 5460993",
              "DRIVE LEVEL: Sector size = 512, Cylinders = 163177, Media type = 12, Sectors per track = 63, Tracks per Cylinders = 255",
              "DRIVE LEVEL: Read cache enabled = Yes, Write cache enabled = No",
              "DRIVE LEVEL: Read count = 886653, Read time = 3333820, Write count = 616951, Write time = 6606954, Idle time = 170616, "
              "Bytes read = 74679347200, Bytes written = 74403336192, Split IO Count = 0, Storage number = 4, "
              "Storage manager name = virtio_blk",
          });
}

TEST_CASE("attributes, caches and media follow the facts") {
    sim::FileResult file = example_data_file();
    file.compressed = file.encrypted = file.sparse = true;
    file.drive.read_cache = false;
    file.drive.write_cache = true;
    file.drive.removable = true;
    file.drive.logical_sector_bytes = 4096;
    file.drive.manager = "device mapper";
    const auto lines = file_summary(file);
    CHECK(lines[1] == "File Attributes: Compression = Yes, Encryption = Yes, Sparse = Yes");
    CHECK(lines[4] ==
          "DRIVE LEVEL: Sector size = 4096, Cylinders = 20397, Media type = 11, Sectors per track = 63, Tracks per Cylinders = 255");
    CHECK(lines[5] == "DRIVE LEVEL: Read cache enabled = No, Write cache enabled = Yes");
    CHECK_THAT(lines[6], ContainsSubstring("Storage manager name = device_mapper"));
}

TEST_CASE("an unknown device keeps its lines, without invented values") {
    sim::FileResult file = example_data_file();
    file.drive.known = false;  // the figures that are left in it must not be printed
    const auto lines = file_summary(file);
    REQUIRE(lines.size() == 7);
    CHECK(lines[4] == "DRIVE LEVEL: Sector size = 0, Cylinders = 0, Media type = 0, Sectors per track = 0, Tracks per Cylinders = 0");
    CHECK(lines[5] == "DRIVE LEVEL: Read cache enabled = No, Write cache enabled = No");
    const std::regex counters(
        R"(DRIVE LEVEL: Read count = (\d+), Read time = (\d+), Write count = (\d+), Write time = (\d+), Idle time = (\d+), )"
        R"(Bytes read = (\d+), Bytes written = (\d+), Split IO Count = (\d+), Storage number = (\d+), Storage manager name = (\w+))");
    std::smatch match;
    REQUIRE(std::regex_match(lines[6], match, counters));
    for (std::size_t i = 1; i < 10; ++i) CHECK(match[i] == "0");
    CHECK(match[10] == "unknown");
}

TEST_CASE("a path cannot break a line of the summary") {
    sim::FileResult file = example_data_file();
    file.path = "/data/a\nReads = 1.mdx";
    CHECK(file_summary(file)[0] == "********** Final Summary for file /data/a\\u000aReads = 1.mdx **********");
}
