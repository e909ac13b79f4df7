#include "ums/base/machine_load.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"

namespace {

// A tree of files like proc and sys, removed at the end.
class LoadTree {
public:
    LoadTree() : root_(std::filesystem::temp_directory_path() / ("ioproof-load-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(root_ / "proc/self");
    }
    ~LoadTree() { std::filesystem::remove_all(root_); }
    LoadTree(const LoadTree&) = delete;
    LoadTree& operator=(const LoadTree&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }
    [[nodiscard]] std::string root() const { return root_.string(); }

private:
    std::filesystem::path root_;
};

}  // namespace

TEST_CASE("the ticks of each CPU are read, and their parts added up") {
    const LoadTree tree;
    tree.write("proc/stat", "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 2 30 400 50 6 7 8 0 0\ncpu3 1 0 0 9 0 0 0 0 0 0\nintr 5\n");
    const auto cpus = ums::read_cpu_ticks(tree.root());
    REQUIRE(cpus.size() == 2);
    CHECK(cpus[0].id == 0);
    CHECK(cpus[0].user == 12);
    CHECK(cpus[0].kernel == 43);
    CHECK(cpus[0].idle == 450);
    CHECK(cpus[0].steal == 8);
    CHECK(cpus[1].id == 3);
}

TEST_CASE("each figure of throttling is the largest among the process's group and its ancestors") {
    const LoadTree tree;
    tree.write("proc/self/cgroup", "0::/a/b\n");
    tree.write("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 1\nthrottled_usec 100\n");
    tree.write("sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 90\n");
    tree.write("sys/fs/cgroup/a/b/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=777\nfull avg10=0.00 total=5\n");
    const ums::GroupThrottling throttling = ums::read_group_throttling(tree.root());
    CHECK(throttling.is_known);
    CHECK(throttling.periods_throttled == 4);
    CHECK(throttling.throttled_us == 100);
    CHECK(throttling.io_stalled_us == 777);
}

TEST_CASE("a process that is moved to a group that was throttled less was not throttled meanwhile, rather than for ages") {
    const LoadTree tree;
    tree.write("proc/self/cgroup", "0::/a\n");
    tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 7\nthrottled_usec 700\n");
    tree.write("sys/fs/cgroup/a/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=70\n");
    tree.write("sys/fs/cgroup/b/cpu.stat", "nr_throttled 1\nthrottled_usec 100\n");
    tree.write("sys/fs/cgroup/b/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=10\n");
    const ums::GroupThrottling before = ums::read_group_throttling(tree.root());
    tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 9\nthrottled_usec 1000\n");
    const ums::GroupThrottling same_group = ums::throttling_between(before, ums::read_group_throttling(tree.root()));
    CHECK(same_group.is_known);
    CHECK(same_group.periods_throttled == 2);
    CHECK(same_group.throttled_us == 300);
    tree.write("proc/self/cgroup", "0::/b\n");
    const ums::GroupThrottling moved = ums::throttling_between(before, ums::read_group_throttling(tree.root()));
    CHECK(moved.is_known);
    CHECK(moved.periods_throttled == 0);
    CHECK(moved.throttled_us == 0);
    CHECK(moved.io_stalled_us == 0);
    tree.write("proc/self/cgroup", "0::/gone\n");
    CHECK_FALSE(ums::throttling_between(before, ums::read_group_throttling(tree.root())).is_known);
}

TEST_CASE("a system that reports nothing about its CPUs and groups is no error") {
    const LoadTree tree;
    CHECK(ums::read_cpu_ticks(tree.root()).empty());
    CHECK_FALSE(ums::read_group_throttling(tree.root()).is_known);
}
