#include <cerrno>
#include <string>
#include <system_error>

#include "sim/errors.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

TEST_CASE("a file that its device does not let be opened is a finding of a verification and of a resumed run, other refusals are none") {
    class RefusingDevice final : public ums::ForwardingStorage {
    public:
        using ForwardingStorage::ForwardingStorage;
        std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
            return path.ends_with(".ldx") ? std::error_code(error, std::system_category()) : inner().open(path, how, file);
        }
        int error = 0;
    };
    LeftRun left;
    RefusingDevice storage(left.run.memory);
    sim::Options options = left.options;
    options.job = GENERATE(sim::Job::verify, sim::Job::resume);
    CollectingSink sink;
    SECTION("the device fails") {
        storage.error = EIO;
        const sim::Results results = sim::Simulation(options, storage, left.run.clock, sink).run();
        CHECK(results.outcome == sim::Outcome::failed);
        CHECK_THAT(results.outcome_reason, ContainsSubstring("cannot be opened: Input/output error"));
        REQUIRE(results.findings.size() == 1);
        CHECK(results.findings[0].kind == sim::FindingKind::io_error);
        CHECK(results.findings[0].request.of_file == sim::FileRequest::open);
        CHECK(results.findings[0].place.is_log);
    }
    SECTION("the user may not open it") {
        storage.error = EACCES;
        CHECK_THROWS_AS(sim::Simulation(options, storage, left.run.clock, sink).run(), sim::EnvironmentError);
        CHECK(sink.findings().empty());
    }
}
