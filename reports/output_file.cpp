#include "reports/output_file.hpp"

#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/json_text.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/output_place.hpp"

namespace reports {

namespace {

constexpr std::string_view kJsonMark = "\"program\":\"ioproof\"";
constexpr std::string_view kHtmlMark = "<!-- ioproof page -->";

OutputKind json_kind_with(std::string mark) {
    return {.what = "JSON file",
            .refusal = "is not an ioproof JSON file of the same kind",
            .is_ours = [mark = std::move(mark)](
                           std::string_view head) { return head.starts_with('{') && head.find(mark) != std::string_view::npos; },
            .takes_streams = true};
}

// If the system delays writing, only close() reports that it failed.
std::error_code write_and_close(ums::OutputHandle& file, std::string_view text) {
    const std::error_code error = file.write(text);
    const std::error_code error_of_end = file.close();
    return error ? error : error_of_end;
}

// The folder takes no other file, the name is too long for it, or the file is mounted as such. A full disk is no reason: what is there
// would be lost for nothing.
bool allows_no_second_file(const std::error_code& error) {
    return error == std::errc::permission_denied || error == std::errc::operation_not_permitted ||
           error == std::errc::read_only_file_system || error == std::errc::filename_too_long ||
           error == std::errc::device_or_resource_busy;
}

std::error_code write_in_place(const std::string& path, std::string_view text) {
    ums::OutputHandle file;
    if (const auto error = ums::open_existing_output(path, file)) return error;
    const std::error_code error = file.overwrite(text);
    const std::error_code error_of_end = file.close();
    return error ? error : error_of_end;
}

std::error_code write_second_file(const std::string& path, const ums::OutputHandle& first, std::string_view text) {
    const ums::UnfinishedFile temporary(ums::temporary_name_beside(path), ums::UnfinishedFile::Kind::temporary);
    ums::OutputHandle file;
    if (const auto error = ums::create_output(temporary.path(), ums::OutputAccess::this_user, file)) return error;
    file.copy_permissions(first);
    std::error_code error = write_and_close(file, text);
    if (!error) error = ums::replace_output(temporary.path(), path);
    if (error) ums::remove_output(temporary.path());
    return error;
}

}  // namespace

OutputKind json_kind() { return json_kind_with(std::string(kJsonMark)); }

OutputKind json_kind(std::string_view document) { return json_kind_with(json_mark(document)); }

OutputKind html_kind() {
    return {.what = "HTML file",
            .refusal = "is not an HTML file of ioproof",
            .is_ours = [](std::string_view head) { return head.starts_with('<') && head.find(kHtmlMark) != std::string_view::npos; },
            .takes_streams = true};
}

OutputFile::OutputFile(OutputKind kind, std::string path)
    : kind_(std::move(kind)), path_(std::move(path)), output_(open_output(kind_, path_)) {
    if (output_.is_new) placeholder_.emplace(output_.path, ums::UnfinishedFile::Kind::placeholder);
}

OutputFile::~OutputFile() {
    static_cast<void>(output_.file.close());
    if (placeholder_) placeholder_->remove();
}

bool OutputFile::has_previous_run() const { return !output_.is_new && !output_.is_stream && output_.file.size_bytes().value_or(0) > 0; }

std::optional<std::string> OutputFile::write(std::string_view text) {
    if (!output_.is_stream) return replace(text);
    const std::error_code error = write_and_close(output_.file, text);
    return error ? std::optional(failure(ums::error_text(error))) : std::nullopt;
}

std::optional<std::string> OutputFile::replace(std::string_view text) {
    try {
        check_output(kind_, path_);  // a run takes hours, and something else may have taken the name
    } catch (const std::runtime_error& refused) {
        return refused.what();
    }
    std::error_code error = write_second_file(output_.path, output_.file, text);
    // The results of hours are worth more than replacing an old file at once.
    if (error && allows_no_second_file(error)) error = write_in_place(output_.path, text);
    if (error) return failure(ums::error_text(error));
    placeholder_.reset();
    return std::nullopt;
}

std::string OutputFile::failure(const std::string& reason) const {
    return fmt::format("{} '{}': could not be written: {}.", kind_.what, path_, reason);
}

}  // namespace reports
