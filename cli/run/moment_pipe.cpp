#include "cli/run/moment_pipe.hpp"

#include <system_error>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {

MomentPipe::MomentPipe(const std::string& path) : is_open_(!path.empty()) {
    if (!is_open_) return;
    const std::error_code error = ums::PipeWriter::open(path, pipe_);
    if (!error) return;
    throw UsageError(fmt::format("--moments {}: {}; allowed is a pipe (mkfifo) that has a reader", path,
                                 error == std::errc::no_such_device_or_address ? "it has no reader"
                                 : error == std::errc::not_a_stream            ? "is not a pipe"
                                                                               : ums::error_text(error)));
}

void MomentPipe::on_moment(sim::Moment moment) {
    if (!is_open_) return;
    switch (moment) {
        case sim::Moment::checkpoint: return pipe_.put(kCheckpointMoment);
        case sim::Moment::log_flush: return pipe_.put(kFlushMoment);
        case sim::Moment::growth: return pipe_.put(kGrowthMoment);
    }
}

}  // namespace cli
