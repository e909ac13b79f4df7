#include "sim/rehearsal/hand_over.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/group/group_explanation.hpp"
#include "sim/group/run_group.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/host_view.hpp"
#include "sim/rehearsal/left_log.hpp"
#include "sim/rehearsal/owner_writes.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

constexpr std::array<std::string_view, kHandOverFaultCount> kNames = {"honest",      "lost_write", "torn_write",
                                                                      "stale_cache", "late_write", "zombie"};

constexpr std::array kWitnessLosses{HostLoss::witness_away, HostLoss::witness_lost};

// An owner that was cut off: what it wrote before and, because nobody told it, what it wrote afterwards.
struct PastOwner {
    std::shared_ptr<OwnerWrites> writes;
    std::uint64_t cut_moment = 0;
    KnownOwner owned;
    HostLoss loss{};  // of the witness, during its ownership
};

// What goes wrong with one page.
struct Injected {
    std::uint32_t file_id = 0;
    HandOverFault fault{};
    KnownOwner made_by;  // the change in its image
    HostView::Trouble trouble;
};

// --- what can go wrong ---

// Images to choose from, of pages that the files have always had: nothing is promised beyond a cut.
class Pool {
public:
    Pool(const std::vector<PastOwner>& owners, const CrashStart& start) : owners_(owners), start_(start) {
        for (const WriteBook::Resize& resize : start.book.resizes()) {
            const auto [least, is_new] = least_pages_.try_emplace(resize.file_id, resize.page_count);
            if (!is_new) least->second = std::min(least->second, resize.page_count);
        }
        for (const auto& [path, file] : start.files) {
            sizes_[path] = file->size_bytes() / kPageBytes;
            except_unknown_pages(*file);
        }
    }

    // An image that an owner wrote in its time, before it was promised a newer one.
    [[nodiscard]] const OwnerWrites::Image* older(ums::Prng& prng, const std::vector<Injected>& used) const {
        return draw(prng, [&](const PastOwner& owner, const OwnerWrites::Image& image) {
            return image.moment < owner.cut_moment && image.lsn <= owner.owned.last_lsn && image.version < promised(image) &&
                   is_free(image, used);
        });
    }
    // What an owner wrote after its time, with a change that it made then.
    [[nodiscard]] const OwnerWrites::Image* of_zombie(ums::Prng& prng, const std::vector<Injected>& used) const {
        return draw(prng, [&](const PastOwner& owner, const OwnerWrites::Image& image) {
            return has_range(owner) && image.moment > owner.cut_moment && image.lsn > owner.owned.last_lsn && promised(image) != 0 &&
                   is_free(image, used);
        });
    }
    // Who made the change in this image. A later owner may have written it, to redo the change.
    [[nodiscard]] const KnownOwner& maker_of(const OwnerWrites::Image& image) const {
        auto owner = std::find_if(owners_.begin(), owners_.end(), [&](const PastOwner& each) {
            const std::vector<OwnerWrites::Image>& images = each.writes->images();
            return std::any_of(images.begin(), images.end(), [&](const OwnerWrites::Image& written) { return &written == &image; });
        });
        while (owner != owners_.begin() && vlf_of_lsn(image.lsn) < owner->owned.first_vlf) --owner;
        return owner->owned;
    }
    // The image of the same page that was promised.
    [[nodiscard]] const OwnerWrites::Image* promised_image(const OwnerWrites::Image& older) const {
        for (auto owner = owners_.rbegin(); owner != owners_.rend(); ++owner) {
            for (const OwnerWrites::Image& image : owner->writes->images()) {
                const bool is_it = image.moment < owner->cut_moment && image.file_id == older.file_id && image.page_id == older.page_id &&
                                   image.version == promised(older);
                if (is_it) return &image;
            }
        }
        return nullptr;
    }

private:
    using Predicate = std::function<bool(const PastOwner&, const OwnerWrites::Image&)>;

