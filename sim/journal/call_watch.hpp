// Calls into the storage that no engine knows, such as opening a file or asking for its holes: nothing else notices that one of them does
// not return. Such a call may rightly take minutes (a sync writes whatever the system has cached), so this is never a finding.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "sim/results.hpp"

namespace sim {

class Journal;

class CallWatch {
public:
    explicit CallWatch(Journal& journal) : journal_(journal) {}

    // Warns of each call that takes longer than 15 seconds: once while it lasts, and once when it is over. To be called once a second, on a
    // thread that makes no such calls, and after the last one. If nobody has called it for much longer, the whole process has stood still
    // (SIGSTOP, a paused container or virtual machine): it warns of that, too, because what was outstanding then looks late.
    void look();
    // Around what may itself hold up the thread that calls look(), as writing to a file does: false before it, which looks once more, and
    // true after it. Such a pause is no standstill. On that thread.
    void expect_looks(bool are_expected);
    // Those that have taken longer so far. Any thread.
    [[nodiscard]] std::vector<Progress::Call> long_calls() const;

private:
    friend class WatchedCall;
    struct Call {
        const char* name;
        std::string path;
        std::uint64_t begun_ns;
        std::uint64_t ended_ns = 0;  // 0: not yet
        bool is_reported = false;
    };

    Journal& journal_;
    mutable std::mutex mutex_;  // guards what follows
    std::list<Call> calls_;
    std::uint64_t last_look_ns_ = 0;  // or since when looks are expected; 0: they are not
};

// A call that lasts as long as this object. `name`: what is done, for messages: "sync"; a literal. Any thread.
class WatchedCall {
public:
    WatchedCall(Journal& journal, const char* name, const std::string& path);
    WatchedCall(const WatchedCall&) = delete;
    WatchedCall& operator=(const WatchedCall&) = delete;
    ~WatchedCall();

private:
    CallWatch& watch_;
    std::list<CallWatch::Call>::iterator call_;
};

}  // namespace sim
