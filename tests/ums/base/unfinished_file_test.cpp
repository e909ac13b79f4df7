#include "ums/base/unfinished_file.hpp"

#include <filesystem>
#include <fstream>

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