    [[nodiscard]] const OwnerWrites::Image* draw(ums::Prng& prng, const Predicate& is_meant) const {
        std::vector<const OwnerWrites::Image*> found;
        for (const PastOwner& owner : owners_) {
            for (const OwnerWrites::Image& image : owner.writes->images()) {
                if (image.page_id != 0 && is_within(image) && is_meant(owner, image)) found.push_back(&image);
            }
        }
        return found.empty() ? nullptr : found[prng.below(found.size())];
    }
    // A checkpoint has declared that it promises nothing about them, because they could not be brought up to the log. In a data file this
    // finds nothing.
    void except_unknown_pages(const ums::SimulatedFile& file) {
        std::vector<std::byte> bytes(file.size_bytes());
        file.read(0, bytes.data(), bytes.size());
        for (std::size_t at = 0; at + kSectorBytes <= bytes.size(); at += kSectorBytes) {
            const bool is_block = read_block_header(&bytes[at]).magic == kLogMagic && is_sound_block(&bytes[at], bytes.size() - at);
            if (!is_block) continue;
            static_cast<void>(for_each_record(&bytes[at], [this](const LogRecordHeader& record, std::span<const std::byte> /*body*/) {
                if (record.kind == static_cast<std::uint16_t>(LogRecordKind::page_unknown))
                    unknown_.insert({record.file_id, record.page_id});
            }));
        }
    }
    // If an owner was cut off before any of its log reached the volume, the next one learns nothing about it and begins with the same
    // numbers.
    [[nodiscard]] static bool has_range(const PastOwner& owner) { return vlf_of_lsn(owner.owned.last_lsn) >= owner.owned.first_vlf; }
    [[nodiscard]] std::uint32_t promised(const OwnerWrites::Image& image) const {
        return start_.promises->page(image.file_id, image.page_id).version;
    }
    [[nodiscard]] bool is_within(const OwnerWrites::Image& image) const {
        const auto least = least_pages_.find(image.file_id);
        const bool was_never_cut = least == least_pages_.end() || image.page_id < least->second;
        const auto size = sizes_.find(image.path);
        const bool is_known = !unknown_.contains({image.file_id, image.page_id});
        return was_never_cut && is_known && size != sizes_.end() && image.page_id < size->second;
    }
    [[nodiscard]] static bool is_free(const OwnerWrites::Image& image, const std::vector<Injected>& used) {
        return std::none_of(used.begin(), used.end(),
                            [&](const Injected& each) { return each.trouble.path == image.path && each.trouble.page_id == image.page_id; });
    }

    const std::vector<PastOwner>& owners_;
    const CrashStart& start_;
    std::map<std::uint32_t, std::uint32_t> least_pages_;         // by file
    std::map<std::string, std::uint64_t> sizes_;                 // in pages, by path
    std::set<std::pair<std::uint32_t, std::uint32_t>> unknown_;  // file and page
};

// Its first sectors are those of the newer image.
std::vector<std::byte> torn_image(const OwnerWrites::Image& newer, const OwnerWrites::Image& older, ums::Prng& prng) {
    std::vector<std::byte> image = older.bytes;
    std::memcpy(image.data(), newer.bytes.data(), prng.between(1, kSectorsPerPage - 1) * kSectorBytes);
    return image;
}

std::vector<Injected> draw_faults(HandOverFault fault, const Pool& pool, ums::Prng& prng) {
    std::vector<Injected> faults;
    if (fault == HandOverFault::honest) return faults;
    for (std::uint64_t i = prng.between(1, 3); i > 0; --i) {
        const OwnerWrites::Image* const image = fault == HandOverFault::zombie ? pool.of_zombie(prng, faults) : pool.older(prng, faults);
        if (image == nullptr) break;
        Injected injected;
        injected.file_id = image->file_id;
        injected.fault = fault;
        injected.made_by = pool.maker_of(*image);
        injected.trouble.path = image->path;
        injected.trouble.page_id = image->page_id;
        injected.trouble.image = image->bytes;
        injected.trouble.lands_at_ns = prng.below(900) * ums::kNsPerMs;
        if (fault == HandOverFault::stale_cache) injected.trouble.stale_reads = static_cast<std::uint32_t>(prng.between(1, 6));
        if (fault == HandOverFault::torn_write) {
            const OwnerWrites::Image* const newer = pool.promised_image(*image);
            if (newer == nullptr) continue;
            injected.trouble.image = torn_image(*newer, *image, prng);
        }
        faults.push_back(std::move(injected));
    }
    return faults;
}

// --- the new owner ---

bool stands_there_from_the_start(HandOverFault fault) { return fault == HandOverFault::lost_write || fault == HandOverFault::torn_write; }

bool is_recovering(Phase phase) {
    return phase == Phase::create || phase == Phase::log_analysis || phase == Phase::page_verification || phase == Phase::redo;
}

