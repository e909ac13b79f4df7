#include "ums/sched/wait_type.hpp"

#include <cctype>
#include <set>
#include <string>

#include "tests/support/catch.hpp"

namespace ums {
namespace {

TEST_CASE("every wait type has its own name in the style of SQL Server") {
    std::set<std::string> names;
    for (std::size_t i = 0; i < kWaitTypeCount; ++i) {
        const std::string name(name_of(static_cast<WaitType>(i)));
        CHECK_FALSE(name.empty());
        for (const char c : name) CHECK((std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_'));
        names.insert(name);
    }
    CHECK(names.size() == kWaitTypeCount);
    CHECK(name_of(WaitType::pageiolatch_sh) == "PAGEIOLATCH_SH");
}

}  // namespace
}  // namespace ums
