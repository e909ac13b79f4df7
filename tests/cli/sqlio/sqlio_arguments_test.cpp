#include "cli/sqlio/sqlio_arguments.hpp"

#include <set>

#include "cli/process/exit_codes.hpp"
#include "cli/sqlio/sqlio_specification.hpp"
#include "tests/support/catch.hpp"

using cli::parse_sqlio;
using cli::SqlioArguments;
using sim::MeasureAccess;

namespace {

sim::MeasureTarget sqlio_target_of(const std::vector<std::string>& words, bool is_missing = false) {
    return cli::sqlio_specification(parse_sqlio(words), {is_missing}).timespans.at(0).targets.at(0);
}

}  // namespace

TEST_CASE("SQLIO: without options testfile.dat is read in stripes, bypassing all caches") {
    const SqlioArguments arguments = parse_sqlio({});
    REQUIRE(arguments.files.size() == 1);
    CHECK(arguments.files[0].path == "testfile.dat");
    CHECK(arguments.seconds == 30);
    CHECK_FALSE(arguments.is_write);
    CHECK_FALSE(arguments.measures_latency);
    const sim::MeasureTarget target = sqlio_target_of({});
    CHECK(target.block_bytes == 2048);
    CHECK(target.alignment_bytes == 64 * 2048);
    CHECK(target.max_offset_bytes == 8 << 20);
    CHECK(target.outstanding == 1);
    CHECK(target.direct);
    CHECK(target.write_through);
    CHECK(target.create_bytes == 0);
    CHECK(sqlio_target_of({}, true).create_bytes == 8 << 20);
    CHECK(sqlio_target_of({"-b64", "-frandom"}, true).create_bytes == 256 << 20);
}

TEST_CASE("SQLIO: every option does what it says") {
    CHECK(parse_sqlio({"-kW"}).is_write);
    CHECK(sqlio_target_of({"-kW"}).write_percent == 100);
    CHECK(sqlio_target_of({"-kR"}).write_percent == 0);
    CHECK(sqlio_target_of({"-t8"}).threads == 8);
    CHECK(cli::sqlio_specification(parse_sqlio({"-s10"}), {false}).timespans.at(0).duration_s == 10);
    CHECK(cli::sqlio_specification(parse_sqlio({"-s10"}), {false}).timespans.at(0).warm_up_s == 0);
    CHECK(sqlio_target_of({"-frandom"}).access == MeasureAccess::random);
    CHECK(sqlio_target_of({"-fsequential"}).access == MeasureAccess::sequential);
    CHECK(sqlio_target_of({"-fsequential"}).max_offset_bytes == 0);
    CHECK(sqlio_target_of({"-f4", "-b8", "-i10"}).alignment_bytes == 32768);
    CHECK(sqlio_target_of({"-f4", "-b8", "-i10"}).max_offset_bytes == 327680);
    CHECK(sqlio_target_of({"-o16"}).outstanding == 16);
    CHECK(sqlio_target_of({"-o0"}).outstanding == 1);
    CHECK(sqlio_target_of({"-b512"}).block_bytes == 512 * 1024);
    CHECK(sqlio_target_of({"-S3", "-b8"}).base_offset_bytes == 24576);
    CHECK(sqlio_target_of({"-b64", "-mS8"}).piece_bytes == 8192);
    CHECK(sqlio_target_of({"-b64", "-mC8"}).piece_bytes == 0);
    CHECK(parse_sqlio({"-LS"}).measures_latency);
    CHECK(parse_sqlio({"-LPi"}).uses_processor_timer);
    CHECK_FALSE(sqlio_target_of({"-BH"}).write_through);
    CHECK(sqlio_target_of({"-BH"}).direct);
    CHECK_FALSE(sqlio_target_of({"-BY"}).direct);
    CHECK_FALSE(sqlio_target_of({"-BY"}).write_through);
    CHECK_FALSE(sqlio_target_of({"-BS"}).direct);
    CHECK(sqlio_target_of({"-BS"}).write_through);
    const auto affinity_of = [](const char* option) {
        return cli::sqlio_specification(parse_sqlio({option}), {false}).timespans.at(0).affinity;
    };
    CHECK(affinity_of("-p1") == std::vector<std::uint32_t>{1});
    CHECK(affinity_of("-pI1") == std::vector<std::uint32_t>{1});
    CHECK(affinity_of("-p64") == std::vector<std::uint32_t>{64});
    CHECK(affinity_of("-p1023") == std::vector<std::uint32_t>{1023});
    CHECK_THROWS_WITH(affinity_of("-p1024"), ContainsSubstring("from 0 to 1023"));
    CHECK_THROWS_WITH(affinity_of("-a0x10000000000000000"), ContainsSubstring("-p names one above"));
    CHECK(affinity_of("-a0x8000000000000000") == std::vector<std::uint32_t>{63});
    CHECK(affinity_of("-a3") == std::vector<std::uint32_t>{0, 1});
    CHECK(affinity_of("-aR0x5") == std::vector<std::uint32_t>{0, 2});
    CHECK(affinity_of("-aRI0x5") == std::vector<std::uint32_t>{0, 2});
    CHECK(affinity_of("-t1").empty());
    CHECK(parse_sqlio({"-Fp.txt"}).files.empty());
    CHECK(parse_sqlio({"-v1.1.1"}).notices.size() == 1);
    CHECK(parse_sqlio({"-mC2"}).notices.size() == 1);
    CHECK(parse_sqlio({"-?"}).wants_usage);
    CHECK(sqlio_target_of({"--overwrite-foreign-files"}).may_overwrite);
    CHECK(parse_sqlio({"a.dat", "-t2", "b.dat"}).files.at(1).threads == 2);
}

