// `ioproof diskspd`, also called as `diskspd`, from end to end: commands from articles with small files and short times, and the ways in
// which scripts and other tools parse the output.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/diskspd/xml_reader.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

struct Ran {
    int code = 0;
    std::string output;
    std::string error;
};

// Calls the link of that name beside the program, as scripts do.
Ran diskspd(const IoproofFolder& folder, std::vector<std::string> words) {
    const std::filesystem::path program(IOPROOF_PROGRAM);
    words.insert(words.begin(), (program.parent_path() / "diskspd").string());
    test::Process process(std::move(words), folder.path());
    Ran ran;
    ran.code = process.wait();
    ran.output = process.output();
    ran.error = process.error();
    return ran;
}

// Some file systems have no direct I/O; omitting -h there changes no line of the results.
bool refuses_direct(const Ran& ran) {
    const bool refuses = ran.code == 1 && ran.error.find("irect") != std::string::npos;
    if (refuses) WARN("this file system refuses direct I/O: " << ran.error);
    return refuses;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// As in the articles' script: foreach ($line in $result) { if ($line -like "total:*") { $total=$line; break } } and so on.
struct Cut {
    std::string mbps;
    std::string iops;
    std::string latency;
    std::string cpu;
};

Cut cut_as_script(const std::string& output) {
    std::string total;
    std::string average;
    for (const std::string& line : split(output, '\n')) {
        if (total.empty() && line.starts_with("total:")) total = line;
        if (average.empty() && line.starts_with("avg.")) average = line;
    }
    REQUIRE_FALSE(total.empty());
    REQUIRE_FALSE(average.empty());
    return {trimmed(split(total, '|').at(2)), trimmed(split(total, '|').at(3)), trimmed(split(total, '|').at(4)),
            trimmed(split(average, '|').at(1))};
}

}  // namespace

TEST_CASE("DiskSpd: the article's script gets its four figures for every queue depth") {
    const IoproofFolder folder;
    for (const char* depth : {"-o 1", "-o 8"}) {
        Ran ran = diskspd(folder, {"-c8M", "-d1", "-W0", "-w0", "-r", "-b8k", depth, "-t 2", "-h", "-L", "data/testfile.dat"});
        if (refuses_direct(ran)) return;
        CHECK(ran.code == 0);
        const Cut cut = cut_as_script(ran.output);
        CHECK(std::stod(cut.iops) > 0);
        CHECK(std::abs(std::stod(cut.mbps) - std::stod(cut.iops) / 128) < 0.01);
        CHECK(std::stod(cut.latency) > 0);
        CHECK(cut.cpu.ends_with("%"));
        CHECK(std::stod(cut.cpu) >= 0);
        CHECK(std::filesystem::file_size(folder.data() / "testfile.dat") == 8 << 20);
    }
}

TEST_CASE("DiskSpd: a log with one thread and a backup with four are measured as in the articles, with their sections") {
    const IoproofFolder folder;
    Ran ran = diskspd(folder, {"-c8M", "-d1", "-W0", "-o1", "-F1", "-b60K", "-s", "-L", "-w100", "data/iotest.dat"});
    CHECK(ran.error == "");
    REQUIRE(ran.code == 0);
    CHECK_THAT(ran.output, ContainsSubstring("\tthread pool with 1 threads\n") && ContainsSubstring("\t\tperforming write test\n") &&
                               ContainsSubstring("\t\tblock size: 60KiB\n") && ContainsSubstring("    min |        N/A |"));
    // Without -c the file must exist, and this one is ioproof's.
    ran = diskspd(folder, {"-d1", "-W0", "-o32", "-t4", "-b512K", "-si", "-L", "-D", "-w0", "data/iotest.dat"});
    REQUIRE(ran.code == 0);
    CHECK_THAT(ran.output,
               ContainsSubstring("thread count:\t\t4\n") && ContainsSubstring("\n     3 | ") && ContainsSubstring("IopsStdDev"));
    // Readers that split the text at empty lines find a section by its first line.
    std::vector<std::string> beginnings;
    bool is_first = true;
    for (const std::string& line : split(ran.output, '\n')) {
        if (is_first && !line.empty()) beginnings.push_back(line.substr(0, 9));
        is_first = line.empty();
    }
    for (const char* section : {"CPU |  Us", "Total IO", "Read IO", "Write IO", "Total lat"}) {
        INFO(section);
        CHECK(std::count(beginnings.begin(), beginnings.end(), section) == 1);
    }
}

