#include "ums/base/open_files.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/resource_limit.hpp"

using namespace ums;

TEST_CASE("whether more files can be open is found out by opening them, and they are closed again") {
    const std::string result = testing::in_child_process([]() -> std::string {
        const testing::ResourceLimit limit(RLIMIT_NOFILE, 100);
        for (int i = 0; i < 10; ++i) {
            if (!can_open_files(50) || can_open_files(100)) return "wrong in round " + std::to_string(i);
        }
        raise_open_files_limit();  // back to what the administrator allows
        rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        return now.rlim_cur == now.rlim_max ? "right" : "not raised";
    });
    CHECK(result == "right");
}
