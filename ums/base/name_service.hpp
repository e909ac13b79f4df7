// Looking up host names without the system's plugins.
#pragma once

namespace ums {

// From now on a static program looks names up in /etc/hosts and by DNS only: everything else in /etc/nsswitch.conf is a library built for
// the system's own glibc, which need not be the one linked in. Does nothing in a program with shared libraries. Any thread, any number of
// times, before the first look-up.
void use_built_in_name_service();

}  // namespace ums
