#include "cli/witness/witness_shelf.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/group/group_message.hpp"
#include "sim/errors.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"

namespace {

std::vector<std::byte> first_section(std::uint64_t run_id) {
    sim::PromiseSection section;
    section.run_id = run_id;
    section.section_id = 5;
    section.host = "h";
    return encode(section);
}

sim::PromiseSection section_at(std::uint64_t section_id, std::uint32_t incarnation, std::uint64_t utc_us) {
    sim::PromiseSection section;
    section.run_id = 7;
    section.section_id = section_id;
    section.incarnation = incarnation;
    section.utc_us = utc_us;
    section.host = "h";
    return section;
}

std::vector<std::byte> batch_at(std::uint64_t number) {
    sim::PromiseBatch batch;
    batch.run_id = 7;
    batch.section_id = 6;
    batch.number = number;
    batch.pages = {{1, 0, static_cast<std::uint32_t>(number), 1}};
    return encode(batch);
}

sim::PromiseSection wanted(std::uint64_t run_id, const std::string& path) {
    sim::PromiseSection section;
    section.run_id = run_id;
    section.host = "h";
    section.files = {{1, false, 0, path}};
    return section;
}

cli::WitnessStatus status_of(const cli::WitnessAnswer& answer) { return static_cast<cli::WitnessStatus>(answer.status); }

}  // namespace

TEST_CASE("a run that cannot begin because the disk is full takes no place, and can begin later") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    const std::filesystem::path path = folder.path() / "store/0000000000000007.promises";
    {
        const test::FileSizeLimit limit(16);
        CHECK(status_of(shelf.keep(first_section(7))) == cli::WitnessStatus::not_stored);
    }
    CHECK(shelf.run_count() == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(status_of(shelf.keep(first_section(7))) == cli::WitnessStatus::kept);
    CHECK(shelf.run_count() == 1);
    CHECK(std::filesystem::file_size(path) == first_section(7).size());
}

TEST_CASE("a run whose file cannot be opened takes no place, and is told the reason") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    std::filesystem::create_directory(folder.path() / "store/0000000000000007.promises");
    const cli::WitnessAnswer answer = shelf.keep(first_section(7));
    CHECK(status_of(answer) == cli::WitnessStatus::not_stored);
    CHECK(answer.system_error == EISDIR);
    CHECK(shelf.run_count() == 0);
}

TEST_CASE("a section that a fenced process sends late does not replace that of its successor, also after a restart of the witness") {
    const test::IoproofFolder folder;
    const std::vector<std::byte> of_successor = encode(section_at(6, 3, 2000));
    {
        cli::WitnessShelf shelf(folder.path() / "store");
        CHECK(status_of(shelf.keep(first_section(7))) == cli::WitnessStatus::kept);
        CHECK(status_of(shelf.keep(of_successor)) == cli::WitnessStatus::kept);
        CHECK(status_of(shelf.keep(encode(section_at(9, 2, 1000)))) == cli::WitnessStatus::other_section);
        CHECK(status_of(shelf.keep(encode(section_at(9, 0, 1000)))) == cli::WitnessStatus::other_section);
    }
    cli::WitnessShelf shelf(folder.path() / "store");
    CHECK(status_of(shelf.keep(encode(section_at(9, 2, 1000)))) == cli::WitnessStatus::other_section);
    CHECK(status_of(shelf.keep(of_successor)) == cli::WitnessStatus::kept);
    // The next one, and a repair of files that went back to an earlier incarnation.
    CHECK(status_of(shelf.keep(encode(section_at(10, 4, 3000)))) == cli::WitnessStatus::kept);
    CHECK(status_of(shelf.keep(encode(section_at(11, 2, 4000)))) == cli::WitnessStatus::kept);
}

TEST_CASE("which of two sections of a run is the later one does not depend on the clocks of their hosts") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    CHECK(status_of(shelf.keep(encode(section_at(5, 1, 1000)))) == cli::WitnessStatus::kept);
    sim::PromiseSection fenced = section_at(9, 2, 900'000);  // its host's clock is ahead
    sim::PromiseSection successor = section_at(6, 3, 2000);
    fenced.keeps_section = successor.keeps_section = 5;
    CHECK(status_of(shelf.keep(encode(successor))) == cli::WitnessStatus::kept);
    CHECK(status_of(shelf.keep(encode(fenced))) == cli::WitnessStatus::other_section);
    CHECK(status_of(shelf.keep(batch_at(1))) == cli::WitnessStatus::kept);
    // The successor was lost before its log reached the volume, so the next one has the same incarnation, and a clock that is behind.
    sim::PromiseSection next = section_at(10, 3, 500);
    next.keeps_section = 6;
    CHECK(status_of(shelf.keep(encode(next))) == cli::WitnessStatus::kept);
}

