// SPDX-License-Identifier: Apache-2.0
// What a vertex program is told that sends on a pin which its graph does not have, wherever it runs.
#pragma once

#include <string>

namespace polyloom::overlay {

inline std::string bad_pin_text(unsigned pin, unsigned pins) {
  return "a vertex asks to send on Pin(" + std::to_string(pin) + ") of a graph with POLITE_NUM_PINS " +
         std::to_string(pins) + "; its pins are HostPin and Pin(0)" +
         (pins > 1 ? " to Pin(" + std::to_string(pins - 1) + ")" : "");
}

}  // namespace polyloom::overlay
