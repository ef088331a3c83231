// SPDX-License-Identifier: Apache-2.0
// The one way to write JSON: text of users (names, file names, messages of the system) may hold bytes that
// are no UTF-8, and none of them may cost a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace polyloom {

/// JSON with U+FFFD for bytes that are no UTF-8; `indent` below 0 writes one line.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace polyloom
