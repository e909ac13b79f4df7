#include "ums/io/engine_choice.hpp"

#include "ums/io/threads_engine.hpp"
#include "ums/io/uring_engine.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums {

std::unique_ptr<IoEngine> make_threads_engine(const EngineOptions& options) { return std::make_unique<ThreadsEngine>(options); }

std::unique_ptr<IoEngine> make_uring_engine(const EngineOptions& options, const UringSupport& support) {
    if (!support.is_usable()) throw UringRefusal(support.error, support.reason);
    return std::make_unique<UringEngine>(options, support);
}

std::unique_ptr<IoEngine> make_best_engine(const EngineOptions& options, const UringSupport& support, std::string& reason) {
    try {
        return make_uring_engine(options, support);
    } catch (const UringRefusal& refusal) {
        reason = "io_uring is not used because " + refusal.reason() + "; using a pool of threads";
        return make_threads_engine(options);
    }
}

}  // namespace ums
