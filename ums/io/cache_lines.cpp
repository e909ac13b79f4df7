#include "ums/io/cache_lines.hpp"

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ums {

#if defined(__x86_64__)

namespace {

constexpr std::uintptr_t kLineBytes = 64;

// clflush takes no part in this order of preference: every x86-64 has it.
enum class LineInstruction : std::uint8_t { clwb, clflushopt, clflush };

LineInstruction find_line_instruction() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return LineInstruction::clflush;
    if ((b & bit_CLWB) != 0) return LineInstruction::clwb;
    return (b & bit_CLFLUSHOPT) != 0 ? LineInstruction::clflushopt : LineInstruction::clflush;
}

LineInstruction line_instruction() {
    static const LineInstruction instruction = find_line_instruction();
    return instruction;
}

// The instructions change nothing; two of them are declared as if they did.
__attribute__((target("clwb"))) void write_back_by_clwb(std::byte* line, const std::byte* end) {
    for (; line < end; line += kLineBytes) _mm_clwb(line);
}

__attribute__((target("clflushopt"))) void write_back_by_clflushopt(std::byte* line, const std::byte* end) {
    for (; line < end; line += kLineBytes) _mm_clflushopt(line);
}

void write_back_by_clflush(const std::byte* line, const std::byte* end) {
    for (; line < end; line += kLineBytes) _mm_clflush(line);
}

}  // namespace

std::string_view line_write_back_name() {
    switch (line_instruction()) {
        case LineInstruction::clwb: return "clwb";
        case LineInstruction::clflushopt: return "clflushopt";
        case LineInstruction::clflush: return "clflush";
    }
    return "";
}

void write_back_lines(const std::byte* data, std::size_t size_bytes) {
    const std::byte* const end = data + size_bytes;
    auto* const line = const_cast<std::byte*>(data) - reinterpret_cast<std::uintptr_t>(data) % kLineBytes;
    switch (line_instruction()) {
        case LineInstruction::clwb: return write_back_by_clwb(line, end);
        case LineInstruction::clflushopt: return write_back_by_clflushopt(line, end);
        case LineInstruction::clflush: return write_back_by_clflush(line, end);
    }
}

void drain_lines() { _mm_sfence(); }

#else

std::string_view line_write_back_name() { return ""; }
void write_back_lines(const std::byte*, std::size_t) {}
void drain_lines() {}

#endif

}  // namespace ums
