// SPDX-License-Identifier: Apache-2.0
// What the mailboxes and routers of one board share.
#pragma once

#include <functional>
#include <string>

#include "roles/overlay/arch/address.h"
#include "roles/overlay/arch/route_fault.h"
#include "roles/overlay/arch/send_fault.h"
#include "roles/overlay/sim/net/message.h"
#include "roles/overlay/sim/net/wheel.h"
#include "roles/overlay/sim/tile_ports.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// What termination detection asks of a board, kept up to date by the units that change it.
struct Activity {
  /// Messages that this board has sent or taken in and that have neither been freed by their last receiver
  /// nor left the board. A multicast counts once.
  std::int64_t in_flight = 0;
  unsigned idle_waiting = 0;  ///< threads that wait with kWaitIdle
  unsigned idle_votes = 0;    ///< of those, the ones that vote true
  Cycle changed = 0;          ///< when one of these last changed towards passive
  /// Published protocol, stage 1: threads can neither send nor receive nor be woken by messages.
  bool frozen = false;
};

/// A thread has asked for something that the network cannot do. `tile` and `thread` are board-local.
using NetFault =
    std::function<void(Cycle c, unsigned tile, unsigned thread, const SendRequest& request, SendFault why)>;

/// The board's router skips what a key leads to; `head`: the upper 32 bits of the record, 0 if there is none.
using RouteFaultSink = std::function<void(Cycle c, RouteFault why, std::uint32_t key, std::uint32_t head)>;

struct NetShared {
  /// A LUT memory of an FPGA is 32 deep anyway; small buffers lose a third of the neighbour exchange.
  static constexpr unsigned kLinkFlits = 16;

  NetShared(const BoardParams& p, BoardCoord b, MeshSize m, unsigned buffer_flits = kLinkFlits)
      : params(p), layout(p), board(b), mesh(m), link_flits(buffer_flits) {}

  const BoardParams params;
  const AddressLayout layout;
  const BoardCoord board;
  const MeshSize mesh;
  const unsigned link_flits;  ///< of the buffer at each input of a tile router, max_flits..32
  Wheel wheel;
  MessagePool pool;
  Activity activity;
  NetFault fault;
  RouteFaultSink route_fault;
  bool may_freeze = false;     ///< termination detection uses Activity::frozen
  Cycle wake = 1;              ///< from an event until a thread that waited for it can issue: TileTiming
  Cycle window_end = kWindow;  ///< end of the board window being advanced: cores see nothing earlier

  // Units of the wheel: mailboxes before routers, so that routers of a cycle see what mailboxes did in it.
  unsigned mailbox_unit(unsigned tile) const { return tile; }
  unsigned router_unit(unsigned tile) const { return params.tiles() + tile; }
  unsigned board_router_unit() const { return 2 * params.tiles(); }
  unsigned expander_unit() const { return 2 * params.tiles() + 1; }
};

}  // namespace polyloom::overlay
