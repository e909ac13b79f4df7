#include "sim/verify/file_order.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace sim {

void warn_of_other_order(const FoundFiles& found, Journal& journal) {
    const auto is_elsewhere = [](const FoundFile& file) { return file.left.is_as_made() && file.left.id != file.place; };
    const auto first = std::find_if(found.files.begin(), found.files.end(), is_elsewhere);
    if (first == found.files.end()) return;
    const auto others = std::count_if(first + 1, found.files.end(), is_elsewhere);
    journal.warning(fmt::format(
        "{}: it is file {} of its run, but is named as file {}{}. The files are taken for what they are. If they are named in the "
        "order in which the run named them, something has exchanged names, folders or volumes since.",
        first->left.options.path, first->left.id, first->place,
        others == 0 ? std::string() : fmt::format(", and {} more likewise", others)));
}

}  // namespace sim
