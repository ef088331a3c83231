// SPDX-License-Identifier: Apache-2.0
// Cycles between the events of a step (README.md, "Order of events"). One place for the model; the RTL has
// them by its structure, and swap tests hold the two together.
#pragma once

namespace polyloom::collective {

struct Timing {
  unsigned go_to_pulse = 1;
  unsigned pulse_to_count = 1;
  unsigned go_to_begin = 1;  ///< earliest, and from the go that finds the pulses here
  unsigned begin_to_request = 1;
  unsigned read_to_source = 1;  ///< from the memory's beat to R#'s
  unsigned switch_cycles = 1;
  unsigned tx_cycles = 1;
  unsigned rx_cycles = 1;
  unsigned begin_to_move = 1;  ///< from a block's begin to the first beat that may go to its lane's FIFO
  unsigned write_to_done = 1;
  unsigned sent_to_done = 1;      ///< from the last of a block (or the begin of a pulse only) to the wire
  unsigned operator_to_done = 2;  ///< from the edge after which it is empty
  unsigned taken_to_done = 1;     ///< from the last beat's leaving the buffer, without block checks
  unsigned done_to_go = 2;
  // With block checks: the check frame may leave so long after the edge at which the last beat went to the
  // wire; the take is done so long after the edge at which the check frame came (or after the last beat left
  // the buffer).
  unsigned last_to_check = 3;
  unsigned check_to_done = 5;
  unsigned moved_to_done = 2;  ///< from the last beat's leaving the buffer, when the check was there before
  // An eager block that waits in the buffer at go moves so much later when its signature is compared first.
  unsigned signature_compare = 1;
};

inline constexpr Timing kTiming;
inline constexpr unsigned kTxBeats = 4;  ///< FIFO before the wire

}  // namespace polyloom::collective
