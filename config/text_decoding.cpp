#include "config/text_decoding.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "config/problems.hpp"
#include "ums/base/utf8.hpp"

namespace config {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";

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
                ums::append_utf8(out, unit);
                continue;
            }
            const std::uint32_t low = unit < 0xDC00 && position_ < bytes_.size() ? next_unit() : 0;
            if (low < 0xDC00 || low > 0xDFFF) broken(out, "half a surrogate pair");
            ums::append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
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

}  // namespace config
