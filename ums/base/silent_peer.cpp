#include "ums/base/silent_peer.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace ums {

namespace {

void set_socket_option(int socket, int level, int name, int value) {
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

}  // namespace

void close_if_peer_is_silent(int socket) {
    set_socket_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_socket_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);   // seconds of silence before the first question
    set_socket_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);  // seconds between two of them
    set_socket_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    // In milliseconds: otherwise an answer that has been sent, but not confirmed, is repeated for a quarter of an hour.
    set_socket_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

}  // namespace ums
