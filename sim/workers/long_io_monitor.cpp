#include "sim/workers/long_io_monitor.hpp"

#include <utility>

#include "sim/files/overdue_request.hpp"
#include "sim/files/sim_file.hpp"

namespace sim {

ums::Task<void> watch_for_long_io(RunState& run, Journal& journal, ums::Event& stop) {
    return visit_overdue(stop, [&run, &journal](ums::IoRequest& request) {
        if (request.owner == nullptr) return;
        auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
        check_overdue(request, file.id(), file.options(), run, journal, [&file](Finding finding) { file.report(std::move(finding)); });
    });
}

}  // namespace sim
