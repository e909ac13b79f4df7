// Keeps promises outside the storage under test: the interface to a ledger file, a witness on another machine, or a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/promises/promise_book.hpp"
#include "sim/promises/promise_record.hpp"
#include "sim/promises/promises.hpp"

namespace sim {

class PromiseKeeper {
public:
    struct Wanted {
        std::uint64_t run_id = 0;        // 0: unknown, the files do not say
        std::vector<std::string> paths;  // of the files, by which to find the run
    };
    struct Status {
        std::uint64_t batches = 0;      // promised: on stable storage there
        std::uint64_t pages = 0;        // in them
        std::uint64_t last_utc_us = 0;  // when the last of them was taken from the run
        std::uint64_t breaks = 0;       // how often promises had stopped
        std::string stopped_because;    // why promises are suspended now; otherwise empty
    };

    virtual ~PromiseKeeper() = default;

    // For messages: "the ledger /x/y", "the witness 10.0.0.1:7077".
    [[nodiscard]] virtual std::string name() const = 0;

    // What was promised for the run; nothing if the run is unknown here. Throws EnvironmentError if that cannot be found out. Blocks.
    [[nodiscard]] virtual std::optional<Promises> load(const Wanted& wanted) = 0;

    // Puts the section on stable storage before it returns. Blocks; throws EnvironmentError if that fails. First the section without files,
    // before the storage is touched; then the one with files. A broken connection before the second one is not an error: the section is
    // sent when the connection is back, and promises are suspended until then.
    virtual void begin(const PromiseSection& section) = 0;
    // From now on, collects batches from the book, on its own thread, until end(). The book must outlive that. Never delays the run, and
    // never throws.
    virtual void take_from(PromiseBook& book) = 0;
    // Collects what is left, and waits for it for at most a few seconds. `are_removed`: the files are about to be removed, and nothing is
    // promised about them any more; if that cannot be recorded, status() says why promises are suspended.
    virtual void end(bool are_removed) = 0;

    // Any thread.
    [[nodiscard]] virtual Status status() const = 0;
};

}  // namespace sim
