// SPDX-License-Identifier: Apache-2.0
// Whether tests take their long forms.
#pragma once

#include <cstdlib>
#include <string_view>

namespace polyloom::fabric {

/// POLYLOOM_TEST_FULL is set, and not to 0 (polyloom/testing/__init__.py says the same).
inline bool full_tests() {
  const char* value = std::getenv("POLYLOOM_TEST_FULL");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace polyloom::fabric
