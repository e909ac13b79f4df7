// The destination of promise records, one by one: a file, or a witness on another machine. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "sim/promises/promise_keeper.hpp"

namespace cli {

class PromiseSink {
public:
    virtual ~PromiseSink() = default;

    // "the ledger /x/y", "the witness 10.0.0.1:7017".
    [[nodiscard]] virtual std::string name() const = 0;
    // See sim::PromiseKeeper.
    [[nodiscard]] virtual std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) = 0;
    // Appends one record, in the order of its section; repeated if its outcome is unknown. Empty if the record is on stable storage,
    // otherwise why not. Waits some seconds at most, unless a disk does not answer.
    [[nodiscard]] virtual std::string append(std::span<const std::byte> record) = 0;
    // Whether the last append() failed because records that had been stored are lost there: only a new section can go on.
    [[nodiscard]] virtual bool has_lost_records() const { return false; }
};

}  // namespace cli
