// The file of a ledger: appended records survive, whatever a cut leaves of the last one.
#include "cli/promises/promise_store.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"

namespace {

using cli::PromiseStore;

std::vector<std::byte> stored_section() {
    sim::PromiseSection section;
    section.run_id = 1;
    section.section_id = 2;
    section.incarnation = 1;
    return encode(section);
}

std::vector<std::byte> stored_batch(std::uint64_t number, std::uint32_t pages = 1) {
    sim::PromiseBatch batch;
    batch.run_id = 1;
    batch.section_id = 2;
    batch.number = number;
    for (std::uint32_t page = 0; page < pages; ++page) batch.pages.push_back({1, page, static_cast<std::uint32_t>(number), 0x99999999});
    return encode(batch);
}

// No more than `count` further files can be open in this process.
class OpenFilesLimit {
public:
    explicit OpenFilesLimit(rlim_t count) {
        const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // has the lowest number that is free
        REQUIRE(next >= 0);
        ::close(next);
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit limit{.rlim_cur = static_cast<rlim_t>(next) + count, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    OpenFilesLimit(const OpenFilesLimit&) = delete;
    OpenFilesLimit& operator=(const OpenFilesLimit&) = delete;
    ~OpenFilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("what was appended to a store is there after reopening") {
    const test::IoproofFolder folder;
    {
        PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
        REQUIRE_FALSE(store.append(stored_section()));
        REQUIRE_FALSE(store.append(stored_batch(1)));
        REQUIRE_FALSE(store.append(stored_batch(2)));
    }
    CHECK(PromiseStore(folder.path() / "l", PromiseStore::Use::read).load().page(1, 0).version == 2);
}

TEST_CASE("a record torn at any byte promises nothing, and the store continues") {
    const test::IoproofFolder folder;
    std::string whole;
    for (const auto& record : {stored_section(), stored_batch(1)})
        whole.append(reinterpret_cast<const char*>(record.data()), record.size());
    const std::vector<std::byte> last = stored_batch(2);
    for (std::size_t size = 0; size < last.size(); ++size) {
        std::string torn = whole;
        torn.append(reinterpret_cast<const char*>(last.data()), size);
        torn.append(size % 3 == 0 ? 100 : 0, '\0');
        folder.write("l", torn);
        CHECK(PromiseStore(folder.path() / "l", PromiseStore::Use::read).load().page(1, 0).version == 1);
        PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
        REQUIRE_FALSE(store.append(stored_batch(3)));
        CHECK(store.load().page(1, 0).version == 3);
    }
}

TEST_CASE("a rewritten store promises the same, is smaller, and continues") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    REQUIRE_FALSE(store.append(stored_section()));
    std::uint64_t number = 0;
    while (!store.is_due()) REQUIRE_FALSE(store.append(stored_batch(++number, 40'000)));
    CHECK(store.size_bytes() > PromiseStore::kTailBytesMax);
    REQUIRE_FALSE(store.compact());
    CHECK_FALSE(store.is_due());
    CHECK(store.size_bytes() < 700'000);
    REQUIRE_FALSE(store.append(stored_batch(number + 1)));
    const sim::Promises promises = store.load();
    CHECK(promises.page(1, 0).version == number + 1);
    CHECK(promises.page(1, 39'999).version == number);
    CHECK(promises.last_number() == number + 1);
    CHECK_FALSE(folder.has("l.ioproof-new"));
    CHECK_THROWS_WITH(PromiseStore(folder.path() / "l", PromiseStore::Use::write), ContainsSubstring("another process"));
}

TEST_CASE("a rewritten store still says which hosts have worked with the files, and promises what the last of them was promised") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    sim::PromiseSection section;
    section.run_id = 1;
    for (const char* const host : {"a", "b", "a", "c"}) {
        section.host = host;
        ++section.section_id;
        ++section.incarnation;
        section.files = {{1, false, 10 * section.incarnation, "/d/a.mdx"}};
        REQUIRE_FALSE(store.append(encode(section)));
    }
    sim::PromiseBatch batch;
    batch.run_id = 1;
    batch.section_id = section.section_id;
    batch.number = 1;
    batch.pages = {{1, 0, 7, 0x99999999}};
    REQUIRE_FALSE(store.append(encode(batch)));
    const bool is_rewritten = GENERATE(true, false);
    if (is_rewritten) REQUIRE_FALSE(store.compact());
    cli::RunPlaces places;
    const sim::Promises promises = store.load(&places);
    REQUIRE(places.size() == 3);
    CHECK(places[0].host == "b");
    CHECK(places[1].host == "a");
    CHECK(places[2].host == "c");
    CHECK(promises.section().section_id == section.section_id);
    CHECK(promises.page(1, 0).version == 7);
    CHECK(promises.page_count(1) == 40);
}

TEST_CASE("a file that is not a ledger is refused, and stays as it is") {
    const test::IoproofFolder folder;
    const std::string text = "something that somebody needs";
    folder.write("text", text);
    CHECK_THROWS_AS(PromiseStore(folder.path() / "text", PromiseStore::Use::write), sim::RefusedError);
    CHECK(folder.read("text") == text);
    CHECK_THROWS_AS(PromiseStore((folder.path() / "no/such/folder/l"), PromiseStore::Use::write), sim::EnvironmentError);
    CHECK_THROWS_AS(PromiseStore(folder.path() / "missing", PromiseStore::Use::read), sim::EnvironmentError);
    CHECK_THROWS_AS(PromiseStore("/dev/null", PromiseStore::Use::write), sim::RefusedError);
}

TEST_CASE("a pipe is refused as a ledger, also by a name that the system resolves only by itself, as /dev/stdout") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const std::string name = "/proc/self/fd/" + std::to_string(ends[1]);
    CHECK_THROWS_WITH(PromiseStore(name, PromiseStore::Use::write), ContainsSubstring(name + ": refused: a ledger is a regular file"));
    for (const int end : ends) ::close(end);
}

TEST_CASE("a ledger takes neither the name of a database nor that of a link that leads to one or to nothing") {
    const test::IoproofFolder folder;
    folder.write("Sales.MDF", "");
    std::filesystem::create_symlink("Sales.MDF", folder.path() / "link");
    std::filesystem::create_symlink("missing", folder.path() / "dangling");
    for (const char* const name : {"new.ldf", "Sales.MDF", "link"}) {
        CAPTURE(name);
        CHECK_THROWS_WITH(PromiseStore(folder.path() / name, PromiseStore::Use::write), ContainsSubstring("names of real databases"));
    }
    CHECK_THROWS_WITH(PromiseStore(folder.path() / "dangling", PromiseStore::Use::write), ContainsSubstring("leads to nothing"));
    CHECK(folder.read("Sales.MDF").empty());
    CHECK_FALSE(folder.has("new.ldf"));
    CHECK_FALSE(folder.has("missing"));
}

TEST_CASE("a ledger damaged in the middle is refused") {
    const test::IoproofFolder folder;
    std::string bytes;
    for (const auto& record : {stored_section(), stored_batch(1)})
        bytes.append(reinterpret_cast<const char*>(record.data()), record.size());
    bytes[bytes.size() - 1] ^= 1;
    bytes.append(sim::kPromiseRecordBytesMax, 'x');
    folder.write("l", bytes);
    CHECK_THROWS_WITH(PromiseStore(folder.path() / "l", PromiseStore::Use::write), ContainsSubstring("damaged at byte"));
    CHECK(folder.read("l").size() == bytes.size());
}

TEST_CASE("a ledger with one damaged record among several is refused by every opener, and stays as it is") {
    const test::IoproofFolder folder;
    std::string bytes;
    std::vector<std::size_t> ends;
    for (const auto& record : {stored_section(), stored_batch(1), stored_batch(2)}) {
        bytes.append(reinterpret_cast<const char*>(record.data()), record.size());
        ends.push_back(bytes.size());
    }
    // Damages a page of the first batch, the batch's size, after which its end is unknown, and the section.
    for (const std::size_t damaged : {ends[1] - 1, ends[0] + 12, std::size_t{20}}) {
        CAPTURE(damaged);
        std::string spoilt = bytes;
        spoilt[damaged] ^= 1;
        folder.write("l", spoilt);
        for (const auto use : {PromiseStore::Use::read, PromiseStore::Use::write}) {
            CHECK_THROWS_AS(PromiseStore(folder.path() / "l", use), sim::RefusedError);
        }
        CHECK(folder.read("l") == spoilt);
    }
    // The last record may have been torn by a cut; it was never promised.
    bytes[ends[2] - 1] ^= 1;
    folder.write("l", bytes);
    CHECK(PromiseStore(folder.path() / "l", PromiseStore::Use::read).load().last_number() == 1);
}

TEST_CASE("a record for which the disk has no room leaves nothing behind, and the next one is kept") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    REQUIRE_FALSE(store.append(stored_section()));
    REQUIRE_FALSE(store.append(stored_batch(1)));
    const std::uint64_t before = store.size_bytes();
    {
        const test::FileSizeLimit limit(before + 4096);
        CHECK(store.append(stored_batch(2, 10'000)));
        CHECK(store.size_bytes() == before);
        CHECK(std::filesystem::file_size(folder.path() / "l") == before);
        CHECK(store.load().page(1, 0).version == 1);
        CHECK_FALSE(store.append(stored_batch(2)));
    }
    REQUIRE_FALSE(store.append(stored_batch(3, 10'000)));
    CHECK(PromiseStore(folder.path() / "l", PromiseStore::Use::read).load().page(1, 9'999).version == 3);
}

TEST_CASE("a store that cannot be rewritten is not tried again for each record") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    REQUIRE_FALSE(store.append(stored_section()));
    std::uint64_t number = 0;
    while (!store.is_due()) REQUIRE_FALSE(store.append(stored_batch(++number, 40'000)));
    std::filesystem::create_directory(folder.path() / "l.ioproof-new");  // in the way of the new file
    CHECK(store.compact());
    REQUIRE_FALSE(store.append(stored_batch(++number, 40'000)));
    CHECK_FALSE(store.is_due());
    std::filesystem::remove(folder.path() / "l.ioproof-new");
    while (!store.is_due()) REQUIRE_FALSE(store.append(stored_batch(++number, 40'000)));
    CHECK(store.size_bytes() < 3 * PromiseStore::kTailBytesMax);
    CHECK_FALSE(store.compact());
    CHECK(store.size_bytes() < 700'000);
    CHECK(store.load().page(1, 0).version == number);
}

TEST_CASE("a rewritten store keeps no further record until its new name is durable") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    REQUIRE_FALSE(store.append(stored_section()));
    REQUIRE_FALSE(store.append(stored_batch(1)));
    {
        const OpenFilesLimit limit(1);  // the new file, but not its folder
        CHECK(store.compact());
    }
    {
        const OpenFilesLimit limit(0);
        CHECK(store.append(stored_batch(2)));
        CHECK(store.load().last_number() == 1);
    }
    CHECK_FALSE(store.append(stored_batch(2)));
    CHECK(PromiseStore(folder.path() / "l", PromiseStore::Use::read).load().last_number() == 2);
}

TEST_CASE("a ledger that is damaged while a run writes to it is not rewritten without what follows") {
    const test::IoproofFolder folder;
    PromiseStore store(folder.path() / "l", PromiseStore::Use::write);
    REQUIRE_FALSE(store.append(stored_section()));
    const auto damaged = static_cast<std::streamoff>(store.size_bytes() + 100);
    for (std::uint64_t number = 1; number <= 3; ++number) REQUIRE_FALSE(store.append(stored_batch(number, 10)));
    const std::uint64_t size_bytes = store.size_bytes();
    std::fstream(folder.path() / "l", std::ios::in | std::ios::out | std::ios::binary).seekp(damaged).put('\x55');
    CHECK(store.compact());
    CHECK(std::filesystem::file_size(folder.path() / "l") == size_bytes);
    CHECK_THROWS_AS(store.load(), sim::EnvironmentError);
    CHECK_FALSE(store.append(stored_batch(4)));
    CHECK_THROWS_AS(PromiseStore(folder.path() / "l", PromiseStore::Use::read), sim::RefusedError);
}
