#include "sim/verify/file_promises.hpp"

#include "tests/support/catch.hpp"

namespace {

constexpr std::uint32_t kFileOfPromises = 1;

// Version 5 of page 3, and version 7 of page 4.
sim::Promises two_pages_promised() {
    sim::PromiseSection section;
    section.run_id = 77;
    section.section_id = 5;
    section.incarnation = 1;
    section.files = {{kFileOfPromises, false, 10'000, "a"}};
    sim::PromiseBatch batch;
    batch.run_id = 77;
    batch.section_id = 5;
    batch.number = 1;
    batch.pages = {{kFileOfPromises, 3, 5, 11}, {kFileOfPromises, 4, 7, 12}};
    sim::Promises promises;
    promises.begin(section);
    CHECK(promises.add(batch));
    return promises;
}

}  // namespace

TEST_CASE("a page whose write failed is promised again once a newer version has been acknowledged") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    CHECK_FALSE(file.is_less());
    file.release(3, 4);
    CHECK(file[3].version == 5);
    CHECK(file.is_less());
    file.release(3, 5);
    CHECK(file[3].version == 0);
    file.release(3, 4);
    CHECK(file[3].version == 0);
    CHECK(file[4].version == 7);
}

TEST_CASE("a log that does not say which version of a page was lost takes back all that was promised about it") {
    const sim::Promises promises = two_pages_promised();
    sim::FilePromises file(promises, kFileOfPromises);
    file.release(4, 0);
    CHECK(file[4].version == 0);
    CHECK(file[3].version == 5);
}