TEST_CASE("DiskSpd: the XML contains what other tools read") {
    const IoproofFolder folder;
    const Ran ran =
        diskspd(folder, {"-c8M", "-b8K", "-r4K", "-t2", "-o4", "-w40", "-d1", "-W0", "-D100", "-L", "-Z1M", "-z", "-Rxml", "data/t.dat"});
    REQUIRE(ran.code == 0);
    CHECK(split(ran.output, '\n').at(0) == "<Results>");
    const cli::XmlElement root = cli::read_xml(ran.output);
    const cli::XmlElement* const span = root.child("TimeSpan");
    REQUIRE(span != nullptr);
    double requests = 0;
    double bytes = 0;
    int threads = 0;
    for (const cli::XmlElement& thread : span->children) {
        if (thread.name != "Thread") continue;
        ++threads;
        const cli::XmlElement* const target = thread.child("Target");
        for (const cli::XmlElement& figure : target->children) {
            if (figure.name == "Path" || figure.name == "Iops" || figure.name.find("Latency") != std::string::npos) continue;
            CHECK_NOTHROW(std::stod(figure.text));
        }
        requests += std::stod(target->child("ReadCount")->text) + std::stod(target->child("WriteCount")->text);
        bytes += std::stod(target->child("BytesCount")->text);
    }
    CHECK(threads == 2);
    CHECK(requests > 0);
    CHECK(bytes == requests * 8192);
    std::vector<const cli::XmlElement*> buckets;
    for (const cli::XmlElement& entry : span->child("Latency")->children) {
        if (entry.name == "Bucket") buckets.push_back(&entry);
    }
    REQUIRE(buckets.size() == 108);
    for (const std::size_t percent : {50U, 90U, 99U}) {
        CHECK(buckets[percent]->child("Percentile")->text == std::to_string(percent));
        CHECK(std::stod(buckets[percent]->child("TotalMilliseconds")->text) > 0);
    }
    CHECK(std::stod(span->child("Iops")->child("ReadIopsStdDev")->text) >= 0);
    CHECK(std::stod(span->child("CpuUtilization")->child("Average")->child("UsagePercent")->text) >= 0);
    // -X measures the profile in it again, with a different duration.
    folder.write("p.xml", ran.output);
    const Ran again = diskspd(folder, {"-Xp.xml", "-d1", "-W0", "-Rtext"});
    CHECK(again.code == 0);
    CHECK_THAT(again.output, ContainsSubstring("using random I/O (alignment: 4KiB)") && ContainsSubstring("write buffer size: 1MiB"));
}