struct NewOwner final : EventSink, RunGroup {
    NewOwner(const CrashPlan& plan, const std::vector<PastOwner>& before)
        : volume(clock, ums::simulated_disk(plan.seed)),
          view(volume, clock, [this] { return !is_recovering(simulation.phase()); }),
          ledger(*plan.start->promises),
          simulation(plan.options, view, clock, *this, &ledger, this) {
        for (const auto& [path, file] : plan.start->files) volume.put(path, file->copy());
        knowledge.run_id = plan.start->promises->section().run_id;
        knowledge.rank = static_cast<std::uint32_t>(before.size());
        knowledge.is_taking_over = true;
        for (const PastOwner& owner : before) knowledge.owners.push_back(owner.owned);
    }

    void on_event(const Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings.push_back(finding); }

    // Nobody else is left in the group.
    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting /*meeting*/, std::uint32_t /*cycle*/) override { return true; }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return knowledge.run_id; }
    void verified(const TakeOverResult& /*what*/) override {}
    void takes_over(TakeOver what) override { knowledge.taken_over = std::move(what); }
    void explain(Finding& finding) const override { sim::explain(finding, knowledge); }

    void inject(const std::vector<Injected>& faults) {
        for (const Injected& each : faults) {
            if (stands_there_from_the_start(each.fault)) {
                volume.find(each.trouble.path)
                    ->write(std::uint64_t{each.trouble.page_id} * kPageBytes, each.trouble.image.data(), kPageBytes);
            } else {
                view.add(each.trouble);
            }
        }
    }

    GroupKnowledge knowledge;
    std::vector<Finding> findings;
    ums::VirtualClock clock;
    ums::SimulatedStorage volume;
    HostView view;
    PromiseMemory ledger;
    Simulation simulation;
};

// --- results ---

bool was_given(const Injected& injected, const HostView& view) {
    if (stands_there_from_the_start(injected.fault)) return true;  // a new owner reads every page
    const auto& troubles = view.troubles();
    return std::any_of(troubles.begin(), troubles.end(), [&](const HostView::Trouble& trouble) {
        return trouble.path == injected.trouble.path && trouble.page_id == injected.trouble.page_id && trouble.was_seen;
    });
}

// While it takes the files over, the new owner can only say what the one before it had been promised; later it sees whose image it is.
bool names_right_owner(const Finding& finding, const Injected& injected, const KnownOwner& last) {
    const bool is_taking_over =
        finding.moment.phase == name_of(Phase::log_analysis) || finding.moment.phase == name_of(Phase::page_verification);
    const KnownOwner& owner = is_taking_over ? last : injected.made_by;
    const GroupFact& fact = *finding.group_fact;
    return fact.rank == owner.rank && fact.host == owner.host && fact.incarnation == owner.incarnation &&
           fact.path == injected.trouble.path && fact.page_id == injected.trouble.page_id;
}

std::vector<HostsFault> faults_of(const std::vector<Injected>& injected, const HostView& view, const KnownOwner& last) {
    std::vector<HostsFault> faults;
    for (const Injected& each : injected) {
        HostsFault fault;
        fault.what = fmt::format("{}, page {} of {}", name_of(each.fault), each.trouble.page_id, each.trouble.path);
        fault.file_id = each.file_id;
        fault.page_id = each.trouble.page_id;
        fault.was_given = was_given(each, view);
        fault.is_named_right = [&each, &last](const Finding& finding) {
            return finding.group_fact && finding.group_fact->kind == expected_fact(each.fault) && names_right_owner(finding, each, last);
        };
        faults.push_back(std::move(fault));
    }
    return faults;
}

// --- from owner to owner ---

class Chain {
public:
    Chain(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss)
        : seed_(seed),
          fault_(fault),
          loss_(loss),
          prng_(ums::mix64(seed ^ ums::mix64(0x686f737473 + static_cast<std::uint64_t>(fault)))),
          losses_(ums::mix64(seed ^ ums::mix64(0x6c6f7374 + static_cast<std::uint64_t>(fault)))) {}

