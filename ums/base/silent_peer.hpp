// A host that loses its power does not close its connections: by default the system keeps them for hours.
#pragma once

namespace ums {

// From now on the system closes this TCP connection after a minute without a sign of life from the other end. A host that is up gives
// signs without having anything to say. Any thread; what the system refuses is left as it was.
void close_if_peer_is_silent(int socket);

}  // namespace ums
