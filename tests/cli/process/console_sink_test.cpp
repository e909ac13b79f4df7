#include "cli/process/console_sink.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/process/composite_sink.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/count_of.hpp"

namespace {

// Results and messages, in two unnamed files.
class Captured {
public:
    Captured() {
        for (int& descriptor : descriptors_) {
            std::string name = "/tmp/ioproof-test-XXXXXX";
            descriptor = ::mkstemp(name.data());
            REQUIRE(descriptor >= 0);
            ::unlink(name.c_str());
        }
    }
    ~Captured() {
        for (const int descriptor : descriptors_) ::close(descriptor);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    [[nodiscard]] int out() const { return descriptors_[0]; }
    [[nodiscard]] int err() const { return descriptors_[1]; }
    [[nodiscard]] static std::string text(int descriptor) {
        std::string text(100'000, '\0');
        const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

private:
    std::array<int, 2> descriptors_{-1, -1};
};

sim::Event event_of(sim::Severity severity, const std::string& text) {
    sim::Event event;
    event.severity = severity;
    event.utc_us = 1'700'000'000'000'000;  // 2023-11-14 22:13:20 UTC
    event.thread_id = 9080;
    event.user = "Monitor";
    event.description = text;
    return event;
}

sim::Finding finding() {
    sim::Finding finding;
    finding.kind = sim::FindingKind::bit_corruption;
    finding.place.path = "/d/sqliosim.mdx";
    finding.place.page_id = 87366;
    finding.place.offset_bytes = 87366ULL * 8192;
    finding.moment.utc_us = 1'700'000'000'000'000;
    finding.description = "the checksum is wrong";
    return finding;
}

struct UtcZone {
    UtcZone() {
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }
};

}  // namespace

TEST_CASE("messages go to standard error as lines with time and severity") {
    const UtcZone zone;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    int wakes = 0;
    cli::ConsoleSink sink(console, [&] { ++wakes; }, {});
    sink.on_event(event_of(sim::Severity::info, "all is well"));
    sim::Event error = event_of(sim::Severity::error, "the disk is gone");
    error.system_text = "No such device";
    sink.on_event(error);
    sink.on_event(event_of(sim::Severity::warning, "slow"));
    CHECK(wakes == 3);
    console.finish();
    CHECK(Captured::text(captured.err()) ==
          "22:13:20 info: all is well\n22:13:20 error: the disk is gone (No such device)\n22:13:20 warning: slow\n");
    CHECK(Captured::text(captured.out()).empty());
}

TEST_CASE("a quiet console shows only errors and findings") {
    const UtcZone zone;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {.sqliosim_form = false, .errors_only = true});
    sink.on_event(event_of(sim::Severity::info, "all is well"));
    sink.on_event(event_of(sim::Severity::warning, "slow"));
    sink.on_event(event_of(sim::Severity::error, "gone"));
    sink.on_finding(finding());
    console.finish();
    CHECK(Captured::text(captured.err()) ==
          "22:13:20 error: gone\n"
          "22:13:20 error: FINDING bit_corruption: /d/sqliosim.mdx page 87366 (offset 0x2aa8c000): the checksum is wrong\n");
}

TEST_CASE("called as sqliosim, messages go to standard output with date, thread and user") {
    const UtcZone zone;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {.sqliosim_form = true, .errors_only = false});
    sink.on_event(event_of(sim::Severity::info, "all is well"));
    console.finish();
    CHECK(Captured::text(captured.out()) == "11/14/23 22:13:20 9080 Monitor all is well\n");
    CHECK(Captured::text(captured.err()).empty());
}

TEST_CASE("called as sqliosim, a finding is shown with the words of the log") {
    const UtcZone zone;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {.sqliosim_form = true, .errors_only = true});
    sim::Finding wrong = finding();
    wrong.moment.thread_id = 9080;
    wrong.moment.user = "Random User 3";
    sink.on_finding(wrong);
    console.finish();
    CHECK(Captured::text(captured.out()) ==
          "11/14/23 22:13:20 9080 Random User 3 Buffer validation failed on /d/sqliosim.mdx Page: 87366, offset 0x0. the checksum is wrong "
          "(While accessing the hard disk, a disk operation failed even after retries.)\n");
    CHECK(Captured::text(captured.err()).empty());
}

TEST_CASE("only the first of very many findings are shown, and one line says so") {
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {});
    for (int i = 0; i < 1000; ++i) sink.on_finding(finding());
    console.finish();
    const std::string text = Captured::text(captured.err());
    CHECK(std::count(text.begin(), text.end(), '\n') == 21);
    CHECK_THAT(text, ContainsSubstring("more than 20 findings"));
}

