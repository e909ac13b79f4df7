// A file's bytes behind the program's back: plain system calls, none of our own code.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sim::testing {

inline std::vector<std::byte> peek(const std::string& path, std::uint64_t offset_bytes, std::size_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = ::pread(fd, bytes.data(), size_bytes, static_cast<off_t>(offset_bytes));
    ::close(fd);
    if (got != static_cast<ssize_t>(size_bytes)) throw std::runtime_error("cannot look into " + path);
    return bytes;
}

inline void poke(const std::string& path, std::uint64_t offset_bytes, const std::vector<std::byte>& bytes) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
    ::close(fd);
    if (put != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("cannot change " + path);
}

inline void flip_bits(const std::string& path, std::uint64_t offset_bytes, std::byte mask) {
    std::vector<std::byte> bytes = peek(path, offset_bytes, 1);
    bytes[0] ^= mask;
    poke(path, offset_bytes, bytes);
}

inline void make_file(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

inline bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

inline struct stat facts_of(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) throw std::runtime_error("cannot examine " + path);
    return facts;
}

inline std::uint64_t size_of_file(const std::string& path) { return static_cast<std::uint64_t>(facts_of(path).st_size); }
inline std::uint64_t allocated_bytes_of(const std::string& path) { return static_cast<std::uint64_t>(facts_of(path).st_blocks) * 512; }

}  // namespace sim::testing
