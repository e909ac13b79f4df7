#include "sim/finding.hpp"

#include "sim/limits.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("evidence that is dropped takes no memory any more") {
    sim::FindingEvidence evidence;
    evidence.image.resize(sim::kPageBytes);
    evidence.expected_image.resize(sim::kPageBytes);
    evidence.page_history.resize(200);
    evidence.file_history.resize(100);
    evidence.dump_path = "dump.txt";
    evidence.drop();
    CHECK(evidence.image.capacity() == 0);
    CHECK(evidence.expected_image.capacity() == 0);
    CHECK(evidence.page_history.capacity() == 0);
    CHECK(evidence.file_history.capacity() == 0);
    CHECK(evidence.dump_path == "dump.txt");
}
