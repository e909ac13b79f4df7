#include "sim/verify/left_promises.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"

namespace sim {

namespace {

constexpr const char* kVoidText = "It holds no promise: the run was about to make its files, or had removed them.";

PromiseKeeper::Wanted wanted_of(const FoundFiles& found) {
    PromiseKeeper::Wanted wanted{found.run_id, {}};
    for (const FoundFile& file : found.files) wanted.paths.push_back(file.left.options.path);
    return wanted;
}

LeftPromises take_over(PromiseKeeper& keeper, std::optional<Promises> loaded) {
    LeftPromises left;
    left.told.keeper = keeper.name();
    left.told.block = loaded->hardened_sequence();
    left.told.checkpoint_lsn = loaded->checkpoint_lsn();
    left.told.last_utc_us = loaded->last_utc_us();
    if (loaded->are_void()) {
        left.told.remark = kVoidText;
    } else {
        left.promises = std::move(loaded);
    }
    return left;
}

// Storage that loses writes, or goes back in time, shows what was there before the run with the promises had begun: never a run that was
// made after that. A clock that was set back since by less than that run has lasted does not matter.
void judge_other_run(const PromiseKeeper& keeper, LeftPromises& left, const FoundFiles& found) {
    const bool is_of_other_run = left.promises && found.run_id != 0 && left.promises->section().run_id != found.run_id;
    if (!is_of_other_run) return;
    const PromiseSection& promised = left.promises->section();
    if (found.made_utc_us > promised.utc_us) {
        throw RefusedError(
            fmt::format("These files are of run {:016x}, which began after run {:016x}, whose promises {} holds: the newer run did not use "
                        "it. Name the ledger or witness of the newer run, or verify without one.",
                        found.run_id, promised.run_id, keeper.name()));
    }
    left.told.remark = fmt::format(
        "The files are of run {:016x}, which by the clock of its host began before run {:016x} with these promises. If that clock was set "
        "back since, they may be of a newer run that made no promises here: then nothing is lost.",
        found.run_id, promised.run_id);
}

}  // namespace

LeftPromises promises_of(PromiseKeeper& keeper, FoundFiles& found) {
    std::optional<Promises> loaded = keeper.load(wanted_of(found));
    if (!loaded) {
        refuse_unknown_run(found, Job::verify);
        throw RefusedError(
            fmt::format("The run of these files is not known to {}. Name the ledger or witness that the run used.", keeper.name()));
    }
    LeftPromises left = take_over(keeper, std::move(loaded));
    if (left.promises) expect_run(found, left.promises->section().run_id);
    judge_other_run(keeper, left, found);
    if (!left.promises) return left;
    become_run(found, left.promises->section().run_id);
    expect_versions(found, *left.promises);
    return left;
}

LeftPromises promises_to_go_on_with(PromiseKeeper& keeper, FoundFiles& found) {
    std::optional<Promises> loaded = keeper.load(wanted_of(found));
    if (!loaded) {
        LeftPromises left;
        left.told.keeper = keeper.name();
        left.told.remark = "It knew nothing of this run before.";
        return left;
    }
    if (!loaded->are_void()) expect_run(found, loaded->section().run_id);
    if (!loaded->are_void() && loaded->section().run_id != found.run_id) {
        const std::string what_is_there = found.run_id == 0 ? "none of the files says to which run it belongs"
                                                            : fmt::format("these files are of run {:016x}", found.run_id);
        throw RefusedError(fmt::format(
            "{} holds the promises of run {:016x}, but {}. 'ioproof verify' with it says what is left; to continue without its promises, "
            "name another ledger.",
            keeper.name(), loaded->section().run_id, what_is_there));
    }
    LeftPromises left = take_over(keeper, std::move(loaded));
    if (left.promises) expect_versions(found, *left.promises);
    return left;
}

PromisesResult told_of(const LeftPromises& left, const Promises* demanded) {
    PromisesResult told = left.told;
    told.are_used = demanded != nullptr;
    if (left.promises && demanded == nullptr) {
        told.remark = "The log is newer than its promises: the run continued without it, so they are not demanded.";
    }
    return told;
}

}  // namespace sim
