#include "reports/xml_tail.hpp"

#include "ums/base/assert.hpp"

namespace reports {

namespace {

// The smallest unit in which kernels copy; larger pages are multiples of it.
constexpr std::uint64_t kCopyBytes = 4096;

constexpr std::string_view kComment = "<!-- -->";
constexpr std::uint64_t kSwitchInComment = 5;  // the '-' that becomes a space
// Begins an instruction, or ends the comment before it, whichever the reader is in.
constexpr std::string_view kPieceBegin = "<?next -->";
// Ends the instruction of a piece that is not the last, and begins a comment that extends to the next piece.
constexpr std::string_view kPieceEnd = "<!-- ?>\n";
constexpr std::string_view kLastEnd = "<?next ?>\n";

// The end of the longest prefix of `element`, of at most `size_max` bytes, that ends between tags and outside of an entity; if there is
// none, the first such end after `size_max`.
std::size_t cut_of(std::string_view element, std::size_t size_max) {
    std::size_t cut = 0;
    bool in_tag = false;
    bool in_entity = false;
    for (std::size_t i = 0; i < element.size() && (i < size_max || cut == 0); ++i) {
        const char c = element[i];
        in_tag = c == '<' || (in_tag && c != '>');
        in_entity = c == '&' || (in_entity && c != ';');
        if (!in_tag && !in_entity) cut = i + 1;
    }
    return cut == 0 ? element.size() : cut;
}

}  // namespace

XmlTail::XmlTail(TailFile& file, std::string_view root)
    : file_(file), opening_tag_("<" + std::string(root) + ">\n"), closing_(std::string(kComment) + "</" + std::string(root) + ">") {}

std::error_code XmlTail::start(std::string_view prolog) {
    const std::string head = std::string(prolog) + opening_tag_;
    const std::string document = head + closing_ + "\n";
    UMS_ASSERT(document.size() < kCopyBytes);
    if (const auto error = file_.write_at(0, document)) return error;
    switch_at_bytes_ = head.size() + kSwitchInComment;
    size_bytes_ = document.size();
    return {};
}

std::error_code XmlTail::append(std::string_view element) {
    const std::uint64_t size_before_bytes = size_bytes_;
    std::string begin = std::string(kPieceBegin) + "\n";
    const std::size_t piece_max = kCopyBytes - begin.size() - closing_.size() - kLastEnd.size();
    std::error_code error;
    while (!error && element.size() > piece_max) {
        const std::size_t cut = cut_of(element, piece_max);
        if (cut == element.size()) break;
        error = add(begin + std::string(element.substr(0, cut)) + std::string(kPieceEnd));
        begin = kPieceBegin;
        element.remove_prefix(cut);
    }
    if (!error) error = add(begin + std::string(element) + closing_ + std::string(kLastEnd));
    if (!error) error = file_.write_at(switch_at_bytes_, " ");
    if (error) {
        // The caller already gets an error; another one changes nothing.
        static_cast<void>(file_.truncate(size_before_bytes));
        size_bytes_ = size_before_bytes;
        return error;
    }
    switch_at_bytes_ = size_bytes_ - kLastEnd.size() - closing_.size() + kSwitchInComment;
    return {};
}

std::error_code XmlTail::add(const std::string& bytes) {
    const std::uint64_t room_bytes = kCopyBytes - size_bytes_ % kCopyBytes;
    const std::string spaces(bytes.size() <= room_bytes ? 0 : room_bytes, ' ');
    if (const auto error = file_.write_at(size_bytes_, spaces + bytes)) return error;
    size_bytes_ += spaces.size() + bytes.size();
    return {};
}

}  // namespace reports
