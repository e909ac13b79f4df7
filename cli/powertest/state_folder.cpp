#include "cli/powertest/state_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "cli/usage_error.hpp"
#include "sim/errors.hpp"

namespace cli {
namespace {

constexpr int kLockTries = 100;
constexpr std::chrono::milliseconds kLockPause{100};

[[noreturn]] void throw_errno(const std::string& path) {
    throw sim::EnvironmentError(fmt::format("{}: {}", path, std::generic_category().message(errno)));
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error && !std::filesystem::exists(path)) throw sim::EnvironmentError(fmt::format("--state {}: {}", path, error.message()));
    if (!std::filesystem::is_directory(path)) throw UsageError(fmt::format("--state {}: is no folder", path));
}

void write_durably(const std::string& path, const std::string& text) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) throw_errno(path);
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
        if (count <= 0) break;
        written += static_cast<std::size_t>(count);
    }
    const bool is_there = written == text.size() && ::fsync(descriptor) == 0;
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    if (!is_there) throw_errno(path);
}

void sync_folder(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw_errno(path);
    const bool is_synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    if (!is_synced) throw_errno(path);
}

}  // namespace

StateFolder::StateFolder(const std::string& path) {
    make_folder(path);
    path_ = std::filesystem::canonical(path).string();
    const std::string lock_path = path_ + "/lock";
    lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) throw_errno(lock_path);
    for (int i = 0; ::flock(lock_, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (i == kLockTries) {
            ::close(lock_);
            throw sim::EnvironmentError(fmt::format("--state {}: another powertest works with it, or its run has not ended yet", path));
        }
        std::this_thread::sleep_for(kLockPause);
    }
}

StateFolder::~StateFolder() { ::close(lock_); }

std::string StateFolder::file_of_cycle(std::uint32_t number, std::string_view what) const {
    return fmt::format("{}/cycle-{:04}.{}", path_, number, what);
}

std::optional<CampaignState> StateFolder::load() const {
    const std::string path = path_ + "/campaign.json";
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        if (!std::filesystem::exists(path)) return std::nullopt;
        throw_errno(path);
    }
    return parse_campaign_state({std::istreambuf_iterator<char>(file), {}}, path);
}

void StateFolder::save(const CampaignState& state) const {
    const std::string path = path_ + "/campaign.json";
    write_durably(path + ".new", campaign_state_text(state));
    if (std::rename((path + ".new").c_str(), path.c_str()) != 0) throw_errno(path);
    sync_folder(path_);
}

void StateFolder::forget() const {
    std::error_code ignored;
    std::filesystem::remove(path_ + "/campaign.json", ignored);
}

}  // namespace cli
