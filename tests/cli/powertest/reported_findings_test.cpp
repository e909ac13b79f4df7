#include "cli/powertest/reported_findings.hpp"

#include <fstream>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("findings are counted while a run writes them, and failed requests are told apart from wrong data") {
    const test::TempFolder place;
    const std::string path = place / "f.jsonl";
    cli::ReportedFindings reported(path);
    const auto counts_after = [&](const std::string& text) {
        std::ofstream(path, std::ios::binary | std::ios::app) << text;
        reported.look();
        return std::to_string(reported.count()) + " " + std::to_string(reported.wrong_data());
    };
    CHECK(counts_after("") == "0 0");
    CHECK(counts_after(R"({"class":"stalled_io","warning":true})"
                       "\n") == "0 0");
    CHECK(counts_after(R"({"class":"io_error","warning":false})"
                       "\n") == "1 0");
    CHECK(counts_after(R"({"class":"lost_write","war)") == "1 0");
    CHECK(counts_after(R"(ning":false})"
                       "\n") == "2 1");
    CHECK(reported.count_before(3'000'001) == 0);  // they do not say when
    CHECK(counts_after("\n[1]\n{\"class\":7,\"warning\":false}\nzzz\n") == "2 1");
    CHECK(counts_after(R"({"class":"lost_write","warning":false,"utc":"1970-01-01T00:00:02.000000Z"})"
                       "\n"
                       R"({"class":"io_error","warning":false,"utc":"1970-01-01T00:00:01.000000Z"})"
                       "\n"
                       R"({"class":"stale_read","warning":false,"utc":"1970-01-01T00:00:03.000000Z"})"
                       "\n"
                       R"({"class":"stalled_io","warning":true,"utc":"1970-01-01T00:00:00.500000Z"})"
                       "\n") == "5 3");
    CHECK(reported.count_before(1'000'000) == 0);
    CHECK(reported.count_before(2'000'001) == 2);
    CHECK(reported.count_before(3'000'001) == 3);
}
