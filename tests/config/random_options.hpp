// Random options that pass all checks, for property tests.
#pragma once

#include "config/parameter.hpp"
#include "sim/options.hpp"
#include "ums/base/prng.hpp"

namespace config_test {

// Valid on kMachine without adjustment or warning. Names may contain anything that both INI and TOML can express.
sim::Options random_options(ums::Prng& prng);

}  // namespace config_test
