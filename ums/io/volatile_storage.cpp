#include "ums/io/volatile_storage.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/io/forwarding_engine.hpp"
#include "ums/io/request_bytes.hpp"

namespace ums {

VolatileStorage::VolatileStorage(SimulatedStorage& inner, const Clock& clock, const VolatileOptions& options)
    : ForwardingStorage(inner), disk_(inner), clock_(clock), options_(options), prng_(options.seed) {
    UMS_ASSERT(options_.destage_min_ns <= options_.destage_max_ns);
    const bool is_about_a_file = options_.lies.has(PowerLie::one_file_ignored) || options_.lies.has(PowerLie::write_hole);
    UMS_ASSERT(!is_about_a_file || !options_.lying_path.empty());
    for (const auto& [path, file] : disk_.files()) names_[path].durable = new_file(path, file->copy());
}

VolatileStorage::FilePointer VolatileStorage::new_file(const std::string& path, std::unique_ptr<SimulatedFile> medium) {
    const bool has_hole = options_.lies.has(PowerLie::write_hole) && path == options_.lying_path;
    const VolatileFile::Setup setup{options_.atomic_unit_bytes, has_hole ? options_.hole_begin_bytes : kNever};
    if (options_.new_space) medium->set_new_space(options_.new_space(path));
    return std::make_shared<VolatileFile>(path, std::move(medium), setup);
}

std::uint64_t VolatileStorage::cached_bytes() const {
    std::uint64_t count = 0;
    for (const auto& [path, name] : names_) {
        const FilePointer& file = name.changes.empty() ? name.durable : name.changes.back().file;
        if (file) count += file->cached_bytes();
    }
    return count;
}

bool VolatileStorage::is_flush_ignored(const VolatileFile& file) const {
    const PowerLies& lies = options_.lies;
    if (lies.has(PowerLie::one_file_ignored) && file.path() == options_.lying_path) return true;
    return lies.has(PowerLie::flush_ignored) || lies.has(PowerLie::overtaking) || lies.has(PowerLie::rolled_back);
}

bool VolatileStorage::is_fua_ignored(const VolatileFile& file) const {
    const PowerLies& lies = options_.lies;
    if (lies.has(PowerLie::one_file_ignored) && file.path() == options_.lying_path) return true;
    return lies.has(PowerLie::fua_ignored) || lies.has(PowerLie::rolled_back);
}

void VolatileStorage::note_request(PowerMoment::Kind kind, const VolatileFile& file, const IoRequest& request) {
    note_moment({0, kind, request.operation, &file.path(), request.offset_bytes, request.size_bytes, &request});
}

void VolatileStorage::note_call(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    note_moment({0, PowerMoment::Kind::blocking_call, operation, &file_of(file)->path(), offset_bytes, size_bytes, nullptr});
}

void VolatileStorage::note_moment(PowerMoment moment) {
    destage_due();
    moment.number = ++moment_;
    if (observer_) observer_(moment);
}

// --- names and blocking calls ---

std::error_code VolatileStorage::open(const std::string& path, const OpenOptions& options, FileHandle& file) {
    destage_due();
    OpenOptions empty = options;
    empty.first_bytes = {};  // not durable: a cut may leave the file without them
    const std::error_code error = disk_.open(path, empty, file);
    if (error) return error;
    if (options.create_new) {
        const FilePointer made = new_file(path, disk_.find(path)->copy());
        renamed(made, made);
    }
    const Name& name = names_.at(path);
    open_[file.value] = {name.changes.empty() ? name.durable : name.changes.back().file, options.durable_writes};
    return error;
}

std::error_code VolatileStorage::reopen(FileHandle file, const OpenOptions& options, FileHandle& again) {
    const std::error_code error = disk_.reopen(file, options, again);
    if (!error) open_[again.value] = {file_of(file), options.durable_writes};
    return error;
}

void VolatileStorage::close(FileHandle file) {
    open_.erase(file.value);
    disk_.close(file);
}

std::error_code VolatileStorage::remove(FileHandle file) {
    destage_due();
    const std::error_code error = disk_.remove(file);
    if (!error) renamed(file_of(file), nullptr);
    return error;
}

std::error_code VolatileStorage::allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    note_call(IoOperation::allocate, file, offset_bytes, size_bytes);
    const std::error_code error = disk_.allocate(file, offset_bytes, size_bytes);
    if (!error) resized(file_of(file), std::max(file_of(file)->size_bytes(), offset_bytes + size_bytes));
    return error;
}

