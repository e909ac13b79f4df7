// Members and turns of a group as JSON: on the wire, and in the file in which the witness keeps them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/group/group_message.hpp"

namespace cli {

[[nodiscard]] nlohmann::json json_of(const GroupTerms& terms);
[[nodiscard]] nlohmann::json json_of(const GroupPeer& peer);
[[nodiscard]] nlohmann::json json_of(const GroupTurn& turn);

// Each throws nlohmann::json::exception if it is none.
[[nodiscard]] GroupTerms terms_of(const nlohmann::json& json);
[[nodiscard]] GroupPeer peer_of(const nlohmann::json& json);
[[nodiscard]] GroupTurn turn_of(const nlohmann::json& json);

}  // namespace cli
