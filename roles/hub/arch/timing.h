// SPDX-License-Identifier: Apache-2.0
// Cycles inside a hub that has nothing else to do (README.md, "Timing"): edges of its clock from one event to
// another. The model and the RTL have them by their structure; test_hub_timing.py holds the RTL to these
// numbers.
#pragma once

namespace polyloom::hub {

struct Timing {
  unsigned through = 4;            ///< header in on a lane -> header out on another
  unsigned local = 2;              ///< from the last beat's edge at L to what the packet does there
  unsigned register_write = 6;     ///< header in -> the first edge that sees the register's new value
  unsigned register_read = 12;     ///< MRd in on N -> CplD's header out
  unsigned memory_write = 5;       ///< header in -> AW
  unsigned memory_data = 5;        ///< payload beat in -> W
  unsigned chain_fetch = 8;        ///< header of the write of `chain` in -> AR of the descriptor
  unsigned chain_mrd = 12;         ///< the same, MRd out on N
  unsigned descriptor_read = 6;    ///< last beat of the descriptor from memory -> AR of its first block
  unsigned descriptor_next = 1;    ///< more if a next descriptor is fetched ahead
  unsigned descriptor_mrd = 10;    ///< last beat of the descriptor from memory -> MRd out on N
  unsigned proxy_read = 14;        ///< header of the proxy's TLP in -> AR of its first block
  unsigned data_write = 7;         ///< last beat of a TLP's payload from memory -> its header out
  unsigned completion_write = 11;  ///< last beat in on N -> header out
  unsigned flag = 1;               ///< last data beat out -> the flag's header out
  unsigned block = 3;              ///< one-beat blocks: a header to the next one's
  unsigned function_start = 7;     ///< header of the write of `function_control` in -> beats may go in
  unsigned function_in = 6;        ///< payload beat that completes 32 bytes in on a lane -> operator's input
  unsigned function_out = 8;       ///< operator's last beat of a TLP (its 16 bytes more) -> header out
};

}  // namespace polyloom::hub
