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
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text for each column.
    void add_row(std::vector<std::string> cells);

    // The titles and all rows, one line each, ending with '\n', at most `width` columns if the shrinking column can give enough.
    [[nodiscard]] std::string text(std::size_t width) const;

private:
    [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace reports
