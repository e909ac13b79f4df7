#include "sim/rehearsal/reader_rehearsal.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/group/group_explanation.hpp"
#include "sim/rehearsal/fault_matching.hpp"
#include "sim/rehearsal/lost_witness.hpp"
#include "sim/rehearsal/owner_view.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/rehearsal/reader_faults.hpp"
#include "sim/rehearsal/reader_view.hpp"
#include "sim/rehearsal/rehearsal_options.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kReadersMax = 3;
constexpr std::array kLosses{HostLoss::owner_killed, HostLoss::owner_frozen, HostLoss::witness_away, HostLoss::witness_lost};

// Files that grow and are never cut, as with --plan readers, and pages that are written again and again.
Options shared_options(std::uint64_t seed) {
    Options options = rehearsal_options(seed);
    options.stop_on_error = false;
    options.tempdb_user = {};  // tempdb and backups stay with their host
    options.backup_user = {};
    options.files_only_grow = true;
    options.random_user.user_count = 4;
    options.random_user.sleep_after_ms = 20;
    return options;
}

// What a host has reported.
struct HostSink : EventSink {
    void on_event(const Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings.push_back(finding); }

    std::vector<Finding> findings;
    Outcome outcome = Outcome::passed;
};

class FileOwner final : public HostSink, public RunGroup {
public:
    FileOwner(const Options& options, ums::Storage& volume, const ums::Clock& clock, PromiseKeeper& ledger)
        : simulation(options, volume, clock, *this, &ledger, this) {}

    // Of an owner that was killed, nobody hears what it says of the requests that its end has cut off.
    void on_finding(const Finding& finding) override {
        if (!is_killed()) HostSink::on_finding(finding);
    }
    void begins(std::uint64_t run, std::vector<std::string> /*paths*/) override { run_id = run; }
    // Waits for no one.
    [[nodiscard]] bool may_pass(Meeting meeting, std::uint32_t /*cycle*/) override {
        if (meeting == Meeting::main_run && !std::exchange(has_made_files, true)) on_files_made();
        return true;
    }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return 0; }
    void verified(const TakeOverResult& /*what*/) override {}
    void takes_over(TakeOver /*what*/) override {}
    void explain(Finding& /*finding*/) const override {}

    std::function<bool()> is_killed;
    std::function<void()> on_files_made;
    std::uint64_t run_id = 0;
    bool has_made_files = false;
    bool is_over = false;
    Simulation simulation;
};

class FileReader final : public HostSink, public RunGroup {
public:
    struct Setup {
        Options options;
        std::uint32_t rank = 1;
        Coherence coherence{};
        std::uint64_t seed = 0;
    };
    FileReader(const Setup& setup, const FileOwner& owner, const LostWitness& witness, ums::Storage& volume, const ums::Clock& clock,
               OwnerView& owner_view, PromiseMemory& owner_ledger)
        : ledger(owner_ledger, [&witness] { return witness.answers(); }),
          view(volume, clock, owner_view, ledger,
               {setup.coherence == Coherence::close_to_open, setup.seed, [this] { return told_ == Owner::ended; }}),
          setup_(setup),
          owner_(owner),
          witness_(witness),
          simulation(setup.options, view, clock, *this, &ledger, this) {}

    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting meeting, std::uint32_t /*cycle*/) override {
        return meeting == Meeting::begin || owner_.has_made_files || owner_.is_over;
    }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return owner_.run_id; }
    void verified(const TakeOverResult& /*what*/) override {}
    void takes_over(TakeOver /*what*/) override {}
    [[nodiscard]] std::optional<Coherence> reads_with() const override { return setup_.coherence; }
    [[nodiscard]] Owner owner() const override { return told_ = witness_.owner(); }
    // The outcome if it finds nothing: passed if it has compared all promises with the files after the owner ended, otherwise not done.
    [[nodiscard]] Outcome due_outcome() const {
        return told_ == Owner::ended && read.promised_pages > 0 ? Outcome::passed : Outcome::not_done;
    }
    void has_read(const ReaderResult& what) override { read = what; }
    void explain(Finding& finding) const override {
        GroupKnowledge group;
        group.run_id = owner_.run_id;
        group.rank = setup_.rank;
        group.host = fmt::format("host-{}", setup_.rank);
        group.is_reading = true;
        KnownOwner known;
        known.host = "host-0";
        known.incarnation = known.first_vlf = 1;
        group.owners.push_back(std::move(known));
        sim::explain(finding, group);
    }

    ReaderResult read;
    AskedLedger ledger;
    ReaderView view;

