#include "config/toml_masking.hpp"

#include "ums/base/assert.hpp"
#include "ums/base/utf8.hpp"

namespace config {

namespace {

constexpr std::uint32_t kNonAsciiMin = 0x80;
constexpr std::uint32_t kPlaneMax = 0xFFFF;
constexpr std::uint32_t kMask = 0x100000;
constexpr std::string_view kRefusedEscape = "\\U0010";

}  // namespace

std::string mask_for_toml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto code = ums::take_code_point(text);
        UMS_ASSERT(code && *code < kMask);
        ums::append_utf8(out, *code >= kNonAsciiMin && *code <= kPlaneMax ? *code + kMask : *code);
    }
    return out;
}

std::string unmask_from_toml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto code = ums::take_code_point(text);
        if (!code) {
            // Messages may quote an incomplete character.
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        ums::append_utf8(out, *code >= kMask + kNonAsciiMin ? *code - kMask : *code);
    }
    return out;
}

bool can_be_masked(std::string_view text) {
    if (text.find(kRefusedEscape) != std::string_view::npos) return false;
    while (!text.empty()) {
        const auto code = ums::take_code_point(text);
        if (!code || *code >= kMask) return false;
    }
    return true;
}

}  // namespace config
