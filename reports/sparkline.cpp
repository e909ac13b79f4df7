#include "reports/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace reports {

std::string sparkline(const std::deque<double>& values, std::size_t columns) {
    static constexpr std::array kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const auto begin = values.end() - static_cast<std::ptrdiff_t>(std::min(columns, values.size()));
    const double highest = begin == values.end() ? 0 : *std::max_element(begin, values.end());
    std::string line;
    for (auto value = begin; value != values.end(); ++value) {
        const double share = highest > 0 ? std::clamp(*value / highest, 0.0, 1.0) : 0;
        line += kBlocks[static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)))];
    }
    return line;
}

}  // namespace reports
