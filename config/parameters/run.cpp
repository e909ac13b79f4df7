#include <limits>

#include "config/parameters/rows.hpp"

namespace config {

using sim::Options;

// 16 TB, in MB: more than any machine has.
constexpr std::uint64_t kPoolMbMax = 16'777'216;

std::vector<Parameter> run_parameters() {
    constexpr Section kSection = Section::config;
    return {
        {.section = kSection,
         .ini_name = "ErrorFile",
         .toml_name = "error_file",
         .kind = Kind::text,
         .field = +[](Options& o) -> Field { return &o.error_file; },
         .help = "Name of the XML log.",
         .details =
             "Every event of the run, one XML element each, in SQLIOSim's form. The switch -log overrides it. A relative name starts at "
             "the current directory.",
         .background = "SQLIOSim calls it sqliosim.log.xml; tools of storage vendors look for entries with TYPE='ERROR' in it."},
        {.section = kSection,
         .ini_name = "CPUCount",
         .toml_name = "cpu_count",
         .kind = Kind::count,
         .unit = "CPUs",
         .range = {.min = 0, .max = sim::kCpusMax},
         .field = +[](Options& o) -> Field { return &o.cpu_count; },
         .help = "Number of logical CPUs to simulate; 0 = as many as the process may use.",
         .details =
             "Each gets one scheduler: an operating-system thread with its own I/O engine. 0 counts the CPUs in the affinity of the "
             "process (taskset, cpuset), at most the CPU limit of its container. The number may exceed the machine's, but that measures "
             "nothing useful. It also determines how many users UserCount -1 makes.",
         .background = "SQL Server has one SQLOS scheduler per logical CPU."},
        {.section = kSection,
         .ini_name = "Affinity",
         .toml_name = "affinity",
         .kind = Kind::mask,
         .range = {.min = 0, .max = std::numeric_limits<std::uint64_t>::max()},
         .field = +[](Options& o) -> Field { return &o.affinity; },
         .help = "CPUs that the schedulers may use, one bit each; 0 = all.",
         .details = "Bit 0 is CPU 0. Hexadecimal is allowed, e.g. 0x0F for the first four.",
         .background = "The server setting 'affinity mask'."},
        {.section = kSection,
         .ini_name = "IOAffinity",
         .toml_name = "io_affinity",
         .kind = Kind::mask,
         .range = {.min = 0, .max = std::numeric_limits<std::uint64_t>::max()},
         .field = +[](Options& o) -> Field { return &o.io_affinity; },
         .help = "CPUs for the threads that carry out I/O, one bit each; 0 = all.",
         .details = "Like Affinity, for the threads that do I/O on behalf of the schedulers. From Linux 6.2 on, the kernel keeps "
                    "io_uring's workers on the CPU of a scheduler that has Affinity, unless IOAffinity leaves that CPU out.",
         .background = "The server setting 'affinity I/O mask'."},
        {.section = kSection,
         .ini_name = "MaxMemoryMB",
         .toml_name = "max_memory_mb",
         .kind = Kind::count,
         .unit = "MB",
         .range = {.min = static_cast<std::int64_t>(sim::kBufferPoolMbMin), .max = kPoolMbMax, .or_zero = true},
         .field = +[](Options& o) -> Field { return &o.max_memory_mb; },
         .help = "Size of the buffer pool; 0 = a quarter of the data files, at most half of the free memory.",
         .details =
             "The limits of a container count. The pool is never larger than the machine's memory, nor larger than the data files need. "
             "A pool that holds all of the data never evicts a page, and its lazy writer has nothing to do: on files of 256 MB it wrote "
             "0 pages in a main run of 20 s with a pool of their size, but 508 with a quarter of it, in addition to 4,600 by "
             "checkpoints. What random users read depends not on the pool but on CacheHitRatio (90 and 92 single reads for 100 "
             "accesses). The memory is allocated before the initial update, as far as that can be done in 5 s.",
         .background = "The server setting 'max server memory', for the buffer pool alone."},
        {.section = kSection,
         .ini_name = "StopOnError",
         .toml_name = "stop_on_error",
         .kind = Kind::flag,
         .field = +[](Options& o) -> Field { return &o.stop_on_error; },
         .help = "End the run at the first finding.",
         .details = "TRUE keeps the files as they were when the fault was seen, for analysis. FALSE continues and counts.",
         .background = "SQL Server would report error 823, 824 or 825 and end the connection."},
        {.section = kSection,
         .ini_name = "TestCycles",
         .toml_name = "test_cycles",
         .kind = Kind::count,
         .unit = "cycles",
         .range = {.min = 0, .max = 1'000'000},
         .field = +[](Options& o) -> Field { return &o.test_cycles; },
         .help = "Number of complete cycles; 0 = until stopped.",
         .details = "A cycle is: initial update, initial checkpoint, main run, final checkpoint, audit of every page."},
        {.section = kSection,
         .ini_name = "TestCycleDuration",
         .toml_name = "test_cycle_duration_s",
         .kind = Kind::count,
         .unit = "s",
         .range = {.min = 1, .max = kDurationSMax},
         .field = +[](Options& o) -> Field { return &o.test_cycle_duration_s; },
         .help = "Length of the main run of a cycle.",
         .details =
             "Preparation, checkpoints and the final audit take additional time, which depends on the size of the files. The switch -d "
             "overrides this."},
    };
}

}  // namespace config
