// A table for a terminal: columns as wide as their content, numbers to the right, names to the left. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reports {

class Table {
public:
    enum class Align { left, right };
    struct Column {
        std::string title;
        Align align = Align::right;
        // Shrinks if the table would be too wide, and keeps the ends of its texts: for paths.
        bool shrinks = false;
        // If that is not enough, continues at spaces on further lines, below itself: for what must not be cut.
        bool wraps = false;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text for each column.
    void add_row(std::vector<std::string> cells);

    // The titles and all rows, each line ending with '\n', at most `width` columns if the columns that shrink or wrap can give enough. A
    // row is one line unless it wraps.
    [[nodiscard]] std::string text(std::size_t width) const;

private:
    [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t width) const;
    [[nodiscard]] std::size_t widest_word(std::size_t column) const;
    [[nodiscard]] std::vector<std::string> lines_of_cell(const std::string& cell, std::size_t column, std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace reports
