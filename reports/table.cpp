#include "reports/table.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
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
    for (std::size_t i = columns_.size(); i-- > 0 && total > width;) {
        if (!columns_[i].wraps) continue;
        const std::size_t given = std::min(widths[i] - std::min(widths[i], widest_word(i)), total - width);
        widths[i] -= given;
        total -= given;
    }
    return widths;
}

// The least width of a column that wraps; its title stays on one line.
std::size_t Table::widest_word(std::size_t column) const {
    std::size_t widest = ums::display_width(columns_[column].title);
    for (const auto& row : rows_) {
        for (std::string_view rest = row[column]; !rest.empty();) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            widest = std::max(widest, ums::display_width(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return widest;
}

std::vector<std::string> Table::lines_of_cell(const std::string& cell, std::size_t column, std::size_t width) const {
    if (columns_[column].shrinks) return {keep_end(cell, width)};
    if (!columns_[column].wraps || ums::display_width(cell) <= width) return {cell};
    std::vector<std::string> lines;
    std::istringstream wrapped_cell(wrapped(cell, width, 0));
    for (std::string line; std::getline(wrapped_cell, line);) lines.push_back(line);
    return lines;
}

std::string Table::text(std::size_t width) const {
    const std::vector<std::size_t> widths = column_widths(width);
    std::string result;
    const auto add_row_of = [&](const auto& cell_of) {
        std::vector<std::vector<std::string>> cells;
        std::size_t height = 1;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            cells.push_back(lines_of_cell(cell_of(i), i, widths[i]));
            height = std::max(height, cells.back().size());
        }
        for (std::size_t k = 0; k < height; ++k) {
            std::string line;
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                const std::string cell = k < cells[i].size() ? cells[i][k] : std::string();
                line.append(kGap, ' ');
                line += columns_[i].align == Align::left ? pad_right(cell, widths[i]) : pad_left(cell, widths[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            result += line + '\n';
        }
    };
    add_row_of([&](std::size_t i) { return columns_[i].title; });
    for (const auto& row : rows_) add_row_of([&](std::size_t i) { return row[i]; });
    return result;
}

}  // namespace reports
