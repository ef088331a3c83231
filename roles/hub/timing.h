// SPDX-License-Identifier: Apache-2.0
// Cycles inside a hub. One place for the model and its tests; the RTL has them by its structure, and swap tests
// hold the two together.
#pragma once

namespace polyloom::hub {

struct Timing {
  unsigned through = 4;  ///< from the edge at which a header comes in to the edge at which it goes to the wire
  unsigned local = 2;    ///< from the last beat's edge at L to what the packet does there
};

}  // namespace polyloom::hub
