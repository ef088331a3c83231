// SPDX-License-Identifier: Apache-2.0
// A board's message network: one router a tile in a mesh, a board router on the south periphery, links and host
// beyond it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "roles/overlay/sim/net/expanders.h"
#include "roles/overlay/sim/net/mailbox.h"
#include "roles/overlay/sim/net/shared.h"

namespace polyloom::overlay {

struct NocCounters {
  std::uint64_t message_hops = 0, flit_hops = 0;  ///< grants of the tile routers, towards mailboxes included
  std::uint64_t blocked = 0;                      ///< grants put off because the next buffer lacked room
};

/// Simulated a message and hop at a time, exact to the cycle for routers built so:
/// - dimension order, X then Y; a message for another board or the host leaves straight down its own column,
///   one from there comes straight up its destination's column (deadlock argument: roles/overlay/README.md);
/// - an output belongs to one message from first to last flit (no interleaving) and moves a flit every
///   noc_cycles_per_flit cycles;
/// - virtual cut-through: an output grants only if the next buffer has room for the longest message, so a
///   granted message never stops on the way; buffers hold NetShared::link_flits flits;
/// - one round-robin arbiter an output, among heads that are there in that cycle;
/// - kHopLatency cycles from a grant until the next router may grant.
/// Not thread safe.
class Noc final : public Injector {
 public:
  static constexpr unsigned kExitFlits = 32;  ///< buffers between board router and links or host
  static constexpr Cycle kHopLatency = 2;

  explicit Noc(NetShared& shared);

  Mailbox& mailbox(unsigned tile) { return *mailboxes_[tile]; }
  const Mailbox& mailbox(unsigned tile) const { return *mailboxes_[tile]; }

  /// Call before the cores of a board window run: they may schedule work from `from` on.
  void begin_window(Cycle from, Cycle to);
  /// Everything that happens in [from, to) of the window begun.
  void advance(Cycle to);
  /// Earliest cycle with something to do, kNeverCycle if none.
  Cycle next_event() const { return shared_.wheel.next(advanced_to_); }

  // Links and host. All times lie within the window begun.
  /// A message came in; false if the input buffer has no room (ask again in a later window).
  bool enter(BoardPort port, Cycle ready, const Message& message);
  /// enter() would succeed. If false, there will be an event when that may have changed.
  bool has_room(BoardPort port, Cycle c);
  /// Messages that left the board router: complete at their cycle or later. Taking one makes room.
  struct Departure {
    Cycle tail;  ///< when the last flit is out of the board router
    MessageId id;
  };
  const Departure* leaving(BoardPort port) const;
  /// Removes the oldest of leaving() in cycle `c`; the caller releases the message.
  void leave(BoardPort port, Cycle c);

  /// What makes copies of key messages at the board router: its memory must be set before one comes.
  Expanders& expanders() { return expanders_; }
  const Expanders& expanders() const { return expanders_; }
  /// Messages that the board router has sent on, to links, host and columns.
  std::uint64_t router_sent() const { return router_sent_; }

  // Injector.
  bool local_room(unsigned tile, Cycle c) override;
  void inject(unsigned tile, Cycle ready, MessageId id) override;

  const NocCounters& counters() const { return counters_; }
  /// Flits that the tile's router has forwarded.
  std::uint64_t tile_flits(unsigned tile) const { return routers_[tile].flits; }
  /// Messages in router buffers (not in mailboxes, not leaving).
  std::size_t buffered() const;

 private:
  static constexpr unsigned kMaxPorts = 16;
  enum TilePort : unsigned { kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kLocal = 4 };
  static constexpr unsigned kTilePorts = 5;
  /// Way of a key message at the board router: what its expander shows.
  static constexpr std::uint8_t kExpand = 0xff, kNoWay = 0xfe;

  struct Entry {
    Cycle ready;  ///< when the head may be granted
    MessageId id;
    std::uint8_t flits, out;
    std::uint16_t target;  ///< index into next_port_: a tile of this board, or elsewhere
  };
  struct Input {
    Entry* entries = nullptr;  ///< ring
    Cycle leaving_until = 0;  ///< when the tail of the message being forwarded has left: the next head may go
    unsigned upstream = 0;    ///< unit to call when room appears
    std::uint8_t head = 0, count = 0;
    std::uint8_t flits = 0;     ///< occupied, those of the leaving message included
    std::uint8_t capacity = 0;  ///< flits
    std::uint8_t ring = 0;      ///< size of `entries` minus one, all ones in binary
    std::uint8_t leaving = 0;   ///< flits of the message being forwarded
    bool upstream_blocked = false;

    /// When the first message may be granted.
    Cycle eligible() const {
      return leaving != 0 ? std::max(entries[head].ready, leaving_until) : entries[head].ready;
    }
  };
  enum class Sink : std::uint8_t { none, router, mailbox, exit };
  struct Output {
    Cycle busy_until = 0;
    Sink sink = Sink::none;
    std::uint8_t next = 0;  ///< input that round robin favours
    unsigned target = 0;    ///< router, tile or exit port
    unsigned input = 0;     ///< of the target router
  };
  struct Router {
    std::uint32_t waiting = 0;  ///< inputs with a message
    unsigned unit = 0;
    std::uint64_t flits = 0;
    std::array<Input, kMaxPorts> inputs;
    std::array<Output, kMaxPorts> outputs;
  };
  struct Exit {
    std::vector<Departure> queue;
    std::size_t head = 0;
    unsigned flits = 0;
    bool blocked = false;
  };

  void connect(unsigned from, unsigned out, unsigned to, unsigned in);
  unsigned board_router() const { return tiles_; }
  void fill_routes();
  unsigned route_board(const Message& message) const;
  std::uint16_t target_of(const Message& message) const;
  bool room(Input& input, Cycle c);
  bool accepts(const Output& output, Cycle c);
  void push(unsigned router, unsigned input, const Entry& entry);
  unsigned wanted_way(Router& router, unsigned in, Cycle c);
  unsigned expanded_way(Router& router, unsigned in, Cycle c);
  void evaluate(unsigned router, Cycle c);
  void arbitrate(Router& router, std::uint32_t requests, unsigned out, Cycle c);
  void grant(Router& router, unsigned in, Output& output, Cycle c);
  void take_head(Router& router, Input& input, unsigned flits, Cycle done);
  Entry copy_head(Input& input, unsigned in, Cycle c);
  void end_key(MessageId id, Cycle c);

  NetShared& shared_;
  const unsigned tiles_, units_, max_flits_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;
  std::vector<Router> routers_;  ///< tiles, then the board router
  std::vector<Entry> entries_;   ///< of all inputs
  /// Output port by router and target: tiles of this board, then everywhere else (always south).
  std::vector<std::uint8_t> next_port_;
  std::array<Exit, kBoardExits> exits_;
  Expanders expanders_;
  std::uint64_t router_sent_ = 0;
  Cycle advanced_to_ = 0;
  NocCounters counters_;
};

}  // namespace polyloom::overlay
