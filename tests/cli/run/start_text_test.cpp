#include "cli/run/start_text.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("the start text says everything that was drawn or determined") {
    sim::Options options;
    options.seed = 4711;
    options.test_cycle_duration_s = 5;
    options.files = {{.path = "/d/sqliosim.mdx", .initial_size_mb = 64, .max_size_mb = 128, .increment_mb = 10, .shrinkable = true},
                     {.path = "/d/x.ldx", .initial_size_mb = 32, .max_size_mb = 32, .is_log = true}};
    const cli::StartFacts facts{.engine = "threads",
                                .engine_reason = "io_uring is not permitted here",
                                .cpu_count = 2,
                                .pool_mb = 64,
                                .config_path = "",
                                .log_path = "sqliosim.log.xml",
                                .repeat_command = "ioproof run -dir /d --seed 4711"};
    CHECK(cli::start_text("1.2.3", cli::start_lines(options, facts)) ==
          "ioproof 1.2.3\n"
          "  seed           4711\n"
          "  engine         threads (io_uring is not permitted here)\n"
          "  CPUs           2\n"
          "  buffer pool    64 MB\n"
          "  duration       5 s, one cycle\n"
          "  configuration  defaults\n"
          "  log            sqliosim.log.xml\n"
          "  files          /d/sqliosim.mdx  data  64 MB, up to 128 MB\n"
          "                 /d/x.ldx         log   32 MB\n"
          "  space          up to 128 MB data + 32 MB log\n"
          "  repeat with    ioproof run -dir /d --seed 4711\n");
}

TEST_CASE("how files are opened and made durable is told for each") {
    sim::Options options;
    options.files.resize(2);
    options.files[0].path = "/mnt/a/d.mdx";
    options.files[1].path = "/mnt/b/l.ldx";
    CHECK(cli::access_text(options) == "O_DIRECT; d.mdx: O_DSYNC; l.ldx: O_DSYNC");
    options.files[0].is_tempdb = true;
    options.files[0].durability = sim::Durability::none;
    CHECK(cli::access_text(options) == "O_DIRECT; d.mdx: not made durable, without O_DIRECT where tmpfs refuses it; l.ldx: O_DSYNC");
    options.files[0] = {.path = "/mnt/a/d.mdx"};
    options.no_buffering = options.use_scatter_gather = options.write_through = false;
    options.files[1].durability = sim::Durability::none;
    CHECK(cli::access_text(options) == "through the system's cache; d.mdx: fdatasync; l.ldx: not made durable");
    options.job = sim::Job::verify;
    CHECK(cli::access_text(options) == "through the system's cache, read only");
}

TEST_CASE("MaxSize is shown only for files that can grow, and for their replicas") {
    sim::Options options;
    options.files = {
        {.path = "grows.mdx", .initial_size_mb = 100, .max_size_mb = 200, .increment_mb = 10, .shrinkable = true},
        {.path = "grows.mdx:replica", .initial_size_mb = 100, .max_size_mb = 200, .sparse = true},
        {.path = "stays.mdx", .initial_size_mb = 100, .max_size_mb = 200, .increment_mb = 10},
        {.path = "stays.mdx:replica", .initial_size_mb = 100, .max_size_mb = 200, .sparse = true},
        {.path = "grows.ldx", .initial_size_mb = 20, .max_size_mb = 50, .increment_mb = 10, .is_log = true},
        {.path = "stays.ldx", .initial_size_mb = 20, .max_size_mb = 50, .is_log = true},
    };
    const std::string text = cli::start_text("", cli::start_lines(options, {}));
    CHECK_THAT(text, ContainsSubstring("grows.mdx          data  100 MB, up to 200 MB\n"));
    CHECK_THAT(text, ContainsSubstring("grows.mdx:replica  data  100 MB, up to 200 MB\n"));
    CHECK_THAT(text, ContainsSubstring("stays.mdx          data  100 MB\n"));
    CHECK_THAT(text, ContainsSubstring("stays.mdx:replica  data  100 MB\n"));
    CHECK_THAT(text, ContainsSubstring("grows.ldx          log   20 MB, up to 50 MB\n"));
    CHECK_THAT(text, ContainsSubstring("stays.ldx          log   20 MB\n"));
    CHECK_THAT(text, ContainsSubstring("space          up to 600 MB data + 70 MB log\n"));
}

TEST_CASE("files that DeleteFilesAtStartup=FALSE keeps may be larger than the sizes that are shown") {
    sim::Options options;
    options.files = {{.path = "a.mdx", .initial_size_mb = 8, .max_size_mb = 8},
                     {.path = "a.ldx", .initial_size_mb = 4, .max_size_mb = 4, .is_log = true}};
    options.delete_files_at_startup = false;
    CHECK_THAT(cli::start_text("", cli::start_lines(options, {})),
               ContainsSubstring("space          up to 8 MB data + 4 MB log; larger files of an earlier run keep their size\n"));
}

TEST_CASE("for symbolic links the start text says both names") {
    sim::Options options;
    options.files = {
        {.path = "/disk/a.mdx", .named_as = "/d/a.mdx"}, {.path = "/x/b.mdx"}, {.path = "/disk/a.ldx", .named_as = "/d/a.ldx"}};
    const std::string text = cli::start_text("", cli::start_lines(options, {}));
    CHECK_THAT(text, ContainsSubstring("  links          /d/a.mdx is /disk/a.mdx\n                 /d/a.ldx is /disk/a.ldx\n"));
    CHECK_THAT(text, !ContainsSubstring("b.mdx is"));
}

TEST_CASE("cycles are shown if there are several or endlessly many") {
    sim::Options options;
    options.files = {{.path = "a", .initial_size_mb = 1, .max_size_mb = 1}};
    options.test_cycles = 3;
    CHECK_THAT(cli::start_text("", cli::start_lines(options, {})), ContainsSubstring("300 s a cycle, 3 cycles"));
    options.test_cycles = 0;
    CHECK_THAT(cli::start_text("", cli::start_lines(options, {})), ContainsSubstring("300 s a cycle, until stopped"));
}
