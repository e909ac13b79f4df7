#include "tests/ums/io/engines.hpp"

#include <liburing.h>

#include "ums/io/engine_choice.hpp"
#include "ums/io/mapped_engine.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums::testing {

namespace {

EngineVariant uring_variant(std::string name, UringSupport support) {
    return {std::move(name), [support](const EngineOptions& options) { return make_uring_engine(options, support); }};
}

}  // namespace

bool has_uring() { return probe_uring().is_usable(); }

std::vector<EngineVariant> engine_variants() {
    std::vector<EngineVariant> variants{{"threads", make_threads_engine}};
    variants.push_back({"threads, and views", [](const EngineOptions& options) -> std::unique_ptr<IoEngine> {
                            return std::make_unique<MappedEngine>(make_threads_engine(options));
                        }});
    UringSupport support = probe_uring();
    if (!support.is_usable()) {
        WARN("io_uring is not tested because " << support.reason);
        return variants;
    }
    variants.push_back(uring_variant("uring", support));
    if (support.setup_flags == 0) return variants;
    support.has_truncate = false;
    support.setup_flags = 0;
    variants.push_back(uring_variant("uring as on Linux 5.11", support));
    support.setup_flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    variants.push_back(uring_variant("uring as on Linux 5.19", support));
    return variants;
}

void collect(IoEngine& engine, std::uint32_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    IoRequestList finished;
    for (;;) {
        engine.poll(finished);
        while (finished.pop_front() != nullptr) --count;
        if (count == 0) return;
        if (std::chrono::steady_clock::now() > deadline) FAIL("requests did not come back");
        engine.wait(100 * kNsPerMs);
    }
}

void finish(IoEngine& engine, IoRequest& request) {
    engine.submit(request);
    collect(engine, 1);
}

IoRequest make_request(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    IoRequest request;
    request.operation = operation;
    request.file = file;
    request.offset_bytes = offset_bytes;
    request.size_bytes = size_bytes;
    return request;
}

IoRequest make_request(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, const std::vector<IoSegment>& segments) {
    std::uint64_t size_bytes = 0;
    for (const IoSegment& segment : segments) size_bytes += segment.size_bytes;
    IoRequest request = make_request(operation, file, offset_bytes, size_bytes);
    request.segments = segments.data();
    request.segment_count = static_cast<std::uint32_t>(segments.size());
    return request;
}

}  // namespace ums::testing
