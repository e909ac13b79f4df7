#include "reports/backup_report.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "reports/table.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "sim/limits.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

struct NamedWork {
    std::string_view name;   // for programs
    std::string_view title;  // for people
    const sim::BackupWork& work;
};

std::array<NamedWork, 6> works_of(const sim::BackupResult& backup) {
    return {{{"full", "full backup", backup.full},
             {"differential", "differential backup", backup.differential},
             {"log", "log backup", backup.log},
             {"verify", "verification", backup.verified},
             {"restore", "restore", backup.restored},
             {"compare", "comparison", backup.compared}}};
}

std::uint64_t bytes_of(const sim::BackupWork& work) { return work.pages * sim::kPageBytes + work.log_bytes; }

std::string works_table(const sim::BackupResult& backup) {
    Table table({{"Backups", Table::Align::left}, {"number"}, {"pages"}, {"log"}, {"took"}, {"longest"}, {"MB/s"}});
    for (const NamedWork& named : works_of(backup)) {
        const sim::BackupWork& work = named.work;
        if (work.count == 0) continue;
        table.add_row({std::string(named.title), count_text(work.count), count_text(work.pages), size_text(work.log_bytes),
                       duration_text(work.duration_us), duration_text(work.max_duration_us),
                       mb_rate_text(bytes_of(work), work.duration_us)});
    }
    return table.text(kReportColumns);
}

std::string files_table(const sim::BackupResult& backup) {
    Table table({{"File", Table::Align::left, true}, {"is", Table::Align::left}, {"size"}, {"read"}, {"written"}, {"findings"}});
    for (const sim::BackupFileResult& file : backup.files) {
        table.add_row({ums::printable(file.path), std::string(sim::name_of(file.role)), size_text(file.size_bytes),
                       size_text(file.read_bytes), size_text(file.written_bytes), count_text(file.findings)});
    }
    return table.text(kReportColumns);
}

}  // namespace

std::string backup_text(const sim::Results& results) {
    if (!results.backup) return {};
    const sim::BackupResult& backup = *results.backup;
    std::string text = works_table(backup);
    if (backup.restored.count > 0) {
        text += fmt::format("  {} brought to the end of the backup by its log\n", counted(backup.pages_redone, "page"));
    }
    if (backup.broken_chains > 0)
        text += fmt::format("  {} that could not go on: see the warnings\n", counted(backup.broken_chains, "chain"));
    return text + "\n" + files_table(backup);
}

nlohmann::ordered_json backup_json(const sim::BackupResult& backup) {
    using Json = nlohmann::ordered_json;
    Json works = Json::array();
    for (const NamedWork& named : works_of(backup)) {
        const sim::BackupWork& work = named.work;
        const double seconds = static_cast<double>(work.duration_us) / 1e6;
        const auto bytes_per_s = work.duration_us == 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(bytes_of(work)) / seconds);
        works.push_back({{"work", named.name},
                         {"count", work.count},
                         {"pages", work.pages},
                         {"log_bytes", work.log_bytes},
                         {"duration_us", work.duration_us},
                         {"max_duration_us", work.max_duration_us},
                         {"bytes_per_s", bytes_per_s}});
    }
    Json files = Json::array();
    for (const sim::BackupFileResult& file : backup.files) {
        files.push_back({{"file", file.path},
                         {"role", sim::name_of(file.role)},
                         {"size_bytes", file.size_bytes},
                         {"read_bytes", file.read_bytes},
                         {"written_bytes", file.written_bytes},
                         {"findings", file.findings}});
    }
    return {{"transfer_bytes", backup.transfer_bytes},
            {"works", works},
            {"pages_redone", backup.pages_redone},
            {"broken_chains", backup.broken_chains},
            {"files", files}};
}

}  // namespace reports