std::error_code VolatileStorage::truncate(FileHandle file, std::uint64_t size_bytes) {
    note_call(IoOperation::truncate, file, size_bytes, 0);
    const std::error_code error = disk_.truncate(file, size_bytes);
    if (!error) resized(file_of(file), size_bytes);
    return error;
}

std::error_code VolatileStorage::sync(FileHandle file) {
    note_call(IoOperation::sync, file, 0, 0);
    const std::error_code error = disk_.sync(file);
    if (!error) synced(file_of(file), change_);
    return error;
}

std::error_code VolatileStorage::read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                      std::size_t& transferred_bytes) {
    note_call(IoOperation::read, file, offset_bytes, size_bytes);
    return disk_.read(file, offset_bytes, data, size_bytes, transferred_bytes);
}

// --- requests ---

class VolatileStorage::Engine final : public ForwardingEngine {
public:
    Engine(VolatileStorage& storage, std::unique_ptr<IoEngine> inner) : ForwardingEngine(std::move(inner)), storage_(storage) {}

    void submit(IoRequest& request) override {
        storage_.submitted(request);
        inner().submit(request);
    }
    void poll(IoRequestList& finished) override {
        IoRequestList arrived;
        inner().poll(arrived);
        while (IoRequest* request = arrived.pop_front()) {
            storage_.completed(*request);
            finished.push_back(*request);
        }
    }

private:
    VolatileStorage& storage_;
};

std::unique_ptr<IoEngine> VolatileStorage::make_engine(const EngineOptions& options, std::string& reason) {
    return std::make_unique<Engine>(*this, disk_.make_engine(options, reason));
}

void VolatileStorage::submitted(IoRequest& request) {
    const FilePointer& file = file_of(request.file);
    note_request(PowerMoment::Kind::submission, *file, request);
    in_flight_.push_back({&request, file, change_});
}

void VolatileStorage::completed(IoRequest& request) {
    const auto found = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& each) { return each.request == &request; });
    UMS_ASSERT(found != in_flight_.end());
    note_request(PowerMoment::Kind::completion, *found->file, request);
    const InFlight done = std::move(*found);
    in_flight_.erase(found);
    if (request.error) return;
    switch (request.operation) {
        case IoOperation::read: return;
        case IoOperation::write: return wrote(done.file, request);
        case IoOperation::sync: return synced(done.file, done.covered);
        case IoOperation::allocate: return resized(done.file, std::max(done.file->size_bytes(), request.offset_bytes + request.size_bytes));
        case IoOperation::truncate: return resized(done.file, request.offset_bytes);
    }
}

// --- what has come back ---

void VolatileStorage::wrote(const FilePointer& file, const IoRequest& request) {
    const std::uint64_t change = ++change_;
    const std::uint64_t size_bytes = request.transferred_bytes;
    gathered_.resize(size_bytes);
    copy_from_request(request, request.offset_bytes, gathered_.data(), size_bytes);
    file->write(change, request.offset_bytes, gathered_);
    if (request.durable || open_.at(request.file.value).durable_writes) {
        file->promise_write(change, request.offset_bytes, size_bytes);
        if (!is_fua_ignored(*file)) return file->harden_write(change, request.offset_bytes, size_bytes);
    }
    destage_later({file, DestagedPart::contents, change, request.offset_bytes, size_bytes});
}

void VolatileStorage::resized(const FilePointer& file, std::uint64_t size_bytes) {
    const std::uint64_t change = ++change_;
    file->resize(change, size_bytes);
    destage_later({file, DestagedPart::size, change, 0, 0});
}

// The name of `file` now belongs to `bound`.
void VolatileStorage::renamed(const FilePointer& file, FilePointer bound) {
    const std::uint64_t change = ++change_;
    names_[file->path()].changes.push_back({change, std::move(bound)});
    destage_later({file, DestagedPart::name, change, 0, 0});
}

