// A complete run as JSON: docs/results.schema.json. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/results.hpp"

namespace reports {

// Incremented when a reader of the old format would misunderstand the new one; additional fields do not change it.
inline constexpr int kResultsFormat = 1;

// What a run knows besides its results.
struct RunFacts {
    struct Section {
        std::string name;                                         // "CONFIG", "File1"
        std::vector<std::pair<std::string, std::string>> values;  // parameter, and its value as written in a file
    };
    std::string repeat_command;  // repeats the run with the same seed
    std::string log_path;
    std::vector<Section> configuration;
};

// All keys are always present, in the same order. Numbers above 2^53 that are not amounts (seed, run_id) are strings; only LSNs are
// integers, as format 1 has always had them: readers must not make floating point of them.
nlohmann::ordered_json results_document(const sim::Results& results, const RunFacts& facts);

// The document on one line, ending with '\n'. Bytes that are not UTF-8 (in paths) become U+FFFD.
std::string results_json(const sim::Results& results, const RunFacts& facts);

}  // namespace reports
