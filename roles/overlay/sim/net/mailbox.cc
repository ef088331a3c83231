// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/mailbox.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "fabric/node.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kSlotBytes = kSlotWords * 4;

}  // namespace

Mailbox::Mailbox(NetShared& shared, unsigned tile, Injector& injector)
    : shared_(shared),
      injector_(injector),
      tile_(tile),
      unit_(shared.mailbox_unit(tile)),
      core_mask_bits_(shared.params.threads_per_core),
      word_mask_(shared.params.mailbox_slots * kSlotWords - 1),
      first_receive_slot_(shared.params.extra_send_slot ? 128 : 64),
      bytes_(shared.params.mailbox_slots * kSlotWords),
      references_(shared.params.mailbox_slots),
      cores_groups_(shared.params.cores_per_tile) {
  assert(std::has_single_bit(shared.params.mailbox_slots));
  assert(shared.params.mailbox_slots > first_receive_slot_ && shared.params.threads_per_tile() <= 64);
  for (unsigned slot = shared.params.mailbox_slots; slot-- > first_receive_slot_;) {
    free_.push_back(static_cast<std::uint16_t>(slot));
  }
  valid_mask_ = ~std::uint64_t{0} >> (64 - shared.params.threads_per_tile());
  write_cycles_.fill(kNeverCycle);
}

// ---- called by the cores ----

std::string Mailbox::problem_with(unsigned thread, const SendRequest& request) const {
  const AddressLayout& layout = shared_.layout;
  if ((send_busy_ >> thread) & 1)
    return "sends while its previous message has not left (check tinselCanSend)";
  if (request.flits < 1 || request.flits > shared_.params.max_flits) {
    return "sends a message of " + std::to_string(request.flits) + " flits; a message has 1 to " +
           std::to_string(shared_.params.max_flits);
  }
  if (layout.is_key(request.dest)) {
    return "sends to a routing key, but this overlay has no programmable routers; send to threads instead";
  }
  if (layout.is_accelerator(request.dest)) return "sends to a custom accelerator, but this overlay has none";
  if (layout.is_host(request.dest)) return {};
  const BoardCoord board = layout.board_of(request.dest);
  if (board.x >= shared_.mesh.width || board.y >= shared_.mesh.height ||
      layout.tile_x(request.dest) >= shared_.params.tiles_x ||
      layout.tile_y(request.dest) >= shared_.params.tiles_y) {
    return "sends to " + layout.describe(request.dest) + ", which does not exist; the cluster has " +
           std::to_string(shared_.mesh.width) + "x" + std::to_string(shared_.mesh.height) + " boards of " +
           std::to_string(shared_.params.tiles_x) + "x" + std::to_string(shared_.params.tiles_y) + " tiles";
  }
  if (request.mask == 0) return "sends a message without receivers (its mask is 0)";
  if (request.mask & ~valid_mask_) return "sends a message to a thread that does not exist";
  return {};
}

void Mailbox::send(Cycle c, unsigned thread, const SendRequest& request) {
  const std::string problem = problem_with(thread, request);
  if (!problem.empty()) {
    if (shared_.fault) shared_.fault(c, tile_, thread, request.pc, problem);
    return;
  }
  send_busy_ |= std::uint64_t{1} << thread;
  requests_[thread] = request;
  ++shared_.activity.in_flight;
  push_event(c, EventKind::send, thread, 0);
}

std::uint32_t Mailbox::recv(Cycle c, unsigned thread) {
  PointerQueue& queue = queues_[thread];
  assert(queue.count != 0);
  const std::uint16_t slot = queue.slots[queue.head];
  if (queue.count == kPointers) push_event(c, EventKind::room, thread, 0);
  queue.head = (queue.head + 1) % 64;
  if (--queue.count == 0) queue.head = 0;
  return slot * kSlotBytes;
}

void Mailbox::free_slot(Cycle c, std::uint32_t addr) { push_event(c, EventKind::free, 0, addr / kSlotBytes); }

void Mailbox::wait(Cycle c, unsigned thread, std::uint32_t bits) {
  push_event(c, EventKind::wait, thread, bits);
}

void Mailbox::store(std::uint32_t addr, std::uint32_t data, unsigned byte_enable) {
  std::uint32_t& word = bytes_[(addr / 4) & word_mask_];
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((byte_enable >> i) & 1) lanes |= 0xffu << (8 * i);
  }
  word = (word & ~lanes) | (data & lanes);
}

void Mailbox::push_event(Cycle c, EventKind kind, unsigned thread, std::uint32_t arg) {
  const Event event{c, arg, kind, static_cast<std::uint8_t>(thread)};
  if (events_.empty() || c < events_.front().cycle) again(c + 1);
  events_.push(event);
  // Calls come in cycle order (tile_ports.h); where several cores do not, the cycle decides, then the call.
  for (std::size_t i = events_.items.size() - 1; i > events_.head && events_.items[i - 1].cycle > c; --i) {
    std::swap(events_.items[i - 1], events_.items[i]);
  }
}

