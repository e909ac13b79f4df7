// One item that was checked before a run, and what it means for SQL Server. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

enum class PreflightGrade : std::uint8_t {
    ok,    // as it should be
    warn,  // works, but slower or less safely than it could, or makes measurements doubtful
    fail,  // SQL Server is not supported here, or what it relies on does not hold
};

struct PreflightLine {
    std::string folder{};  // as it was named
    std::string topic{};   // "file system", "mount options", …; the same in every version, because scripts look for them
    PreflightGrade grade = PreflightGrade::ok;
    std::string found{};   // what is there
    std::string reason{};  // why that is not good; empty for ok
    std::string source{};  // the document that says so; empty for ok if there is nothing to look up
    std::string remedy{};  // a command, or what to do; empty for ok
};

// "OK", "WARN", "FAIL".
std::string_view name_of(PreflightGrade grade);

}  // namespace sim
