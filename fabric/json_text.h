// SPDX-License-Identifier: Apache-2.0
// The one way to write JSON: text of users (names, file names, messages of the system) may hold bytes that
// are no UTF-8, and none of them may cost a result. What programs print and are given keeps them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace polyloom {

/// JSON with U+FFFD for bytes that are no UTF-8; `indent` below 0 writes one line.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// For text that must come through whole: a string, or the list of its bytes where they are no UTF-8
/// (polyloom/base/json_text.py is the same in Python).
inline nlohmann::json json_bytes(const std::string& text) {
  try {
    const nlohmann::json value = text;
    static_cast<void>(value.dump());
    return value;
  } catch (const nlohmann::json::type_error&) {
    return std::vector<std::uint8_t>(text.begin(), text.end());
  }
}

/// What `json_bytes` was given; throws nlohmann::json::exception if it was not that.
inline std::string bytes_of(const nlohmann::json& value) {
  if (!value.is_array()) return value.get<std::string>();
  const auto bytes = value.get<std::vector<std::uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

}  // namespace polyloom