TEST_CASE("a run that recreates files voids what was promised for them although another host has continued the run before") {
    const test::IoproofFolder folder;
    auto shelf = std::make_unique<cli::WitnessShelf>(folder.path() / "store");
    sim::PromiseSection section = section_at(5, 1, 1000);
    section.files = {{1, false, 0, "/d/a.mdx"}};
    CHECK(status_of(shelf->keep(encode(section))) == cli::WitnessStatus::kept);
    section = section_at(6, 2, 2000);
    section.host = "other";
    section.files = {{1, false, 0, "/e/a.mdx"}};
    CHECK(status_of(shelf->keep(encode(section))) == cli::WitnessStatus::kept);
    CHECK(status_of(shelf->keep(batch_at(1))) == cli::WitnessStatus::kept);
    shelf->put_away(7);  // the other host has ended
    const bool is_restarted = GENERATE(true, false);
    if (is_restarted) {
        shelf.reset();
        shelf = std::make_unique<cli::WitnessShelf>(folder.path() / "store");
    }
    // Other files: each host reaches those of the run by a path of its own.
    sim::PromiseSection next = section_at(8, 0, 3000);
    next.run_id = 8;
    next.host = "other";
    next.files = {{1, false, 0, "/d/a.mdx"}};
    CHECK(status_of(shelf->keep(encode(next))) == cli::WitnessStatus::kept);
    CHECK(shelf->run_count() == 2);
    // If the files do not say whose they are, only the host that had them last finds the run: the volume may be elsewhere now.
    CHECK(shelf->find(wanted(0, "/d/a.mdx")) == nullptr);
    next.run_id = 9;
    next.host = "h";
    CHECK(status_of(shelf->keep(encode(next))) == cli::WitnessStatus::kept);
    CHECK(shelf->run_count() == 2);
    const auto found = shelf->find(wanted(7, "/d/a.mdx"));
    REQUIRE(found != nullptr);
    CHECK(found->load().section().run_id == 9);
    CHECK(found->load().are_void());
    CHECK_FALSE(std::filesystem::exists(folder.path() / "store/0000000000000007.promises"));
}

TEST_CASE("promises to a host that is at work are not voided by the host that had the files before it: its paths lead to others by now") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    sim::PromiseSection section = section_at(5, 1, 1000);
    section.files = {{1, false, 0, "/d/a.mdx"}};
    CHECK(status_of(shelf.keep(encode(section))) == cli::WitnessStatus::kept);
    section.section_id = 6;
    section.incarnation = 2;
    section.host = "other";
    CHECK(status_of(shelf.keep(encode(section))) == cli::WitnessStatus::kept);
    sim::PromiseSection next = section_at(8, 0, 3000);
    next.run_id = 8;
    next.files = section.files;
    CHECK(status_of(shelf.keep(encode(next))) == cli::WitnessStatus::kept);
    CHECK(shelf.run_count() == 2);
    CHECK(status_of(shelf.keep(batch_at(1))) == cli::WitnessStatus::kept);
    // The host at work replaces its own files.
    next.run_id = 9;
    next.host = "other";
    CHECK(status_of(shelf.keep(encode(next))) == cli::WitnessStatus::kept);
    CHECK(shelf.find(wanted(7, "/x")) == nullptr);
    CHECK(shelf.find(wanted(8, "/x")) != nullptr);
}

