#include "config/text_decoding.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "config/config_error.hpp"

namespace config {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";

void append_utf8(std::string& out, std::uint32_t code) {
    const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | (code >> 6));
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        add(0x80 | ((code >> 6) & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3F));
        add(0x80 | ((code >> 6) & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

class Utf16Decoder {
public:
    Utf16Decoder(std::string_view bytes, bool big_endian, const std::string& file_name)
        : bytes_(bytes), big_endian_(big_endian), file_name_(file_name) {}

    std::string decode() {
        std::string out;
        if (bytes_.size() % 2 != 0) broken(out, "an odd number of bytes");
        while (position_ < bytes_.size()) {
            const std::uint32_t unit = next_unit();
            if (unit < 0xD800 || unit > 0xDFFF) {
                append_utf8(out, unit);
                continue;
            }
            const std::uint32_t low = unit < 0xDC00 && position_ < bytes_.size() ? next_unit() : 0;
            if (low < 0xDC00 || low > 0xDFFF) broken(out, "half a surrogate pair");
            append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        }
        return out;
    }

private:
    std::uint32_t next_unit() {
        const auto first = static_cast<unsigned char>(bytes_[position_]);
        const auto second = static_cast<unsigned char>(bytes_[position_ + 1]);
        position_ += 2;
        return big_endian_ ? std::uint32_t{first} << 8 | second : std::uint32_t{second} << 8 | first;
    }

    [[noreturn]] void broken(const std::string& out, std::string_view what) const {
        const auto line = std::count(out.begin(), out.end(), '\n') + 1;
        throw ConfigError(fmt::format("{}:{}: broken UTF-16 text ({}); save the file as UTF-8", file_name_, line, what));
    }

    std::string_view bytes_;
    bool big_endian_;
    const std::string& file_name_;
    std::size_t position_ = 0;
};

}  // namespace

std::string decode_text(std::string_view bytes, const std::string& file_name) {
    std::string text;
    if (bytes.starts_with(kUtf16LittleMark)) {
        text = Utf16Decoder(bytes.substr(kUtf16LittleMark.size()), false, file_name).decode();
    } else if (bytes.starts_with(kUtf16BigMark)) {
        text = Utf16Decoder(bytes.substr(kUtf16BigMark.size()), true, file_name).decode();
    } else {
        text = bytes.starts_with(kUtf8Mark) ? bytes.substr(kUtf8Mark.size()) : bytes;
    }
    const std::size_t zero = text.find('\0');
    if (zero != std::string::npos) {
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n') + 1;
        throw ConfigError(
            fmt::format("{}:{}: not a text file (zero byte); UTF-16 needs a byte order mark, or save the file as UTF-8", file_name, line));
    }
    return text;
}

bool is_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80                   ? 1
                                   : lead >= 0xC2 && lead < 0xE0 ? 2
                                   : lead >= 0xE0 && lead < 0xF0 ? 3
                                   : lead >= 0xF0 && lead < 0xF5 ? 4
                                                                 : 0;
        if (length == 0 || i + length > text.size()) return false;
        std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xC0) != 0x80) return false;
            code = code << 6 | (byte & 0x3F);
        }
        if (length == 3 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) return false;
        if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return false;
        i += length;
    }
    return true;
}

}  // namespace config
