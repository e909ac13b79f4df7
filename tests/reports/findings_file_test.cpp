#include "reports/findings_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "reports/finding_json.hpp"
#include "sim/errors.hpp"
#include "tests/reports/example_evidence.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/reports/time_zone.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"

using reports::FindingsFile;

TEST_CASE("a finding as JSON has every key, in a fixed order") {
    const TimeZone zone("IST-5:30");
    sim::Finding finding = example_evidence();
    finding.comparison.value().sectors.resize(2);
    finding.rereads.resize(1);
    finding.evidence.dump_path = "/data/SqlSimErrorDump00006.txt";
    finding.other = sim::PagePlace{2, "/data/b.mdx", 12, 4};
    CHECK(reports::finding_json(finding) ==
          R"({"format":1,"number":6,"class":"torn_page","transient":false,"persistence":"persistent","warning":false,"repaired":true,)"
          R"("operation":"read","file":"/data/sqliosim.mdx","file_id":1,"page":87366,"byte_offset":715702272,"size":8192,)"
          R"("expected_version":5,"received_version":3,"expected_lsn":"0x0000001c00012005","received_lsn":"0x0000001c00012003",)"
          R"("expected_checksum":"0x319a8372","received_checksum":"0x319a8372","calculated_checksum":"0xd88d85ed",)"
          R"("received_run_id":"0x5eed000000000001","received_file_id":1,"received_page":87366,)"
          R"("other":{"file":"/data/b.mdx","file_id":2,"page":12,"version":4},)"
          R"("sectors":[{"state":"expected","version":5,"file_id":1,"page":87366,"sector":0},)"
          R"({"state":"expected","version":5,"file_id":1,"page":87366,"sector":1}],"first_wrong_byte":4096,"wrong_bytes":4096,)"
          R"("wrong_bits":9000,"wrong_bit_positions":[32769,32773],"shift_bytes":0,"not_read_bytes":0,"tear_on_4k_lines":true,)"
          R"("errno":0,"error":null,"duration_us":0,"reads":15,"rereads":[{"attempt":1,"after_us":1000,"through_new_file":false,)"
          R"("result":"same_image","version":5,"checksum":"0x319a8372","errno":0}],"phase":"main run","user":"Random User 3","cpu":1,)"
          R"("tick_ms":61250,"utc":"2025-11-24T16:01:01.250000Z","local":"2025-11-24T21:31:01.250000+05:30",)"
          R"("device":{"name":"/dev/sda1","offset":1234567168},"dump":"/data/SqlSimErrorDump00006.txt",)"
          R"("description":"The first half of the page is version 5, the second half version 3.",)"
          R"("reasoning":["Sectors 0 to 7 are version 5, sectors 8 to 15 version 3, and nothing else is in it.",)"
          R"("Fifteen more reads returned the same image."]})"
          "\n");
}

TEST_CASE("unknown values are null, and a path that is not UTF-8 does no harm") {
    sim::Finding finding;
    finding.place.path = "/data/\xff\"\n.mdx";
    finding.transient = true;
    finding.is_warning = true;
    const std::string json = reports::finding_json(finding);
    for (const char* key : {"other", "sectors", "error", "device", "dump"}) {
        CHECK_THAT(json, ContainsSubstring(std::string("\"") + key + "\":null"));
    }
    CHECK_THAT(json, ContainsSubstring("\"transient\":true,\"persistence\":\"transient\",\"warning\":true"));
    CHECK_THAT(json, ContainsSubstring("\"file\":\"/data/\xef\xbf\xbd\\\"\\n.mdx\""));
}

TEST_CASE("the file exists from the start, and each finding is in it immediately") {
    const TemporaryFolder folder;
    const std::string path = folder.file("f.jsonl");
    FindingsFile file(path);
    CHECK(read_file(path).empty());
    CHECK(std::filesystem::exists(path));
    file.on_finding(example_evidence());
    CHECK(read_file(path) == reports::finding_json(example_evidence()));
    file.on_finding(example_finding());
    CHECK(read_file(path) == reports::finding_json(example_evidence()) + reports::finding_json(example_finding()));
    CHECK_FALSE(file.failure());
}

TEST_CASE("Python can parse every line") {
    if (std::system("python3 -c 'import json' >/dev/null 2>&1") != 0) {
        SUCCEED("no python3 here");
        WARN("no python3 here");
        return;
    }
    const TemporaryFolder folder;
    const std::string path = folder.file("f.jsonl");
    FindingsFile file(path);
    file.on_finding(example_evidence());
    for (std::size_t i = 0; i < sim::kFindingKindCount; ++i) {
        sim::Finding finding = example_evidence();
        finding.kind = static_cast<sim::FindingKind>(i);
        finding.place.path = "/data/\xc3\xa4\xff.mdx";
        file.on_finding(finding);
    }
    const std::string program =
        "import json, sys\n"
        "lines = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n"
        "assert len(lines) == 19 and len(set(line['class'] for line in lines)) == 18\n"
        "assert all(line['format'] == 1 and len(line['sectors']) == 16 for line in lines)\n"
        "assert lines[0]['rereads'][2]['through_new_file'] is True\n";
    write_file(folder.file("check.py"), program);
    CHECK(std::system(("python3 '" + folder.file("check.py") + "' '" + path + "'").c_str()) == 0);
}

TEST_CASE("a file with contents, and anything but a regular file, is refused and left as it is") {
    const TemporaryFolder folder;
    write_file(folder.file("old"), "{}\n");
    CHECK_THROWS_AS(FindingsFile(folder.file("old")), sim::RefusedError);
    CHECK_THROWS_WITH(FindingsFile(folder.file("old")),
                      ContainsSubstring("old': it exists and is not empty. Name another file, or remove"));
    CHECK(read_file(folder.file("old")) == "{}\n");
    write_file(folder.file("empty"), "");
    CHECK_NOTHROW(FindingsFile(folder.file("empty")));
    CHECK_THROWS_WITH(FindingsFile(folder.file("")), ContainsSubstring("it is a directory"));
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(FindingsFile(folder.file("pipe")), ContainsSubstring("it is not a regular file"));
    CHECK_THROWS_AS(FindingsFile(folder.file("missing/f")), sim::EnvironmentError);
}

TEST_CASE("a full disk loses only whole lines, and is reported at the end") {
    const TemporaryFolder folder;
    const std::string path = folder.file("f.jsonl");
    const std::string line = reports::finding_json(example_evidence());
    FindingsFile file(path);
    file.on_finding(example_evidence());
    {
        const test::FileSizeLimit limit(line.size() + 100);
        file.on_finding(example_evidence());
    }
    file.on_finding(example_evidence());
    CHECK(read_file(path) == line + line);
    REQUIRE(file.failure());
    CHECK_THAT(*file.failure(), ContainsSubstring("1 of 3 findings could not be written: File too large"));
}