TEST_CASE("a host is at work as long as its own connection lasts, whenever the host before it ends, or an earlier connection of its own") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    sim::PromiseSection section = section_at(5, 1, 1000);
    section.files = {{1, false, 0, "/d/a.mdx"}};
    CHECK(status_of(shelf.keep(encode(section), 11)) == cli::WitnessStatus::kept);
    section.section_id = 6;
    section.incarnation = 2;
    section.host = "other";
    CHECK(status_of(shelf.keep(encode(section), 12)) == cli::WitnessStatus::kept);
    CHECK(status_of(shelf.keep(batch_at(1), 13)) == cli::WitnessStatus::kept);
    shelf.put_away(7, 11);
    shelf.put_away(7, 12);
    sim::PromiseSection next = section_at(8, 0, 3000);
    next.run_id = 8;
    next.files = section.files;
    CHECK(status_of(shelf.keep(encode(next), 14)) == cli::WitnessStatus::kept);
    CHECK(shelf.run_count() == 2);
    shelf.put_away(7, 13);
    next.run_id = 9;
    CHECK(status_of(shelf.keep(encode(next), 15)) == cli::WitnessStatus::kept);
    CHECK(shelf.find(wanted(7, "/x")) == nullptr);
}

TEST_CASE("a host stays at work if the section of one that is to take its run over cannot be stored") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    sim::PromiseSection section = section_at(5, 1, 1000);
    section.files = {{1, false, 0, "/d/a.mdx"}};
    CHECK(status_of(shelf.keep(encode(section), 11)) == cli::WitnessStatus::kept);
    section.section_id = 6;
    section.incarnation = 2;
    section.host = "other";
    CHECK(status_of(shelf.keep(encode(section), 12)) == cli::WitnessStatus::kept);
    sim::PromiseSection third = section_at(7, 3, 2000);
    third.files = section.files;
    third.host = "third";
    {
        const test::FileSizeLimit limit(std::filesystem::file_size(folder.path() / "store/0000000000000007.promises"));
        CHECK(status_of(shelf.keep(encode(third), 13)) == cli::WitnessStatus::not_stored);
    }
    shelf.put_away(7, 13);
    sim::PromiseSection next = section_at(8, 0, 3000);
    next.run_id = 8;
    next.files = section.files;
    CHECK(status_of(shelf.keep(encode(next), 14)) == cli::WitnessStatus::kept);
    CHECK(shelf.find(wanted(7, "/x")) != nullptr);
    shelf.put_away(7, 12);
    next.run_id = 9;
    CHECK(status_of(shelf.keep(encode(next), 15)) == cli::WitnessStatus::kept);
    CHECK(shelf.run_count() == 1);
}

TEST_CASE(
    "a file that has lost its last record while no client wrote to it is not continued, and what is left is not all that is demanded") {
    const test::IoproofFolder folder;
    const std::filesystem::path path = folder.path() / "store/0000000000000007.promises";
    sim::PromiseSection section = section_at(6, 1, 1000);
    section.files = {{1, false, 0, "/d/a.mdx"}};
    const bool is_restarted = GENERATE(true, false);
    auto shelf = std::make_unique<cli::WitnessShelf>(folder.path() / "store");
    CHECK(status_of(shelf->keep(encode(section))) == cli::WitnessStatus::kept);
    if (is_restarted) {
        shelf.reset();
        shelf = std::make_unique<cli::WitnessShelf>(folder.path() / "store");
    }
    for (const std::uint64_t number : {1U, 2U}) CHECK(status_of(shelf->keep(batch_at(number))) == cli::WitnessStatus::kept);
    CHECK(shelf->find(wanted(7, "/d/a.mdx")) != nullptr);
    shelf->put_away(7);
    CHECK(shelf->find(wanted(7, "/d/a.mdx")) != nullptr);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - batch_at(2).size());
    CHECK_THROWS_AS(shelf->find(wanted(7, "/d/a.mdx")), sim::EnvironmentError);
    CHECK(status_of(shelf->keep(batch_at(3))) == cli::WitnessStatus::not_stored);
}

TEST_CASE("a witness that has lost a batch before it was restarted says so, and takes the promises of a new section of that run") {
    const test::IoproofFolder folder;
    const std::filesystem::path path = folder.path() / "store/0000000000000007.promises";
    {
        cli::WitnessShelf shelf(folder.path() / "store");
        CHECK(status_of(shelf.keep(encode(section_at(6, 1, 1000)))) == cli::WitnessStatus::kept);
        for (const std::uint64_t number : {1U, 2U}) CHECK(status_of(shelf.keep(batch_at(number))) == cli::WitnessStatus::kept);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - batch_at(2).size());
    cli::WitnessShelf shelf(folder.path() / "store");
    const cli::WitnessAnswer answer = shelf.keep(batch_at(3));
    CHECK(status_of(answer) == cli::WitnessStatus::missing_batch);
    CHECK(answer.number == 1);
    CHECK(status_of(shelf.keep(encode(section_at(8, 1, 1001)))) == cli::WitnessStatus::kept);
    CHECK(shelf.find(wanted(7, ""))->load().promised_pages() == 0);
    sim::PromiseBatch next;
    next.run_id = 7;
    next.section_id = 8;
    next.number = 1;
    CHECK(status_of(shelf.keep(encode(next))) == cli::WitnessStatus::kept);
}