TEST_CASE("only where there is a log the line about further findings or warnings names it") {
    for (const bool has_log : {true, false}) {
        const Captured captured;
        cli::Console console(captured.out(), captured.err());
        cli::ConsoleSink sink(console, [] {}, {.has_log = has_log});
        for (int i = 0; i < 30; ++i) {
            sink.on_finding(finding());
            sink.on_event(event_of(sim::Severity::warning, "slow"));
        }
        console.finish();
        const std::string text = Captured::text(captured.err());
        CHECK_THAT(text, ContainsSubstring(has_log ? "the rest are in the log, and here only the first of each other kind\n"
                                                   : "more than 20 findings; of the rest only the first of each other kind\n"));
        CHECK_THAT(text, ContainsSubstring(has_log ? "further ones are in the log only\n" : "further ones are not shown\n"));
    }
}

TEST_CASE("the first finding of a kind is shown, however many of other kinds there were") {
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {});
    sim::Finding grave = finding();
    grave.kind = sim::FindingKind::lost_write;
    for (int i = 0; i < 100; ++i) sink.on_finding(finding());
    for (int i = 0; i < 100; ++i) sink.on_finding(grave);
    console.finish();
    const std::string text = Captured::text(captured.err());
    CHECK(std::count(text.begin(), text.end(), '\n') == 22);
    CHECK_THAT(text, ContainsSubstring("FINDING lost_write: "));
}

TEST_CASE("a composite sink passes everything to all receivers") {
    const Captured first_files;
    const Captured second_files;
    cli::Console first_console(first_files.out(), first_files.err());
    cli::Console second_console(second_files.out(), second_files.err());
    cli::ConsoleSink first(first_console, [] {}, {});
    cli::ConsoleSink second(second_console, [] {}, {});
    cli::CompositeSink both({&first, &second});
    both.on_event(event_of(sim::Severity::info, "one"));
    both.on_finding(finding());
    first_console.finish();
    second_console.finish();
    CHECK_THAT(Captured::text(first_files.err()), ContainsSubstring("one") && ContainsSubstring("FINDING"));
    CHECK(Captured::text(first_files.err()) == Captured::text(second_files.err()));
}

TEST_CASE("20 warnings a minute from the same place are shown. Other warnings, and SQLIOSim's form, show all") {
    const UtcZone zone;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    const auto shown = [&](int descriptor, std::string_view text) {
        console.flush("");
        return count_of(Captured::text(descriptor), text);
    };
    sim::Event failure = event_of(sim::Severity::warning, "Read failed");
    failure.source_file = "io_retry.hpp";
    failure.line = 35;
    sim::Event late = event_of(sim::Severity::warning, "Request is late");
    late.source_file = "monitor.cpp";
    late.line = 12;

    cli::ConsoleSink sink(console, [] {}, {});
    for (int i = 0; i < 1000; ++i) sink.on_event(failure);
    sink.on_event(late);
    CHECK(shown(captured.err(), "Read failed") == 20);
    CHECK(shown(captured.err(), "more than 20 such warnings within a minute; further ones are in the log only") == 1);
    CHECK(shown(captured.err(), "Request is late") == 1);
    failure.tick_ms = 60'000;
    for (int i = 0; i < 5; ++i) sink.on_event(failure);
    CHECK(shown(captured.err(), "Read failed") == 25);

    cli::ConsoleSink as_log(console, [] {}, {.sqliosim_form = true});
    for (int i = 0; i < 1000; ++i) as_log.on_event(failure);
    CHECK(shown(captured.out(), "Read failed") == 1000);
}

// The thread that writes the files and the one that watches it report past the sink that all others share.
TEST_CASE("warnings that come from several threads at once are counted together") {
    constexpr int kThreads = 4;
    const Captured captured;
    cli::Console console(captured.out(), captured.err());
    cli::ConsoleSink sink(console, [] {}, {});
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&sink] {
            sim::Event failure = event_of(sim::Severity::warning, "Read failed");
            for (std::uint32_t place = 0; place < 100; ++place) {
                failure.line = place % 2;
                for (int repeated = 0; repeated < 10; ++repeated) sink.on_event(failure);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    console.finish();
    const std::string text = Captured::text(captured.err());
    CHECK(count_of(text, "Read failed") == 2 * 20);
    CHECK(count_of(text, "more than 20 such warnings") == 2);
}
