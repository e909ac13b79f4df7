#include "sim/readers/owner_files.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace sim {

namespace {

constexpr std::string_view kAdvice = "Name all files as the owner does, in the same order.";

std::string_view last_part(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// The owner's file of this path, otherwise of this name; null if there is none.
const PromisedFile* namesake(const std::vector<PromisedFile>& of_owner, const PromisedFile& file) {
    if (file.path.starts_with("/dev/")) return nullptr;  // each host gives its devices other names
    const auto find = [&of_owner](const auto& is_it) {
        const auto found = std::find_if(of_owner.begin(), of_owner.end(), is_it);
        return found == of_owner.end() ? nullptr : &*found;
    };
    const PromisedFile* const same_path = find([&file](const PromisedFile& each) { return each.path == file.path; });
    if (same_path != nullptr) return same_path;
    // The owner promises whole paths, even if both name the file from the folder in which they were started.
    const auto ends_so = [end = '/' + file.path](const PromisedFile& each) { return each.path.ends_with(end); };
    if (std::count_if(of_owner.begin(), of_owner.end(), ends_so) == 1) return find(ends_so);
    const auto has_name = [&file](const PromisedFile& each) { return last_part(each.path) == last_part(file.path); };
    // In several folders each file may have the same name.
    return std::count_if(of_owner.begin(), of_owner.end(), has_name) == 1 ? find(has_name) : nullptr;
}

}  // namespace

std::string difference_of_files(const std::vector<PromisedFile>& of_owner, const std::vector<PromisedFile>& of_reader) {
    if (of_owner.empty()) return {};
    for (const PromisedFile& file : of_reader) {
        const PromisedFile* const same = namesake(of_owner, file);
        if (same == nullptr || same->id == file.id) continue;
        return fmt::format("{}: is file {} of its owner, but file {} of this configuration. {}", file.path, same->id, file.id, kAdvice);
    }
    for (const PromisedFile& file : of_owner) {
        const bool is_read =
            std::any_of(of_reader.begin(), of_reader.end(), [&file](const PromisedFile& each) { return each.id == file.id; });
        if (is_read || file.is_log) continue;
        return fmt::format("{}: is file {} of the owner, but not a data file of this configuration. {}", file.path, file.id, kAdvice);
    }
    for (const PromisedFile& file : of_reader) {
        const bool is_owned =
            std::any_of(of_owner.begin(), of_owner.end(), [&file](const PromisedFile& each) { return each.id == file.id && !each.is_log; });
        if (!is_owned) return fmt::format("{}: is file {} here, and no data file of the owner. {}", file.path, file.id, kAdvice);
    }
    return {};
}

}  // namespace sim