    HostsReport run() {
        report_.text = fmt::format("--- seed {}, {}\n", seed_, name_of(fault_));
        CrashPlan plan = draw_crash_plan(seed_, {});
        plan.options.tempdb_user = {};  // tempdb and backups stay with their host
        plan.options.backup_user = {};
        plan.faults = {};  // only what happens between the owners
        plan.options.stop_on_error = false;
        plan.cut_count = 1;
        plan.has_ledger = true;
        owners_left_ = static_cast<std::uint32_t>(prng_.between(1, 2));
        constexpr std::uint64_t kAnotherIn = 4;
        const bool has_another = ums::mix64(seed_ ^ 0x616e6f74686572) % kAnotherIn == 0;
        if (owners_left_ == 2 && has_another) owners_left_ = 3;
        own(plan);
        if (was_witness_away_) ++report_.tally.losses;
        return std::move(report_);
    }

private:
    // One owner works and is cut off; then the next one follows.
    void own(CrashPlan plan) {
        plan.ledger_loss = draw_loss(loss_, kWitnessLosses, losses_);
        was_witness_away_ = was_witness_away_ || plan.ledger_loss.loss != HostLoss::none;
        auto writes = std::make_shared<OwnerWrites>(plan.options);
        plan.watch = [writes](const ums::PowerMoment& moment) { writes->observe(moment); };
        std::optional<CrashPlan> next;
        const CrashReport report = rehearse_crash(plan, [&](const CrashPlan& of, CrashState& state) {
            next = plan_second_cut(of, state);
            const LeftLog log(of.options, state.power, state.book);
            // If the log is newer than the promises, nobody demands them: its owner was cut off before it promised anything.
            const bool is_promised =
                state.promises && !state.promises->are_void() && log.incarnation() <= state.promises->section().incarnation;
            if (!next || !is_promised) return next.reset();
            PastOwner past{writes, state.power.moment, {}, plan.ledger_loss.loss};
            past.owned.rank = static_cast<std::uint32_t>(owners_.size());
            past.owned.incarnation = past.owned.rank + 1;
            past.owned.host = fmt::format("host-{}", past.owned.rank);
            past.owned.first_vlf = owners_.empty() ? 0 : vlf_of_lsn(writes->first_lsn());
            past.owned.last_lsn = log.end_lsn();
            owners_.push_back(std::move(past));
        });
        for (const Finding& finding : report.findings) {
            ++report_.tally.false_alarms;
            report_.problem += fmt::format("seed {}: owner {} found: {}\n", seed_, owners_.size(), text_of(finding));
        }
        if (!next || !report.findings.empty()) return;  // cut while the files were created: nothing is handed over
        ++report_.tally.hosts;
        next->watch = {};
        if (--owners_left_ > 0) return own(*next);
        hand_over_to_the_last(*next);
    }

    void hand_over_to_the_last(const CrashPlan& plan) {
        const Pool pool(owners_, *plan.start);
        const std::vector<Injected> faults = draw_faults(fault_, pool, prng_);
        NewOwner owner(plan, owners_);
        owner.inject(faults);
        const Outcome outcome = owner.simulation.run().outcome;
        if (ums::MemoryReserve::is_spent()) throw std::bad_alloc();  // the run was cut short, so its results mean nothing
        for (const PastOwner& past : owners_) {
            report_.text += fmt::format("  owner {} from VLF {} to LSN {:#x}{}\n", past.owned.rank, past.owned.first_vlf,
                                        past.owned.last_lsn, past.loss == HostLoss::none ? "" : fmt::format(", {}", name_of(past.loss)));
        }
        report_.text += fmt::format("  {} owners before, {} faults, {} findings\n", owners_.size(), faults.size(), owner.findings.size());
        judge_host(fmt::format("seed {}, {}", seed_, name_of(fault_)), faults_of(faults, owner.view, owners_.back().owned), owner.findings,
                   {outcome}, report_);
    }

    const std::uint64_t seed_;
    const HandOverFault fault_;
    const std::optional<HostLoss> loss_;
    ums::Prng prng_;
    ums::Prng losses_;
    bool was_witness_away_ = false;
    std::uint32_t owners_left_ = 1;
    std::vector<PastOwner> owners_;
    HostsReport report_;
};

}  // namespace

std::string_view name_of(HandOverFault fault) { return kNames.at(static_cast<std::size_t>(fault)); }

std::optional<HandOverFault> hand_over_fault_of(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<HandOverFault>(found - kNames.begin());
}

std::optional<GroupFactKind> expected_fact(HandOverFault fault) {
    switch (fault) {
        case HandOverFault::honest: return std::nullopt;
        case HandOverFault::lost_write: return GroupFactKind::missing_after_hand_over;
        case HandOverFault::torn_write: return GroupFactKind::torn_by_hand_over;
        case HandOverFault::stale_cache: return GroupFactKind::stale_on_new_owner;
        case HandOverFault::late_write: return GroupFactKind::late_write;
        case HandOverFault::zombie: return GroupFactKind::zombie_owner;
    }
    UMS_ASSERT(false && "unknown fault");
}

HostsReport rehearse_hand_over(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss) {
    const ums::MemoryReserve reserve;
    return Chain(seed, fault, loss).run();
}

}  // namespace sim
