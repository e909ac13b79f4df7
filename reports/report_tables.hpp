// The tables of the text report. Pure; each is a block of whole lines, empty if there is nothing to say.
#pragma once

#include <string>

#include "sim/results.hpp"

namespace reports {

// Cycles of the same phase are summed up.
std::string phases_table(const sim::Results& results);
std::string users_table(const sim::Results& results);
// One line for each file, with what is known about it at the end.
std::string files_table(const sim::Results& results);
// What a reader should look at although no data was wrong: slow files, requests over 15 s, repeated writes.
std::string attention_text(const sim::Results& results);
// Without the waits of tasks that have nothing to do; longest total first.
std::string waits_table(const sim::Results& results);
std::string schedulers_table(const sim::Results& results);
// Neighbouring pages of a file with the same kind of finding share a line. Warnings are not in it.
std::string findings_table(const sim::Results& results);

}  // namespace reports
