// A finding in a few words, from its typed facts. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sim/finding.hpp"

namespace reports {

// What was wrong, without kind, file and page: "version 3 came back, 5 was written". At most about 40 columns unless the system's
// own error text is longer.
std::string finding_detail(const sim::Finding& finding);

// Where in its file: "page 17 (offset 0x22000)"; in a log "offset 0x22000".
std::string finding_place(const sim::Finding& finding);

// A complete sentence: the finding's own description, otherwise one made from kind and detail.
std::string finding_sentence(const sim::Finding& finding);

// What each kind of finding means and what to do about it, in words.
struct KindText {
    std::string meaning;      // what happened, and what it would do to a database
    std::string_view advice;  // where to look and what to do
};

KindText kind_text(sim::FindingKind kind);

// The same for a finding: in a backup's files some kinds mean something else.
KindText kind_text(const sim::Finding& finding);

// "persistent" or "transient".
std::string_view persistence_text(bool transient);

}  // namespace reports
