#include "sim/run/drive_facts.hpp"

#include <algorithm>

#include "ums/io/block_device.hpp"
#include "ums/io/file_attributes.hpp"

namespace sim {

DriveFacts read_drive_facts(const std::string& path) {
    const ums::BlockDevice device = ums::block_device_of(path);
    DriveFacts facts;
    facts.known = device.known;
    facts.name = device.name;
    facts.number = device.number;
    facts.manager = device.driver;
    facts.logical_sector_bytes = device.logical_sector_bytes;
    facts.physical_sector_bytes = device.physical_sector_bytes;
    facts.size_bytes = device.size_bytes;
    facts.rotational = device.is_rotational;
    facts.removable = device.is_removable;
    facts.read_cache = device.known;  // Linux does not tell; every disk has one
    facts.write_cache = device.has_write_cache;
    facts.fua = device.has_fua;
    facts.reads = device.counters.reads;
    facts.read_time_ms = device.counters.read_time_ms;
    facts.writes = device.counters.writes;
    facts.write_time_ms = device.counters.write_time_ms;
    facts.idle_time_ms = device.counters.busy_time_ms;  // turned into idle time by drive_facts_since
    facts.read_bytes = device.counters.read_bytes;
    facts.written_bytes = device.counters.written_bytes;
    facts.merged_requests = device.counters.reads_merged + device.counters.writes_merged;
    return facts;
}

DriveFacts drive_facts_since(const DriveFacts& before, std::uint64_t elapsed_ms, const std::string& path) {
    DriveFacts facts = read_drive_facts(path);
    const auto since = [](std::uint64_t& now, std::uint64_t then) { now -= std::min(now, then); };
    since(facts.reads, before.reads);
    since(facts.read_time_ms, before.read_time_ms);
    since(facts.writes, before.writes);
    since(facts.write_time_ms, before.write_time_ms);
    since(facts.read_bytes, before.read_bytes);
    since(facts.written_bytes, before.written_bytes);
    since(facts.merged_requests, before.merged_requests);
    since(facts.idle_time_ms, before.idle_time_ms);
    facts.idle_time_ms = facts.known ? elapsed_ms - std::min(elapsed_ms, facts.idle_time_ms) : 0;
    return facts;
}

void read_attributes(const std::string& path, FileResult& result) {
    ums::FileAttributes attributes;
    if (ums::read_file_attributes(path, attributes)) return;
    result.compressed = attributes.is_compressed;
    result.encrypted = attributes.is_encrypted;
    result.sparse = attributes.is_sparse;
}

}  // namespace sim