private:
    const Setup setup_;
    const FileOwner& owner_;
    const LostWitness& witness_;
    mutable Owner told_ = Owner::works;

public:
    Simulation simulation;
};

class SharedFiles {
public:
    SharedFiles(std::uint64_t seed, ReaderFault fault, std::optional<RunGroup::Coherence> coherence, std::optional<HostLoss> loss)
        : seed_(seed),
          fault_(fault),
          prng_(ums::mix64(seed ^ ums::mix64(0x72656164 + static_cast<std::uint64_t>(fault)))),
          coherence_(coherence.value_or(prng_.below(2) == 0 ? RunGroup::Coherence::strict : RunGroup::Coherence::close_to_open)),
          options_(shared_options(seed)),
          lag_(prng_.next()),
          volume_(clock_, ums::simulated_disk(prng_.next())),
          losses_(ums::mix64(seed ^ ums::mix64(0x6c6f7374 + static_cast<std::uint64_t>(fault)))),
          witness_(clock_, draw_loss(loss, kLosses, losses_)),
          owner_view_(volume_, clock_, options_),
          owner_(options_, owner_view_, clock_, ledger_) {
        add_readers(static_cast<std::uint32_t>(prng_.between(1, kReadersMax)));
        std::vector<ReaderView*> views;
        for (const auto& reader : readers_) views.push_back(&reader->view);
        faults_ = std::make_unique<ReaderFaults>(fault, prng_.next(), volume_, clock_, std::move(views));
        watch_owner();
    }

    HostsReport run() {
        std::vector<Simulation*> simulations{&owner_.simulation};
        for (const auto& reader : readers_) simulations.push_back(&reader->simulation);
        run_together(simulations, clock_, [this](std::size_t index, const Results& results) {
            if (index == 0) return owner_ended(results.outcome);
            readers_[index - 1]->outcome = results.outcome;
        });
        if (ums::MemoryReserve::is_spent()) throw std::bad_alloc();  // the run was cut short, so its results mean nothing
        judge();
        return std::move(report_);
    }

private:
    void add_readers(std::uint32_t count) {
        FileReader::Setup setup{options_, 1, coherence_, 0};
        setup.options.job = Job::verify;
        for (setup.rank = 1; setup.rank <= count; ++setup.rank) {
            setup.seed = prng_.next();
            readers_.push_back(std::make_unique<FileReader>(setup, owner_, witness_, volume_, clock_, owner_view_, ledger_));
        }
    }

    void watch_owner() {
        owner_.is_killed = [this] { return witness_.is_owner_gone(); };
        owner_.on_files_made = [this] {
            faults_->begin();
            witness_.begin();
            owner_view_.lose_owner(witness_.plan());
        };
        ledger_.reach_if([this] { return witness_.answers() && !witness_.is_owner_gone(); });
        OwnerView::Watch watch;
        watch.page_written = [this](const OwnerView::PageWrite& write) {
            for (const auto& reader : readers_) reader->view.page_written(write);
            faults_->page_written(write);
        };
        watch.has_grown = [this](const OwnerView::Growth& growth) { faults_->has_grown(growth); };
        // A ledger lags behind the run, by up to a few dozen requests.
        watch.request = [this] {
            if (lag_.below(8) == 0) ledger_.take();
        };
        watch.gone = [this] { volume_is_left(); };
        owner_view_.set_watch(std::move(watch));
    }

    // No write is under way any more, and none will follow.
    void volume_is_left() {
        if (!std::exchange(is_volume_left_, true)) faults_->owner_is_over();
    }

