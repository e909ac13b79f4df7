// Whether a reader names the files of the owner, by the same numbers: pages are known by the number of their file, which is its place in
// the configuration. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/promises/promise_record.hpp"

namespace sim {

// What differs, in one sentence; empty if nothing does, or cannot be seen, because the owner's paths are others: each host may have mounted
// the files elsewhere. `of_owner`: as in a section; logs do not count, because readers leave them alone. Empty: they are not known yet.
[[nodiscard]] std::string difference_of_files(const std::vector<PromisedFile>& of_owner, const std::vector<PromisedFile>& of_reader);

}  // namespace sim
