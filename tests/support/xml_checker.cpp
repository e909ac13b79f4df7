#include "tests/support/xml_checker.hpp"

#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

namespace test {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == ':'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Checker {
public:
    explicit Checker(std::string_view document) : text_(document) {}

    void document() {
        if (text_.substr(0, 5) == "<?xml" && text_.size() > 5 && is_space(text_[5])) instruction(true);
        misc();
        if (at_end()) fail("no root element");
        element();
        misc();
        if (!at_end()) fail("something behind the root element");
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(what + " at byte " + std::to_string(place_)); }
    [[nodiscard]] bool at_end() const { return place_ == text_.size(); }
    [[nodiscard]] bool sees(std::string_view token) const { return text_.substr(place_, token.size()) == token; }
    [[nodiscard]] char peek() const {
        if (at_end()) fail("unexpected end");
        return text_[place_];
    }
    void take(std::string_view token) {
        if (!sees(token)) fail("expected '" + std::string(token) + "'");
        place_ += token.size();
    }
    bool spaces() {
        const std::size_t before = place_;
        while (!at_end() && is_space(text_[place_])) ++place_;
        return place_ > before;
    }
    std::string name() {
        if (!is_name_start(peek())) fail("expected a name");
        const std::size_t begin = place_;
        while (!at_end() && is_name(text_[place_])) ++place_;
        return std::string(text_.substr(begin, place_ - begin));
    }

    // Skips letters, digits and spaces in one step: they make up most of a document and are never markup.
    void plain_characters() {
        const char* at = text_.data() + place_;
        const char* const end = text_.data() + text_.size();
        while (at != end && ((*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || *at == ' ')) ++at;
        place_ = static_cast<std::size_t>(at - text_.data());
    }

    // At least one character that XML 1.0 allows.
    void character() {
        const auto lead = static_cast<std::uint8_t>(peek());
        const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (lead < 0x20 && !is_space(peek())) fail("control character");
        if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) fail("not UTF-8");
        std::uint32_t value = size == 1 ? lead : lead & (0xff >> (size + 1));
        for (std::size_t i = 1; i < size; ++i) {
            const auto byte = static_cast<std::uint8_t>(place_ + i < text_.size() ? text_[place_ + i] : 0);
            if ((byte & 0xc0) != 0x80) fail("not UTF-8");
            value = (value << 6) | (byte & 0x3f);
        }
        allowed(value);
        place_ += size;
        plain_characters();
    }
    void allowed(std::uint32_t value) const {
        const bool control = value < 0x20 && value != 9 && value != 10 && value != 13;
        const bool surrogate = value >= 0xd800 && value < 0xe000;
        if (control || surrogate || value == 0xfffe || value == 0xffff || value > 0x10ffff) fail("forbidden character");
    }
    void characters_until(std::string_view token) {
        while (!sees(token)) character();
        take(token);
    }

    void reference() {
        take("&");
        if (!sees("#")) {
            static const std::set<std::string> kKnown{"amp", "lt", "gt", "apos", "quot"};
            if (!kKnown.contains(name())) fail("unknown entity");
            return take(";");
        }
        take("#");
        const bool hexadecimal = sees("x");
        if (hexadecimal) take("x");
        const std::size_t end = text_.find(';', place_);
        if (end == std::string_view::npos || end == place_) fail("bad reference");
        std::size_t used = 0;
        const std::string digits(text_.substr(place_, end - place_));
        allowed(static_cast<std::uint32_t>(std::stoul(digits, &used, hexadecimal ? 16 : 10)));
        if (used != digits.size()) fail("bad reference");
        place_ = end + 1;
    }

    void instruction(bool declaration) {
        take("<?");
        const std::string target = name();
        if ((target == "xml") != declaration) fail("XML declaration in the wrong place");
        if (!sees("?>") && !spaces()) fail("expected a space");
        characters_until("?>");
    }
    void comment() {
        take("<!--");
        characters_until("--");
        take(">");
    }
    void misc() {
        for (;;) {
            spaces();
            if (sees("<?")) {
                instruction(false);
            } else if (sees("<!--")) {
                comment();
            } else {
                return;
            }
        }
    }

    void attributes() {
        std::set<std::string> names;
        for (;;) {
            const bool spaced = spaces();
            if (sees(">") || sees("/>")) return;
            if (!spaced) fail("expected a space");
            if (!names.insert(name()).second) fail("attribute twice");
            spaces();
            take("=");
            spaces();
            const char quote = peek();
            if (quote != '\'' && quote != '"') fail("expected a quote");
            ++place_;
            while (peek() != quote) {
                if (peek() == '<') fail("'<' in an attribute");
                peek() == '&' ? reference() : character();
            }
            ++place_;
        }
    }

    // Uses a list of open elements instead of recursion.
    void element() {
        std::vector<std::string> open;
        do {
            if (sees("</")) {
                take("</");
                if (name() != open.back()) fail("wrong closing tag");
                open.pop_back();
                spaces();
                take(">");
            } else if (sees("<?")) {
                instruction(false);
            } else if (sees("<!--")) {
                comment();
            } else if (sees("<")) {
                take("<");
                open.push_back(name());
                attributes();
                if (sees("/")) {
                    take("/");
                    open.pop_back();
                }
                take(">");
            } else if (sees("]]>")) {
                fail("']]>' in text");
            } else {
                if (open.empty()) fail("text outside of the root element");
                peek() == '&' ? reference() : character();
            }
        } while (!open.empty());
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

}  // namespace

std::string xml_error(std::string_view document) {
    try {
        Checker(document).document();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace test
