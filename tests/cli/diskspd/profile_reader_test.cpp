#include "cli/diskspd/profile_reader.hpp"

#include <ctime>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "cli/diskspd/xml_reader.hpp"
#include "cli/process/exit_codes.hpp"
#include "reports/diskspd/diskspd_profile_xml.hpp"
#include "tests/support/catch.hpp"

using cli::read_diskspd_profile;
using cli::read_xml;

namespace {

std::string profile_around(const std::string& target_elements, const std::string& span_elements = "") {
    return "<Profile><TimeSpans><TimeSpan>" + span_elements + "<Targets><Target><Path>a.dat</Path>" + target_elements +
           "</Target></Targets></TimeSpan></TimeSpans></Profile>";
}

reports::DiskspdTarget target_in(const std::string& elements) {
    return read_diskspd_profile(profile_around(elements), "p.xml").profile.time_spans.at(0).targets.at(0);
}

}  // namespace

TEST_CASE("a small XML document is read with everything that profiles use") {
    const cli::XmlElement root = read_xml(
        "<?xml version=\"1.0\"?>\n<!-- a <comment> -->\n<a x='1' y = \"&lt;&#65;&#x20AC;\">\n  "
        "<n:b/>t&amp;<![CDATA[<&>]]>\n<b>2</b></a>\n");
    CHECK(root.name == "a");
    CHECK(*root.attribute("x") == "1");
    CHECK(*root.attribute("y") == "<A\xE2\x82\xAC");
    CHECK(root.attribute("z") == nullptr);
    CHECK(root.text == "t&<&>");
    REQUIRE(root.children.size() == 2);
    CHECK(root.child("b") == &root.children[0]);
    CHECK(root.children[1].text == "2");
    CHECK(root.children[1].line == 5);
    CHECK(root.child("c") == nullptr);
}

TEST_CASE("XML that is malformed or refers to external entities is refused with its line") {
    std::string deep;
    for (int i = 0; i < 40; ++i) deep += "<a>";
    for (const std::string& wrong : std::vector<std::string>{
             "", "text", "<a>", "<a></b>", "<a", "<a b></a>", "<a b=c></a>", "<a b='c></a>", "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
             "<a>&lt</a>", "<a/><b/>", "<a/>x", "<!-- ", "<a><![CDATA[</a>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "< a/>", deep}) {
        INFO(wrong);
        CHECK_THROWS_AS(read_xml(wrong), cli::XmlError);
        CHECK_THROWS_WITH(read_xml(wrong), ContainsSubstring("line 1: "));
    }
}

TEST_CASE("a large XML document is read without delay, and its lines are right") {
    std::string document = "<a>\n";
    constexpr std::uint32_t kElements = 400'000;
    for (std::uint32_t i = 0; i < kElements; ++i) document += i % 2 == 0 ? "<b/>\n" : "<b>\n</b>\n";
    document += "</a>\n";
    const std::clock_t begin = std::clock();
    const cli::XmlElement root = cli::read_xml(document);
    CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);
    REQUIRE(root.children.size() == kElements);
    CHECK(root.line == 1);
    CHECK(root.children[0].line == 2);
    CHECK(root.children.back().line == 1 + kElements / 2 * 3 - 1);
}

TEST_CASE("DiskSpd: a written profile is read unchanged") {
    const std::vector<std::vector<std::string>> lines{
        {"-r4K", "-rdpct10/20:90/80", "-w30", "-g10i", "-Z1M,f&<>\xC3\xA4", "-a0,1", "-D50", "-L", "a b.dat", "*1"},
        {"-rs30", "-rdabs10/1M:90/2M", "-i2", "-j3", "-Zr", "-n", "-Su", "-B1M:2M", "a"},
        {"-t4", "-si8K", "-b8K", "-Suw", "-Z", "-o7", "-c64M", "-P", "-v", "-z12", "-d1", "-W2", "-C3", "a"},
        {"-t4", "-T1M", "-p", "-Sm", "-Nn", "-x", "-I1", "-frst", "-l", "-vs", "-:1", "a"},
        {"-F3", "-O5", "-g100", "-Sr", "a", "b"},
        {"-Smw", "-Nv", "-w100", "a"},
        {"-Sm", "-Ni", "-b4K", "a"},
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        INFO(lines[i].front());
        reports::DiskspdProfile profile = cli::parse_diskspd(lines[i], 0).profile;
        if (i == 4) {
            for (auto& target : profile.time_spans.at(0).targets) target.rate = 0;
            profile.time_spans[0].targets[1].weight = 7;
            profile.time_spans[0].targets[1].thread_weights = {{1, 0}, {2, 9}};
            profile.precreate = reports::DiskspdPrecreate::use_max_size;
        }
        const std::string xml = reports::diskspd_profile_xml(profile);
        CHECK(reports::diskspd_profile_xml(read_diskspd_profile(xml, "p.xml").profile) == xml);
    }
}

TEST_CASE("DiskSpd: a profile by another writer is read in any order, with the defaults") {
    const reports::DiskspdTarget plain = target_in("");
    CHECK(plain.block_bytes == 65536);
    CHECK(plain.request_count == 2);
    CHECK(target_in("<Random>4096</Random><StrideSize>65536</StrideSize>").random_percent == 100);
    CHECK(target_in("<StrideSize>65536</StrideSize><Random>4096</Random>").alignment() == 4096);
    CHECK(target_in("<RandomRatio>40</RandomRatio><Random>4096</Random>").random_percent == 40);
    const reports::DiskspdTarget mixed = target_in("<RandomRatio>40</RandomRatio><BlockSize>8192</BlockSize>");
    CHECK(mixed.random_percent == 40);
    CHECK(mixed.alignment() == 8192);
    CHECK(target_in("<RandomAccess>true</RandomAccess>").random_percent == 0);
    const reports::DiskspdTarget uncached = target_in("<DisableAllCache>1</DisableAllCache>");
    CHECK(uncached.cache == reports::DiskspdCache::unbuffered);
    CHECK(uncached.write_through);
    CHECK(target_in("<Throughput unit=\"IOPS\">500</Throughput>").is_rate_in_requests);
    CHECK_FALSE(target_in("<Throughput>500</Throughput>").is_rate_in_requests);
}

