#include "reports/measure_json.hpp"

#include <string>
#include <utility>

#include "reports/time_text.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using Json = nlohmann::ordered_json;
using test::Figures;

TEST_CASE("each figure of a target and of a thread is in the JSON of a measurement under its own name") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100, 20, 700)};
    sim::MeasureTargetFacts& target = results.timespans[0].targets[0];
    Figures facts;
    facts.set(target.size_bytes, "size_bytes");
    facts.set(target.pages_verified, "pages_verified");
    facts.set(target.pages_read_back, "pages_read_back");
    facts.set(target.pages_not_judged, "pages_not_judged");
    sim::MeasureRow& row = results.timespans[0].rows[0];
    facts.set(row.flushes, "flushes");
    Figures thread;
    thread.set(row.thread, "thread");
    thread.set(row.reads.requests, "reads");
    thread.set(row.reads.bytes, "read_bytes");
    thread.set(row.writes.requests, "writes");
    thread.set(row.writes.bytes, "written_bytes");
    const Json json = reports::measure_json(results);
    CHECK(facts.wrong_in(json["targets"].at(0)) == "");
    CHECK(thread.wrong_in(json["threads"].at(0)) == "");
    CHECK(json["threads"].at(0)["read_mean_ns"] == 100'000);
    CHECK(json["threads"].at(0)["write_mean_ns"] == 700'000);
}

TEST_CASE("each fact of a measurement is in its JSON under its own name") {
    sim::MeasureResults results;
    Figures all;
    all.set(results.finding_count, "findings");
    all.set(results.failure_reason, "failure");
    results.timespans = {test::measured_second(30, 100, 20, 700)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    all.set(timespan.engine, "engine");
    all.set(timespan.cpu_count, "schedulers");
    all.set(timespan.spec.warm_up_s, "warm_up_s");
    all.set(timespan.spec.seed, "seed");
    all.set(timespan.cpu_user_us, "cpu_user_us");
    all.set(timespan.cpu_system_us, "cpu_system_us");
    timespan.duration_ns = 2'000'000'000;
    timespan.start_utc_us = 1'764'000'000'000'000;
    Json json = reports::measure_json(results);
    CHECK(all.wrong_in(json) == "");
    CHECK(json["duration_ns"] == 2'000'000'000);
    CHECK(json["start_utc"] == reports::utc_iso_text(timespan.start_utc_us));
    CHECK(json["stopped"] == false);
    CHECK(json["cpu_ns_per_request"] == timespan.cpu_ns_per_request());
    CHECK(json["targets"].at(0)["created"] == false);
    CHECK(json["targets"].at(0)["verified"] == false);
    results.stopped = true;
    timespan.targets[0].was_created = true;
    CHECK(reports::measure_json(results)["stopped"] == true);
    json = reports::measure_json(results)["targets"].at(0);
    CHECK(json["created"] == true);
    CHECK(json["verified"] == false);
    timespan.targets[0].is_verified = true;
    CHECK(reports::measure_json(results)["targets"].at(0)["verified"] == true);
}

TEST_CASE("requests of each direction, and of both, are in the JSON of a measurement with their own rates and latencies") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100, 20, 700)};
    results.timespans[0].duration_ns = 2'000'000'000;
    const Json json = reports::measure_json(results);
    struct Direction {
        const char* name;
        std::uint64_t requests;
        double mean_ns;
        std::uint64_t min_ns;
        std::uint64_t max_ns;
    };
    for (const Direction& each : {Direction{"reads", 30, 100'000, 100'000, 100'000}, Direction{"writes", 20, 700'000, 700'000, 700'000},
                                  Direction{"both", 50, 340'000, 100'000, 700'000}}) {
        INFO(each.name);
        const Json& counts = json["total"][each.name];
        CHECK(counts["requests"] == each.requests);
        CHECK(counts["bytes"] == each.requests * 8192);
        CHECK(counts["requests_per_s"] == static_cast<double>(each.requests) / 2);
        CHECK(counts["bytes_per_s"] == static_cast<double>(each.requests) * 4096);
        const Json& latency = counts["latency"];
        CHECK(latency["count"] == each.requests);
        CHECK(latency["total_ns"] == static_cast<double>(each.requests) * each.mean_ns);
        CHECK(latency["mean_ns"] == each.mean_ns);
        CHECK(latency["min_ns"] == each.min_ns);
        CHECK(latency["max_ns"] == each.max_ns);
        if (std::string(each.name) != "both") CHECK(json["targets"].at(0)[each.name] == counts);
    }
    const Json& both = json["total"]["both"]["latency"];
    CHECK(both["deviation_ns"].get<double>() == Approx(293'939).epsilon(0.001));
    CHECK(both["percentiles_ns"].size() == reports::measure_percents().size());
    CHECK(both["percentiles_ns"].at(1).at(0) == 50);
    CHECK(both["percentiles_ns"].at(1).at(1).get<double>() == Approx(100'000).epsilon(0.02));
    CHECK(both["percentiles_ns"].at(2).at(1).get<double>() == Approx(700'000).epsilon(0.02));
    REQUIRE(both["buckets_ns"].size() == 2);
    CHECK(both["buckets_ns"].at(0).at(0) <= 100'000);
    CHECK(both["buckets_ns"].at(0).at(1) > 100'000);
    CHECK(both["buckets_ns"].at(0).at(2) == 30);
}

TEST_CASE("each setting of a target is in the JSON of a measurement under its own name") {
    sim::MeasureTimespan timespan;
    sim::MeasureTarget& target = timespan.targets.emplace_back();
    Figures asked;
    asked.set(target.block_bytes, "block_bytes");
    asked.set(target.block_bytes_min, "block_bytes_min");
    asked.set(target.piece_bytes, "piece_bytes");
    asked.set(target.alignment_bytes, "alignment_bytes");
    asked.set(target.random_percent, "random_percent");
    asked.set(target.write_percent, "write_percent");
    asked.set(target.outstanding, "outstanding");
    asked.set(target.threads, "threads");
    asked.set(target.weight, "weight");
    asked.set(target.burst_requests, "burst_requests");
    asked.set(target.think_time_ms, "think_time_ms");
    asked.set(target.flush_every_writes, "flush_every_writes");
    asked.set(target.base_offset_bytes, "from_bytes");
    asked.set(target.max_offset_bytes, "to_bytes");
    asked.set(target.source.compressible_percent, "compressible_percent");
    asked.set(target.source.duplicate_percent, "duplicate_percent");
    CHECK(asked.wrong_in(reports::asked_json(timespan, 0)) == "");
    target.block_bytes_min = 0;
    target.alignment_bytes = 0;
    Figures pool;
    pool.set(timespan.requests_per_thread, "outstanding");
    pool.set(timespan.threads_total, "threads");
    pool.set(target.block_bytes, "block_bytes_min");
    CHECK(pool.wrong_in(reports::asked_json(timespan, 0)) == "");
    CHECK(reports::asked_json(timespan, 0)["alignment_bytes"] == target.block_bytes);
}

TEST_CASE("the words and switches of a target are in the JSON of a measurement") {
    sim::MeasureTimespan timespan;
    sim::MeasureTarget& target = timespan.targets.emplace_back();
    const auto asked = [&](const char* name) { return reports::asked_json(timespan, 0)[name]; };
    using sim::MeasureAccess;
    for (const auto& [access, word] :
         {std::pair{MeasureAccess::sequential, "sequential"}, std::pair{MeasureAccess::interlocked, "interlocked"},
          std::pair{MeasureAccess::random, "random"}, std::pair{MeasureAccess::mixed, "mixed"}}) {
        target.access = access;
        CHECK(asked("access") == word);
    }
    using sim::MeasureContents;
    for (const auto& [contents, word] : {std::pair{MeasureContents::incompressible, "noise"}, std::pair{MeasureContents::zeros, "zeros"},
                                         std::pair{MeasureContents::counting, "counting"}, std::pair{MeasureContents::buffer, "buffer"},
                                         std::pair{MeasureContents::pages, "pages"}, std::pair{MeasureContents::sectors, "sectors"}}) {
        target.source.contents = contents;
        CHECK(asked("contents") == word);
    }
    CHECK(asked("hot") == "none");
    target.spans = {{90, 10, 0}, {5, 20, 0}};
    CHECK(asked("hot") == "90/10,5/20");
    target.rate = {sim::MeasureRateUnit::requests_per_s, 50};
    CHECK(asked("thread_requests_per_s") == 50);
    CHECK(asked("thread_bytes_per_s") == 0);
    target.rate.unit = sim::MeasureRateUnit::bytes_per_s;
    CHECK(asked("thread_requests_per_s") == 0);
    CHECK(asked("thread_bytes_per_s") == 50);
    target.direct = true;
    CHECK(asked("direct") == true);
    CHECK(asked("mapped") == false);
    CHECK(asked("durable") == false);
    target.direct = false;
    target.view = sim::MeasureView::mapped;
    CHECK(asked("direct") == false);
    CHECK(asked("mapped") == true);
    CHECK(asked("durable") == false);
    target.write_through = true;
    CHECK(asked("durable") == true);
}

TEST_CASE("each figure of a CPU, of a device and of throttling is in the JSON of a measurement under its own name") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    Figures cpu;
    timespan.cpus.resize(1);
    cpu.set(timespan.cpus[0].id, "id");
    cpu.set(timespan.cpus[0].user_percent, "user_percent");
    cpu.set(timespan.cpus[0].kernel_percent, "kernel_percent");
    cpu.set(timespan.cpus[0].idle_percent, "idle_percent");
    cpu.set(timespan.cpus[0].steal_percent, "steal_percent");
    Figures device;
    timespan.devices.resize(1);
    device.set(timespan.devices[0].name, "name");
    device.set(timespan.devices[0].reads, "reads");
    device.set(timespan.devices[0].reads_merged, "reads_merged");
    device.set(timespan.devices[0].read_bytes, "read_bytes");
    device.set(timespan.devices[0].writes, "writes");
    device.set(timespan.devices[0].writes_merged, "writes_merged");
    device.set(timespan.devices[0].written_bytes, "written_bytes");
    device.set(timespan.devices[0].queue_mean, "queue_mean");
    device.set(timespan.devices[0].busy_percent, "busy_percent");
    device.set(timespan.devices[0].wait_mean_ms, "wait_mean_ms");
    Figures throttling;
    throttling.set(timespan.throttling.cpu_periods_throttled, "cpu_periods");
    throttling.set(timespan.throttling.cpu_throttled_us, "cpu_us");
    throttling.set(timespan.throttling.io_stalled_us, "io_stalled_us");
    timespan.throttling.is_known = true;
    const Json json = reports::measure_json(results);
    CHECK(cpu.wrong_in(json["cpus"].at(0)) == "");
    CHECK(device.wrong_in(json["devices"].at(0)) == "");
    CHECK(throttling.wrong_in(json["throttling"]) == "");
    CHECK(json["throttling"]["known"] == true);
    timespan.throttling.is_known = false;
    CHECK(reports::measure_json(results)["throttling"]["known"] == false);
}

TEST_CASE("each figure of a sample of the machine is in its own column, and a device that was not there then has none") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.devices.resize(2);
    timespan.devices[0].name = "sda";
    timespan.devices[1].name = "sdb";
    timespan.samples.resize(1);
    sim::MeasureMachineSample& sample = timespan.samples[0];
    sample.end_ns = 1'500'000'000;
    Figures machine;
    machine.set(sample.user_percent, "user_percent");
    machine.set(sample.kernel_percent, "kernel_percent");
    machine.set(sample.busiest_percent, "busiest_percent");
    machine.set(sample.cpu_throttled_us, "cpu_throttled_us");
    sample.devices.resize(1);
    sample.devices[0].name = "sdb";
    Figures device;
    device.set(sample.devices[0].queue_mean, "queue_mean");
    device.set(sample.devices[0].busy_percent, "busy_percent");
    device.set(sample.devices[0].wait_mean_ms, "wait_mean_ms");
    const Json samples = reports::measure_json(results)["samples"];
    const auto first_of = [](const Json& columns) {
        Json first = Json::object();
        for (const auto& [name, column] : columns.items()) first[name] = column.is_array() ? column.at(0) : column;
        return first;
    };
    CHECK(machine.wrong_in(first_of(samples)) == "");
    CHECK(samples["end_s"] == Json::parse("[1.5]"));
    REQUIRE(samples["devices"].size() == 2);
    CHECK(device.wrong_in(first_of(samples["devices"].at(1))) == "");
    CHECK(samples["devices"].at(1)["name"] == "sdb");
    for (const char* column : {"queue_mean", "busy_percent", "wait_mean_ms"}) {
        CHECK(samples["devices"].at(0)[column] == Json::parse("[null]"));
    }
}

TEST_CASE("a measurement has the requests of each interval in its JSON, and where burst credits ended") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    CHECK(reports::measure_json(results)["burst"].is_null());
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.spec.iops_interval_ms = 500;
    timespan.duration_ns = 12'000'000'000;
    timespan.rows[0].intervals.resize(24);
    for (std::size_t i = 0; i < 24; ++i) {
        timespan.rows[0].intervals[i].reads.requests = i < 12 ? 900 : 300;
        timespan.rows[0].intervals[i].writes.requests = 100;
    }
    const Json json = reports::measure_json(results);
    CHECK(json["intervals"]["interval_ms"] == 500);
    CHECK(json["intervals"]["reads"].at(0) == 900);
    CHECK(json["intervals"]["reads"].at(23) == 300);
    CHECK(json["intervals"]["writes"].at(0) == 100);
    CHECK(json["burst"]["cliff_s"] == 6);
    CHECK(json["burst"]["before_per_s"].get<double>() == Approx(2000));
    CHECK(json["burst"]["sustainable_per_s"].get<double>() == Approx(800));
}