void VolatileStorage::synced(const FilePointer& file, std::uint64_t covered) {
    file->promise(covered);
    harden_name(file, covered);
    if (!is_flush_ignored(*file)) file->harden(covered);
}

void VolatileStorage::harden_name(const FilePointer& file, std::uint64_t covered) {
    Name& name = names_.at(file->path());
    std::uint64_t change = 0;
    for (const Binding& binding : name.changes) {
        if (binding.file == file && binding.change <= covered) change = binding.change;
    }
    name.promised = std::max(name.promised, change);
    if (!is_flush_ignored(*file)) harden_name(name, change);
}

// --- what gets to the medium by itself ---

void VolatileStorage::harden_name(Name& name, std::uint64_t change) {
    auto binding = name.changes.begin();
    for (; binding != name.changes.end() && binding->change <= change; ++binding) name.durable = binding->file;
    name.changes.erase(name.changes.begin(), binding);
}

void VolatileStorage::destage_later(Destaging destaging) {
    std::uint64_t delay_ns = 0;
    if (options_.lies.has(PowerLie::rolled_back)) {
        delay_ns = options_.rolled_back_ns;  // so that the medium is the volume as it was then
    } else if (options_.lies.has(PowerLie::overtaking)) {
        delay_ns = prng_.between(0, options_.overtaking_ns);
    } else if (options_.destage_min_ns == kNever) {
        return;
    } else {
        delay_ns = prng_.between(options_.destage_min_ns, options_.destage_max_ns);
    }
    destaging_.emplace(clock_.now_ns() + delay_ns, std::move(destaging));
}

void VolatileStorage::destage_due() {
    while (!destaging_.empty() && destaging_.begin()->first <= clock_.now_ns()) {
        const Destaging due = std::move(destaging_.begin()->second);
        destaging_.erase(destaging_.begin());
        switch (due.part) {
            case DestagedPart::contents: due.file->harden_write(due.change, due.offset_bytes, due.size_bytes); break;
            case DestagedPart::size: due.file->harden_sizes(due.change); break;
            case DestagedPart::name: harden_name(names_.at(due.file->path()), due.change); break;
        }
    }
}

// --- power goes ---

std::vector<InFlightChange> VolatileStorage::in_flight_on(const VolatileFile& file) const {
    std::vector<InFlightChange> changes;
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
        const IoOperation operation = in_flight_[i].request->operation;
        const bool is_change = operation != IoOperation::read && operation != IoOperation::sync;
        if (is_change && in_flight_[i].file.get() == &file) changes.push_back({change_ + 1 + i, in_flight_[i].request});
    }
    return changes;
}

PowerCut VolatileStorage::cut(std::uint64_t seed) {
    destage_due();
    PowerCut result;
    const CutChoice choice(seed, change_, options_.lies.has(PowerLie::rolled_back));
    result.mix = choice.mix();
    result.at_ns = clock_.now_ns();
    result.moment = moment_;
    for (const auto& [path, name] : names_) {
        FilePointer left = name.durable;
        FilePointer promised;  // by the last change of the name that was promised
        bool is_lost = false;
        bool is_kept = true;
        for (const Binding& binding : name.changes) {
            is_kept = is_kept && choice.keeps(binding.change, binding.change, 0);
            if (is_kept) left = binding.file;
            if (is_kept || binding.change > name.promised) continue;
            is_lost = true;
            promised = binding.file;
        }
        // The promised file is gone, and no older or later file of this name is the right one.
        if (is_lost && promised && left != promised) result.lost.push_back({path, LostPart::name, 0, promised->promised_size_bytes()});
        if (!left) continue;
        VolatileFile::Remains remains = left->cut(choice, in_flight_on(*left));
        std::move(remains.lost.begin(), remains.lost.end(), std::back_inserter(result.lost));
        std::move(remains.torn.begin(), remains.torn.end(), std::back_inserter(result.torn));
        result.files.emplace(path, std::move(remains.file));
    }
    UMS_ASSERT(!options_.lies.is_honest() || result.lost.empty());
    return result;
}

}  // namespace ums
