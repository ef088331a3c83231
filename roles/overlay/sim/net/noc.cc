// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/noc.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace polyloom::overlay {

Noc::Noc(NetShared& shared)
    : shared_(shared),
      tiles_(shared.params.tiles()),
      units_(shared.expander_unit() + 1),
      max_flits_(shared.params.max_flits),
      expanders_(shared, kColumn0 + shared.params.tiles_x) {
  const BoardParams& p = shared.params;
  assert(p.tiles_x + kColumn0 <= kMaxPorts && units_ <= Wheel::kUnits);
  assert(shared.link_flits >= p.max_flits && shared.link_flits <= kExitFlits);
  assert(p.max_flits <= kMaxFlits && p.noc_cycles_per_flit >= 1 && p.noc_cycles_per_flit <= 8);
  routers_.resize(p.tiles() + 1);
  const unsigned board = board_router();
  routers_[board].unit = shared.board_router_unit();  // before connect() tells it to its neighbours
  for (unsigned tile = 0; tile < p.tiles(); ++tile) {
    const unsigned x = tile % p.tiles_x, y = tile / p.tiles_x;
    mailboxes_.push_back(std::make_unique<Mailbox>(shared, tile, *this));
    routers_[tile].unit = shared.router_unit(tile);
    routers_[tile].outputs[kLocal] = {0, Sink::mailbox, 0, tile, 0};
    routers_[tile].inputs[kLocal].upstream = shared.mailbox_unit(tile);
    if (x + 1 < p.tiles_x) connect(tile, kEast, tile + 1, kWest);
    if (x > 0) connect(tile, kWest, tile - 1, kEast);
    if (y + 1 < p.tiles_y) connect(tile, kNorth, tile + p.tiles_x, kSouth);
    if (y > 0) {
      connect(tile, kSouth, tile - p.tiles_x, kNorth);
    } else {
      connect(tile, kSouth, board, kColumn0 + x);
      connect(board, kColumn0 + x, tile, kSouth);
    }
  }
  for (unsigned port = 0; port < kBoardExits; ++port) {
    routers_[board].outputs[port] = {0, Sink::exit, 0, port, 0};
    routers_[board].inputs[port].capacity = kExitFlits;
    // What enters here asks again in every window that has something to do: its own call will do.
    routers_[board].inputs[port].upstream = shared.board_router_unit();
  }
  entries_.resize(routers_.size() * kMaxPorts * kExitFlits);
  Entry* next = entries_.data();
  for (Router& router : routers_) {
    for (unsigned in = 0; in < (&router == &routers_[board] ? kMaxPorts : kTilePorts); ++in) {
      Input& input = router.inputs[in];
      if (input.capacity == 0) input.capacity = static_cast<std::uint8_t>(shared_.link_flits);
      input.ring = static_cast<std::uint8_t>(std::bit_ceil(unsigned{input.capacity}) - 1);
      input.entries = next;
      next += input.ring + 1;
    }
  }
  fill_routes();
}

void Noc::connect(unsigned from, unsigned out, unsigned to, unsigned in) {
  routers_[from].outputs[out] = {0, Sink::router, 0, to, in};
  routers_[to].inputs[in].upstream = routers_[from].unit;
}

// ---- routing ----

unsigned Noc::route_board(const Message& message) const {
  if (message.kind == MessageKind::key) return kExpand;
  BoardCoord to = shared_.layout.board_of(message.dest);
  if (message.kind == MessageKind::host) to = {0, 0};  // the host sits at the south-west corner
  const unsigned link = link_towards(shared_.board, to);
  return link != kHostPort || message.kind == MessageKind::host
             ? link
             : kColumn0 + shared_.layout.tile_x(message.dest);
}

void Noc::fill_routes() {
  const unsigned tiles = shared_.params.tiles(), width = shared_.params.tiles_x;
  next_port_.assign(tiles * (tiles + 1), kSouth);
  for (unsigned at = 0; at < tiles; ++at) {
    for (unsigned to = 0; to < tiles; ++to) {
      const unsigned x = to % width, y = to / width;
      unsigned port = kLocal;
      if (x != at % width) {
        port = x > at % width ? kEast : kWest;
      } else if (y != at / width) {
        port = y > at / width ? kNorth : kSouth;
      }
      next_port_[at * (tiles + 1) + to] = static_cast<std::uint8_t>(port);
    }
  }
}

std::uint16_t Noc::target_of(const Message& message) const {
  const AddressLayout& layout = shared_.layout;
  if (message.kind == MessageKind::host || message.kind == MessageKind::key ||
      layout.board_of(message.dest) != shared_.board) {
    return static_cast<std::uint16_t>(shared_.params.tiles());
  }
  return static_cast<std::uint16_t>(layout.tile_y(message.dest) * shared_.params.tiles_x +
                                    layout.tile_x(message.dest));
}

// ---- buffers ----

inline bool Noc::room(Input& input, Cycle c) {
  // What enters from outside asks for a cycle to come: what will have left by then still holds the link.
  const bool left = input.leaving_until <= c;
  if (input.flits - (left ? input.leaving : 0u) + max_flits_ <= input.capacity) return true;
  if (!left) {
    shared_.wheel.schedule(input.leaving_until, input.upstream);
  } else {
    input.upstream_blocked = true;
  }
  return false;
}