TEST_CASE("SQLIO: blanks before a value are skipped, as in a script's \"-o 8\" of one word") {
    const SqlioArguments arguments = parse_sqlio({"-s 10", "-kR", "-frandom", "-b 8", "-o 16", "-t  2", "-a 0x3", "-LS", "-BN", "a.dat"});
    CHECK(arguments.seconds == 10);
    CHECK(arguments.block_kb == 8);
    CHECK(arguments.outstanding == 16);
    CHECK(arguments.files.at(0).threads == 2);
    CHECK(arguments.cpus == std::set<std::uint32_t>{0, 1});
    for (const char* option : {"-o ", "-o 1 6", "-o 16x", "-t 0"}) CHECK_THROWS_WITH(parse_sqlio({option}), ContainsSubstring(option));
}

TEST_CASE("SQLIO: stripes and runs that reach beyond every file do not begin again at its start") {
    const SqlioArguments far = parse_sqlio({"-f1048576", "-i1048576", "-b1048576", "a.dat"});  // 2^70 bytes
    CHECK(far.reach_bytes() == std::uint64_t{1} << 62);
    CHECK(cli::sqlio_head(far).stripe_kb == std::uint64_t{1} << 40);
    CHECK(cli::sqlio_specification(far, {true}).timespans.at(0).targets.at(0).max_offset_bytes == std::uint64_t{1} << 62);
    CHECK(parse_sqlio({"-f32", "-i16", "-b8", "a.dat"}).reach_bytes() == 32 * 16 * 8 * 1024);
}

