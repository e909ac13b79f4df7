// Names of hosts, without the system's plugins.
#pragma once

namespace ums {

// From now on a static program looks names up in /etc/hosts and by DNS only: whatever else /etc/nsswitch.conf names is a library made for
// the system's own glibc, which need not be the one that is linked in. Does nothing in a program with shared libraries. Any thread; before
// the first look-up, any number of times.
void use_built_in_name_service();

}  // namespace ums