/// The entry's `out` is for the router before.
void Noc::push(unsigned router, unsigned in, const Entry& entry) {
  Router& r = routers_[router];
  Input& input = r.inputs[in];
  assert(input.count < input.capacity);
  Entry& last = input.entries[(input.head + input.count) & input.ring];
  last = entry;
  last.out = router == tiles_ ? static_cast<std::uint8_t>(route_board(shared_.pool[entry.id]))
                              : next_port_[router * (tiles_ + 1) + entry.target];
  if (last.out == kExpand) {
    expanders_.arrive(in, entry.ready, static_cast<std::uint32_t>(shared_.pool[entry.id].mask));
  }
  ++input.count;
  input.flits = static_cast<std::uint8_t>(input.flits + entry.flits);
  r.waiting |= 1u << in;
  shared_.wheel.schedule(entry.ready, r.unit);
}

bool Noc::local_room(unsigned tile, Cycle c) { return room(routers_[tile].inputs[kLocal], c); }

void Noc::inject(unsigned tile, Cycle ready, MessageId id) {
  const Message& message = shared_.pool[id];
  push(tile, kLocal, {ready, id, message.flits, 0, target_of(message)});
}

bool Noc::enter(BoardPort port, Cycle ready, const Message& message) {
  if (!room(routers_[board_router()].inputs[port], ready)) return false;
  const MessageId id = shared_.pool.allocate();
  shared_.pool[id] = message;
  push(board_router(), port, {ready, id, message.flits, 0, target_of(message)});
  return true;
}

bool Noc::has_room(BoardPort port, Cycle c) { return room(routers_[board_router()].inputs[port], c); }

const Noc::Departure* Noc::leaving(BoardPort port) const {
  const Exit& exit = exits_[port];
  return exit.head == exit.queue.size() ? nullptr : &exit.queue[exit.head];
}

void Noc::leave(BoardPort port, Cycle c) {
  Exit& exit = exits_[port];
  exit.flits -= shared_.pool[exit.queue[exit.head].id].flits;
  if (++exit.head == exit.queue.size()) {
    exit.queue.clear();
    exit.head = 0;
  }
  if (exit.blocked) {
    exit.blocked = false;
    shared_.wheel.schedule(std::max(c, advanced_to_), shared_.board_router_unit());
  }
}

// ---- arbitration ----

inline bool Noc::accepts(const Output& output, Cycle c) {
  switch (output.sink) {
    case Sink::router:
      return room(routers_[output.target].inputs[output.input], c);
    case Sink::mailbox:
      return mailboxes_[output.target]->can_accept(c);
    case Sink::exit: {
      Exit& exit = exits_[output.target];
      if (exit.flits + shared_.params.max_flits <= kExitFlits) return true;
      exit.blocked = true;
      return false;
    }
    case Sink::none:
      break;
  }
  assert(false && "a message was routed off the mesh");
  return false;
}

/// The message at the head of an input leaves; its last flit goes in the cycle before `done`.
inline void Noc::take_head(Router& router, Input& input, unsigned flits, Cycle done) {
  input.head = static_cast<std::uint8_t>((input.head + 1) & input.ring);
  if (--input.count == 0) {
    input.head = 0;  // a short queue stays in one cache line
    router.waiting &= ~(1u << (&input - router.inputs.data()));
  } else {
    shared_.wheel.schedule(done, router.unit);
  }
  input.flits = static_cast<std::uint8_t>(input.flits - input.leaving);
  input.leaving = static_cast<std::uint8_t>(flits);
  input.leaving_until = done;
  if (input.upstream_blocked) {
    input.upstream_blocked = false;
    shared_.wheel.schedule(done, input.upstream);
  }
}

/// What the expander shows of the key message at the head of an input is granted; the message leaves with its
/// last copy. Counted while the message still counts, so that the board's sum never dips to zero early.
Noc::Entry Noc::copy_head(Input& input, unsigned in, Cycle c) {
  const Entry& head = input.entries[input.head];
  const Expanders::Copy& shown = *expanders_.shown(in, c);
  const MessageId id = shared_.pool.allocate();
  Message& message = shared_.pool[id];
  message = shared_.pool[head.id];
  shown.make(message);
  ++shared_.activity.in_flight;
  return {0, id, head.flits, 0, target_of(message)};
}

