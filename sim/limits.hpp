// Every bound of the simulation, with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

// SQL Server's page and extent.
inline constexpr std::uint32_t kPageBytes = 8192;
inline constexpr std::uint32_t kExtentPages = 8;
// The unit of the stamps that reveal torn pages: the smallest sector that a disk has.
inline constexpr std::uint32_t kSectorBytes = 512;
inline constexpr std::uint32_t kSectorsPerPage = kPageBytes / kSectorBytes;

// One vectored request has at most IOV_MAX segments; SQL Server Enterprise reads ahead up to 1024 pages.
inline constexpr std::uint32_t kTransferPagesMax = 1024;
// SQL Server's usual read-ahead: 512 KB.
inline constexpr std::uint32_t kReadAheadPages = 64;
// Largest gather write of checkpoint and lazy writer: 1 MB since SQL Server 2016, 256 KB before.
inline constexpr std::uint32_t kGatherPagesMax = 128;

// SQL Server's page numbers have 32 bits: 32 TB for each file.
inline constexpr std::uint64_t kFilePagesMax = 0xffff'ffff;
// The sector stamp has 12 bits for the file.
inline constexpr std::uint32_t kFilesMax = 4095;

// SQLIOSim's limit: one bit each in a 64-bit affinity mask.
inline constexpr std::uint32_t kCpusMax = 64;
// A measurement binds threads to CPUs below this number: as many as the system's own set of CPUs holds.
inline constexpr std::uint32_t kCpuNumbersMax = 1024;
// SQLIOSim: all users together at most CPUCount * 1023 - 100.
inline constexpr std::uint32_t kUsersPerCpu = 1023;
inline constexpr std::uint32_t kUsersReserved = 100;

// SQLIOSim's ceiling for outstanding requests of the process when MaxOutstandingIO is 0.
inline constexpr std::uint32_t kOutstandingIoMax = 140'000;
// SQL Server warns about requests that take longer (error 833).
inline constexpr std::uint64_t kLongIoSeconds = 15;
// … and these count as lost.
inline constexpr std::uint64_t kLostIoSeconds = 120;

// SQL Server's largest log block, and how many flushes it has outstanding since 2012 (32 before).
inline constexpr std::uint32_t kLogBlockBytesMax = 60 * 1024;
inline constexpr std::uint32_t kLogFlushesMax = 112;

// So many pages, of all files, whose writes have failed are exceptions of a checkpoint, one by one; with more, it promises nothing. Each
// takes 32 bytes of the log, which keeps room for them.
inline constexpr std::size_t kUnwrittenPagesMax = 256;

// A task that looks through the ledger of a file, or through the frames of the pool, lets others run after so many pages, if it has had its
// time: a file of 1 TB has 134 million, and the log would wait.
inline constexpr std::uint32_t kPagesBetweenYields = 4096;

// Below this no work is possible: a 1 MB gather write, a 512 KB read-ahead and single pages need frames at the same time.
inline constexpr std::uint64_t kBufferPoolMbMin = 8;

}  // namespace sim
