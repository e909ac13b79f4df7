#include "ums/io/uring_probe.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/engine_choice.hpp"
#include "ums/io/posix_storage.hpp"

using namespace ums;
using namespace ums::testing;

TEST_CASE("a refusal of io_uring is explained from the state of the system") {
    UringEnvironment environment;
    environment.locked_memory_bytes = 64 * 1024;
    CHECK_THAT(explain_uring_refusal(ENOSYS, environment), ContainsSubstring("older than Linux 5.1"));
    CHECK_THAT(explain_uring_refusal(EPERM, environment), ContainsSubstring("forbids it"));
    CHECK_THAT(explain_uring_refusal(ENOMEM, environment), ContainsSubstring("64 KB (ulimit -l)"));
    CHECK_THAT(explain_uring_refusal(EMFILE, environment), ContainsSubstring("ulimit -n"));
    CHECK_THAT(explain_uring_refusal(EINVAL, environment), ContainsSubstring("is too old"));
    CHECK_THAT(explain_uring_refusal(EIO, environment), ContainsSubstring("refused it: Input/output error"));

    environment.locked_memory_bytes = RLIM_INFINITY;
    CHECK(explain_uring_refusal(ENOMEM, environment) == "there is not enough memory for its queues");

    environment.has_seccomp_filter = true;
    CHECK_THAT(explain_uring_refusal(ENOSYS, environment), ContainsSubstring("seccomp"));
    CHECK_THAT(explain_uring_refusal(EPERM, environment), ContainsSubstring("seccomp"));

    environment.disabled_sysctl = 0;
    CHECK_THAT(explain_uring_refusal(EPERM, environment), ContainsSubstring("seccomp"));
    environment.disabled_sysctl = 1;
    CHECK_THAT(explain_uring_refusal(EPERM, environment), ContainsSubstring("kernel.io_uring_disabled is 1"));
    environment.disabled_sysctl = 2;
    CHECK_THAT(explain_uring_refusal(EPERM, environment), ContainsSubstring("kernel.io_uring_disabled is 2"));
}

TEST_CASE("the environment is read from /proc") {
    const TempFolder proc;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(proc.file(name)).parent_path());
        std::ofstream(proc.file(name)) << text;
    };
    CHECK_FALSE(read_uring_environment(proc.path()).disabled_sysctl.has_value());
    CHECK_FALSE(read_uring_environment(proc.path()).has_seccomp_filter);
    write("sys/kernel/io_uring_disabled", "2\n");
    write("self/status", "Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    CHECK(read_uring_environment(proc.path()).disabled_sysctl == 2);
    CHECK(read_uring_environment(proc.path()).has_seccomp_filter);
    write("self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t2\n");
    CHECK_FALSE(read_uring_environment(proc.path()).has_seccomp_filter);

    const ResourceLimit limit(RLIMIT_MEMLOCK, 65536);
    CHECK(read_uring_environment(proc.path()).locked_memory_bytes == 65536);
}

TEST_CASE("without io_uring the automatic choice is a pool of threads, with the reason, and a forced choice fails with the same reason") {
    const int error_number = GENERATE(EPERM, ENOSYS);
    const SystemCall call = GENERATE(SystemCall::io_uring_setup, SystemCall::io_uring_enter, SystemCall::io_uring_register);
    if (!has_uring()) {
        WARN("not tried: io_uring cannot be used here");
        return;
    }
    const std::string report = in_child_process([&] {
        if (!forbid(call, error_number)) return std::string("no filter");
        PosixStorage storage;
        std::string reason;
        EngineOptions options;
        const auto engine = storage.make_engine(options, reason);
        std::string text = std::string(engine->name()) + "|" + reason + "|";
        options.kind = EngineKind::uring;
        try {
            (void)storage.make_engine(options, reason);
        } catch (const std::system_error& error) {
            text += error.what();
        }
        return text;
    });
    if (report == "no filter") return;
    CAPTURE(report);
    CHECK(report.rfind("threads|io_uring is not used because ", 0) == 0);
    CHECK_THAT(report, ContainsSubstring("; using a pool of threads|io_uring cannot be used because "));
    CHECK(report.find('\n') == std::string::npos);
    if (call != SystemCall::io_uring_register) {  // for that one only the failure is known, not its cause
        CHECK_THAT(report, ContainsSubstring("seccomp filter"));
    }
}

TEST_CASE("64 rings of the default depth fit into 8 MB of locked memory") {
    if (!has_uring() || !can_limit(RLIMIT_MEMLOCK, 8 << 20)) {
        WARN("not tried: io_uring cannot be used here, or not with so much locked memory");
        return;
    }
    const ResourceLimit limit(RLIMIT_MEMLOCK, 8 << 20);
    PosixStorage storage;
    std::vector<std::unique_ptr<IoEngine>> engines;
    for (int i = 0; i < 64; ++i) {
        std::string reason;
        engines.push_back(storage.make_engine({}, reason));
        CHECK(engines.back()->name() == "uring");
    }
}