TEST_CASE("DiskSpd: foreign files stay as they are unless a switch allows otherwise") {
    const IoproofFolder folder;
    const std::string letter(100'000, 'F');
    folder.write("data/letter.dat", letter);
    for (const std::vector<std::string>& options : {std::vector<std::string>{"-w50"}, {"-c1M"}, {"-c1M", "-w100"}}) {
        std::vector<std::string> words{"-d1", "-W0", "-b4K", "-r"};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("data/letter.dat");
        const Ran ran = diskspd(folder, words);
        CHECK(ran.code == 3);
        CHECK_THAT(ran.error, ContainsSubstring("letter.dat"));
        CHECK(folder.read("data/letter.dat") == letter);
    }
    CHECK(diskspd(folder, {"-d1", "-W0", "-b4K", "-r", "data/letter.dat"}).code == 0);
    CHECK(folder.read("data/letter.dat") == letter);
    CHECK(diskspd(folder, {"-d1", "-W0", "-b4K", "-r", "-w100", "--overwrite-foreign-files", "data/letter.dat"}).code == 0);
    CHECK(folder.read("data/letter.dat") != letter);
}

TEST_CASE("DiskSpd: a file of zeros, as from fsutil or dd, is written without a switch") {
    const IoproofFolder folder;
    folder.write("data/zeros.dat", std::string(1 << 20, '\0'));
    const Ran ran = diskspd(folder, {"-d1", "-W0", "-b4K", "-w100", "data/zeros.dat"});
    CHECK(ran.error == "");
    CHECK(ran.code == 0);
    CHECK(folder.read("data/zeros.dat").substr(4096, 4) == std::string("\0\1\2\3", 4));
}

TEST_CASE("DiskSpd: pages are verified on request, and a damaged one is found") {
    const IoproofFolder folder;
    Ran ran = diskspd(folder, {"-c4M", "-d1", "-W0", "-b8K", "-r", "-w30", "--verify", "-Rxml", "data/t.dat"});
    REQUIRE(ran.code == 0);
    const cli::XmlElement root = cli::read_xml(ran.output);
    REQUIRE(root.child("TimeSpan")->child("Integrity") != nullptr);
    CHECK(std::stod(root.child("TimeSpan")->child("Integrity")->child("PagesVerified")->text) > 0);
    CHECK(root.child("TimeSpan")->child("Integrity")->child("FindingsOfAllTimeSpans")->text == "0");
    std::string bytes = folder.read("data/t.dat");
    bytes[3 * 8192 + 777] = static_cast<char>(bytes[3 * 8192 + 777] + 1);
    folder.write("data/t.dat", bytes);
    ran = diskspd(folder, {"-d1", "-W0", "-b8K", "-r", "--verify", "data/t.dat"});
    CHECK(ran.code == 1);
}

TEST_CASE("DiskSpd: exit codes and messages of calls that measure nothing") {
    const IoproofFolder folder;
    Ran ran = diskspd(folder, {});
    CHECK(ran.code == 3);
    CHECK_THAT(ran.output, ContainsSubstring("-b<size>"));
    ran = diskspd(folder, {"-?"});
    CHECK(ran.code == 0);
    CHECK_THAT(ran.output, ContainsSubstring("-b<size>"));
    CHECK(diskspd(folder, {"-o8"}).code == 3);
    CHECK(diskspd(folder, {"-o", "8", "t.dat"}).code == 3);
    CHECK(diskspd(folder, {"-d1", "#1"}).code == 3);
    CHECK(diskspd(folder, {"-Xmissing.xml"}).code == 3);
    CHECK(diskspd(folder, {"-d1", "data/missing.dat"}).code == 1);
    CHECK_FALSE(folder.has("data/missing.dat"));
    ran = diskspd(folder, {"-Rpxml", "-b8K", "-r", "data/t.dat"});
    CHECK(ran.code == 0);
    CHECK(ran.output.starts_with("<Profile>\n"));
    CHECK_FALSE(folder.has("data/t.dat"));
    ran = diskspd(folder, {"-Rs"});
    CHECK(ran.code == 0);
    CHECK(ran.output.starts_with("System information:\n"));
    const auto by_command = folder.start({"diskspd", "-h", "-Rp", "data/t.dat"});
    CHECK(by_command->wait() == 0);
    CHECK_THAT(by_command->output(), ContainsSubstring("software cache disabled"));
}

TEST_CASE("DiskSpd: Ctrl-C ends a measurement with the figures so far") {
    const IoproofFolder folder;
    const auto run = folder.start({"diskspd", "-c4M", "-W0", "-d600", "-b8K", "-r", "-P1", "-v", "data/t.dat"});
    REQUIRE(run->says("..."));  // a dot for each request
    run->send(SIGINT);
    CHECK(run->wait() == 0);
    CHECK_THAT(run->output(), ContainsSubstring("Total IO") && ContainsSubstring("duration: 600s"));
    CHECK_THAT(run->error(), ContainsSubstring("...") && ContainsSubstring("timespan 1: measuring"));
}

TEST_CASE("DiskSpd: Ctrl-C before anything was measured is not success") {
    const IoproofFolder folder;
    const auto run = folder.start({"diskspd", "-c4M", "-W600", "-d600", "-b8K", "-r", "-v", "data/t.dat"});
    REQUIRE(run->says("timespan 1: warm up"));
    run->send(SIGINT);
    CHECK(run->wait() == 1);
    CHECK_THAT(run->output(), ContainsSubstring("interrupted before the measurements began") && !ContainsSubstring("Total IO"));
    CHECK_THAT(run->error(), ContainsSubstring("nothing was measured"));
}

TEST_CASE("DiskSpd: PrecreateFiles creates a file once, in the largest size that a time span needs") {
    const IoproofFolder folder;
    const std::string span =
        "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>f.dat</Path><BlockSize>8192</BlockSize>"
        "<FileSize>SIZE</FileSize></Target></Targets></TimeSpan>";
    const auto with_size = [&](const std::string& size) {
        std::string text = span;
        return text.replace(text.find("SIZE"), 4, size);
    };
    const std::string spans = "<TimeSpans>" + with_size("2097152") + with_size("1048576") + "</TimeSpans>";
    folder.write("plain.xml", "<Profile>" + spans + "</Profile>");
    folder.write("max.xml", "<Profile><PrecreateFiles>UseMaxSize</PrecreateFiles>" + spans + "</Profile>");
    const auto size_after = [&](const std::string& profile) {
        const Ran ran = diskspd(folder, {"-X" + profile});
        INFO(ran.error);
        CHECK(ran.code == 0);
        return std::filesystem::file_size(folder.path() / "f.dat");
    };
    CHECK(size_after("max.xml") == 2097152);
    CHECK(size_after("plain.xml") == 1048576);
}

TEST_CASE("DiskSpd: -Sm reads and writes through a mapping, and says so in text and XML") {
    const IoproofFolder folder;
    for (const char* flush : {"-Sb", "-Nv", "-Nn", "-Ni"}) {
        INFO(flush);
        const Ran ran =
            diskspd(folder, {"-c4M", "-d1", "-W0", "-b8K", "-r", "-w50", "-o4", "-t2", "-L", "-Sm", flush, "--verify", "data/m.dat"});
        INFO(ran.error);
        REQUIRE(ran.code == 0);
        CHECK_THAT(ran.output, ContainsSubstring("\t\tmemory mapped I/O enabled"));
        CHECK(std::stod(cut_as_script(ran.output).iops) > 0);
    }
    const Ran ran = diskspd(folder, {"-d1", "-W0", "-b4K", "-w100", "-Smw", "-Nv", "-Zr", "-Rxml", "data/m.dat"});
    REQUIRE(ran.code == 0);
    CHECK_THAT(ran.output, ContainsSubstring("<WriteThrough>true</WriteThrough>") &&
                               ContainsSubstring("<MemoryMappedIo>true</MemoryMappedIo>") &&
                               ContainsSubstring("<FlushType>ViewOfFile</FlushType>"));
    folder.write("m.xml", ran.output);
    const auto again = folder.start({"diskspd", "-Xm.xml", "-d3", "-W0", "-v"});
    REQUIRE(again->says("measuring"));
    CHECK_THAT(again->maps(), ContainsSubstring("data/m.dat"));
    CHECK(again->wait() == 0);
}

TEST_CASE("DiskSpd: a mapped file that is truncated ends the measurement with an error, but does not crash the program") {
    const IoproofFolder folder;
    const auto run = folder.start({"diskspd", "-c8M", "-d30", "-W0", "-b64K", "-r", "-w30", "-o4", "-t2", "-Sm", "-v", "data/m.dat"});
    REQUIRE(run->says("measuring"));
    std::filesystem::resize_file(folder.data() / "m.dat", 4096);
    CHECK(run->wait() == 1);
    CHECK_THAT(run->error(), ContainsSubstring("m.dat") && ContainsSubstring("came back short"));
}

TEST_CASE("DiskSpd: ThreadTargets of a profile select the threads that work on a target") {
    const IoproofFolder folder;
    const auto target = [](const std::string& path, int thread) {
        return "<Target><Path>" + path +
               "</Path><BlockSize>8192</BlockSize><FileSize>1048576</FileSize><ThreadTargets><ThreadTarget><Thread>" +
               std::to_string(thread) + "</Thread></ThreadTarget></ThreadTargets></Target>";
    };
    const std::string pool = "<ThreadCount>2</ThreadCount><RequestCount>4</RequestCount>";
    folder.write("p.xml", "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup>" + pool + "<Targets>" +
                              target("a.dat", 1) + target("b.dat", 0) + "</Targets></TimeSpan></TimeSpans></Profile>");
    const Ran ran = diskspd(folder, {"-Xp.xml", "-Rxml"});
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    const cli::XmlElement root = cli::read_xml(ran.output);
    std::string pairs;
    for (const cli::XmlElement& thread : root.child("TimeSpan")->children) {
        if (thread.name != "Thread") continue;
        for (const cli::XmlElement& each : thread.children) {
            if (each.name == "Target") pairs += thread.child("Id")->text + " " + each.child("Path")->text + "\n";
        }
    }
    CHECK(pairs == "0 b.dat\n1 a.dat\n");
}

TEST_CASE("DiskSpd: figures of a file that truncate has made are said to be no figures of the storage, until -c has filled it") {
    const IoproofFolder folder;
    folder.write("t.dat", "");
    std::filesystem::resize_file(folder.path() / "t.dat", 4 << 20);
    Ran ran = diskspd(folder, {"-d1", "-W0", "-r", "-b8K", "t.dat"});
    CHECK(ran.code == 0);
    CHECK_THAT(ran.error, ContainsSubstring("t.dat: the file system has no data for 100 %"));
    ran = diskspd(folder, {"-c4M", "-d1", "-W0", "-r", "-b8K", "t.dat"});
    CHECK(ran.code == 0);
    CHECK_THAT(ran.error, !ContainsSubstring("no data"));
}

TEST_CASE("DiskSpd: the dots of a time span do not count the requests of those before it again") {
    const IoproofFolder folder;
    const auto span = [](const std::string& rate) {
        return "<TimeSpan><Duration>2</Duration><Warmup>0</Warmup><Targets><Target><Path>t.dat</Path><BlockSize>8192</BlockSize>"
               "<FileSize>1048576</FileSize><Throughput unit=\"IOPS\">" +
               rate + "</Throughput></Target></Targets></TimeSpan>";
    };
    folder.write("p.xml", "<Profile><Progress>100</Progress><TimeSpans>" + span("1000") + span("1") + "</TimeSpans></Profile>");
    const Ran ran = diskspd(folder, {"-Xp.xml"});
    INFO(ran.error);
    CHECK(ran.code == 0);
    std::size_t dots = 0;
    for (const std::string& line : split(ran.error, '\n')) dots += line.find_first_not_of('.') == std::string::npos ? line.size() : 0;
    CHECK(dots <= 20);  // of 2000 requests
}

TEST_CASE("DiskSpd: the XML says which tool wrote it") {
    const IoproofFolder folder;
    const Ran ran = diskspd(folder, {"-Rsxml"});
    CHECK(ran.code == 0);
    const cli::XmlElement system = cli::read_xml(ran.output);
    REQUIRE(system.child("Tool") != nullptr);
    CHECK_THAT(system.child("Tool")->child("Version")->text, ContainsSubstring("ioproof ") && ContainsSubstring("."));
}
