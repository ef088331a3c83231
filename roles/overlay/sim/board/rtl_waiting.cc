// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/rtl_waiting.h"

#include <cstdint>

#include "roles/overlay/sim/board/waiting_text.h"

namespace polyloom::overlay {
namespace {

enum Row : unsigned { kWaits = 0, kCanSend = 4, kCanRecv = 5, kRows = 6 };

class State {
 public:
  State(const BoardParams& board, const blocks::RtlModel& model)
      : threads_(board.threads_per_tile()), port_(model.output("state_threads_o")) {}

  bool bit(unsigned tile, unsigned row, unsigned thread) const {
    return port_.bit((tile * kRows + row) * threads_ + thread);
  }
  std::uint32_t waits(unsigned tile, unsigned thread) const {
    std::uint32_t bits = 0;
    for (unsigned b = 0; b < 4; ++b) bits |= std::uint32_t{bit(tile, kWaits + b, thread)} << b;
    return bits;
  }

 private:
  unsigned threads_;
  blocks::RtlModel::Port port_;
};

}  // namespace

std::string rtl_waiting_for(const BoardParams& board, const blocks::RtlModel& model) {
  const State state(board, model);
  ThreadGroups groups(board);
  Blocking blocking(board);
  unsigned waiting = 0;
  for (unsigned tile = 0; tile < board.tiles(); ++tile) {
    for (unsigned thread = 0; thread < board.threads_per_tile(); ++thread) {
      const std::uint32_t bits = state.waits(tile, thread);
      waiting += bits != 0;
      groups.note(bits == 0 ? "running or stopped" : "waiting in " + wait_name(bits), tile, thread);
      blocking.note(state.bit(tile, kCanSend, thread), state.bit(tile, kCanRecv, thread), tile, thread);
    }
  }
  const std::string blocked = blocking.text();
  return waiting == 0 && blocked.empty() ? "" : groups.text() + blocked;
}

}  // namespace polyloom::overlay
