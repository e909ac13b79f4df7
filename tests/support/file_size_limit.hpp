// Simulates a full disk for the files of this process.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

#include "tests/support/catch.hpp"

namespace test {

// No file of this process can grow beyond the limit.
class FileSizeLimit {
public:
    explicit FileSizeLimit(std::uint64_t size_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{.rlim_cur = size_bytes, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit before_{};
};

}  // namespace test
