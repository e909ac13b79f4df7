#include "cli/powertest/state_folder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/shell_quoted.hpp"
#include "sim/errors.hpp"
#include "ums/base/child_process.hpp"
#include "ums/base/output_place.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {
namespace {

constexpr int kLockTries = 100;
constexpr std::chrono::milliseconds kLockPause{100};

void throw_if(const std::error_code& error, const std::string& path) {
    if (error) throw sim::EnvironmentError(fmt::format("{}: {}", path, ums::error_text(error)));
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error && !std::filesystem::exists(path)) throw sim::EnvironmentError(fmt::format("--state {}: {}", path, error.message()));
    if (!std::filesystem::is_directory(path)) throw UsageError(fmt::format("--state {}: is not a folder", path));
}

ums::OutputHandle open_lock(const std::string& path) {
    ums::OutputHandle file;
    std::error_code error = ums::create_output(path, ums::OutputAccess::everyone, file);
    if (error == std::errc::file_exists) error = ums::open_existing_output(path, file);
    throw_if(error, path);
    return file;
}

// What a verification had written when it began, and could not replace at its end, as on a full disk.
bool is_of_begin(const nlohmann::json& json) {
    const nlohmann::json::json_pointer pointer("/run/unfinished");
    return json.is_object() && json.contains(pointer) && json.at(pointer).is_boolean() && json.at(pointer).get<bool>();
}

// Not an object if the file is not there, or cannot be parsed.
nlohmann::json document_in(const std::string& json_path) {
    std::ifstream file(json_path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return nlohmann::json::parse(text, nullptr, false);
}

// Also not an object if it has no results.
nlohmann::json results_in(const std::string& json_path) {
    nlohmann::json json = document_in(json_path);
    if (is_of_begin(json)) json = nullptr;
    return json;
}

std::uint64_t number_at(const nlohmann::json& json, const char* path) {
    const nlohmann::json::json_pointer pointer(path);
    return json.contains(pointer) && json.at(pointer).is_number_unsigned() ? json.at(pointer).get<std::uint64_t>() : 0;
}

// Empty if there is none.
std::string text_at(const nlohmann::json& json, const char* where) {
    const nlohmann::json::json_pointer pointer(where);
    return json.contains(pointer) && json.at(pointer).is_string() ? json.at(pointer).get<std::string>() : std::string();
}

}  // namespace

StateFolder::StateFolder(const std::string& path) {
    make_folder(path);
    path_ = std::filesystem::canonical(path).string();
    lock_ = open_lock(path_ + "/lock");
    for (int i = 0; !lock_.lock(); ++i) {
        if (i == kLockTries) {
            throw sim::EnvironmentError(fmt::format("--state {}: another powertest is using it, or its run has not ended yet", path));
        }
        std::this_thread::sleep_for(kLockPause);
    }
}

std::string StateFolder::command() const { return fmt::format("ioproof powertest --state {}", shell_quoted(path_)); }

std::string StateFolder::quoted_command() const { return shell_quoted(path_) == path_ ? fmt::format("'{}'", command()) : command(); }

std::string StateFolder::file_of_cycle(std::uint32_t number, std::string_view what) const {
    return fmt::format("{}/cycle-{:04}.{}", path_, number, what);
}

std::optional<CampaignState> StateFolder::load() const {
    const std::string path = path_ + "/campaign.json";
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        if (!std::filesystem::exists(path)) return std::nullopt;
        throw sim::EnvironmentError(fmt::format("{}: cannot be read", path));
    }
    return parse_campaign_state({std::istreambuf_iterator<char>(file), {}}, path);
}

void StateFolder::save(const CampaignState& state) const {
    const std::string path = path_ + "/campaign.json";
    const std::string beside = path + ".new";
    ums::remove_output(beside);  // left by a power cut in an earlier save()
    ums::OutputHandle file;
    throw_if(ums::create_output(beside, ums::OutputAccess::everyone, file), beside);
    throw_if(file.write(campaign_state_text(state)), beside);
    throw_if(file.sync(), beside);
    throw_if(ums::replace_output(beside, path), path);
    throw_if(ums::sync_folder_of(path), path_);
}

void StateFolder::forget() const {
    std::error_code ignored;
    std::filesystem::remove(path_ + "/campaign.json", ignored);
}

std::string said_in(const std::string& output_path) {
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::symlink_status(output_path, unknown);
    // Then no child has been started, and what a link leads to is not what it said.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return fmt::format("{} is a link, or something else that is no file; remove it", output_path);
    }
    return ums::last_line(output_path);
}

reports::PowerCycle verified_cycle(const std::string& json_path, std::uint64_t run_started_utc_us) {
    const nlohmann::json json = results_in(json_path);
    reports::PowerCycle cycle;
    if (!json.is_object()) return cycle;
    cycle.finding_count = number_at(json, "/finding_count");
    cycle.torn_pages = number_at(json, "/durability/torn_pages");
    cycle.blocks_behind = number_at(json, "/durability/blocks_behind");
    const std::uint64_t last_us = number_at(json, "/durability/last_write_utc_us");
    if (last_us > run_started_utc_us) cycle.load_ms = (last_us - run_started_utc_us) / 1000;
    cycle.said = text_at(json, "/verdict/reasons/0/text");
    return cycle;
}

std::string run_id_in(const std::string& json_path) {
    const std::string id = text_at(document_in(json_path), "/run/run_id");
    return id.find_first_not_of('0') == std::string::npos ? std::string() : id;
}

bool found_no_files(const std::string& json_path) {
    const nlohmann::json json = results_in(json_path);
    return json.is_object() && text_at(json, "/run/nothing_to_verify") == "no_files";
}

std::optional<reports::CutOutcome> verified_outcome(int exit_code, const std::string& json_path) {
    if (exit_code == 0) return reports::CutOutcome::intact;
    if (exit_code == 1) return reports::CutOutcome::findings;
    const nlohmann::json json = results_in(json_path);
    if (!json.is_object() || (exit_code != 2 && exit_code != 3)) return std::nullopt;  // wrong usage, or a signal
    if (!text_at(json, "/run/nothing_to_verify").empty()) return reports::CutOutcome::nothing;
    const bool is_passed = text_at(json, "/run/outcome") == "passed";  // only some output could not be written
    return is_passed ? std::optional(reports::CutOutcome::intact) : std::nullopt;
}

}  // namespace cli