inline void Noc::grant(Router& router, unsigned in, Output& output, Cycle c) {
  Input& input = router.inputs[in];
  Entry entry = input.entries[input.head];
  const Cycle done = c + entry.flits * shared_.params.noc_cycles_per_flit;
  if (entry.out != kExpand) [[likely]] {
    take_head(router, input, entry.flits, done);
  } else {
    const bool last = expanders_.shown(in, c)->last;
    const MessageId key = entry.id;
    entry = copy_head(input, in, c);
    expanders_.taken(in, c);
    if (last) {
      end_key(key, c);
      take_head(router, input, entry.flits, done);
    } else {  // the message before has left
      input.flits = static_cast<std::uint8_t>(input.flits - input.leaving);
      input.leaving = 0;
      input.leaving_until = done;
    }
  }

  output.busy_until = done;
  output.next = static_cast<std::uint8_t>(in + 1);
  router.flits += entry.flits;
  ++counters_.message_hops;
  counters_.flit_hops += entry.flits;
  router_sent_ += router.unit == shared_.board_router_unit();
  switch (output.sink) {
    case Sink::router:
      entry.ready = c + kHopLatency;
      push(output.target, output.input, entry);
      break;
    case Sink::mailbox:
      mailboxes_[output.target]->accept(c + kHopLatency, entry.id);
      break;
    case Sink::exit:
      exits_[output.target].queue.push_back({done, entry.id});
      exits_[output.target].flits += entry.flits;
      break;
    case Sink::none:
      break;
  }
}

/// A key message counts until its last copy does.
void Noc::end_key(MessageId id, Cycle c) {
  shared_.pool.release(id);
  --shared_.activity.in_flight;
  shared_.activity.changed = c;
}

/// Output that the key message at the head of an input asks for in cycle `c`, kNoWay if none. A message
/// without further receivers ends here.
unsigned Noc::expanded_way(Router& router, unsigned in, Cycle c) {
  const Expanders::Copy* const shown = expanders_.shown(in, c);
  if (shown == nullptr) return kNoWay;
  Input& input = router.inputs[in];
  const Entry& head = input.entries[input.head];
  if (input.leaving_until > c) {
    shared_.wheel.schedule(input.leaving_until, router.unit);
    return kNoWay;
  }
  if (!shown->end) return shown->out;
  expanders_.taken(in, c);
  end_key(head.id, c);
  take_head(router, input, head.flits, c + 1);
  return kNoWay;
}

/// Output that the message at the head of an input asks for in cycle `c`, kNoWay if none yet.
inline unsigned Noc::wanted_way(Router& router, unsigned in, Cycle c) {
  const Input& input = router.inputs[in];
  const Entry& head = input.entries[input.head];
  if (head.out == kExpand) [[unlikely]]
    return expanded_way(router, in, c);
  const Cycle eligible = input.eligible();
  if (eligible <= c) return head.out;
  shared_.wheel.schedule(eligible, router.unit);
  return kNoWay;
}

void Noc::evaluate(unsigned index, Cycle c) {
  Router& router = routers_[index];
  if (std::has_single_bit(router.waiting)) {
    const unsigned way = wanted_way(router, static_cast<unsigned>(std::countr_zero(router.waiting)), c);
    if (way != kNoWay) arbitrate(router, router.waiting, way, c);
    return;
  }
  std::array<std::uint32_t, kMaxPorts> requests;
  std::uint32_t wanted = 0;
  for (std::uint32_t left = router.waiting; left != 0; left &= left - 1) {
    const auto in = static_cast<unsigned>(std::countr_zero(left));
    const unsigned way = wanted_way(router, in, c);
    if (way == kNoWay) continue;
    requests[way] = (wanted >> way & 1u) != 0 ? requests[way] | 1u << in : 1u << in;
    wanted |= 1u << way;
  }
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto out = static_cast<unsigned>(std::countr_zero(wanted));
    arbitrate(router, requests[out], out, c);
  }
}

void Noc::arbitrate(Router& router, std::uint32_t requests, unsigned out, Cycle c) {
  Output& output = router.outputs[out];
  if (output.busy_until > c) return shared_.wheel.schedule(output.busy_until, router.unit);
  if (!accepts(output, c)) {
    ++counters_.blocked;
    return;
  }
  const std::uint32_t favoured = requests >> output.next << output.next;
  grant(router, static_cast<unsigned>(std::countr_zero(favoured != 0 ? favoured : requests)), output, c);
  // Those that lost ask again when the output is free.
  if (!std::has_single_bit(requests)) shared_.wheel.schedule(output.busy_until, router.unit);
}

// ---- time ----

void Noc::begin_window(Cycle from, Cycle to) {
  shared_.wheel.skip_to(from);
  shared_.window_end = to;
  advanced_to_ = from;
}

void Noc::advance(Cycle to) {
  for (Cycle c = shared_.wheel.next(advanced_to_); c < to; c = shared_.wheel.next(c)) {
    const Wheel::Units due = shared_.wheel.take(c);
    for (unsigned word = 0; 64 * word < units_; ++word) {
      for (std::uint64_t left = due[word]; left != 0; left &= left - 1) {
        const unsigned unit = word * 64 + static_cast<unsigned>(std::countr_zero(left));
        if (unit < tiles_) {
          mailboxes_[unit]->tick(c);
        } else if (unit == shared_.expander_unit()) {
          expanders_.step(c);
        } else {
          evaluate(unit - tiles_, c);
        }
      }
    }
  }
  advanced_to_ = to;
  shared_.wheel.skip_to(to);
}

std::size_t Noc::buffered() const {
  std::size_t count = 0;
  for (const Router& router : routers_) {
    for (const Input& input : router.inputs) count += input.count;
  }
  return count;
}

}  // namespace polyloom::overlay
