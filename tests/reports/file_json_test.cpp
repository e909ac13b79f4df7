#include "reports/file_json.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using Json = nlohmann::ordered_json;
using test::Figures;

namespace {

struct NamedFact {
    const char* name;
    bool* fact;
};

// Makes each of the facts true alone: it must be true under its own name, and all others false. The names of those that are not.
template <typename Place>
std::string wrong_facts(const sim::FileResult& file, const std::vector<NamedFact>& facts, const Place& place) {
    std::string wrong;
    for (const NamedFact& fact : facts) {
        *fact.fact = true;
        const Json json = place(reports::file_json(file));
        for (const NamedFact& other : facts) {
            if (json[other.name] != (&other == &fact)) wrong += std::string(other.name) + " ";
        }
        *fact.fact = false;
    }
    return wrong;
}

}  // namespace

TEST_CASE("each figure of a file is in the JSON under its own name") {
    sim::FileResult file;
    Figures figures;
    figures.set(file.path, "path");
    figures.set(file.named_as, "named_as");
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
    figures.set(drive.name, "name");
    figures.set(drive.manager, "manager");
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
    CHECK(wrong_facts(file,
                      {{"rotational", &drive.rotational},
                       {"removable", &drive.removable},
                       {"read_cache", &drive.read_cache},
                       {"write_cache", &drive.write_cache},
                       {"fua", &drive.fua}},
                      [](const Json& json) { return json["drive"]; }) == "");
}

TEST_CASE("each fact of a file is in the JSON under its own name") {
    sim::FileResult file;
    CHECK(wrong_facts(
              file, {{"is_log", &file.is_log}, {"compressed", &file.compressed}, {"encrypted", &file.encrypted}, {"sparse", &file.sparse}},
              [](const Json& json) { return json; }) == "");
}

TEST_CASE("each figure of a latency is in the JSON under its own name") {
    sim::FileResult file;
    sim::LatencyResult& latency = file.latency[static_cast<std::size_t>(sim::IoClass::scatter_read)];
    Figures figures;
    figures.set(latency.count, "count");
    figures.set(latency.total_ns, "total_ns");
    figures.set(latency.mean_ns, "mean_ns");
    figures.set(latency.deviation_ns, "deviation_ns");
    figures.set(latency.min_ns, "min_ns");
    figures.set(latency.max_ns, "max_ns");
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) latency.percentiles_ns[i] = 500 + i;
    latency.buckets = {{1, 2, 3}, {4, 5, 6}};
    const Json json = reports::file_json(file)["latency"]["scatter_read"];
    CHECK(figures.wrong_in(json) == "");
    REQUIRE(json["percentiles_ns"].size() == sim::kLatencyPercents.size());
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
        CHECK(json["percentiles_ns"].at(i) == Json({sim::kLatencyPercents[i], 500 + i}));
    }
    CHECK(json["buckets_ns"] == Json::parse("[[1, 2, 3], [4, 5, 6]]"));
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
    constexpr std::uint64_t kMoreThan32Bits = 5'000'000'000;  // intervals of a run of months are hours long
    sample.read_latency[3] = kMoreThan32Bits;
    sample.write_latency[7] = 9;
    file.samples = {sample};
    const Json json = reports::file_json(file);
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
        CHECK(json["latency"][std::string(sim::name_of(static_cast<sim::IoClass>(i)))]["count"] == 100 + i);
    }
    Json values = Json::object();
    for (const auto& [name, column] : json["series"].items()) values[name] = column.at(0);
    CHECK(figures.wrong_in(values) == "");
    CHECK(values["read_latency"] == Json({3, kMoreThan32Bits}));
    CHECK(values["write_latency"] == Json({7, 9}));
}
