#include "ums/base/unfinished_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using ums::UnfinishedFile;

TEST_CASE("a placeholder is removed only while it is empty, a temporary file whatever it holds, a finished file never") {
    const test::TempFolder folder;
    const auto make = [&](const char* name, const char* text) {
        std::ofstream(folder.path() / name) << text;
        return (folder.path() / name).string();
    };
    const UnfinishedFile empty(make("empty", ""), UnfinishedFile::Kind::placeholder);
    const UnfinishedFile taken(make("taken", "somebody's"), UnfinishedFile::Kind::placeholder);
    const UnfinishedFile temporary(make("temporary", "half"), UnfinishedFile::Kind::temporary);
    { const UnfinishedFile finished(make("finished", ""), UnfinishedFile::Kind::temporary); }
    ums::remove_unfinished_files();
    CHECK_FALSE(std::filesystem::exists(empty.path()));
    CHECK(std::filesystem::exists(taken.path()));
    CHECK_FALSE(std::filesystem::exists(temporary.path()));
    CHECK(std::filesystem::exists(folder.path() / "finished"));
}

TEST_CASE("after files were removed, as many others can be") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "temporary").string();
    for (int i = 0; i < 40; ++i) {
        std::ofstream(path) << "half";
        const UnfinishedFile temporary(path, UnfinishedFile::Kind::temporary);
        ums::remove_unfinished_files();
        REQUIRE_FALSE(std::filesystem::exists(path));
    }
}