TEST_CASE("a damaged file does not keep the witness from starting: it is named, stays as it is, and only its run is refused") {
    const test::IoproofFolder folder;
    sim::PromiseSection damaged = section_at(6, 1, 1000);
    damaged.files = {{1, false, 0, "/d/a.mdx"}};
    sim::PromiseSection sound = section_at(8, 1, 1000);
    sound.run_id = 9;
    sound.files = {{1, false, 0, "/d/b.mdx"}};
    {
        cli::WitnessShelf shelf(folder.path() / "store");
        CHECK(status_of(shelf.keep(encode(damaged))) == cli::WitnessStatus::kept);
        for (const std::uint64_t number : {1U, 2U}) CHECK(status_of(shelf.keep(batch_at(number))) == cli::WitnessStatus::kept);
        CHECK(status_of(shelf.keep(encode(sound))) == cli::WitnessStatus::kept);
    }
    const std::string name = "store/0000000000000007.promises";
    std::string bytes = folder.read(name);
    sim::PromiseBatch empty;
    empty.number = 1;
    bytes[encode(damaged).size() + encode(empty).size()] ^= 1;  // in the pages of the first batch
    folder.write(name, bytes);

    cli::WitnessShelf shelf(folder.path() / "store");
    REQUIRE(shelf.damages().size() == 1);
    CHECK_THAT(shelf.damages()[0], ContainsSubstring("0000000000000007.promises") && ContainsSubstring("damaged"));
    CHECK(status_of(shelf.keep(batch_at(3))) == cli::WitnessStatus::not_stored);
    CHECK(status_of(shelf.keep(encode(section_at(20, 2, 9000)))) == cli::WitnessStatus::not_stored);
    CHECK_THROWS_AS(shelf.find(wanted(7, "/d/a.mdx")), sim::EnvironmentError);
    CHECK_THROWS_AS(shelf.find(wanted(0, "/d/a.mdx")), sim::EnvironmentError);
    CHECK(shelf.find(wanted(9, "/d/b.mdx")) != nullptr);
    CHECK(shelf.find(wanted(0, "/d/b.mdx")) != nullptr);
    // A new run of these files begins, and does not take the file away.
    sim::PromiseSection next = damaged;
    next.run_id = 10;
    next.incarnation = 0;
    CHECK(status_of(shelf.keep(encode(next))) == cli::WitnessStatus::kept);
    CHECK(shelf.find(wanted(0, "/d/a.mdx")) != nullptr);
    CHECK(folder.read(name) == bytes);
}

TEST_CASE("a hand-over that everybody has left gives its name to another group if the witness holds no promise of its run") {
    const test::IoproofFolder folder;
    cli::WitnessShelf shelf(folder.path() / "store");
    const bool has_promises = GENERATE(true, false);
    const auto answer_to = [&shelf](const cli::GroupBeat& beat) {
        return cli::decode_view(shelf.groups().answer(cli::encode(beat)).value()).value();
    };
    cli::GroupBeat owner;
    owner.group = "g";
    owner.terms.plan = "hand-over";
    owner.terms.turns = 3;
    owner.terms.lease_ms = 100;
    owner.terms.wait_ms = 0;
    owner.session = 10;
    owner.turn = 1;
    owner.run_id = 7;
    CHECK(answer_to(owner).problem.empty());
    CHECK(status_of(shelf.keep(encode(section_at(5, has_promises ? 1 : 0, 1)))) == cli::WitnessStatus::kept);
    cli::GroupBeat other = owner;
    other.session = 20;
    other.turn = 0;
    other.terms.turns = 4;
    // The group counts as ended after ten leases.
    const auto begin = std::chrono::steady_clock::now();
    const auto patience = has_promises ? std::chrono::milliseconds(1500) : std::chrono::milliseconds(60'000);
    bool is_refused = true;
    while (is_refused && std::chrono::steady_clock::now() - begin < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        is_refused = !answer_to(other).problem.empty();
    }
    CHECK(is_refused == has_promises);
}
