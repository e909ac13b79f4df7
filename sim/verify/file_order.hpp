// Files that have other numbers in their run than in the configuration. They are verified as what they are, because the user may have named
// them in another order than the run did. If not, something has exchanged names, folders or volumes.
#pragma once

#include "sim/journal/journal.hpp"
#include "sim/verify/left_files.hpp"

namespace sim {

// Warns if there are any. Files that do not say their numbers do not count.
void warn_of_other_order(const FoundFiles& found, Journal& journal);

}  // namespace sim
