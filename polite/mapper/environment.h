// SPDX-License-Identifier: Apache-2.0
// Options of the mapper that the environment may set.
#pragma once

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "fabric/error.h"

namespace polyloom::polite {

/// What an environment variable says, if it is set. Throws UserError if it says none of the names.
template <typename Value>
Value environment_or(const char* variable,
                     std::span<const std::pair<const char*, std::type_identity_t<Value>>> names,
                     Value otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == 0) return otherwise;
  std::string allowed;
  for (const auto& [name, value] : names) {
    if (std::strcmp(text, name) == 0) return value;
    allowed += std::string(allowed.empty() ? "" : ", ") + name;
  }
  throw UserError(std::string(variable) + "=" + text + " is unknown; allowed: " + allowed);
}

/// The same for a number from 1 to `most`.
inline unsigned environment_or(const char* variable, unsigned most, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == 0) return otherwise;
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (*end == 0 && value >= 1 && value <= most) return static_cast<unsigned>(value);
  throw UserError(std::string(variable) + "=" + text + ": a number from 1 to " + std::to_string(most) +
                  " is expected");
}

}  // namespace polyloom::polite
