#include "ums/base/processor_topology.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
}

}  // namespace

TEST_CASE("cores, sockets and nodes are counted from what sysfs reports for each CPU") {
    const test::TempFolder folder;
    const std::filesystem::path devices = folder.path() / "sys/devices/system";
    put(devices / "cpu/online", "0-2,5");
    put(devices / "cpu/cpu0/cpufreq/scaling_governor", "powersave");
    put(devices / "node/online", "0-1");
    put(devices / "node/node0/cpulist", "0-1");
    put(devices / "node/node1/cpulist", "2-5");
    const std::pair<int, std::pair<int, int>> places[] = {{0, {0, 4}}, {1, {0, 4}}, {2, {1, 4}}, {5, {1, 7}}};  // CPU, package, core
    for (const auto& [cpu, place] : places) {
        const std::filesystem::path topology = devices / ("cpu/cpu" + std::to_string(cpu)) / "topology";
        put(topology / "physical_package_id", std::to_string(place.first));
        put(topology / "core_id", std::to_string(place.second));
    }
    const ums::ProcessorTopology topology = ums::processor_topology(folder.path().string());
    REQUIRE(topology.processors.size() == 4);
    CHECK(topology.core_count == 3);
    CHECK(topology.socket_count == 2);
    CHECK(topology.node_count == 2);
    CHECK(topology.frequency_governor == "powersave");
    CHECK(topology.processors[1].core == topology.processors[0].core);
    CHECK(topology.processors[2].core == 1);
    CHECK(topology.processors[3].id == 5);
    CHECK(topology.processors[3].core == 2);
    CHECK(topology.processors[3].socket == 1);
    CHECK(topology.processors[3].node == 1);
}

TEST_CASE("a machine that reports nothing about its CPUs has none, and one that reports little has one core for each") {
    const test::TempFolder folder;
    CHECK(ums::processor_topology(folder.path().string()).processors.empty());
    put(folder.path() / "sys/devices/system/cpu/online", "0-1,x,7");
    const ums::ProcessorTopology topology = ums::processor_topology(folder.path().string());
    CHECK(topology.processors.size() == 2);
    CHECK(topology.core_count == 2);
    CHECK(topology.node_count == 1);
}
