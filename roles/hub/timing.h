// SPDX-License-Identifier: Apache-2.0
// Cycles inside a hub. One place for the model; the RTL has them by its structure, and swap tests hold the
// two together.
#pragma once

namespace polyloom::hub {

struct Timing {
  unsigned route =
      4;  ///< from the edge at which a header comes in to the first at which an output may take it
  unsigned grant = 1;    ///< from the edge at which an output takes a packet to its header's on the wire
  unsigned through = 3;  ///< from a later beat's edge in to its edge out, at least
  unsigned local = 2;    ///< from the last beat's edge at L to what the packet does there
};

}  // namespace polyloom::hub
