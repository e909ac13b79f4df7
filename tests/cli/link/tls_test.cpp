// Which keys are accepted.
#include "cli/link/tls.hpp"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/witness/witness_rig.hpp"

using test::IoproofFolder;
using namespace witness_test;

namespace {

constexpr const char* kCannotBe = "another user it cannot be";

// What a process of this user, with only this group, reports about the key in the folder: "" if it accepts it.
std::string key_answer_to(uid_t user, gid_t group, const std::filesystem::path& folder) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::string answer;
        try {
            // From inside, because the folder for temporary files may be one that only its owner may enter.
            const bool is_there = ::chdir(folder.c_str()) == 0;
            if (!is_there || ::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0) answer = kCannotBe;
            if (answer.empty()) static_cast<void>(cli::tls_context(cli::TlsSide::server, {.key_file = "key"}));
        } catch (const std::exception& error) {
            answer = error.what();
        }
        const bool is_told = ::write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
        ::_exit(is_told ? 0 : 1);
    }
    ::close(ends[1]);
    std::string answer(1000, '\0');
    answer.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], answer.data(), answer.size()), 0)));
    ::close(ends[0]);
    int status = 1;
    ::waitpid(child, &status, 0);
    REQUIRE(status == 0);
    return answer;
}

}  // namespace

TEST_CASE("unusable keys are refused with the reason") {
    const IoproofFolder folder;
    const auto refused = [&](const cli::TlsKeys& keys, const std::string& why) {
        CHECK_THROWS_WITH(cli::tls_context(cli::TlsSide::server, keys), ContainsSubstring(why));
    };
    refused({}, "needs --key-file");
    refused({.key_file = "a", .cert = "b"}, "not both");
    refused({.cert = "b"}, "needs --key-file");
    refused(key_of(folder, "missing"), "cannot be opened");
    for (const char* const digits : {"", "0123", "zz112233445566778899aabbccddeeff", "00112233445566778899aabbccddeef"}) {
        write_key(folder, "bad", digits);
        refused(key_of(folder, "bad"), "32 to 128 hexadecimal digits");
    }
    folder.write("open", kKey);
    std::filesystem::permissions(folder.path() / "open", std::filesystem::perms(0644));
    refused(key_of(folder, "open"), "others may read");
    refused({.cert = folder.path() / "x", .cert_key = folder.path() / "x", .ca = folder.path() / "x"}, "--cert ");
}

// Needs root, because only root may change users.
TEST_CASE("a key may be group-readable only if it is root's, and never readable by others") {
    if (::geteuid() != 0) {
        WARN("skipped: files of root can only be made by root");
        return;
    }
    constexpr uid_t kUser = 12345;
    constexpr uid_t kOther = 12346;
    constexpr gid_t kGroup = 12347;
    const test::TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    const std::string path = folder / "key";
    std::ofstream(path) << kKey << "\n";
    if (::chown(path.c_str(), kUser, kGroup) != 0 || key_answer_to(kUser, kGroup, folder.path()) == kCannotBe) {
        WARN("skipped: the root of this container has no other users");
        return;
    }
    const auto answer = [&](uid_t owner, unsigned mode) {
        REQUIRE(::chown(path.c_str(), owner, kGroup) == 0);
        std::filesystem::permissions(path, std::filesystem::perms(mode));
        return key_answer_to(kUser, kGroup, folder.path());
    };
    CHECK(answer(0, 0640) == "");
    CHECK(answer(0, 0440) == "");
    CHECK_THAT(answer(0, 0660), ContainsSubstring("others may read or write"));
    CHECK_THAT(answer(0, 0644), ContainsSubstring("others may read or write"));
    CHECK_THAT(answer(kOther, 0640), ContainsSubstring("others may read or write"));
    CHECK_THAT(answer(kUser, 0640), ContainsSubstring("others may read or write"));
    CHECK(answer(kUser, 0600) == "");
}
