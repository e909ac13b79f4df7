#include "cli/powertest/verified_cycle.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

std::uint64_t number_at(const nlohmann::json& json, const char* path) {
    const nlohmann::json::json_pointer pointer(path);
    return json.contains(pointer) && json.at(pointer).is_number_unsigned() ? json.at(pointer).get<std::uint64_t>() : 0;
}

}  // namespace

reports::PowerCycle verified_cycle(const std::string& json_path, std::uint64_t run_started_utc_us) {
    std::ifstream file(json_path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    reports::PowerCycle cycle;
    if (!json.is_object()) return cycle;
    cycle.finding_count = number_at(json, "/finding_count");
    cycle.torn_pages = number_at(json, "/durability/torn_pages");
    cycle.blocks_behind = number_at(json, "/durability/blocks_behind");
    const std::uint64_t last_us = number_at(json, "/durability/last_write_utc_us");
    if (last_us > run_started_utc_us) cycle.load_ms = (last_us - run_started_utc_us) / 1000;
    const nlohmann::json::json_pointer headline("/verdict/reasons/0/text");
    if (json.contains(headline) && json.at(headline).is_string()) cycle.said = json.at(headline).get<std::string>();
    return cycle;
}

}  // namespace cli
