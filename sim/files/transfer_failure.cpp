#include "sim/files/transfer_failure.hpp"

#include <cerrno>

#include <fmt/format.h>

#include "sim/page/page_layout.hpp"

namespace sim {

namespace {

Finding make_finding(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure) {
    ums::IoRequest request;
    request.operation = failure.operation;
    request.offset_bytes = failure.offset_bytes;
    request.size_bytes = failure.size_bytes;
    Finding finding = place_of_transfer(file_id, file, request, failure.error ? FindingKind::io_error : FindingKind::short_transfer);
    finding.error_code = failure.error.value();
    finding.error_text = failure.error ? failure.error.message() : "";
    return finding;
}

const char* word_for(ums::IoOperation operation) { return operation == ums::IoOperation::write ? "write" : "read"; }

}  // namespace

bool is_about_volume(const std::error_code& error) {
    return error == std::errc::no_space_on_device || error == std::errc::no_such_device || error == std::errc::no_such_device_or_address ||
           error == std::errc::read_only_file_system || error == std::errc::file_too_large || error.value() == EDQUOT ||
           error.value() == ESTALE || error.value() == ESHUTDOWN;
}

bool is_about_machine(const std::error_code& error) {
    return error == std::errc::not_enough_memory || error == std::errc::resource_unavailable_try_again || error == std::errc::interrupted ||
           error == std::errc::no_buffer_space;
}

Finding place_of_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.is_write = request.operation == ums::IoOperation::write;
    finding.file_id = file_id;
    finding.path = file.path;
    finding.is_log = file.is_log;
    if (!file.is_log) finding.page_id = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    finding.offset_bytes = request.offset_bytes;
    finding.size_bytes = request.size_bytes;
    return finding;
}

Finding cured_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure) {
    Finding finding = make_finding(file_id, file, failure);
    finding.transient = true;
    finding.reads = 2;
    finding.description =
        fmt::format("A {} of {} bytes {}. It succeeded when tried again.", word_for(failure.operation), failure.size_bytes,
                    failure.error ? fmt::format("failed: {}", finding.error_text)
                                  : fmt::format("returned success after {} bytes", failure.transferred_bytes));
    return finding;
}

Finding lasting_failure(std::uint32_t file_id, const FileOptions& file, const TransferFailure& failure, std::uint32_t tries) {
    Finding finding = make_finding(file_id, file, failure);
    finding.reads = tries;
    finding.description = failure.error ? fmt::format("A {} of {} bytes failed{}: {}.", word_for(failure.operation), failure.size_bytes,
                                                      tries > 1 ? ", also when tried again" : "", finding.error_text)
                                        : fmt::format("A {} of {} bytes returned success after {} bytes.", word_for(failure.operation),
                                                      failure.size_bytes, failure.transferred_bytes);
    return finding;
}

Finding late_transfer(std::uint32_t file_id, const FileOptions& file, const ums::IoRequest& request) {
    Finding finding = place_of_transfer(file_id, file, request, FindingKind::stalled_io);
    finding.is_warning = finding.transient = true;
    finding.duration_us = request.duration_ns() / 1000;
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

std::string tried_again_message(const std::string& path, const TransferFailure& failure) {
    return fmt::format("{} of {} bytes at offset 0x{:x} of {} failed: {}. It is tried again.",
                       failure.operation == ums::IoOperation::read ? "Read" : "Write", failure.size_bytes, failure.offset_bytes, path,
                       failure.error ? failure.error.message() : fmt::format("only {} bytes came", failure.transferred_bytes));
}

std::string late_message(const std::string& path, const ums::IoRequest& request) {
    return fmt::format("I/O request took longer than {} seconds: {} of {} completed after {} ms.", kLongIoSeconds,
                       describe_request(request), path, request.duration_ns() / ums::kNsPerMs);
}

}  // namespace sim
