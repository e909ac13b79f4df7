#include "cli/witness/witness_shelf.hpp"

#include <cerrno>
#include <filesystem>
#include <vector>

#include "tests/cli/ioproof_program.hpp"
#include "tests/cli/witness/file_size_limit.hpp"
#include "tests/support/catch.hpp"

namespace {

std::vector<std::byte> first_section(std::uint64_t run_id) {
    sim::PromiseSection section;
    section.run_id = run_id;
    section.section_id = 5;
    section.host = "h";
    return encode(section);
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