// ---- network side ----

void Mailbox::tick(Cycle c) {
  while (!arrivals_.empty() && arrivals_.front().tail <= c) complete_arrival(c);
  while (!events_.empty() && events_.front().cycle < c) {
    const Event event = events_.front();
    events_.pop();
    apply(c, event);
  }
  if (!events_.empty()) again(events_.front().cycle + 1);
  for (std::uint32_t left = buffered_ & ~stalled_; left != 0; left &= left - 1) {
    serve(c, static_cast<unsigned>(std::countr_zero(left)));
  }
  if (sending_ >= 0 || !send_queue_.empty()) advance_send(c);
}

void Mailbox::apply(Cycle c, const Event& event) {
  switch (event.kind) {
    case EventKind::send:
      send_queue_.push(event.thread);
      break;
    case EventKind::free:
      drop_reference(c, event.arg % shared_.params.mailbox_slots);
      break;
    case EventKind::wait:
      begin_wait(c, event.thread, event.arg);
      break;
    case EventKind::room:
      stalled_ &= ~(1u << (event.thread / shared_.params.threads_per_core));
      break;
  }
}

void Mailbox::drop_reference(Cycle c, unsigned slot) {
  if (references_[slot] == 0) return;  // never received: the older API "allocates" such slots
  if (--references_[slot] != 0) return;
  free_.push_back(static_cast<std::uint16_t>(slot));
  ++counters_.freed;
  --shared_.activity.in_flight;
  if (router_blocked_) {
    router_blocked_ = false;
    shared_.wheel.schedule(c + 1, shared_.router_unit(tile_));
  }
}

void Mailbox::begin_wait(Cycle c, unsigned thread, std::uint32_t bits) {
  waits_[thread] = static_cast<std::uint8_t>(bits);
  if (bits & kWaitIdle) {
    ++shared_.activity.idle_waiting;
    if (bits & kWaitIdleVote) ++shared_.activity.idle_votes;
  }
  check_wait(c, thread);
}

void Mailbox::check_wait(Cycle c, unsigned thread) {
  std::uint32_t now = 0;
  if (can_send(thread)) now |= kWaitSend;
  if (can_recv(thread)) now |= kWaitRecv;
  if (const std::uint32_t bits = now & waits_[thread]; bits != 0) wake(c, thread, bits);
}

void Mailbox::wake(Cycle c, unsigned thread, std::uint32_t bits) {
  if (waits_[thread] & kWaitIdle) {
    --shared_.activity.idle_waiting;
    if (waits_[thread] & kWaitIdleVote) --shared_.activity.idle_votes;
  }
  waits_[thread] = 0;
  cores_->wake(std::max(c + 1, shared_.window_end), thread, bits);
}

void Mailbox::release_idle(Cycle c, bool voted) {
  for (unsigned thread = 0; thread < shared_.params.threads_per_tile(); ++thread) {
    if (waits_[thread] & kWaitIdle) {
      wake(c, thread, static_cast<std::uint32_t>(kWaitIdle) | (voted ? kWaitIdleVote : 0u));
    }
  }
}

void Mailbox::thaw(Cycle c) {
  for (unsigned thread = 0; thread < shared_.params.threads_per_tile(); ++thread) {
    if (waits_[thread] != 0) check_wait(c, thread);
  }
}

bool Mailbox::can_accept() {
  bool room = !free_.empty();
  for (const CoreGroup& group : cores_groups_) {
    // Messages on their way count: each may need an entry of every core.
    if (group.buffer.size() + arrivals_.size() >= kMulticastEntries) room = false;
  }
  if (!room) {
    router_blocked_ = true;
    ++counters_.refused;
  }
  return room;
}

void Mailbox::accept(Cycle head, MessageId id) {
  const Message& message = shared_.pool[id];
  const unsigned step = shared_.params.noc_cycles_per_flit;
  if (shared_.params.scratchpad_single_port) {
    for (unsigned i = 0; i < message.flits; ++i) {
      const Cycle c = head + i * step;
      write_cycles_[c % Wheel::kSpan] = c;
    }
  }
  const Cycle tail = head + (message.flits - 1) * step;
  arrivals_.push({tail, id, free_.back()});
  free_.pop_back();
  again(tail);
}

