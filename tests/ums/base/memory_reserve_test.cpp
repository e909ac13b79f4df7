#include "ums/base/memory_reserve.hpp"

#include <unistd.h>

#include <fstream>
#include <new>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"

using ums::MemoryKind;
using ums::MemoryRegion;
using ums::MemoryReserve;
using ums::testing::in_child_process;
using ums::testing::ResourceLimit;

namespace {

using ums::kMb;

// What the process uses now, and no more.
rlim_t present_address_space_bytes() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// The result in a process that has no address space left except the reserve's.
std::string ask_for(std::size_t size_bytes) {
    return in_child_process([size_bytes]() -> std::string {
        const MemoryReserve reserve;
        if (MemoryReserve::is_spent()) return "spent at once";
        const ResourceLimit limit(RLIMIT_AS, present_address_space_bytes());
        try {
            const MemoryRegion region(size_bytes, MemoryKind::plain);
            return MemoryReserve::is_spent() ? "given from the reserve" : "given";
        } catch (const std::bad_alloc&) {
            return MemoryReserve::is_spent() ? "refused, the reserve is spent" : "refused";
        }
    });
}

}  // namespace

TEST_CASE("an allocation that fails is satisfied from the reserve, and the reserve counts as spent") {
    CHECK(ask_for(4 * kMb) == "given from the reserve");
}

TEST_CASE("an allocation that does not fit into the reserve is refused and leaves it as it is") {
    if constexpr (test::kIsSanitized) {
        WARN("not tried: nothing is thrown where the sanitizer itself gets no memory");
    } else {
        CHECK(ask_for(64 * kMb) == "refused");
    }
}

TEST_CASE("when the reserve is exhausted, the process is ended as requested") {
    const std::string text = in_child_process([]() -> std::string {
        const MemoryReserve reserve;
        MemoryReserve::on_exhausted([] { throw 5; });
        const ResourceLimit limit(RLIMIT_AS, present_address_space_bytes());
        try {
            const MemoryRegion first(12 * kMb, MemoryKind::plain);
            const MemoryRegion second(12 * kMb, MemoryKind::plain);
        } catch (int) {
            return "ended";
        }
        return "went on";
    });
    CHECK(text == "ended");
}

TEST_CASE("after a reserve is gone, it no longer counts as spent") {
    { const MemoryReserve reserve; }
    CHECK_FALSE(MemoryReserve::is_spent());
    CHECK_FALSE(MemoryReserve::release_for(kMb));
}
