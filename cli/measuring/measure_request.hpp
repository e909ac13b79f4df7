// A measurement as users request it by readable switches, in `ioproof bench` with any of them and in `ioproof sweep`. Translated into a
// sim::MeasureSpec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/measuring/measure_presets.hpp"
#include "cli/words/switch_words.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// A class of work and its share of the requests.
struct MixPart {
    const MeasurePreset* preset = nullptr;
    std::uint32_t share = 1;
};

// Values that were not requested come from the preset, or from the defaults of sim::MeasureTarget.
struct MeasureRequest {
    std::vector<std::string> files;
    const MeasurePreset* preset = nullptr;
    std::vector<MixPart> mix;

    std::uint32_t threads = 1;  // of each target, with `depth` requests altogether
    std::optional<std::uint32_t> depth;
    std::optional<std::uint32_t> block_bytes;
    std::optional<std::uint32_t> block_bytes_min;
    std::optional<sim::MeasureAccess> access;
    std::optional<std::uint32_t> random_percent;
    std::optional<std::uint32_t> write_percent;
    std::optional<sim::MeasureContents> contents;
    std::optional<std::uint64_t> align_bytes;
    std::vector<sim::MeasureSpan> spans;
    std::uint32_t compressible_percent = 0;
    std::uint32_t duplicate_percent = 0;
    std::uint64_t base_bytes = 0;
    std::uint64_t end_bytes = 0;
    double rate_per_s = 0;  // of all threads of a target together; 0 = as fast as possible
    double rate_bytes_per_s = 0;
    std::uint32_t burst = 0;
    std::uint32_t think_ms = 0;
    std::uint32_t flush_every = 0;
    bool durable = false;
    bool scatter = false;
    bool direct = true;
    bool mapped = false;
    bool may_overwrite = false;
    std::uint64_t size_bytes = 0;

    std::uint32_t warm_up_s = 0;
    std::uint32_t seconds = 5;
    std::uint32_t cool_down_s = 0;
    std::uint32_t cpus = 0;
    std::vector<std::uint32_t> affinity;
    std::uint64_t seed = 0;
    std::uint32_t interval_ms = 1000;
    sim::EngineChoice engine = sim::EngineChoice::automatic;
    bool verify = true;
};

// The switches that only such measurements have. The others are bench's: pattern, op, block, depth, cpus, seconds, size, verify, durable,
// scatter, buffered, engine, seed.
[[nodiscard]] Switches measure_switches();

// Applies `words` to `request`, and leaves switches that it does not know to the caller. Throws UsageError.
void apply_measure_words(const SwitchWords& words, MeasureRequest& request);

// Threads of all targets together.
[[nodiscard]] std::uint64_t measure_thread_count(const sim::MeasureTimespan& timespan);

// Throws UsageError if --cpus asks for CPUs on which no thread would run.
void refuse_idle_cpus(std::uint32_t cpus, std::uint64_t threads);

// Throws UsageError if the request cannot be measured.
[[nodiscard]] sim::MeasureSpec measure_spec_of(const MeasureRequest& request);

}  // namespace cli
