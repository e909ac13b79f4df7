#include "cli/promises/witness_sink.hpp"

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectPatience{2000};
// The witness's disk may be slow, and many clients may begin at once.
constexpr milliseconds kAnswerPatience{10000};

std::string problem_of(const WitnessAnswer& answer) {
    switch (static_cast<WitnessStatus>(answer.status)) {
        case WitnessStatus::kept:
        case WitnessStatus::records_follow: return {};
        case WitnessStatus::not_stored:
            return "its disk: " + ums::error_text(std::error_code(static_cast<int>(answer.system_error), std::generic_category()));
        case WitnessStatus::other_section: return "another process has begun promises of this run since";
        case WitnessStatus::unknown_run: return "it does not know this run any more";
        case WitnessStatus::no_room: return "it keeps as many runs as it can";
        case WitnessStatus::other_version: return fmt::format("it has another version, {}", answer.number);
        case WitnessStatus::missing_batch:
            return "it has lost promises that it had confirmed, so its disk is not reliable; those from now on count";
        case WitnessStatus::not_understood: break;
    }
    return "it did not understand the record";
}

}  // namespace

WitnessSink::WitnessSink(WitnessAddress address, const TlsKeys& keys)
    : address_(std::move(address)),
      context_(tls_context(TlsSide::client, keys)),
      link_(context_, address_.host, address_.port, keys.key_file.empty()) {}

std::string WitnessSink::name() const { return "the witness " + witness_address_text(address_); }

std::string WitnessSink::greet(WitnessPurpose purpose) {
    std::string problem = link_.connect(kConnectPatience, kAnswerPatience);
    if (!problem.empty()) return problem;
    const WitnessGreeting greeting{kGreetingMagic, kWireVersion, static_cast<std::uint16_t>(purpose), 0};
    return link_.send(std::as_bytes(std::span(&greeting, 1)), kAnswerPatience);
}

std::string WitnessSink::receive_answer(WitnessAnswer& answer) {
    std::string problem = link_.receive(std::as_writable_bytes(std::span(&answer, 1)), kAnswerPatience);
    if (problem.empty() && answer.magic != kAnswerMagic) problem = "the server that answers is not a witness";
    return problem;
}

// A link that breaks may have been dead for long, or was closed to make room for others, so a new one is worth an immediate try.
std::string WitnessSink::append(std::span<const std::byte> record) {
    std::string problem = link_.is_open() ? std::string() : greet(WitnessPurpose::keep);
    if (problem.empty()) problem = append_once(record);
    if (problem.empty() || link_.is_open()) return problem;
    problem = greet(WitnessPurpose::keep);
    return problem.empty() ? append_once(record) : problem;
}

std::string WitnessSink::append_once(std::span<const std::byte> record) {
    has_lost_records_ = false;
    std::string problem = link_.send(record, kAnswerPatience);
    WitnessAnswer answer{};
    if (problem.empty()) problem = receive_answer(answer);
    if (!problem.empty()) return problem;
    has_lost_records_ = answer.status == static_cast<std::uint16_t>(WitnessStatus::missing_batch);
    return problem_of(answer);
}

std::optional<sim::Promises> WitnessSink::load(const sim::PromiseKeeper::Wanted& wanted) {
    std::string problem;
    std::optional<sim::Promises> promises = load_once(wanted, problem);
    link_.close();
    if (!problem.empty()) throw sim::EnvironmentError(fmt::format("{}: {}", name(), problem));
    return promises;
}

std::optional<sim::Promises> WitnessSink::load_once(const sim::PromiseKeeper::Wanted& wanted, std::string& problem) {
    sim::PromiseSection section;
    section.run_id = wanted.run_id;
    section.host = ums::this_machine().host_name;
    for (const std::string& path : wanted.paths) section.files.push_back({0, false, 0, path});
    WitnessAnswer answer{};
    problem = greet(WitnessPurpose::load);
    if (problem.empty()) problem = link_.send(encode(section), kAnswerPatience);
    if (problem.empty()) problem = receive_answer(answer);
    if (!problem.empty() || answer.status == static_cast<std::uint16_t>(WitnessStatus::unknown_run)) return std::nullopt;
    problem = problem_of(answer);
    if (!problem.empty()) return std::nullopt;
    sim::Promises promises = receive_records(answer.number, problem);
    if (promises.section().run_id == 0) return std::nullopt;  // the witness has only an incomplete first record
    return promises;
}

sim::Promises WitnessSink::receive_records(std::uint64_t size_bytes, std::string& problem) {
    sim::Promises promises;
    std::vector<std::byte> record;
    while (size_bytes > 0 && problem.empty()) {
        record.resize(sizeof(sim::PromiseHeader));
        problem = link_.receive(record, kAnswerPatience);
        const std::optional<sim::PromiseHeader> header = problem.empty() ? sim::read_promise_header(record) : std::nullopt;
        if (!header || header->size_bytes > size_bytes) break;
        record.resize(header->size_bytes);
        problem = link_.receive(std::span(record).subspan(sizeof(sim::PromiseHeader)), kAnswerPatience);
        if (!problem.empty()) break;
        if (const auto section = sim::decode_section(record)) {
            promises.begin(*section);
        } else if (const auto batch = sim::decode_batch(record)) {
            static_cast<void>(promises.add(*batch));
        } else {
            break;
        }
        size_bytes -= record.size();
    }
    if (size_bytes > 0 && problem.empty()) problem = "what it sends is not a record of promises";
    return promises;
}

}  // namespace cli
