// The final summary of one file, to the letter of SQLIOSim's, because other people's scripts parse it. Pure.
//
// What Linux provides for the fields that come from Windows:
//   Running Average, Total IO Time, Read/Write/Idle time   milliseconds, fractions cut (an average of 0.9 ms prints 0)
//   Sector size              logical sector of the block device
//   Sectors per track, Tracks per Cylinders    63 and 255, the customary translation; disks have had no such geometry for decades
//   Cylinders                size / (255 * 63 * sector size)
//   Media type               12 (FixedMedia) or 11 (RemovableMedia), 0 (Unknown) for an unknown device: Windows' MEDIA_TYPE
//   Write cache enabled      the kernel's queue/write_cache says "write back"; Read cache enabled as DriveFacts says
//   Read/Write count, time, Bytes, Idle time   /proc/diskstats of the device since the run began, requests of other programs included
//   Split IO Count           0: the kernel does not count splits, and merged requests are not the same thing
//   Storage number           minor device number
//   Storage manager name     the driver; "unknown" if there is none. Spaces become '_', because readers take one word.
// Even for an unknown device (overlay, network file systems) all seven lines exist, with zeros, "No" and "unknown", because readers expect
// them.
#pragma once

#include <string>
#include <vector>

#include "sim/results.hpp"

namespace reports {

// Seven lines without line ends. Control characters in the path become '?', so that each line remains one line.
std::vector<std::string> file_summary(const sim::FileResult& file);

}  // namespace reports
