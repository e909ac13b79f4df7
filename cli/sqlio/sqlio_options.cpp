#include "cli/sqlio/sqlio_options.hpp"

namespace cli {

const std::string_view kSqlioOptions =
    "-?\tthis text\n"
    "-k<R|W>\tread or write (default: R)\n"
    "-t<n>\tthreads of each file, up to 256 (default: 1)\n"
    "-s<seconds>\thow long (default: 30)\n"
    "-d<letters>\tthe same file on each drive, which --drive gives a folder\n"
    "-R<device>,<device>…\tblock devices by their paths, or a letter that --drive gives one\n"
    "-f<n|random|sequential>\tstride in blocks, or how the offsets are chosen (default: 64)\n"
    "-p[I]<cpu>\tbind threads to this CPU\n"
    "-a[R[I]]<mask>\tbind threads in turn to the CPUs of this mask, 0x for hexadecimal\n"
    "-o<n>\trequests outstanding at a time, of each thread (default: 1)\n"
    "-b<KB>\tsize of a request (default: 2)\n"
    "-i<n>\trequests of a run: strides cover that many, then start over (default: 64)\n"
    "-m[C|S]<n>\tS: scattered to and gathered from this many pieces of memory; C: taken, without effect\n"
    "-L<S|P>[i]\tmeasure latencies, always by the same clock\n"
    "-B<N|Y|H|S>\tcaches that may be used: none, all, the disk's, the system's (default: N)\n"
    "-S<blocks>\tbegin this far into the file\n"
    "-v1.1.1\taccepted, no effect: runs always use the same blocks\n"
    "-F<file>\tfiles, threads, masks and sizes in MB from a parameter file";

}  // namespace cli
