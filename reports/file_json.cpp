#include "reports/file_json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace reports {
namespace {

using Json = nlohmann::ordered_json;

Json drive_of(const sim::DriveFacts& drive) {
    if (!drive.known) return nullptr;
    return {{"name", drive.name},
            {"number", drive.number},
            {"manager", drive.manager},
            {"logical_sector_bytes", drive.logical_sector_bytes},
            {"physical_sector_bytes", drive.physical_sector_bytes},
            {"size_bytes", drive.size_bytes},
            {"rotational", drive.rotational},
            {"removable", drive.removable},
            {"read_cache", drive.read_cache},
            {"write_cache", drive.write_cache},
            {"fua", drive.fua},
            {"reads", drive.reads},
            {"read_time_ms", drive.read_time_ms},
            {"writes", drive.writes},
            {"write_time_ms", drive.write_time_ms},
            {"idle_time_ms", drive.idle_time_ms},
            {"read_bytes", drive.read_bytes},
            {"written_bytes", drive.written_bytes},
            {"merged_requests", drive.merged_requests}};
}

Json latency_of_class(const sim::LatencyResult& latency) {
    Json percentiles = Json::array();
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
        percentiles.push_back({sim::kLatencyPercents[i], latency.percentiles_ns[i]});
    }
    Json buckets = Json::array();
    for (const sim::LatencyBucket& bucket : latency.buckets) buckets.push_back({bucket.low_ns, bucket.high_ns, bucket.count});
    return {{"count", latency.count},
            {"total_ns", latency.total_ns},
            {"mean_ns", latency.mean_ns},
            {"deviation_ns", latency.deviation_ns},
            {"min_ns", latency.min_ns},
            {"max_ns", latency.max_ns},
            {"percentiles_ns", std::move(percentiles)},
            {"buckets_ns", std::move(buckets)}};
}

Json latency_of_file(const sim::FileResult& file) {
    Json latency = Json::object();
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
        latency[std::string(sim::name_of(static_cast<sim::IoClass>(i)))] = latency_of_class(file.latency[i]);
    }
    return latency;
}

// One array for each figure: smaller than an object for each interval, and what charts need.
template <typename Member>
Json column(const sim::FileResult& file, Member sim::FileSample::*member) {
    Json values = Json::array();
    for (const sim::FileSample& sample : file.samples) values.push_back(sample.*member);
    return values;
}

// [bucket, count, bucket, count, …], without empty buckets.
Json coarse_column(const sim::FileResult& file, sim::CoarseLatency sim::FileSample::*member) {
    Json values = Json::array();
    for (const sim::FileSample& sample : file.samples) {
        Json pairs = Json::array();
        for (std::size_t i = 0; i < sim::kCoarseLatencyBuckets; ++i) {
            const std::uint64_t count = (sample.*member)[i];
            if (count == 0) continue;
            pairs.push_back(i);
            pairs.push_back(count);
        }
        values.push_back(std::move(pairs));
    }
    return values;
}

Json series_of(const sim::FileResult& file) {
    using Sample = sim::FileSample;
    return {{"reads", column(file, &Sample::reads)},
            {"writes", column(file, &Sample::writes)},
            {"read_bytes", column(file, &Sample::read_bytes)},
            {"written_bytes", column(file, &Sample::written_bytes)},
            {"read_time_us", column(file, &Sample::read_time_us)},
            {"write_time_us", column(file, &Sample::write_time_us)},
            {"throttles", column(file, &Sample::throttles)},
            {"outstanding", column(file, &Sample::outstanding)},
            {"request_blocks", column(file, &Sample::request_blocks)},
            {"dirty_pages", column(file, &Sample::dirty_pages)},
            {"read_latency", coarse_column(file, &Sample::read_latency)},
            {"write_latency", coarse_column(file, &Sample::write_latency)}};
}

}  // namespace

Json file_json(const sim::FileResult& file) {
    return {{"path", file.path},
            {"named_as", file.named_as},
            {"file_id", file.file_id},
            {"is_log", file.is_log},
            {"compressed", file.compressed},
            {"encrypted", file.encrypted},
            {"sparse", file.sparse},
            {"size_bytes", file.size_bytes},
            {"target_io_duration_ms", file.target_io_duration_ms},
            {"average_io_duration_us", file.average_io_duration_us},
            {"throttle_count", file.throttle_count},
            {"request_blocks", file.request_blocks},
            {"request_blocks_mean", file.request_blocks_mean},
            {"request_blocks_min", file.request_blocks_min},
            {"request_blocks_max", file.request_blocks_max},
            {"reads", file.reads},
            {"scatter_reads", file.scatter_reads},
            {"writes", file.writes},
            {"gather_writes", file.gather_writes},
            {"total_io_time_us", file.total_io_time_us},
            {"max_io_time_us", file.max_io_time_us},
            {"read_bytes", file.read_bytes},
            {"written_bytes", file.written_bytes},
            {"pages_verified", file.pages_verified},
            {"long_ios", file.long_ios},
            {"write_retries", file.write_retries},
            {"grown_count", file.grown_count},
            {"shrunk_count", file.shrunk_count},
            {"findings", file.findings},
            {"drive", drive_of(file.drive)},
            {"latency", latency_of_file(file)},
            {"series", series_of(file)}};
}

}  // namespace reports
