#include "cli/diskspd/xml_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ums/base/utf8.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::uint32_t kXmlDepthMax = 32;
constexpr std::string_view kXmlBlanks = " \t\r\n";

class XmlReader {
public:
    explicit XmlReader(std::string_view document) : document_(document), rest_(document) {}

    XmlElement read() {
        skip_misc();
        if (!rest_.starts_with('<')) fail("no element begins here");
        XmlElement root = element(0);
        skip_misc();
        if (!rest_.empty()) fail("something follows the end of the document's element");
        return root;
    }

private:
    // Each element asks for it, so only what has been read since the last time is counted.
    [[nodiscard]] std::uint32_t line() const {
        const std::string_view read = document_.substr(0, document_.size() - rest_.size());
        line_ += static_cast<std::uint32_t>(std::count(read.begin() + static_cast<std::ptrdiff_t>(counted_), read.end(), '\n'));
        counted_ = read.size();
        return line_;
    }
    [[noreturn]] void fail(std::string_view what) const { throw XmlError(fmt::format("line {}: {}", line(), what)); }

    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kXmlBlanks), rest_.size())); }
    // Returns what precedes `end`, and consumes both.
    std::string_view take_until(std::string_view end, std::string_view what) {
        const std::size_t place = rest_.find(end);
        if (place == std::string_view::npos) fail(fmt::format("{} has no end", what));
        const std::string_view inside = rest_.substr(0, place);
        rest_.remove_prefix(place + end.size());
        return inside;
    }
    bool skip_comment() {
        if (take("<!--")) {
            take_until("-->", "a comment");
        } else if (take("<?")) {
            take_until("?>", "an instruction");
        } else {
            return false;
        }
        return true;
    }
    void skip_misc() {
        do {
            skip_blanks();
        } while (skip_comment());
        if (rest_.starts_with("<!DOCTYPE")) fail("a document type is not allowed");
    }

    std::string name() {
        const std::size_t size = std::min(rest_.find_first_of(" \t\r\n=/><\"'&"), rest_.size());
        if (size == 0) fail("a name is missing");
        const std::string_view whole = rest_.substr(0, size);
        rest_.remove_prefix(size);
        const std::size_t colon = whole.find(':');
        return std::string(colon == std::string_view::npos ? whole : whole.substr(colon + 1));
    }

    std::string unescaped(std::string_view text) const {
        std::string result;
        while (!text.empty()) {
            const std::size_t place = std::min(text.find('&'), text.size());
            result += text.substr(0, place);
            text.remove_prefix(place);
            if (text.empty()) break;
            const std::size_t end = text.find(';');
            if (end == std::string_view::npos) fail("'&' begins a reference that has no ';'");
            append_reference(result, text.substr(1, end - 1));
            text.remove_prefix(end + 1);
        }
        return result;
    }

    void append_reference(std::string& result, std::string_view reference) const {
        constexpr std::pair<std::string_view, char> kEntities[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
        for (const auto& [entity, character] : kEntities) {
            if (reference != entity) continue;
            result += character;
            return;
        }
        const bool is_hex = reference.starts_with("#x");
        const std::string_view digits = reference.substr(std::min<std::size_t>(is_hex ? 2 : 1, reference.size()));
        const auto code = ums::whole_number<std::uint32_t>(digits, is_hex ? 16 : 10);
        if (!reference.starts_with('#') || !code || *code == 0 || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)) {
            fail(fmt::format("&{}; is not known", reference));
        }
        ums::append_utf8(result, *code);
    }

    void attributes(XmlElement& element) {
        while (true) {
            skip_blanks();
            if (rest_.empty()) fail("an element has no end");
            if (rest_.front() == '>' || rest_.front() == '/') return;
            std::string key = name();
            skip_blanks();
            if (!take("=")) fail("'=' is missing after an attribute");
            skip_blanks();
            const std::string_view quote = rest_.substr(0, 1);
            if (quote != "\"" && quote != "'") fail("an attribute's value has no quotes");
            rest_.remove_prefix(1);
            element.attributes.emplace_back(std::move(key), unescaped(take_until(quote, "an attribute's value")));
        }
    }

    XmlElement element(std::uint32_t depth) {
        if (depth == kXmlDepthMax) fail("elements are nested too deeply");
        XmlElement element;
        element.line = line();
        rest_.remove_prefix(1);
        element.name = name();
        attributes(element);
        if (take("/>")) return element;
        if (!take(">")) fail("'>' is missing");
        content(element, depth);
        return element;
    }

    void content(XmlElement& element, std::uint32_t depth) {
        while (true) {
            const std::size_t place = rest_.find('<');
            if (place == std::string_view::npos) fail(fmt::format("</{}> is missing", element.name));
            element.text += unescaped(rest_.substr(0, place));
            rest_.remove_prefix(place);
            if (take("</")) {
                if (name() != element.name)
                    fail(fmt::format("</{}> is missing; the element begins in line {}", element.name, element.line));
                skip_blanks();
                if (!take(">")) fail("'>' is missing");
                break;
            }
            if (take("<![CDATA[")) {
                element.text += take_until("]]>", "CDATA");
            } else if (!skip_comment()) {
                element.children.push_back(this->element(depth + 1));
            }
        }
        const std::size_t first = std::min(element.text.find_first_not_of(kXmlBlanks), element.text.size());
        const std::size_t last = element.text.find_last_not_of(kXmlBlanks);
        element.text = last == std::string::npos ? "" : element.text.substr(first, last - first + 1);
    }

    const std::string_view document_;
    std::string_view rest_;
    mutable std::size_t counted_ = 0;  // up to here line() has counted
    mutable std::uint32_t line_ = 1;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
    const auto found = std::find_if(children.begin(), children.end(), [&](const XmlElement& entry) { return entry.name == child_name; });
    return found == children.end() ? nullptr : &*found;
}

const std::string* XmlElement::attribute(std::string_view attribute) const {
    const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) { return entry.first == attribute; });
    return found == attributes.end() ? nullptr : &found->second;
}

XmlElement read_xml(std::string_view document) { return XmlReader(document).read(); }

}  // namespace cli
