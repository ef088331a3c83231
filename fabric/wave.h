// SPDX-License-Identifier: Apache-2.0
// A request for the waves of one RTL node, as --wave and POLYLOOM_WAVE give it.
#pragma once

#include <string>

#include "fabric/time.h"

namespace polyloom::fabric {

struct WaveRequest {
  std::string node;  ///< its name
  Time from = 0, to = kNever;
  std::string path;  ///< FST file; written by the time the node is destroyed
};

}  // namespace polyloom::fabric
