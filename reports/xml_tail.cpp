#include "reports/xml_tail.hpp"

#include <algorithm>

#include "ums/base/assert.hpp"

namespace reports {

namespace {

// The smallest unit in which kernels copy; larger pages consist of whole ones.
constexpr std::uint64_t kPageBytes = 4096;
// A whole instruction at its end; cut off by one letter, its beginning.
constexpr std::string_view kInstruction = "<?end?>\n";
constexpr std::string_view kInstructionBegin = "<?end ";

bool within_page(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return offset_bytes / kPageBytes == (offset_bytes + size_bytes - 1) / kPageBytes;
}

std::string spaces(std::uint64_t count) { return std::string(count, ' '); }

}  // namespace

XmlTail::XmlTail(TailFile& file, std::string_view root)
    : file_(file),
      opening_tag_("<" + std::string(root) + ">\n"),
      closing_tag_("</" + std::string(root) + ">"),
      reserve_bytes_(closing_tag_.size() + kInstruction.size()) {}

std::error_code XmlTail::start(std::string_view prolog, std::uint64_t old_size_bytes) {
    const std::string head = std::string(prolog) + opening_tag_;
    UMS_ASSERT(within_page(0, head.size() + reserve_bytes_));
    position_bytes_ = head.size();
    const std::string document = head + closing_tag_ + "\n";
    if (old_size_bytes <= kPageBytes) {
        // What is left of an old document within the page becomes space in the same write.
        const std::uint64_t rest = old_size_bytes - std::min<std::uint64_t>(old_size_bytes, document.size());
        if (const auto error = file_.write_at(0, document + spaces(rest))) return error;
        return file_.truncate(document.size());
    }
    // The rest of an old document is hidden in an instruction until it is cut off. No room for the end of that instruction is no reason to
    // give up: the replacement frees it.
    const bool fits = within_page(old_size_bytes, kInstruction.size());
    const std::uint64_t to_next_page = fits ? 0 : kPageBytes - old_size_bytes % kPageBytes;
    static_cast<void>(file_.write_at(old_size_bytes, spaces(to_next_page) + std::string(kInstruction)));
    if (const auto error = file_.write_at(0, head + closing_tag_ + std::string(kInstructionBegin))) return error;
    if (const auto error = file_.truncate(head.size() + closing_tag_.size())) return error;
    return file_.write_at(position_bytes_, closing_tag_ + "\n");
}

std::error_code XmlTail::append(std::string_view element) {
    const bool fits = within_page(position_bytes_, element.size() + reserve_bytes_);
    const std::error_code error = fits ? append_within_page(element) : append_across_pages(element);
    if (error) recover();
    return error;
}

std::error_code XmlTail::append_within_page(std::string_view element) {
    // Everything that may follow the old closing tag has to be covered.
    const std::uint64_t filling = element.size() < kInstruction.size() ? kInstruction.size() - element.size() : 0;
    const std::string bytes = std::string(element) + closing_tag_ + spaces(filling) + "\n";
    if (const auto error = file_.write_at(position_bytes_, bytes)) return error;
    position_bytes_ += element.size();
    return {};
}

std::error_code XmlTail::append_across_pages(std::string_view element) {
    const std::uint64_t hidden_from = position_bytes_ + closing_tag_.size();
    const std::uint64_t element_at = hidden_from + kInstructionBegin.size();
    const std::uint64_t element_end = element_at + element.size();
    const std::uint64_t closing_at = within_page(element_end, reserve_bytes_) ? element_end : (element_end / kPageBytes + 1) * kPageBytes;
    const std::uint64_t hidden_to = closing_at + closing_tag_.size();

    if (const auto error = file_.write_at(hidden_from, spaces(hidden_to - hidden_from) + std::string(kInstruction))) return error;
    if (const auto error = file_.write_at(hidden_from, kInstructionBegin)) return error;
    if (const auto error = file_.write_at(element_at, std::string(element) + spaces(closing_at - element_end) + closing_tag_)) return error;
    if (const auto error = file_.write_at(position_bytes_, spaces(element_at - position_bytes_))) return error;
    position_bytes_ = closing_at;
    return {};
}

void XmlTail::recover() {
    // Every state of append_across_pages is well-formed when cut off behind the old closing tag. Where only a part of a page arrived, the
    // second step puts the tag back. Errors of these two change nothing for the caller, who has one already.
    static_cast<void>(file_.truncate(position_bytes_ + closing_tag_.size()));
    static_cast<void>(file_.write_at(position_bytes_, closing_tag_ + "\n"));
}

}  // namespace reports
