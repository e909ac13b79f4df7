#include "sim/workers/long_io_monitor.hpp"

#include <utility>

#include "sim/files/overdue_request.hpp"

namespace sim {

ums::Task<void> watch_for_long_io(RunContext& context, ums::Event& stop) {
    return visit_overdue(stop, [&context](ums::IoRequest& request) {
        if (request.owner == nullptr) return;
        auto& file = *static_cast<SimFile*>(const_cast<void*>(request.owner));
        judge_overdue(request, file.id(), file.options(), context.run, context.journal,
                      [&file](Finding finding) { file.report(std::move(finding)); });
    });
}

}  // namespace sim
