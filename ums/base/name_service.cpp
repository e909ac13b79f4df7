#include "ums/base/name_service.hpp"

#if defined(IOPROOF_STATIC)
#include <nss.h>
#endif

namespace ums {

void use_built_in_name_service() {
#if defined(IOPROOF_STATIC)
    static const int result = ::__nss_configure_lookup("hosts", "files dns");
    (void)result;  // it fails only for a word that glibc does not know
#endif
}

}  // namespace ums
