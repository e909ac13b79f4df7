#include "reports/table.hpp"

#include <algorithm>
#include <utility>

#include "reports/text.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/text_wrap.hpp"

namespace reports {

namespace {

constexpr std::size_t kGap = 2;
// A shrinking column stays readable: "...sqliosim.mdx".
constexpr std::size_t kShrunkWidthMin = 15;

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
    UMS_ASSERT(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::column_widths(std::size_t width) const {
    std::vector<std::size_t> widths;
    std::size_t total = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = ums::display_width(columns_[i].title);
        for (const auto& row : rows_) widest = std::max(widest, ums::display_width(row[i]));
        widths.push_back(widest);
        total += kGap + widest;
    }
    for (std::size_t i = 0; i < columns_.size() && total > width; ++i) {
        if (!columns_[i].shrinks) continue;
        const std::size_t spare = widths[i] - std::min(widths[i], std::max(kShrunkWidthMin, ums::display_width(columns_[i].title)));
        const std::size_t given = std::min(spare, total - width);
        widths[i] -= given;
        total -= given;
    }
    return widths;
}

std::string Table::text(std::size_t width) const {
    const std::vector<std::size_t> widths = column_widths(width);
    std::string result;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string cell = columns_[i].shrinks ? keep_end(cell_of(i), widths[i]) : cell_of(i);
            line.append(kGap, ' ');
            line += columns_[i].align == Align::left ? pad_right(cell, widths[i]) : pad_left(cell, widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + '\n';
    };
    add_line([&](std::size_t i) { return columns_[i].title; });
    for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
    return result;
}

}  // namespace reports
