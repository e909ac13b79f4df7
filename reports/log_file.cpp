#include "reports/log_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ums/base/output_place.hpp"

namespace reports {

namespace {

// Ignores the zero bytes of UTF-16, so that the marks match there, too.
bool looks_like_log(std::string_view raw_head) {
    std::string head(raw_head);
    std::erase(head, '\0');
    const std::size_t begin = head.find("<?xml");
    return begin <= 3 && (head.find("ErrorLog.xslt") != std::string::npos || head.find("<ERRORLOG>") != std::string::npos ||
                          head.find("<ENTRY TYPE='") != std::string::npos);
}

}  // namespace

OutputKind log_kind() {
    return {.what = "log file",
            .refusal = "is not a log of ioproof or SQLIOSim",
            .is_ours = looks_like_log,
            .advice = "Name another place for it: -log FILE."};
}

LogFile::LogFile(const std::string& path) {
    OpenOutput output = open_output(log_kind(), path);
    lock_output(log_kind(), path, output.file);
    path_ = std::move(output.path);
    file_ = std::move(output.file);
    if (output.is_new) half_made_.emplace(path_, ums::UnfinishedFile::Kind::placeholder);
    const bool is_empty = output.is_new || file_.size_bytes() == 0;
    if (!is_empty) old_file_ = std::move(file_);
}

LogFile::~LogFile() {
    // remove() leaves a new file that is not empty, so one that has no document yet is emptied first.
    if (half_made_) static_cast<void>(truncate(0));
    if (half_made_) half_made_->remove();
}

std::error_code LogFile::take_place() {
    if (failure_) return failure_;
    if (is_waiting()) failure_ = write_second_file();
    // A limit for the size of files applies to the old one, too, which would be lost for nothing.
    if (failure_ && failure_ != std::errc::file_too_large) failure_ = write_over_old();
    half_made_.reset();
    kept_.clear();
    return failure_;
}

std::error_code LogFile::write_second_file() {
    half_made_.emplace(ums::temporary_name_beside(path_), ums::UnfinishedFile::Kind::temporary);
    const std::string& name = half_made_->path();
    if (const auto error = ums::create_output(name, ums::OutputAccess::this_user, file_)) return error;
    file_.copy_permissions(old_file_);
    file_.lock();
    std::error_code error = file_.write_at(0, kept_);
    if (!error) error = ums::replace_output(name, path_);
    if (!error) return {};
    half_made_->remove();
    static_cast<void>(file_.close());
    return error;
}

std::error_code LogFile::write_over_old() {
    file_ = std::move(old_file_);
    return file_.overwrite(kept_);
}

std::error_code LogFile::write_at(std::uint64_t offset_bytes, std::string_view bytes) {
    if (failure_) return failure_;
    if (is_waiting()) {
        kept_.resize(std::max<std::size_t>(kept_.size(), offset_bytes + bytes.size()));
        kept_.replace(offset_bytes, bytes.size(), bytes);
        return {};
    }
    return file_.write_at(offset_bytes, bytes);
}

std::error_code LogFile::truncate(std::uint64_t size_bytes) {
    if (failure_) return failure_;
    if (is_waiting()) {
        kept_.resize(size_bytes);
        return {};
    }
    return file_.truncate(size_bytes);
}

}  // namespace reports
