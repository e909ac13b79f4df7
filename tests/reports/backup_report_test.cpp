#include "reports/backup_report.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using test::Figures;

namespace {

// With one blank where there are several.
std::string backup_text_of(const sim::BackupResult& backup) {
    sim::Results results;
    results.backup = backup;
    std::string text;
    for (const char c : reports::backup_text(results)) {
        if (c != ' ' || !text.ends_with(' ')) text += c;
    }
    return text;
}

}  // namespace

TEST_CASE("each figure of backups and of their files is in the JSON under its own name") {
    sim::BackupResult backup;
    Figures all;
    all.set(backup.transfer_bytes, "transfer_bytes");
    all.set(backup.pages_redone, "pages_redone");
    all.set(backup.broken_chains, "broken_chains");
    backup.files.resize(1);
    Figures file;
    file.set(backup.files[0].path, "file");
    file.set(backup.files[0].size_bytes, "size_bytes");
    file.set(backup.files[0].read_bytes, "read_bytes");
    file.set(backup.files[0].written_bytes, "written_bytes");
    file.set(backup.files[0].findings, "findings");
    backup.files[0].role = sim::FileRole::restored;
    const auto json = reports::backup_json(backup);
    CHECK(all.wrong_in(json) == "");
    CHECK(file.wrong_in(json["files"].at(0)) == "");
    CHECK(json["files"].at(0)["role"] == "restored file");
}

TEST_CASE("each kind of work of backups has its own figures in the JSON") {
    sim::BackupResult backup;
    const std::pair<const char*, sim::BackupWork*> works[] = {{"full", &backup.full},        {"differential", &backup.differential},
                                                              {"log", &backup.log},          {"verify", &backup.verified},
                                                              {"restore", &backup.restored}, {"compare", &backup.compared}};
    std::array<Figures, std::size(works)> figures;
    for (std::size_t i = 0; i < std::size(works); ++i) {
        sim::BackupWork& work = *works[i].second;
        figures[i].set(work.count, "count");
        figures[i].set(work.pages, "pages");
        figures[i].set(work.log_bytes, "log_bytes");
        figures[i].set(work.duration_us, "duration_us");
        figures[i].set(work.max_duration_us, "max_duration_us");
    }
    const auto json = reports::backup_json(backup)["works"];
    REQUIRE(json.size() == std::size(works));
    for (std::size_t i = 0; i < std::size(works); ++i) {
        CHECK(json.at(i)["work"] == works[i].first);
        CHECK(figures[i].wrong_in(json.at(i)) == "");
    }
}

TEST_CASE("the speed of a backup is that of its pages and its log together") {
    sim::BackupResult backup;
    backup.full = {.count = 1, .pages = 128, .log_bytes = 1 << 20, .duration_us = 2'000'000};
    CHECK(reports::backup_json(backup)["works"].at(0)["bytes_per_s"] == 1 << 20);
    CHECK(reports::backup_json(backup)["works"].at(1)["bytes_per_s"] == 0);
}

TEST_CASE("the report of backups has the figures of each work that was done and of each file") {
    CHECK(reports::backup_text({}).empty());
    sim::BackupResult backup;
    backup.log = {.count = 3, .pages = 128, .log_bytes = 1 << 20, .duration_us = 2'000'000, .max_duration_us = 700'000};
    backup.files = {{"/b/1.bak", sim::FileRole::backup, 8 << 20, 16 << 20, 32 << 20, 64}};
    const std::string text = backup_text_of(backup);
    CHECK_THAT(text, ContainsSubstring(" log backup 3 128 1 MB 2.0 s 700 ms 1.0\n") && !ContainsSubstring("full backup"));
    CHECK_THAT(text, ContainsSubstring(" /b/1.bak backup 8 MB 16 MB 32 MB 64\n"));
    CHECK_THAT(text, !ContainsSubstring("brought to the end") && !ContainsSubstring("could not go on"));
    backup.restored.count = 1;
    backup.pages_redone = 7;
    backup.broken_chains = 2;
    CHECK_THAT(backup_text_of(backup), ContainsSubstring("7 pages brought to the end of the backup by its log") &&
                                           ContainsSubstring("2 chains that could not go on"));
}
