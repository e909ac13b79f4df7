// What each kind of finding means and what to do about it, in words. Pure.
#pragma once

#include <string_view>

#include "sim/finding.hpp"

namespace reports {

struct KindText {
    std::string_view meaning;  // what happened, and what it would do to a database
    std::string_view advice;   // where to look and what to do
};

KindText kind_text(sim::FindingKind kind);

// "persistent" or "transient".
std::string_view persistence_text(bool transient);

}  // namespace reports
