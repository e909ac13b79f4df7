#include "reports/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using reports::json_kind;
using reports::OutputFile;

namespace {

const std::string kOurs = "{\"program\":\"ioproof\"}";

// Opening and merely checking must give the same refusal.
std::string refusal_of_json(const std::string& path) {
    std::string looked = "not refused";
    try {
        reports::check_output(json_kind(), path);
    } catch (const sim::RefusedError& error) {
        looked = error.what();
    }
    try {
        const OutputFile file(json_kind(), path);
    } catch (const sim::RefusedError& error) {
        CHECK(looked == error.what());
        return error.what();
    }
    return "not refused";
}

}  // namespace

TEST_CASE("a file of ioproof is replaced as a whole, with its permissions, and nothing else is left behind") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    write_file(path, kOurs);
    REQUIRE(::chmod(path.c_str(), 0640) == 0);
    for (const char* text : {"{\"program\":\"ioproof\",\"first\":1}", "{\"program\":\"ioproof\",\"second\":1}"}) {
        OutputFile file(json_kind(), path);
        CHECK_FALSE(file.write(text));
        CHECK(read_file(path) == text);
    }
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 1);
}

TEST_CASE("a document is written over the old one if no second file can be beside it") {
    const TemporaryFolder folder;
    const std::string path = folder.file(std::string(250, 'n') + ".json");  // as long as a name may be
    for (const char* text : {"{\"program\":\"ioproof\",\"first\":1234}", "{\"program\":\"ioproof\",\"second\":1}"}) {
        OutputFile file(json_kind(), path);
        CHECK_FALSE(file.write(text));
        CHECK(read_file(path) == text);
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 1);
}

TEST_CASE("what a killed process of the same number left beside a document is not in the way") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    const std::string left = fmt::format("{}.{}.new", path, ::getpid());
    write_file(left, "half of a docu");
    OutputFile file(json_kind(), path);
    CHECK_FALSE(file.write(kOurs));
    CHECK(read_file(path) == kOurs);
    CHECK(read_file(left) == "half of a docu");
}

TEST_CASE("a foreign file is refused and stays") {
    const TemporaryFolder folder;
    const std::string path = folder.file("thesis.json");
    for (const std::string& content : {std::string("{}"), "My thesis. " + kOurs, std::string("<!-- ioproof page -->")}) {
        write_file(path, content);
        CHECK_THAT(refusal_of_json(path),
                   ContainsSubstring("thesis.json': it exists and is not an ioproof JSON file of the same kind. Name another file"));
        CHECK(read_file(path) == content);
    }
    CHECK_THAT(refusal_of_json(folder.file("")), ContainsSubstring("it is a directory"));
    CHECK_THROWS_AS(OutputFile(json_kind(), folder.file("none/a.json")), sim::EnvironmentError);
    CHECK_THROWS_AS(reports::check_output(json_kind(), folder.file("none/a.json")), sim::EnvironmentError);
}

TEST_CASE("names of databases are refused, existing or not, empty, and behind links") {
    const TemporaryFolder folder;
    const std::string path = folder.file(GENERATE("prod.mdf", "prod.NDF", "prod.ldf"));
    CHECK_THAT(refusal_of_json(path), ContainsSubstring("names of real databases"));
    CHECK_FALSE(std::filesystem::exists(path));
    for (const std::string& content : {std::string(), kOurs}) {
        write_file(path, content);
        CHECK_THAT(refusal_of_json(path), ContainsSubstring("names of real databases"));
        std::filesystem::create_symlink(path, folder.file("link.json"));
        CHECK_THAT(refusal_of_json(folder.file("link.json")), ContainsSubstring("names of real databases"));
        std::filesystem::remove(folder.file("link.json"));
        CHECK(read_file(path) == content);
    }
}

TEST_CASE("a link stays a link, and its target is judged and written") {
    const TemporaryFolder folder;
    const std::string target = folder.file("target.json");
    const std::string link = folder.file("link.json");
    std::filesystem::create_symlink("target.json", link);
    CHECK_THAT(refusal_of_json(link), ContainsSubstring("a symbolic link that leads to nothing"));
    CHECK_FALSE(std::filesystem::exists(target));
    write_file(target, "foreign");
    CHECK_THAT(refusal_of_json(link), ContainsSubstring("is not an ioproof JSON file of the same kind"));
    CHECK(read_file(target) == "foreign");
    write_file(target, kOurs);
    OutputFile file(json_kind(), link);
    CHECK_FALSE(file.write("{\"program\":\"ioproof\",\"new\":1}"));
    CHECK(std::filesystem::is_symlink(link));
    CHECK_FALSE(std::filesystem::is_symlink(target));
    CHECK_THAT(read_file(target), ContainsSubstring("new"));
}

TEST_CASE("a file that took the name during the run is refused, too") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    OutputFile file(json_kind(), path);
    write_file(folder.file("letter"), "Dear DBA,");
    std::filesystem::rename(folder.file("letter"), path);
    const auto failure = file.write(kOurs);
    REQUIRE(failure);
    CHECK_THAT(*failure, ContainsSubstring("is not an ioproof JSON file of the same kind"));
    CHECK(read_file(path) == "Dear DBA,");
}

TEST_CASE("an unwritten new file is removed again, an existing one stays, and so does one that took its name") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    { const OutputFile file(json_kind(), path); }
    CHECK_FALSE(std::filesystem::exists(path));
    {
        const OutputFile file(json_kind(), path);
        write_file(path, "somebody's");
    }
    CHECK(read_file(path) == "somebody's");
    write_file(path, kOurs);
    { const OutputFile file(json_kind(), path); }
    CHECK(std::filesystem::exists(path));
}

TEST_CASE("a process that ends immediately leaves no empty or temporary files, and removes no foreign ones") {
    const TemporaryFolder folder;
    const OutputFile file(json_kind(), folder.file("a.json"));
    const OutputFile taken(json_kind(), folder.file("taken.json"));
    write_file(folder.file("taken.json"), "somebody's");
    write_file(folder.file("b.new"), "half");
    const ums::UnfinishedFile temporary(folder.file("b.new"), ums::UnfinishedFile::Kind::temporary);
    ums::remove_unfinished_files();
    CHECK_FALSE(std::filesystem::exists(folder.file("a.json")));
    CHECK_FALSE(std::filesystem::exists(folder.file("b.new")));
    CHECK(read_file(folder.file("taken.json")) == "somebody's");
}

TEST_CASE("pipes with a reader and harmless devices accept a document, and others are refused") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(OutputFile(json_kind(), pipe), ContainsSubstring("no process reads this pipe"));
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    OutputFile file(json_kind(), pipe);
    CHECK_FALSE(file.write(kOurs));
    std::string text(100, '\0');
    text.resize(static_cast<std::size_t>(::read(reader, text.data(), text.size())));
    CHECK(text == kOurs);
    ::close(reader);
    CHECK_FALSE(OutputFile(json_kind(), "/dev/null").write(kOurs));
    const auto failure = OutputFile(json_kind(), "/dev/full").write(kOurs);
    REQUIRE(failure);
    CHECK_THAT(*failure, ContainsSubstring("JSON file '/dev/full': could not be written: No space left on device"));
    CHECK_THAT(refusal_of_json("/dev/zero"), ContainsSubstring("it is not a regular file"));
    CHECK(std::filesystem::is_fifo(pipe));
    CHECK(std::filesystem::is_character_file("/dev/null"));
}
