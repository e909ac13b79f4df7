#include "sim/page/checksum.hpp"

#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

std::uint32_t crc_of(const std::vector<unsigned>& values) {
    std::vector<std::byte> bytes;
    for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
    return sim::crc32c(bytes.data(), bytes.size());
}

}  // namespace

TEST_CASE("CRC-32C has the check value of its catalog entry") {
    constexpr std::string_view kText = "123456789";
    CHECK(sim::crc32c(reinterpret_cast<const std::byte*>(kText.data()), kText.size()) == 0xe3069283);
}

// RFC 3720, appendix B.4; the RFC prints the bytes in wire order.
TEST_CASE("CRC-32C reproduces the examples of RFC 3720") {
    std::vector<unsigned> ascending;
    for (unsigned i = 0; i < 32; ++i) ascending.push_back(i);
    const std::vector<unsigned> descending(ascending.rbegin(), ascending.rend());
    const std::vector<unsigned> read_command = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                                                0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                                                0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
    CHECK(crc_of(std::vector<unsigned>(32, 0)) == 0x8a9136aa);
    CHECK(crc_of(std::vector<unsigned>(32, 0xff)) == 0x62a8ab43);
    CHECK(crc_of(ascending) == 0x46dd794e);
    CHECK(crc_of(descending) == 0x113fdb5c);
    REQUIRE(read_command.size() == 48);
    CHECK(crc_of(read_command) == 0xd9963a56);
}

TEST_CASE("the CRC-32C of nothing is zero") { CHECK(crc_of({}) == 0); }