TEST_CASE("DiskSpd: a profile maps files and chooses threads") {
    const reports::DiskspdTarget mapped = target_in("<MemoryMappedIo>true</MemoryMappedIo><FlushType>NonVolatileMemoryNoDrain</FlushType>");
    CHECK(mapped.memory_mapped);
    CHECK(mapped.flush == reports::DiskspdFlush::non_volatile_no_drain);
    CHECK_FALSE(target_in("<MemoryMappedIo>false</MemoryMappedIo>").memory_mapped);
    const reports::DiskspdTarget threads = target_in(
        "<ThreadTargets><ThreadTarget><Thread>2</Thread></ThreadTarget><ThreadTarget><Thread>0</Thread><Weight>5</Weight></ThreadTarget>"
        "</ThreadTargets>");
    REQUIRE(threads.thread_weights.size() == 2);
    CHECK(threads.thread_weights[0].thread == 2);
    CHECK(threads.thread_weights[0].weight == 0);
    CHECK(threads.thread_weights[1].weight == 5);
}

TEST_CASE("DiskSpd: a sequential target of one thread of the pool stays sequential, and no warning says otherwise") {
    const std::string pool = "<ThreadCount>2</ThreadCount><RequestCount>8</RequestCount>";
    const std::string first = "<ThreadTarget><Thread>0</Thread></ThreadTarget>";
    const auto warnings = [&](const std::string& thread_targets) {
        return cli::check_diskspd_profile(read_diskspd_profile(profile_around(thread_targets, pool), "p.xml").profile);
    };
    CHECK(warnings("<ThreadTargets>" + first + "</ThreadTargets>").empty());
    CHECK(warnings("<ThreadTargets>" + first + "<ThreadTarget><Thread>1</Thread></ThreadTarget></ThreadTargets>").size() == 1);
    CHECK(warnings("").size() == 1);
}

TEST_CASE("DiskSpd: the profile in a results document is read") {
    const std::string document = "<Results>\n<System/>" + profile_around("<BlockSize>8192</BlockSize>") + "<TimeSpan/></Results>";
    CHECK(read_diskspd_profile(document, "r.xml").profile.time_spans.at(0).targets.at(0).block_bytes == 8192);
}

TEST_CASE("DiskSpd: a profile may be saved as Windows does, with a byte order mark or in UTF-16") {
    const std::string document = "<?xml version=\"1.0\"?>\r\n" + profile_around("<BlockSize>8192</BlockSize>") + "\r\n";
    std::string utf16 = "\xFF\xFE";
    for (const char c : document) utf16 += {c, '\0'};
    for (const std::string& saved : {"\xEF\xBB\xBF" + document, utf16}) {
        CHECK(read_diskspd_profile(saved, "p.xml").profile.time_spans.at(0).targets.at(0).block_bytes == 8192);
    }
    CHECK_THROWS_AS(read_diskspd_profile(utf16 + "x", "p.xml"), cli::UsageError);
    CHECK_THROWS_WITH(read_diskspd_profile(utf16.substr(2), "p.xml"), ContainsSubstring("p.xml:1: not a text file"));
}

TEST_CASE("DiskSpd: an invalid profile is refused with file, line and element") {
    for (const char* wrong : {"<BlockSize>0</BlockSize>", "<BlockSize>8K</BlockSize>", "<WriteRatio>101</WriteRatio>", "<Random>0</Random>",
                              "<StrideSize>8192</StrideSize><RandomRatio>40</RandomRatio>", "<UseLargePages>yes</UseLargePages>",
                              "<Unknown/>", "<Throughput unit=\"X\">1</Throughput>", "<WriteBufferContent/>",
                              "<WriteBufferContent><Pattern>random</Pattern></WriteBufferContent>", "<IOPriority>4</IOPriority>",
                              "<Distribution><Percent><Range>1</Range></Percent></Distribution>", "<FlushType>x</FlushType>",
                              "<MemoryMappedIo>maybe</MemoryMappedIo>", "<MemoryMappedIo/>",
                              "<ThreadTargets><ThreadTarget/></ThreadTargets>", "<ThreadTargets><Thread>1</Thread></ThreadTargets>",
                              "<ThreadTargets><ThreadTarget><Thread>-1</Thread></ThreadTarget></ThreadTargets>"}) {
        INFO(wrong);
        CHECK_THROWS_AS(target_in(wrong), cli::UsageError);
        CHECK_THROWS_WITH(target_in(wrong), ContainsSubstring("p.xml: line 1: "));
    }
    CHECK_THROWS_AS(
        read_diskspd_profile("<Profile><TimeSpans><TimeSpan><Targets><Target/></Targets></TimeSpan></TimeSpans></Profile>", "p"),
        cli::UsageError);
    CHECK_THROWS_AS(read_diskspd_profile("<Other/>", "p"), cli::UsageError);
}

TEST_CASE("DiskSpd: settings of a profile without effect are reported once") {
    const auto read = read_diskspd_profile(profile_around("<UseLargePages>true</UseLargePages><SequentialScan>true</SequentialScan>",
                                                          "<CompletionRoutines>true</CompletionRoutines>"),
                                           "p.xml");
    CHECK(read.notices.size() == 3);
    CHECK(read_diskspd_profile(profile_around(""), "p.xml").notices.empty());
}
