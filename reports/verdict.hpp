// What a run says about the storage, in sentences, the same for the terminal, the XML log, JSON and HTML. guidance.cpp has the wording.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/guidance.hpp"
#include "sim/results.hpp"

namespace reports {

enum class Judgement {
    pass,        // ran to the end, pages were verified, nothing was wrong
    fail,        // at least one finding, or a limit of --fail-on exceeded
    incomplete,  // stopped, broken off, or nothing was verified: proves nothing
};

// "PASS", "FAIL", "INCOMPLETE"
std::string_view name_of(Judgement judgement);

struct Remark {
    std::string id;  // in the table of guidance; "kind:lost_write" for a kind of finding, "group:zombie_owner" if its group explains it
    Grade grade = Grade::good;
    std::string text;    // one or two sentences
    std::string next;    // what to look at next; may be empty
    std::string source;  // may be empty
};

struct FileVerdict {
    std::string path;
    Grade grade = Grade::good;  // the worst of its remarks
    Grade speed = Grade::good;  // the same without findings
    std::vector<Remark> remarks;
};

struct Verdict {
    Judgement judgement = Judgement::incomplete;
    std::vector<Remark> reasons;  // never empty; the first is the headline
    std::vector<FileVerdict> files;
};

Verdict verdict_of(const sim::Results& results);

// "PASS: …": the judgement, its reasons, and what to do next, at most `columns` wide.
std::string verdict_text(const Verdict& verdict, std::size_t columns);

// What the figures of each file mean, at most `columns` wide; empty if nothing can be said of any.
std::string file_verdicts_text(const Verdict& verdict, std::size_t columns);

// The average duration of a file's main requests: flushes of a log, all requests of a data file. 0 without requests.
double average_latency_ms(const sim::FileResult& file);

// What the guidance judges: the median of single 8 KB reads of a data file, of flushes of a log. Bursts of checkpoints and of the initial
// update, and reads of 512 KB, do not count: the guidance does not cover them. 0 with fewer than kJudgedRequestsMin such requests.
double rated_latency_ms(const sim::FileResult& file);

}  // namespace reports
