#include "sim/bench/measure_answer.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/files/transfer_failure.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal) {
    const bool is_complete = request.operation == ums::IoOperation::sync ? !request.error : request.is_complete_transfer();
    if (is_complete && !is_late(request) && !is_interrupted(request)) return true;
    FileOptions named;
    named.path = file.path;
    if (is_late(request)) {
        journal.warning(late_message(file.path, request));
        if (!request.reported_lost) journal.report(late_transfer(file.id, named, request));
    }
    if (is_interrupted(request)) journal.report(interrupted_transfer(file.id, named, request));
    if (is_complete) return true;
    std::string reason = fmt::format("{}: a {} failed: {}.", file.path, describe_request(request),
                                     request.error ? ums::error_text(request.error) : "it came back short");
    if (request.error && !is_about_storage(request.error)) {
        run.stop(Outcome::not_done, std::move(reason));
        return false;
    }
    journal.report(persistent_failure(
        file.id, named, {request.operation, request.offset_bytes, request.size_bytes, request.error, request.transferred_bytes}, 1));
    run.stop(Outcome::failed, std::move(reason));
    return false;
}

}  // namespace sim