TEST_CASE("SQLIO: drives stand for named folders, and devices are named by their paths") {
    const SqlioArguments arguments = parse_sqlio({"-dLe", "--drive", "L=/mnt/l", "--drive=E=/mnt/e", "testfile.dat"});
    REQUIRE(arguments.files.size() == 2);
    CHECK(arguments.files[0].path == "/mnt/l/testfile.dat");
    CHECK(arguments.files[1].path == "/mnt/e/testfile.dat");
    CHECK_THROWS_WITH(parse_sqlio({"-dL", "testfile.dat"}), ContainsSubstring("--drive L=/mnt/data"));
    CHECK(parse_sqlio({"-R/dev/sdb,/dev/sdc"}).files.at(1).path == "/dev/sdc");
    CHECK(parse_sqlio({"-RE", "--drive", "E=/dev/sde"}).files.at(0).path == "/dev/sde");
    CHECK_THROWS_WITH(parse_sqlio({"-R1"}), ContainsSubstring("name block devices"));
    CHECK_THROWS_WITH(parse_sqlio({"X:\\TestFile.DAT"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(parse_sqlio({"-dL", "--drive", "L=/mnt/l", "sub\\test.dat"}), ContainsSubstring("Windows path"));
}

TEST_CASE("SQLIO: names on a drive of Windows are below the folder that stands for the drive") {
    CHECK(parse_sqlio({"--drive", "C=/mnt/c", "c:\\sql\\test.dat"}).files.at(0).path == "/mnt/c/sql/test.dat");
    CHECK(parse_sqlio({"E:test.dat", "--drive=E=/mnt/e"}).files.at(0).path == "/mnt/e/test.dat");
    SqlioArguments arguments = parse_sqlio({"-Fparam.txt", "--drive", "C=/mnt/c"});
    cli::add_sqlio_parameters(arguments, "c:\\testfile.dat 2 0x0 100\r\n#d:\\testfile.dat 2 0x0 100\r\n", "param.txt");
    REQUIRE(arguments.files.size() == 1);
    CHECK(arguments.files[0].path == "/mnt/c/testfile.dat");
    CHECK_THROWS_WITH(parse_sqlio({"--drive", "C=/mnt/c", "d:\\test.dat"}), ContainsSubstring("Windows path"));
    CHECK_THROWS_WITH(parse_sqlio({"-dC", "--drive", "C=/mnt/c", "c:\\test.dat"}), ContainsSubstring("Windows path"));
}

TEST_CASE("SQLIO: an invalid option is refused by its name") {
    for (const char* option : {"-kX",    "-k",  "-t0", "-t257", "-t",   "-s0",  "-sx", "-d",  "-d1", "-R",  "-f",  "-f0", "-fzigzag",
                               "-p1024", "-px", "-a",  "-a0",   "-ax",  "-o-1", "-ox", "-b0", "-b",  "-i0", "-mS", "-m0", "-L",
                               "-LX",    "-B",  "-BX", "-S",    "-S-1", "-v",   "-v2", "-F",  "-K",  "-",   "-T2"}) {
        INFO(option);
        CHECK_THROWS_AS(parse_sqlio({option}), cli::UsageError);
        CHECK_THROWS_WITH(parse_sqlio({option}), ContainsSubstring(option));
    }
    CHECK_THROWS_AS(parse_sqlio({"-b2", "-mS8"}), cli::UsageError);
    CHECK_THROWS_AS(parse_sqlio({"--drive", "LL"}), cli::UsageError);
    CHECK_THROWS_AS(parse_sqlio({"--json"}), cli::UsageError);
    CHECK_THROWS_WITH(parse_sqlio({std::string(300, 'x')}), ContainsSubstring("256 characters"));
}

TEST_CASE("SQLIO: the limits for files hold for devices, too") {
    CHECK_THROWS_WITH(parse_sqlio({"-R/" + std::string(300, 'x')}), ContainsSubstring("256 characters"));
    std::string devices = "-R/dev/a";
    for (int i = 1; i < 256; ++i) devices += ",/dev/a";
    CHECK(parse_sqlio({devices}).files.size() == 256);
    CHECK_THROWS_WITH(parse_sqlio({devices + ",/dev/a"}), ContainsSubstring("at most 256 files"));
}

TEST_CASE("SQLIO: a parameter file names files, threads, masks and sizes") {
    SqlioArguments arguments = parse_sqlio({"-t3", "-Fparam.txt"});
    cli::add_sqlio_parameters(arguments, "# comment\r\na.dat 4 0x3 100 # rest\r\n\r\n/mnt/b.dat\n", "param.txt");
    REQUIRE(arguments.files.size() == 2);
    CHECK(arguments.files[0].path == "a.dat");
    CHECK(arguments.files[0].threads == 4);
    CHECK(arguments.files[0].cpu_mask == 3);
    CHECK(arguments.files[0].size_mb == 100);
    CHECK(arguments.files[1].threads == 3);
    CHECK(arguments.files[1].size_mb == 0);
    const sim::MeasureTimespan span = cli::sqlio_specification(arguments, {true, false}).timespans.at(0);
    CHECK(span.targets.at(0).create_bytes == 100 << 20);
    CHECK(span.targets.at(0).keep_existing);
    CHECK(span.targets.at(1).create_bytes == 0);
    CHECK(span.affinity == std::vector<std::uint32_t>{0, 1});
    for (const char* wrong :
         {"", "# nothing\n", "a.dat x\n", "a.dat 0\n", "a.dat 300\n", "a.dat 1 mask\n", "a.dat 1 0 1 1\n", "c:\\a.dat 1\n"}) {
        INFO(wrong);
        SqlioArguments fresh = parse_sqlio({"-Fparam.txt"});
        CHECK_THROWS_AS(cli::add_sqlio_parameters(fresh, wrong, "param.txt"), cli::UsageError);
    }
    SqlioArguments second = parse_sqlio({"-Fparam.txt"});
    CHECK_THROWS_WITH(cli::add_sqlio_parameters(second, "a.dat 1\nb.dat x\n", "param.txt"), ContainsSubstring("param.txt:2: 'x'"));
}

TEST_CASE("SQLIO: a '#' within a name of a parameter file is part of the name, not a comment") {
    SqlioArguments arguments = parse_sqlio({"-Fparam.txt"});
    cli::add_sqlio_parameters(arguments, "/mnt/a#1.dat 2 0x0 100 #rest\n  # comment\n", "param.txt");
    REQUIRE(arguments.files.size() == 1);
    CHECK(arguments.files[0].path == "/mnt/a#1.dat");
    CHECK(arguments.files[0].size_mb == 100);
}

TEST_CASE("SQLIO: a byte order mark in front of a parameter file is not part of the first name") {
    const std::string text = "a.dat 4 0x0 100\r\nb.dat\r\n";
    std::string utf16 = "\xFF\xFE";
    for (const char c : text) utf16 += {c, '\0'};
    for (const std::string& saved : {"\xEF\xBB\xBF" + text, utf16}) {
        SqlioArguments arguments = parse_sqlio({"-Fparam.txt"});
        cli::add_sqlio_parameters(arguments, saved, "param.txt");
        REQUIRE(arguments.files.size() == 2);
        CHECK(arguments.files[0].path == "a.dat");
        CHECK(arguments.files[0].size_mb == 100);
        CHECK(arguments.files[1].path == "b.dat");
    }
    SqlioArguments broken = parse_sqlio({"-Fparam.txt"});
    CHECK_THROWS_AS(cli::add_sqlio_parameters(broken, utf16.substr(2), "param.txt"), cli::UsageError);
}

TEST_CASE("SQLIO: threads that go through a file side by side are a warning, unless they read at random") {
    const auto warnings = [](const std::vector<std::string>& words) { return cli::sqlio_warnings(parse_sqlio(words)); };
    CHECK(warnings({"-fsequential", "a.dat", "b.dat"}).empty());
    CHECK(warnings({"-frandom", "-t2", "a.dat"}).empty());
    const std::vector<std::string> sequential = warnings({"-fsequential", "-t2", "a.dat", "b.dat"});
    REQUIRE(sequential.size() == 2);
    CHECK(sequential[0].starts_with("a.dat: 2 threads"));
    CHECK(warnings({"-fsequential", "-t3", "a.dat"}).size() == 1);
    CHECK(warnings({"-fsequential", "a.dat", "a.dat"}).size() == 1);
    CHECK(warnings({"-v1.1.1", "-t3", "a.dat"}).size() == 1);
}

TEST_CASE("SQLIO: runs that use the same blocks over and over are a warning, unless -v1.1.1 asks for them") {
    const auto warnings = [](const std::vector<std::string>& words) { return cli::sqlio_warnings(parse_sqlio(words)); };
    const std::vector<std::string> stripes = warnings({});
    REQUIRE(stripes.size() == 1);
    CHECK(stripes[0].starts_with("-f64: all runs use the same blocks, at most 64 of 2 KB"));
    CHECK(warnings({"-f8", "-i4"}).size() == 1);
    CHECK(warnings({"-f8", "-v1.1.1"}).empty());
    CHECK(warnings({"-frandom"}).empty());
    CHECK(warnings({"-fsequential"}).empty());
}
