// The values of --engine, for every command that has it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/options.hpp"

namespace cli {

struct EngineWord {
    std::string_view word;
    sim::EngineChoice choice;
};

inline constexpr std::array kEngineWords{
    EngineWord{"uring", sim::EngineChoice::uring},
    EngineWord{"threads", sim::EngineChoice::threads},
    EngineWord{"auto", sim::EngineChoice::automatic},
};
inline constexpr std::string_view kEngineWordsText = "uring, threads or auto";

constexpr std::optional<sim::EngineChoice> engine_named(std::string_view word) {
    for (const EngineWord& entry : kEngineWords) {
        if (entry.word == word) return entry.choice;
    }
    return std::nullopt;
}

}  // namespace cli
