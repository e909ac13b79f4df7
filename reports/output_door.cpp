#include "reports/output_door.hpp"

#include <system_error>

#include <fmt/format.h>

#include "sim/database_name.hpp"
#include "sim/errors.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/output_place.hpp"

namespace reports {

namespace {

using Type = ums::OutputStatus::Type;

std::string sentence(const OutputKind& kind, const std::string& path, std::string_view reason) {
    return fmt::format("{} '{}': {}.", kind.what, path, reason);
}
[[noreturn]] void refuse(const OutputKind& kind, const std::string& path, std::string_view reason) {
    throw sim::RefusedError(sentence(kind, path, reason));
}
[[noreturn]] void fail(const OutputKind& kind, const std::string& path, const std::error_code& error) {
    const std::string text = sentence(kind, path, ums::error_text(error));
    throw sim::EnvironmentError(kind.advice.empty() ? text : fmt::format("{} {}", text, kind.advice));
}

// What has a given name.
struct Place {
    bool exists = false;
    ums::OutputStatus status{};
    std::string path;  // of the file itself
};

void refuse_database_name(const OutputKind& kind, const std::string& named, const std::string& path) {
    if (sim::is_database_name(path)) refuse(kind, named, "*.mdf, *.ndf and *.ldf are names of real databases. Name another file");
}

Place find_place(const OutputKind& kind, const std::string& path) {
    refuse_database_name(kind, path, path);
    Place place{.exists = false, .status = {}, .path = path};
    const std::error_code error = ums::read_output_status(path, place.status);
    place.exists = !error;
    if (place.exists && place.status.type == Type::regular) {
        place.path = ums::real_path(path).value_or(path);
        refuse_database_name(kind, path, place.path);
    }
    if (place.exists) return place;
    if (error != std::errc::no_such_file_or_directory) fail(kind, path, error);
    if (ums::is_name_taken(path)) {
        refuse(kind, path, "it is a symbolic link that leads to nothing. Name another file, or remove this link");
    }
    return place;
}

bool is_stream(const ums::OutputStatus& status) {
    if (status.type == Type::regular) return status.is_standard_output();
    return status.type == Type::pipe || status.is_harmless_device;
}

void refuse_wrong_type(const OutputKind& kind, const std::string& path, const ums::OutputStatus& status) {
    if (status.type == Type::folder) refuse(kind, path, "it is a directory");
    if (kind.takes_streams && is_stream(status)) return;
    if (status.type != Type::regular) refuse(kind, path, "it is not a regular file");
    if (status.is_standard_output()) refuse(kind, path, "the standard output goes there. Name another file");
}

void refuse_wrong_content(const OutputKind& kind, const std::string& path, const ums::OutputHandle& file) {
    ums::OutputStatus status;
    std::string head;
    std::error_code error = ums::read_output_status(file, status);
    const bool is_regular = !error && status.type == Type::regular;
    if (is_regular) error = file.read_head(kHeadBytes, head);
    if (error) fail(kind, path, error);
    if (!is_regular) refuse(kind, path, "it is not a regular file");
    const bool is_empty = status.size_bytes == 0 && head.empty();  // files in /proc have text, but a size of 0
    if (is_empty || kind.is_ours(head)) return;
    refuse(kind, path, fmt::format("it exists and {}. Name another file, or remove this one", kind.refusal));
}

OpenOutput open_stream(const OutputKind& kind, const std::string& path, const ums::OutputStatus& status) {
    OpenOutput output{.file = {}, .is_new = false, .is_stream = true, .path = path};
    const std::error_code error = ums::open_output_stream(path, status, output.file);
    if (error == std::errc::no_such_device_or_address) refuse(kind, path, "no process reads this pipe. Start the reader first");
    if (error == std::errc::file_exists) refuse(kind, path, "another file has taken its place");
    if (error) fail(kind, path, error);
    return output;
}

}  // namespace

OpenOutput open_output(const OutputKind& kind, const std::string& path) {
    const Place place = find_place(kind, path);
    if (place.exists) refuse_wrong_type(kind, path, place.status);
    if (place.exists && kind.takes_streams && is_stream(place.status)) return open_stream(kind, path, place.status);
    OpenOutput output{.file = {}, .is_new = true, .is_stream = false, .path = place.path};
    std::error_code error = ums::create_output(place.path, ums::OutputAccess::everyone, output.file);
    if (!error) return output;
    output.is_new = false;
    if (error == std::errc::file_exists) error = ums::open_existing_output(place.path, output.file);
    if (error == std::errc::too_many_symbolic_link_levels) refuse(kind, path, "a symbolic link has taken its place");
    if (error) fail(kind, path, error);
    refuse_wrong_content(kind, path, output.file);
    return output;
}

void check_output(const OutputKind& kind, const std::string& path) {
    const Place place = find_place(kind, path);
    if (!place.exists) {
        if (const auto error = ums::check_output_folder(path)) fail(kind, path, error);
        return;
    }
    refuse_wrong_type(kind, path, place.status);
    if (kind.takes_streams && is_stream(place.status)) return;
    ums::OutputHandle file;
    if (const auto error = ums::open_existing_output(place.path, file)) fail(kind, path, error);
    refuse_wrong_content(kind, path, file);
}

void lock_output(const OutputKind& kind, const std::string& path, ums::OutputHandle& file) {
    if (!file.lock()) throw sim::EnvironmentError(sentence(kind, path, "another run is writing to it"));
}

}  // namespace reports
