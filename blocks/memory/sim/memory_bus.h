// SPDX-License-Identifier: Apache-2.0
// The on-chip bus from caches to the memories of one slice: one beat a cycle.
//
// Hardware: a request channel of one 32-byte beat a cycle, shared by the DRAM and the two SRAMs of a
//   slice. A read takes one beat, a write one for each beat of its line.
// Source: Tinsel paper Fig. 2 (BytesPerBeat), Fig. 9 (bus of 16 GB/s a board).
#pragma once

#include "blocks/cycle.h"

namespace polyloom::blocks {

class MemoryBus {
 public:
  bool free(Cycle c) const { return c >= free_at_; }
  /// Precondition: free(c).
  void take(Cycle c, unsigned beats) { free_at_ = c + beats; }

 private:
  Cycle free_at_ = 0;
};

}  // namespace polyloom::blocks