void Mailbox::complete_arrival(Cycle c) {
  const Arrival arrival = arrivals_.front();
  arrivals_.pop();
  const Message& message = shared_.pool[arrival.id];
  std::copy_n(message.data.begin(), message.words(), bytes_.begin() + arrival.slot * kSlotWords);
  references_[arrival.slot] = static_cast<std::uint8_t>(std::popcount(message.mask));
  for (unsigned core = 0; core < cores_groups_.size(); ++core) {
    const auto threads = static_cast<std::uint32_t>((message.mask >> (core * core_mask_bits_)) &
                                                    ((std::uint64_t{1} << core_mask_bits_) - 1));
    if (threads == 0) continue;
    CoreGroup& group = cores_groups_[core];
    if (group.buffer.empty()) group.next = std::max(group.next, c + kCyclesPerReceiver);
    group.buffer.push({threads, arrival.slot});
    buffered_ |= 1u << core;
    if ((stalled_ >> core & 1) == 0) again(std::max(group.next, c + 1));
  }
  ++counters_.received;
  counters_.received_flits += message.flits;
  shared_.pool.release(arrival.id);
}

void Mailbox::serve(Cycle c, unsigned core) {
  CoreGroup& group = cores_groups_[core];
  if (group.next > c) {
    again(group.next);
    return;
  }
  MulticastEntry& entry = group.buffer.front();
  const auto bit = static_cast<unsigned>(std::countr_zero(entry.threads));
  const unsigned thread = core * shared_.params.threads_per_core + bit;
  PointerQueue& queue = queues_[thread];
  if (queue.count == kPointers) {
    stalled_ |= 1u << core;  // ended by EventKind::room
    return;
  }
  queue.slots[(queue.head + queue.count) % 64] = entry.slot;
  ++queue.count;
  ++counters_.delivered;
  if (waits_[thread] & kWaitRecv) check_wait(c, thread);
  entry.threads &= entry.threads - 1;
  if (entry.threads == 0) {
    group.buffer.pop();
    // The multicast buffer was what the router may have waited for.
    if (router_blocked_) {
      router_blocked_ = false;
      shared_.wheel.schedule(c + 1, shared_.router_unit(tile_));
    }
  }
  group.next = c + kCyclesPerReceiver;
  if (group.buffer.empty()) {
    buffered_ &= ~(1u << core);
  } else {
    again(group.next);
  }
}

void Mailbox::advance_send(Cycle c) {
  if (flits_left_ != 0) {
    read_flit(c);
    return;
  }
  if (sending_ >= 0) {
    if (read_done_ > c) {
      again(read_done_);
      return;
    }
    const auto thread = static_cast<unsigned>(sending_);
    sending_ = -1;
    send_busy_ &= ~(std::uint64_t{1} << thread);
    if (waits_[thread] & kWaitSend) check_wait(c, thread);
  }
  if (!send_queue_.empty() && injector_.local_room(tile_, c)) start_send(c);
}

void Mailbox::start_send(Cycle c) {
  const unsigned thread = send_queue_.front();
  send_queue_.pop();
  const SendRequest& request = requests_[thread];
  sending_ = static_cast<int>(thread);
  sending_id_ = shared_.pool.allocate();
  Message& message = shared_.pool[sending_id_];
  message.dest = request.dest;
  message.mask = request.mask;
  message.flits = request.flits;
  message.kind = shared_.layout.is_host(request.dest) ? MessageKind::host
                 : std::has_single_bit(request.mask)  ? MessageKind::unicast
                                                      : MessageKind::mask;
  const std::uint32_t first = request.slot_addr / kSlotBytes * kSlotWords;
  for (unsigned i = 0; i < message.words(); ++i) message.data[i] = bytes_[(first + i) & word_mask_];
  ++counters_.sent;
  counters_.sent_flits += request.flits;
  if (shared_.params.scratchpad_single_port) {
    flits_left_ = request.flits;
    read_flit(c);
    return;
  }
  injector_.inject(tile_, c + kReadLatency, sending_id_);
  read_done_ = c + request.flits;
  again(read_done_);
}

/// Single port: reads one flit unless a write takes this cycle.
void Mailbox::read_flit(Cycle c) {
  if (write_cycles_[c % Wheel::kSpan] != c && --flits_left_ == 0) {
    // Handed on whole, so that a body delayed by writes never holds a link.
    injector_.inject(tile_, c + kReadLatency, sending_id_);
    read_done_ = c + 1;
  }
  again(c + 1);
}

std::uint64_t Mailbox::state_hash() const {
  fabric::Digest digest;
  for (std::size_t i = 0; i < bytes_.size(); i += 2) {
    digest.add(bytes_[i] | (std::uint64_t{bytes_[i + 1]} << 32));
  }
  for (const std::uint8_t count : references_) digest.add(count);
  for (unsigned t = 0; t < 64; ++t) digest.add(queues_[t].count | (std::uint64_t{waits_[t]} << 8));
  for (const std::uint64_t value :
       {counters_.sent, counters_.received, counters_.delivered, counters_.freed, send_busy_}) {
    digest.add(value);
  }
  return digest.value();
}

}  // namespace polyloom::overlay
