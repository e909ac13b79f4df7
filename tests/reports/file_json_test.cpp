#include "reports/file_json.hpp"

#include <string>

#include "tests/reports/figures.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;
using test::Figures;

TEST_CASE("each figure of a file is in the JSON under its own name") {
    sim::FileResult file;
    Figures figures;
    figures.set(file.file_id, "file_id");
    figures.set(file.size_bytes, "size_bytes");
    figures.set(file.target_io_duration_ms, "target_io_duration_ms");
    figures.set(file.average_io_duration_us, "average_io_duration_us");
    figures.set(file.throttle_count, "throttle_count");
    figures.set(file.request_blocks, "request_blocks");
    figures.set(file.request_blocks_mean, "request_blocks_mean");
    figures.set(file.request_blocks_min, "request_blocks_min");
    figures.set(file.request_blocks_max, "request_blocks_max");
    figures.set(file.reads, "reads");
    figures.set(file.scatter_reads, "scatter_reads");
    figures.set(file.writes, "writes");
    figures.set(file.gather_writes, "gather_writes");
    figures.set(file.total_io_time_us, "total_io_time_us");
    figures.set(file.max_io_time_us, "max_io_time_us");
    figures.set(file.read_bytes, "read_bytes");
    figures.set(file.written_bytes, "written_bytes");
    figures.set(file.pages_verified, "pages_verified");
    figures.set(file.long_ios, "long_ios");
    figures.set(file.write_retries, "write_retries");
    figures.set(file.grown_count, "grown_count");
    figures.set(file.shrunk_count, "shrunk_count");
    figures.set(file.findings, "findings");
    CHECK(figures.wrong_in(reports::file_json(file)) == "");
}

TEST_CASE("each figure of a drive is in the JSON under its own name, and an unknown drive has none") {
    sim::FileResult file;
    CHECK(reports::file_json(file)["drive"].is_null());
    sim::DriveFacts& drive = file.drive;
    drive.known = true;
    Figures figures;
    figures.set(drive.number, "number");
    figures.set(drive.logical_sector_bytes, "logical_sector_bytes");
    figures.set(drive.physical_sector_bytes, "physical_sector_bytes");
    figures.set(drive.size_bytes, "size_bytes");
    figures.set(drive.reads, "reads");
    figures.set(drive.read_time_ms, "read_time_ms");
    figures.set(drive.writes, "writes");
    figures.set(drive.write_time_ms, "write_time_ms");
    figures.set(drive.idle_time_ms, "idle_time_ms");
    figures.set(drive.read_bytes, "read_bytes");
    figures.set(drive.written_bytes, "written_bytes");
    figures.set(drive.merged_requests, "merged_requests");
    CHECK(figures.wrong_in(reports::file_json(file)["drive"]) == "");
    // Each of the facts alone: it is true under its own name, and all others are false.
    struct Fact {
        const char* name;
        bool sim::DriveFacts::*member;
    };
    static constexpr Fact kFacts[] = {{"rotational", &sim::DriveFacts::rotational},
                                      {"removable", &sim::DriveFacts::removable},
                                      {"read_cache", &sim::DriveFacts::read_cache},
                                      {"write_cache", &sim::DriveFacts::write_cache},
                                      {"fua", &sim::DriveFacts::fua}};
    for (const Fact& fact : kFacts) {
        INFO(fact.name);
        drive.*fact.member = true;
        const Json json = reports::file_json(file)["drive"];
        for (const Fact& other : kFacts) CHECK(json[other.name] == (&other == &fact));
        drive.*fact.member = false;
    }
}

TEST_CASE("each class of requests and each column of the time series is in the JSON under its own name") {
    sim::FileResult file;
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) file.latency[i].count = 100 + i;
    sim::FileSample sample;
    Figures figures;
    figures.set(sample.reads, "reads");
    figures.set(sample.writes, "writes");
    figures.set(sample.read_bytes, "read_bytes");
    figures.set(sample.written_bytes, "written_bytes");
    figures.set(sample.read_time_us, "read_time_us");
    figures.set(sample.write_time_us, "write_time_us");
    figures.set(sample.throttles, "throttles");
    figures.set(sample.outstanding, "outstanding");
    figures.set(sample.request_blocks, "request_blocks");
    figures.set(sample.dirty_pages, "dirty_pages");
    sample.read_latency[3] = 5;
    sample.write_latency[7] = 9;
    file.samples = {sample};
    const Json json = reports::file_json(file);
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
        CHECK(json["latency"][std::string(sim::name_of(static_cast<sim::IoClass>(i)))]["count"] == 100 + i);
    }
    Json values = Json::object();
    for (const auto& [name, column] : json["series"].items()) values[name] = column.at(0);
    CHECK(figures.wrong_in(values) == "");
    CHECK(values["read_latency"] == Json({3, 5}));
    CHECK(values["write_latency"] == Json({7, 9}));
}
