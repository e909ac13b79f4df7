// What a witness keeps: a store for each run, in one folder. Used by one thread.
//
// A run that is about to create its files voids the promises of earlier runs with the same files on the same machine, also of those that
// another machine has continued since, unless that one is connected: their stores are removed. Holds at most kRunsMax runs; the oldest
// without a promise makes room for another. A file that is damaged when the witness begins stays as it is, and its run is refused. Memory:
// the paths of each run, for each host that has worked on it, and the stores that are being written to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/group/group_shelf.hpp"
#include "cli/link/witness_wire.hpp"
#include "cli/promises/promise_store.hpp"
#include "sim/promises/promise_record.hpp"
#include "ums/base/output_handle.hpp"

namespace cli {

class WitnessShelf {
public:
    static constexpr std::size_t kRunsMax = 1024;

    // Creates the folder if it does not exist, and locks it. Throws UsageError if it is not a folder, sim::EnvironmentError if it cannot be
    // used or another witness uses it.
    explicit WitnessShelf(const std::filesystem::path& folder);
    WitnessShelf(const WitnessShelf&) = delete;
    WitnessShelf& operator=(const WitnessShelf&) = delete;

    // Stores a record of this client, which has a number of its own. The answer says what became of it.
    [[nodiscard]] WitnessAnswer keep(std::span<const std::byte> record, std::uint64_t client = 0);
    // The store of the run with this id, otherwise of the newest run of the same machine with the same files; a separate object, to read
    // from. Throws as PromiseStore does, and EnvironmentError if the file of that run is damaged.
    [[nodiscard]] std::unique_ptr<PromiseStore> find(const sim::PromiseSection& wanted) const;
    // This client no longer writes to it. Another one that has continued the run, or another connection of the same host, goes on.
    void put_away(std::uint64_t run_id, std::uint64_t client = 0);

    // The groups of runs.
    [[nodiscard]] GroupShelf& groups() { return *groups_; }

    [[nodiscard]] std::size_t run_count() const { return runs_.size(); }
    // For each file that could not be used when the witness began: which one, and what is wrong with it.
    [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

private:
    struct KeptRun {
        std::uint64_t age = 0;  // of the last section; a larger number is newer
        RunPlaces places;
        bool is_damaged = false;        // its file; without paths it may be of any files
        std::uint32_t incarnation = 0;  // 0: no promises are kept for it
        std::uint64_t section_id = 0;
        std::uint64_t utc_us = 0;  // when the section began, by the clock of its host
        std::uint64_t number = 0;
        std::uint64_t size_bytes = 0;         // of its file while no client writes to it
        std::unique_ptr<PromiseStore> store;  // while a client writes to it
        std::uint64_t client = 0;             // the last one that did

        [[nodiscard]] std::uint64_t kept_bytes() const { return store ? store->size_bytes() : size_bytes; }
    };

    [[nodiscard]] std::filesystem::path path_of(std::uint64_t run_id) const;
    void take_up();
    void take_up(const std::filesystem::path& path);
    void note_damage(const std::filesystem::path& path, const std::string& what);
    [[nodiscard]] static bool may_be_of(const KeptRun& run, const sim::PromiseSection& wanted);
    void remember(KeptRun& run, const sim::PromiseSection& section);
    [[nodiscard]] static bool is_outdated(const sim::PromiseSection& section, const KeptRun& run);
    [[nodiscard]] WitnessAnswer begin(const sim::PromiseSection& section, std::span<const std::byte> record, std::uint64_t client);
    [[nodiscard]] WitnessAnswer add(const sim::PromiseBatch& batch, std::span<const std::byte> record, std::uint64_t client);
    // Also if it can no longer be read what they are.
    [[nodiscard]] bool has_promises(std::uint64_t run_id) const;
    [[nodiscard]] bool make_room();
    void void_others(const sim::PromiseSection& section);
    void remove(std::uint64_t run_id);

    const std::filesystem::path folder_;
    ums::OutputHandle lock_;
    std::map<std::uint64_t, KeptRun> runs_;
    std::vector<std::string> damages_;
    std::uint64_t newest_age_ = 0;
    std::optional<GroupShelf> groups_;  // once the folder is locked
};

}  // namespace cli
