// SPDX-License-Identifier: Apache-2.0
// Cycles between the events of a step (README.md, "Order of events"). One place for the model; the RTL has them
// by its structure, and swap tests hold the two together.
#pragma once

namespace polyloom::collective {

struct Timing {
  unsigned go_to_pulse = 1;
  unsigned pulse_to_count = 1;
  unsigned begin_to_request = 1;
  unsigned switch_cycles = 1;
  unsigned tx_cycles = 1;
  unsigned rx_cycles = 1;
  unsigned write_to_done = 1;
  unsigned done_to_go = 2;
};

inline constexpr unsigned kTxBeats = 4;  ///< FIFO before the wire

}  // namespace polyloom::collective
