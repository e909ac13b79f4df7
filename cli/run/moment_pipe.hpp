// `run --moments PIPE`: tells the reader when a power cut would do the most harm.
#pragma once

#include <string>

#include "sim/event.hpp"
#include "ums/base/named_pipe.hpp"

namespace cli {

// One character for each such moment. The reader is `ioproof powertest`, or a user's script.
inline constexpr char kCheckpointMoment = 'c';
inline constexpr char kFlushMoment = 'f';
inline constexpr char kGrowthMoment = 'g';

class MomentPipe final : public sim::EventSink {
public:
    // An empty path: reports nothing. Throws UsageError if it is not a pipe, or if the pipe has no reader.
    explicit MomentPipe(const std::string& path);

    void on_moment(sim::Moment moment) override;
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& /*finding*/) override {}

private:
    const bool is_open_;
    ums::PipeWriter pipe_;
};

}  // namespace cli
