// Creates the parts of a run, drives them through the phases, and takes them down at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sim/files/file_creator.hpp"
#include "sim/recovery/recovery.hpp"
#include "sim/run/driver.hpp"
#include "sim/run/run_parts.hpp"
#include "sim/verify/left_files.hpp"
#include "sim/verify/left_promises.hpp"

namespace sim {

class RunDriver final : public Driver {
public:
    RunDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper,
              RunGroup* group = nullptr);
    ~RunDriver() override;

    [[nodiscard]] Progress progress() const override;
    void release_locks() override;

private:
    ums::Task<void> main() override;
    [[nodiscard]] Totals totals() const override;
    void after_phase(Phase phase) override;

    // Meetings with the other runs of its group: see run_driver_group.cpp.
    ums::Task<void> meet(RunGroup::Meeting meeting);
    void begin_in_group();
    [[nodiscard]] bool has_made_files(std::uint64_t run_id) const;
    [[nodiscard]] bool has_made_file(std::uint64_t run_id, const std::string& path) const;
    // Each returns false if the hand-over ends here: with a finding, or because there is nothing to take over.
    [[nodiscard]] bool is_run_of_group(const FoundFiles& found);
    [[nodiscard]] bool are_files_of_owner_whole(const FoundFiles& found);
    void end_without_files(const FoundFiles& found);
    // `run_id`: to which `file` belongs; 0: it does not say.
    void end_with_other_files(const FoundFiles& found, const FoundFile& file, std::uint64_t run_id, std::string description);
    void tell_verified();
    void tell_taken_over(std::uint64_t redo_utc_us);

    ums::Task<void> provide_files();
    ums::Task<void> open_files();
    ums::Task<void> take_over_files();
    // One with which the run cannot go on, or null.
    [[nodiscard]] const FoundFile* unusable_file(const FoundFiles& found) const;
    void refuse_unless_whole(const FoundFiles& found);
    void refuse_taken_numbers(const FoundFiles& found);
    [[nodiscard]] bool is_made_anew(std::size_t file) const;
    [[nodiscard]] std::vector<NumberedFile> files_made_anew() const;
    [[nodiscard]] std::vector<FileOptions> files_as_found(FoundFiles& found, const FileCreator& creator) const;
    [[nodiscard]] bool holds_pages_of(const FoundFile& file, std::uint64_t run_id) const;
    ums::Task<void> sign_again(const FoundFile& file);
    void reserve_memory(std::span<const FileOptions> files);
    ums::Task<void> recover();
    void describe_repaired(DurabilityResult& found) const;
    ums::Task<void> run_recovery();
    ums::Task<void> go_on();
    void add_file(SimFile::Setup setup);
    void add_backup_file(SimFile::Setup setup);
    [[nodiscard]] bool all_files_open() const;
    void add_all_files(Progress& progress) const;
    void remove_created_files();
    void make_parts();
    void look_for_names();
    [[nodiscard]] bool keeps_backups() const;
    void close_files();

    ums::Task<void> run_cycles();
    ums::Task<void> run_cycle();
    ums::Task<void> main_run(std::uint64_t seed);
    ums::Task<void> end_backups();
    ums::Task<void> final_audit();
    void allow_bursts(bool allowed);
    void observe_blocks(bool observed);

    void start_services();
    ums::Task<void> stop_services();
    ums::Task<void> record_time_series();
    void report_missing_threads();

    [[nodiscard]] PromiseSection section() const;
    void promise_nothing();
    void begin_promises();
    void warn_of_unused_promises();
    void end_promises();
    void report_stopped_promises();

    void collect_files();
    void collect_users();

    std::uint64_t run_id_;
    std::unique_ptr<RunParts> parts_;
    std::unique_ptr<Recovery> recovery_;    // for files that a crash left
    LeftPromises left_promises_;            // for these files
    std::vector<std::uint32_t> odd_files_;  // of them: data files whose first page is not as the run made it
    bool is_promising_ = false;
    std::string promises_stopped_because_;  // as last reported
    mutable std::mutex parts_mutex_;        // held by progress() while it looks at parts_, and while they are taken down
    Progress of_closed_files_;              // what the files had done when they were taken down; with parts_mutex_
    std::atomic<bool> ready_{false};        // all parts are there
    bool are_created_files_removed_ = false;
    std::uint32_t next_cpu_ = 0;
    bool has_reported_missing_threads_ = false;
};

}  // namespace sim
