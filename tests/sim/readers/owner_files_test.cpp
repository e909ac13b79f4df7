#include "sim/readers/owner_files.hpp"

#include "tests/support/catch.hpp"

namespace {

using PromisedFiles = std::vector<sim::PromisedFile>;

PromisedFiles two_and_a_log() { return {{1, false, 512, "/o/x.mdx"}, {2, false, 512, "/o/y.mdx"}, {3, true, 0, "/o/l.ldx"}}; }

}  // namespace

TEST_CASE("a reader that names its owner's files in the same order reads the same files, wherever it has mounted them") {
    CHECK(sim::difference_of_files(two_and_a_log(), {{1, false, 0, "/o/x.mdx"}, {2, false, 0, "/o/y.mdx"}}).empty());
    CHECK(sim::difference_of_files(two_and_a_log(), {{1, false, 0, "/r/x.mdx"}, {2, false, 0, "/r/y.mdx"}}).empty());
    const PromisedFiles devices{{1, false, 512, "/dev/a"}, {2, false, 512, "/dev/b"}};
    CHECK(sim::difference_of_files(devices, {{1, false, 0, "/dev/b"}, {2, false, 0, "/dev/a"}}).empty());
    CHECK(sim::difference_of_files({}, {{1, false, 0, "/o/x.mdx"}}).empty());
    const PromisedFiles in_folders{{1, false, 512, "/a/s.mdx"}, {2, false, 512, "/b/s.mdx"}};
    CHECK(sim::difference_of_files(in_folders, {{1, false, 0, "/c/s.mdx"}, {2, false, 0, "/d/s.mdx"}}).empty());
}

TEST_CASE("a reader that names other files than its owner, or in another order, is told which one") {
    const auto text = [](const PromisedFiles& of_reader) { return sim::difference_of_files(two_and_a_log(), of_reader); };
    CHECK_THAT(text({{1, false, 0, "/o/y.mdx"}, {2, false, 0, "/o/x.mdx"}}),
               ContainsSubstring("/o/y.mdx: is file 2 of its owner, but file 1"));
    CHECK_THAT(text({{1, false, 0, "/r/y.mdx"}, {2, false, 0, "/r/x.mdx"}}),
               ContainsSubstring("/r/y.mdx: is file 2 of its owner, but file 1"));
    CHECK_THAT(text({{1, false, 0, "/o/x.mdx"}}), ContainsSubstring("/o/y.mdx: is file 2 of the owner, but not"));
    CHECK_THAT(text({{1, false, 0, "/o/x.mdx"}, {2, false, 0, "/o/y.mdx"}, {3, false, 0, "/o/z.mdx"}}),
               ContainsSubstring("/o/z.mdx: is file 3 here, and no data file"));
    const PromisedFiles in_folders{{1, false, 512, "/a/s.mdx"}, {2, false, 512, "/b/s.mdx"}};
    CHECK_THAT(sim::difference_of_files(in_folders, {{1, false, 0, "/b/s.mdx"}, {2, false, 0, "/a/s.mdx"}}),
               ContainsSubstring("/b/s.mdx: is file 2 of its owner"));
    CHECK_THAT(sim::difference_of_files(in_folders, {{1, false, 0, "b/s.mdx"}, {2, false, 0, "a/s.mdx"}}),
               ContainsSubstring("b/s.mdx: is file 2 of its owner"));
}