    void owner_ended(Outcome outcome) {
        owner_.outcome = outcome;
        owner_.is_over = true;
        was_owner_killed_ = witness_.is_owner_gone();
        if (!was_owner_killed_) witness_.owner_ended();
        volume_is_left();
    }

    // --- results ---

    void judge() {
        const HostLoss loss = witness_.plan().loss;
        if (witness_.was_anybody_lost()) ++report_.tally.losses;
        report_.text = fmt::format("--- seed {}, {}, {}{}\n", seed_, name_of(fault_),
                                   coherence_ == RunGroup::Coherence::strict ? "strict" : "close-to-open",
                                   loss == HostLoss::none ? "" : fmt::format(", {}", name_of(loss)));
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            const FileReader& reader = *readers_[i];
            ++report_.tally.hosts;
            report_.text +=
                fmt::format("  reader {}: {} passes, {} pages, {} of them promised, {} in flight; {} findings\n", i + 1, reader.read.passes,
                            reader.read.pages, reader.read.promised_pages, reader.read.in_flight_pages, reader.findings.size());
            judge_host(where(fmt::format("reader {}", i + 1)), faults_of(reader), reader.findings, {reader.outcome, reader.due_outcome()},
                       report_);
        }
        judge_owner();
    }

    [[nodiscard]] std::string where(std::string_view host) const { return fmt::format("seed {}, {}, {}", seed_, name_of(fault_), host); }

    [[nodiscard]] std::vector<HostsFault> faults_of(const FileReader& reader) const {
        std::vector<HostsFault> faults;
        for (ReaderTrouble trouble : reader.view.troubles()) {
            trouble.was_healed = faults_->is_healed(trouble);
            HostsFault fault;
            fault.what = fmt::format("{} {}, page {} of {}", name_of(trouble.fault), trouble.is_on_volume ? "on the volume" : "on the way",
                                     trouble.page_id, trouble.path);
            fault.file_id = trouble.file_id;
            fault.page_id = trouble.page_id;
            fault.was_given = trouble.was_given;
            fault.may_be_found_again = trouble.fault == ReaderFault::damaged_page && !trouble.is_on_volume;
            fault.is_named_right = [trouble = std::move(trouble)](const Finding& finding) { return is_named_right(trouble, finding); };
            faults.push_back(std::move(fault));
        }
        return faults;
    }

    // The owner may find what is wrong on the volume, too, and classifies it as any run does. Then it repairs the page.
    void judge_owner() {
        std::vector<Finding> unexplained;
        std::vector<ReaderTrouble> troubles = readers_.front()->view.troubles();
        for (const Finding& finding : owner_.findings) {
            const auto cause = std::find_if(troubles.begin(), troubles.end(),
                                            [&finding](const ReaderTrouble& trouble) { return is_named_right_by_owner(trouble, finding); });
            if (cause == troubles.end()) {
                unexplained.push_back(finding);
            } else {
                troubles.erase(cause);
            }
        }
        const Outcome due = has_failure(owner_.findings) ? Outcome::failed : Outcome::passed;
        judge_host(where("owner"), {}, unexplained, {owner_.outcome, was_owner_killed_ ? owner_.outcome : due}, report_);
    }

    const std::uint64_t seed_;
    const ReaderFault fault_;
    ums::Prng prng_;
    const RunGroup::Coherence coherence_;
    const Options options_;
    ums::Prng lag_;
    ums::VirtualClock clock_;
    ums::SimulatedStorage volume_;
    ums::Prng losses_;
    LostWitness witness_;
    OwnerView owner_view_;
    PromiseMemory ledger_;
    FileOwner owner_;
    std::vector<std::unique_ptr<FileReader>> readers_;
    std::unique_ptr<ReaderFaults> faults_;
    bool is_volume_left_ = false;
    bool was_owner_killed_ = false;
    HostsReport report_;
};

}  // namespace

HostsReport rehearse_readers(std::uint64_t seed, ReaderFault fault, std::optional<RunGroup::Coherence> coherence,
                             std::optional<HostLoss> loss) {
    const ums::MemoryReserve reserve;
    return SharedFiles(seed, fault, coherence, loss).run();
}

}  // namespace sim
