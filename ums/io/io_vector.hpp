// The caller's segments as the kernel's vector, without copying.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <type_traits>

#include "ums/io/io_request.hpp"

namespace ums {

static_assert(sizeof(IoSegment) == sizeof(iovec) && std::is_standard_layout_v<IoSegment>);
static_assert(offsetof(IoSegment, data) == offsetof(iovec, iov_base) && sizeof(IoSegment::data) == sizeof(iovec::iov_base));
static_assert(offsetof(IoSegment, size_bytes) == offsetof(iovec, iov_len) && sizeof(IoSegment::size_bytes) == sizeof(iovec::iov_len));

// Read by the kernel only; our own code never looks through this pointer.
inline const iovec* as_iovec(const IoSegment* segments) { return reinterpret_cast<const iovec*>(segments); }

}  // namespace ums
