#include "reports/knee.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

using namespace reports;

namespace {

// A device with this many channels, each of which takes `service_ms` for a request.
std::vector<SweepPoint> device_points(double channels, double service_ms, double busy_percent = 10) {
    std::vector<SweepPoint> points;
    for (const double depth : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
        const double rate = std::min(depth, channels) * 1000 / service_ms;
        points.push_back({depth, rate, depth / rate * 1000, busy_percent});
    }
    return points;
}

}  // namespace

TEST_CASE("the knee of a device with eight channels is at eight requests") {
    const auto points = device_points(8, 0.1);
    const Knee knee = knee_of(points);
    CHECK(knee.is_knee);
    CHECK(points[knee.at].outstanding == 8);
    CHECK_FALSE(knee.is_cpu_bound);
    CHECK_THAT(knee_text(points, knee),
               ContainsSubstring("The knee is at 8 outstanding requests: 80,000 requests/s at 100 us on average") &&
                   ContainsSubstring("At 16 the throughput is +0 %, and the average latency +100 %") &&
                   ContainsSubstring("8.0 requests were in flight there: the storage was saturated"));
}

TEST_CASE("a device of one channel has its knee at the first depth, and one of very many has none") {
    CHECK(knee_of(device_points(1, 1)).at == 0);
    CHECK(knee_of(device_points(1, 1)).is_knee);
    CHECK_THAT(knee_text(device_points(1, 1), knee_of(device_points(1, 1))), ContainsSubstring("The knee is at 1 outstanding request: "));
    const auto wide = device_points(1000, 1);
    CHECK_FALSE(knee_of(wide).is_knee);
    CHECK(wide[knee_of(wide).at].outstanding == 64);
    CHECK_THAT(knee_text(wide, knee_of(wide)), ContainsSubstring("The knee lies beyond"));
}

TEST_CASE("a device that saturates gradually has its knee where latency outgrows throughput") {
    // Doubling the depth gives 80, 60, 30, 10, 2 percent.
    std::vector<SweepPoint> points{{1, 1000, 1, 0}};
    for (const double gain : {1.8, 1.6, 1.3, 1.1, 1.02}) {
        const SweepPoint last = points.back();
        const double rate = last.requests_per_s * gain;
        points.push_back({last.outstanding * 2, rate, last.outstanding * 2 / rate * 1000, 0});
    }
    const Knee knee = knee_of(points);
    CHECK(knee.is_knee);
    CHECK(points[knee.at].outstanding == 4);
}

TEST_CASE("a single slow point is no knee if more requests are worthwhile after all") {
    // Something else used the disk while 4 were measured.
    std::vector<SweepPoint> points{
        {1, 4312, 0.230, 0}, {2, 8805, 0.218, 0}, {4, 11'022, 0.344, 0}, {8, 18'508, 0.397, 0}, {16, 30'111, 0.473, 0}};
    CHECK_FALSE(knee_of(points).is_knee);
    CHECK_THAT(knee_text(points, knee_of(points)), !ContainsSubstring("saturated"));
    // There is one beyond it.
    points.push_back({32, 30'500, 1.05, 0});
    points.push_back({64, 30'600, 2.09, 0});
    CHECK(knee_of(points).is_knee);
    CHECK(points[knee_of(points).at].outstanding == 16);
}

TEST_CASE("if the throughput stays as it is, more requests are not worthwhile, although the latency stays as it is, too") {
    // As with a rate.
    const std::vector<SweepPoint> points{{1, 300, 0.20, 0}, {2, 300, 0.19, 0}, {4, 301, 0.18, 0}};
    const Knee knee = knee_of(points);
    CHECK(knee.is_knee);
    CHECK(knee.at == 0);
    CHECK_THAT(knee_text(points, knee),
               ContainsSubstring("The knee is at 1 outstanding request: ") && ContainsSubstring("more requests gain next to nothing"));
    // A fifth of what the step promised, at little more latency, is still something.
    CHECK_FALSE(knee_of({{1, 1000, 1, 0}, {2, 1200, 1.1, 0}}).is_knee);
}

TEST_CASE("a CPU that other programs keep busy is not called the limit of the measurement") {
    std::vector<SweepPoint> points = device_points(8, 20, 100);
    for (SweepPoint& point : points) point.own_cpu_percent = 0.5;
    const Knee knee = knee_of(points);
    CHECK_FALSE(knee.is_cpu_bound);
    CHECK(knee.is_cpu_shared);
    CHECK_THAT(knee_text(points, knee), ContainsSubstring("mostly with other programs: this measurement took 0.5 % of one") &&
                                            ContainsSubstring("8.0 requests were in flight there.") &&
                                            !ContainsSubstring("this machine's CPU"));
    for (SweepPoint& point : points) point.own_cpu_percent = 97;
    CHECK(knee_of(points).is_cpu_bound);
    CHECK_FALSE(knee_of(points).is_cpu_shared);
}

TEST_CASE("at a rate that is kept, requests do not wait for each other, and a CPU that polls for their starts is not the limit") {
    const std::vector<SweepPoint> points{{8, 1000, 5, 100, 98, true}, {16, 1496, 6, 100, 98, true}, {32, 1494, 6.8, 100, 98, true}};
    const Knee knee = knee_of(points);
    REQUIRE(knee.is_knee);
    CHECK(points[knee.at].outstanding == 16);
    CHECK_FALSE(knee.is_cpu_bound);
    CHECK_THAT(knee_text(points, knee), ContainsSubstring("more requests gain next to nothing") && ContainsSubstring("9.0 requests were") &&
                                            !ContainsSubstring("this machine's CPU"));
}

TEST_CASE("at a rate that is not kept, no more requests are in flight than were requested, although the latency has the wait before that") {
    const std::vector<SweepPoint> points{{4, 571, 582, 100, 98, true}, {8, 572, 585, 100, 98, true}};
    const Knee knee = knee_of(points);
    REQUIRE(knee.is_knee);
    CHECK(knee.is_cpu_bound);
    CHECK(knee.littles_ratio == 1);
    CHECK_THAT(knee_text(points, knee),
               ContainsSubstring("mostly wait for each other") && ContainsSubstring("4.0 requests were in flight"));
    CHECK(requests_in_flight(571, 582, 4) == 4);
    CHECK(requests_in_flight(1000, 1, 4) == 1);
}

TEST_CASE("a depth at which nothing was answered is beyond the knee") {
    const std::vector<SweepPoint> points{{1, 1000, 1, 0}, {2, 2000, 1, 0}, {4, 0, 0, 0}};
    const Knee knee = knee_of(points);
    CHECK(knee.is_knee);
    CHECK(knee.at == 1);
    CHECK_THAT(knee_text(points, knee),
               ContainsSubstring("The knee is at 2 outstanding requests: ") && ContainsSubstring("At 4 no request was answered"));
}

TEST_CASE("a busy CPU, and requests that were not outstanding, are distinguished from saturated storage") {
    auto points = device_points(8, 0.1, 99);
    CHECK(knee_of(points).is_cpu_bound);
    CHECK_THAT(knee_text(points, knee_of(points)), ContainsSubstring("the limit there is this machine's CPU"));
    for (SweepPoint& point : points) point.latency_mean_ms /= 4;
    CHECK_THAT(knee_text(points, knee_of(points)), ContainsSubstring("was not kept full"));
    const std::vector<SweepPoint> one{{4, 100, 1, 0}};
    CHECK_THAT(knee_text(one, knee_of(one)), ContainsSubstring("A knee takes several"));
}
