#include "cli/run/moment_pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

TEST_CASE("a run tells the reader of --moments its checkpoints, its flushes of the log and its growths") {
    const IoproofFolder folder;
    folder.write("grow.ini",
                 "[CONFIG]\nTestCycleDuration=2\n[ShrinkUser]\nMinShrinkInterval=1\nMaxShrinkInterval=1\nMaxExtends=1\n"
                 "[File1]\nFileName=data/a.mdx\nInitialSize=8\nMaxSize=16\nIncrement=1\nShrinkable=TRUE\n"
                 "[File2]\nFileName=data/a.ldx\nInitialSize=8\nMaxSize=8\nLogFile=TRUE\n");
    const std::string pipe = (folder.path() / "moments").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    const auto run = folder.start({"run", "-cfg", "grow.ini", "--moments", pipe});
    std::string told;
    std::array<char, 4096> piece{};
    while (run->is_running()) {
        const ssize_t size = ::read(reader, piece.data(), piece.size());
        if (size > 0) told.append(piece.data(), static_cast<std::size_t>(size));
        ::usleep(1000);
    }
    ::close(reader);
    CHECK(run->wait() == 0);
    for (const char moment : {cli::kCheckpointMoment, cli::kFlushMoment, cli::kGrowthMoment}) {
        INFO(moment);
        CHECK(told.find(moment) != std::string::npos);
    }
    CHECK(told.find_first_not_of("cfg") == std::string::npos);
}

TEST_CASE("a file and a pipe without a reader are refused as --moments") {
    const IoproofFolder folder;
    folder.write("file", "mine");
    const auto file = folder.start_run("1", {"--moments", "file"});
    CHECK(file->wait() == 2);
    CHECK_THAT(file->error(), ContainsSubstring("--moments file: is not a pipe"));
    REQUIRE(::mkfifo((folder.path() / "alone").c_str(), 0600) == 0);
    const auto alone = folder.start_run("1", {"--moments", "alone"});
    CHECK(alone->wait() == 2);
    CHECK_THAT(alone->error(), ContainsSubstring("--moments alone: it has no reader"));
    CHECK(test::names_in(folder.data()).empty());
}
