#include "sim/files/transfer_failure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "ums/base/error_text.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

namespace {

Finding make_finding(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure) {
    ums::IoRequest request;
    request.operation = failure.operation;
    request.offset_bytes = failure.offset_bytes;
    request.size_bytes = failure.size_bytes;
    Finding finding = place_of_transfer(file_id, file, request, failure.error ? FindingKind::io_error : FindingKind::short_transfer);
    finding.failure = {.error_code = failure.error.value(), .error_text = failure.error ? failure.error.message() : ""};
    return finding;
}

FileRequest file_request_of(ums::IoOperation operation) {
    switch (operation) {
        case ums::IoOperation::read:
        case ums::IoOperation::write: return FileRequest::none;
        case ums::IoOperation::sync: return FileRequest::sync;
        case ums::IoOperation::allocate:
        case ums::IoOperation::truncate: break;
    }
    return FileRequest::resize;
}

const char* word_for(FileRequest request) {
    switch (request) {
        case FileRequest::none:
        case FileRequest::open: break;
        case FileRequest::sync: return "A sync of the file";
        case FileRequest::resize: return "Changing the size of the file";
    }
    return "Opening or examining the file";
}

const char* word_for(ums::IoOperation operation) { return operation == ums::IoOperation::write ? "write" : "read"; }

}  // namespace

bool is_about_space(const std::error_code& error) {
    return error == std::errc::no_space_on_device || error == std::errc::file_too_large || error.value() == ums::quota_exceeded().value();
}

// A file system that was writable at the start remounts itself read-only when it cannot continue.
bool is_about_device(const std::error_code& error) {
    return error == std::errc::no_such_device || error == std::errc::no_such_device_or_address ||
           error == std::errc::read_only_file_system || ums::is_lost_file(error);
}

bool is_about_machine(const std::error_code& error) {
    static constexpr std::array kErrors{ENOMEM, ENOBUFS, ECANCELED, EINTR, EMFILE, ENFILE};
    return std::find(kErrors.begin(), kErrors.end(), error.value()) != kErrors.end();
}

bool is_device_error(const std::error_code& error) {
    static constexpr std::array kErrors{EIO, ENODATA, ETIMEDOUT, ENOLINK, EBADMSG, EILSEQ};
    return std::find(kErrors.begin(), kErrors.end(), error.value()) != kErrors.end() || ums::is_lost_file(error) ||
           ums::is_damaged_storage(error);
}

std::string cause_of(const TransferFailure& failure) {
    return failure.error ? ums::error_text(failure.error) : fmt::format("only {} bytes came", failure.transferred_bytes);
}

Finding place_of_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.request.is_write = request.operation == ums::IoOperation::write;
    finding.request.of_file = file_request_of(request.operation);
    finding.place.file_id = file_id;
    finding.place.path = file.path;
    finding.place.role = file.role;
    // A chain of backups has chunks, and no pages.
    finding.place.is_log = file.is_log || file.role == FileRole::backup_chain;
    if (!finding.place.is_log) finding.place.page_id = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    finding.place.offset_bytes = request.offset_bytes;
    finding.place.size_bytes = request.size_bytes;
    return finding;
}

Finding recovered_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure) {
    Finding finding = make_finding(file_id, file, failure);
    finding.transient = true;
    finding.reads = 2;
    finding.description =
        fmt::format("A {} of {} bytes {}. It succeeded when tried again.", word_for(failure.operation), failure.size_bytes,
                    failure.error ? fmt::format("failed: {}", or_empty(finding.failure).error_text)
                                  : fmt::format("returned success after {} bytes", failure.transferred_bytes));
    return finding;
}

Finding persistent_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure, std::uint32_t tries) {
    Finding finding = make_finding(file_id, file, failure);
    finding.reads = tries;
    finding.description = failure.error ? fmt::format("A {} of {} bytes failed{}: {}.", word_for(failure.operation), failure.size_bytes,
                                                      tries > 1 ? ", even when tried again" : "", or_empty(finding.failure).error_text)
                                        : fmt::format("A {} of {} bytes returned success after {} bytes.", word_for(failure.operation),
                                                      failure.size_bytes, failure.transferred_bytes);
    return finding;
}

Finding failed_request(std::uint32_t file_id, const FileOptions& file, FileRequest request, const std::error_code& error) {
    Finding finding;
    finding.kind = FindingKind::io_error;
    finding.request.of_file = request;
    finding.place.file_id = file_id;
    finding.place.path = file.path;
    finding.place.role = file.role;
    finding.place.is_log = file.is_log;
    finding.failure = {.error_code = error.value(), .error_text = error.message()};
    finding.description = fmt::format("{} failed: {}.", word_for(request), or_empty(finding.failure).error_text);
    if (request == FileRequest::sync) finding.description += " What was written since the last sync may be lost.";
    return finding;
}

Finding late_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request) {
    Finding finding = place_of_transfer(file_id, file, request, FindingKind::stalled_io);
    finding.is_warning = finding.transient = true;
    finding.failure = {.duration_us = request.duration_ns() / 1000};
    finding.description = fmt::format("A {} took {} ms.", describe_request(request), request.duration_ns() / ums::kNsPerMs);
    return finding;
}

Finding interrupted_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request) {
    Finding finding = place_of_transfer(file_id, file, request, FindingKind::short_transfer);
    finding.transient = true;
    finding.description = fmt::format("A {} returned success after {} bytes; the rest came when it was asked for.",
                                      describe_request(request), request.short_bytes);
    return finding;
}

std::string describe_request(const ums::IoRequest& request) {
    const char* operation = "sync";
    switch (request.operation) {
        case ums::IoOperation::read: operation = "read"; break;
        case ums::IoOperation::write: operation = "write"; break;
        case ums::IoOperation::sync: return operation;
        case ums::IoOperation::allocate: operation = "allocation"; break;
        case ums::IoOperation::truncate: operation = "truncation"; break;
    }
    return fmt::format("{} of {} bytes at offset 0x{:x}", operation, request.size_bytes, request.offset_bytes);
}

std::string retry_message(const std::string& path, const TransferFailure& failure) {
    return fmt::format("{} of {} bytes at offset 0x{:x} of {} failed: {}. It is tried again.",
                       failure.operation == ums::IoOperation::read ? "Read" : "Write", failure.size_bytes, failure.offset_bytes, path,
                       cause_of(failure));
}

std::string late_message(const std::string& path, const ums::IoRequest& request) {
    return fmt::format("I/O request took longer than {} seconds: {} of {} completed after {} ms.", kLongIoSeconds,
                       describe_request(request), path, request.duration_ns() / ums::kNsPerMs);
}

}  // namespace sim
