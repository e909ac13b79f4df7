#include "reports/output_file.hpp"

#include <filesystem>
#include <fstream>

#include "sim/errors.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using reports::OutputFile;

TEST_CASE("a file of ours is replaced, as a whole, nothing else is left behind") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    for (const char* text : {"{\"program\":\"ioproof\",\"first\":1}", "{\"program\":\"ioproof\"}"}) {
        OutputFile file("JSON file", path, reports::kJsonMark);
        CHECK_FALSE(file.write(text));
        CHECK(read_file(path) == text);
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 1);
}

TEST_CASE("what is not ours is refused and stays") {
    const TemporaryFolder folder;
    const std::string path = folder.file("thesis.json");
    std::ofstream(path) << "{}";
    CHECK_THROWS_AS(OutputFile("JSON file", path, reports::kJsonMark), sim::RefusedError);
    CHECK_THROWS_AS(OutputFile("JSON file", folder.file(""), reports::kJsonMark), sim::RefusedError);
    CHECK_THROWS_AS(OutputFile("JSON file", folder.file("none/a.json"), reports::kJsonMark), sim::EnvironmentError);
    CHECK(read_file(path) == "{}");
}

TEST_CASE("a file that was made and not written is gone again, one that was there stays") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    { const OutputFile file("JSON file", path, reports::kJsonMark); }
    CHECK_FALSE(std::filesystem::exists(path));
    std::ofstream(path) << "{\"program\":\"ioproof\"}";
    { const OutputFile file("JSON file", path, reports::kJsonMark); }
    CHECK(std::filesystem::exists(path));
}
