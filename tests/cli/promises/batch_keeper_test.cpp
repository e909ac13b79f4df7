// The keeper of a run's promises while their store is unreachable.
#include "cli/promises/batch_keeper.hpp"

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"

namespace {

using std::chrono::milliseconds;

// A sink that fails so many times, then works.
class SlowToStart final : public cli::PromiseSink {
public:
    explicit SlowToStart(int failures) : left_(failures) {}

    [[nodiscard]] std::string name() const override { return "the witness of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& /*wanted*/) override {
        if (left_-- > 0) throw sim::EnvironmentError("Connection refused");
        return sim::Promises();
    }
    [[nodiscard]] std::string append(std::span<const std::byte> /*record*/) override { return left_-- > 0 ? "Connection refused" : ""; }

private:
    int left_;
};

// Notes the names of files that it is told or asked for.
class NamesOnly final : public cli::PromiseSink {
public:
    explicit NamesOnly(std::vector<std::string>& names) : names_(names) {}

    [[nodiscard]] std::string name() const override { return "the witness of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) override {
        names_.insert(names_.end(), wanted.paths.begin(), wanted.paths.end());
        return std::nullopt;
    }
    [[nodiscard]] std::string append(std::span<const std::byte> record) override {
        const auto section = sim::decode_section(record);
        REQUIRE(section);
        for (const sim::PromisedFile& file : section->files) names_.push_back(file.path);
        return "";
    }

private:
    std::vector<std::string>& names_;
};

// Does not answer to a section that voids what was promised, until it is released.
class HangsAtTheEnd final : public cli::PromiseSink {
public:
    explicit HangsAtTheEnd(std::shared_future<void> released) : released_(std::move(released)) {}

    [[nodiscard]] std::string name() const override { return "the witness of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& /*wanted*/) override { return std::nullopt; }
    [[nodiscard]] std::string append(std::span<const std::byte> record) override {
        const auto section = sim::decode_section(record);
        if (section && section->incarnation == 0) static_cast<void>(released_.wait_for(std::chrono::seconds(60)));
        return "";
    }

private:
    const std::shared_future<void> released_;
};

// Notes the records that it is given, and has lost what came before the first batch.
class Forgetful final : public cli::PromiseSink {
public:
    Forgetful(std::vector<sim::PromiseSection>& sections, std::vector<sim::PromiseBatch>& batches)
        : sections_(sections), batches_(batches) {}

    [[nodiscard]] std::string name() const override { return "the witness of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& /*wanted*/) override { return std::nullopt; }
    [[nodiscard]] std::string append(std::span<const std::byte> record) override {
        if (const auto section = sim::decode_section(record)) sections_.push_back(*section);
        if (const auto batch = sim::decode_batch(record)) batches_.push_back(*batch);
        return has_lost_records() ? "it has lost promises" : "";
    }
    [[nodiscard]] bool has_lost_records() const override { return sections_.size() == 1 && !batches_.empty(); }

private:
    std::vector<sim::PromiseSection>& sections_;
    std::vector<sim::PromiseBatch>& batches_;
};

cli::BatchKeeper keeper_that_fails(int times, milliseconds patience) {
    return cli::BatchKeeper(std::make_unique<SlowToStart>(times), patience);
}

}  // namespace

TEST_CASE("a witness that is just restarting is retried with patience, and not without") {
    sim::PromiseSection nothing;
    nothing.run_id = 1;
    CHECK(keeper_that_fails(2, milliseconds(20'000)).load({}).has_value());
    CHECK_NOTHROW(keeper_that_fails(2, milliseconds(20'000)).begin(nothing));
    CHECK_THROWS_WITH(keeper_that_fails(1, milliseconds(0)).load({}), ContainsSubstring("refused"));
    CHECK_THROWS_WITH(keeper_that_fails(1, milliseconds(0)).begin(nothing), ContainsSubstring("the witness of a test: Connection refused"));
    CHECK_THROWS_AS(keeper_that_fails(1000, milliseconds(300)).load({}), sim::EnvironmentError);
}

TEST_CASE("a witness hears whole names of files: runs in different folders may name theirs alike") {
    std::vector<std::string> names;
    cli::BatchKeeper keeper(std::make_unique<NamesOnly>(names));
    sim::PromiseSection nothing;
    nothing.run_id = 1;
    nothing.files = {{1, false, 0, "./a.mdx"}, {2, true, 0, "/d/a.ldx"}};
    keeper.begin(nothing);
    sim::PromiseKeeper::Wanted wanted;
    wanted.paths = {"a.mdx"};
    CHECK_FALSE(keeper.load(wanted).has_value());
    const std::string whole = (std::filesystem::current_path() / "a.mdx").string();
    CHECK(names == std::vector<std::string>{whole, "/d/a.ldx", whole});
}

TEST_CASE("a run that deletes its files does not wait longer for a witness that no longer answers than at any other end") {
    std::promise<void> release;
    cli::BatchKeeper keeper(std::make_unique<HangsAtTheEnd>(release.get_future().share()));
    sim::PromiseSection section;
    section.run_id = section.section_id = 1;
    section.incarnation = 1;
    keeper.begin(section);
    const std::vector<sim::PromiseBook::BookedFile> files{{.id = 1}};
    sim::PromiseBook book(files);
    keeper.take_from(book);
    const auto begin = std::chrono::steady_clock::now();
    keeper.end(true);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
    CHECK(keeper.status().stopped_because == "no answer");
    release.set_value();
}

TEST_CASE("a run whose witness has lost promises goes on with a section of its own, in which nothing before counts") {
    std::vector<sim::PromiseSection> sections;
    std::vector<sim::PromiseBatch> batches;
    cli::BatchKeeper keeper(std::make_unique<Forgetful>(sections, batches));
    sim::PromiseSection section;
    section.run_id = 1;
    section.section_id = 2;
    section.incarnation = 3;
    section.utc_us = ~std::uint64_t{0} >> 1;  // a clock that was set back since
    section.keeps_section = 4;
    section.files = {{1, false, 100, "/d/a.mdx"}};
    keeper.begin(section);
    const std::vector<sim::PromiseBook::BookedFile> files{{.id = 1}};
    sim::PromiseBook book(files);
    book.page_written({.file_id = 1, .page_id = 5, .version = 6, .checksum = 7});
    keeper.take_from(book);
    keeper.end(false);
    REQUIRE(sections.size() == 2);
    CHECK(sections[1].run_id == 1);
    CHECK(sections[1].incarnation == 3);
    CHECK(sections[1].section_id != 2);
    CHECK(sections[1].utc_us > section.utc_us);
    CHECK(sections[1].keeps_section == 0);
    CHECK(sections[1].files.at(0).page_count == 0);
    REQUIRE(batches.size() == 2);
    CHECK(batches[1].section_id == sections[1].section_id);
    CHECK(batches[1].number == 1);
    CHECK(batches[1].pages == batches[0].pages);
    CHECK(keeper.status().stopped_because.empty());
    CHECK(keeper.status().batches == 1);
}
