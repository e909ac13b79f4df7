// Options of ThreadSanitizer for every test program.
#if defined(__SANITIZE_THREAD__)

// liburing maps and unmaps its rings by system calls that the sanitizer does not see, so a ring at the address of an earlier one looks like
// memory that two threads share.
extern "C" const char* __tsan_default_suppressions() { return "race:liburing.h\nrace:liburing/barrier.h\n"; }

#endif
