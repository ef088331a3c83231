// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/mailbox.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "blocks/noise.h"
#include "fabric/node.h"
#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/memory.h"

namespace polyloom::overlay {
namespace {

void copy_flits(const std::uint32_t* from, std::uint32_t* to, unsigned flits) {
  for (; flits != 0; --flits, from += kFlitWords, to += kFlitWords) std::copy_n(from, kFlitWords, to);
}

}  // namespace

Mailbox::Mailbox(NetShared& shared, unsigned tile, Injector& injector)
    : shared_(shared),
      injector_(injector),
      tile_(tile),
      unit_(shared.mailbox_unit(tile)),
      threads_per_core_(shared.params.threads_per_core),
      word_mask_(shared.params.mailbox_slots * kSlotWords - 1),
      first_receive_slot_(shared.params.extra_send_slot ? 128 : 64),
      bytes_(shared.params.mailbox_slots * kSlotWords),
      references_(shared.params.mailbox_slots),
      groups_(shared.params.cores_per_tile) {
  assert(std::has_single_bit(shared.params.mailbox_slots));
  assert(shared.params.mailbox_slots > first_receive_slot_ && shared.params.threads_per_tile() <= 64);
  assert(threads_per_core_ <= 32 && shared.params.mailbox_slots <= 0x10000);
  for (unsigned slot = shared.params.mailbox_slots; slot-- > first_receive_slot_;) {
    free_.push_back(static_cast<std::uint16_t>(slot));
  }
  for (std::uint32_t word = 0; word < bytes_.size(); ++word)
    bytes_[word] = blocks::memory_noise(word / kFlitWords);
  valid_mask_ = shared.params.tile_mask();
  write_cycles_.fill(kNeverCycle);
}

// ---- called by the cores ----

SendFault Mailbox::problem_with(unsigned thread, const SendRequest& request) const {
  const AddressLayout& layout = shared_.layout;
  if ((send_busy_ >> thread) & 1) return SendFault::busy;
  if (request.flits < 1 || request.flits > shared_.params.max_flits) return SendFault::length;
  if (!layout.problem_with(request.dest, shared_.mesh, shared_.params).empty()) return SendFault::destination;
  if (!layout.is_host(request.dest) && !layout.is_key(request.dest)) {
    if (request.mask == 0) return SendFault::no_receiver;
    if (request.mask & ~valid_mask_) return SendFault::no_thread;
  }
  return request.slot_addr == SendRequest::kNoSlot ? SendFault::pointer : SendFault::none;
}

void Mailbox::send(Cycle c, unsigned thread, const SendRequest& request) {
  const SendFault problem = problem_with(thread, request);
  if (problem != SendFault::none) {
    if (shared_.fault) shared_.fault(c, tile_, thread, request, problem);
    return;
  }
  send_busy_ |= std::uint64_t{1} << thread;
  requests_[thread] = request;
  ++shared_.activity.in_flight;
  if (send_queue_.push_in_order({c + 1, static_cast<std::uint8_t>(thread)})) call_at(c + 1);
}

std::uint32_t Mailbox::recv(Cycle c, unsigned thread) {
  Pointers& queue = pointers_[thread];
  assert(queue.count != 0);
  const std::uint32_t addr = queues_[queue.head][thread] * kSlotBytes;
  queue.head = (queue.head + 1) % 64;
  if (--queue.count == 0) queue.head = 0;
  if (queue.count == kPointers - 1) push_event(c, EventKind::room, thread, 0);
  return addr;
}

/// Takes effect one cycle later. But until then no unit can see a reference or, as its thread has not begun
/// to wait again, a message in flight: of a slot that holds a message only its place in the free list
/// matters.
void Mailbox::free_slot(Cycle c, std::uint32_t addr) {
  const unsigned slot = (addr / 4 & word_mask_) / kSlotWords;
  if (references_[slot] == 0 || late_frees_ != 0) [[unlikely]] {
    ++late_frees_;
    return push_event(c, EventKind::free, 0, slot);
  }
  if (--references_[slot] != 0) return;
  put_back(c + 1, slot);
  if (router_blocked_) call_at(c + 1);
}

void Mailbox::wait(Cycle c, unsigned thread, std::uint32_t bits) {
  push_event(c, EventKind::wait, thread, bits);
}

void Mailbox::store(std::uint32_t addr, std::uint32_t data, unsigned byte_enable) {
  std::uint32_t& word = bytes_[(addr / 4) & word_mask_];
  if (byte_enable == 15) {  // does not wait for the host's memory
    word = data;
    return;
  }
  word = merge_bytes(word, data, byte_enable);
}

void Mailbox::push_event(Cycle c, EventKind kind, unsigned thread, unsigned arg) {
  events_.push_in_order({c + 1, static_cast<std::uint16_t>(arg), kind, static_cast<std::uint8_t>(thread)});
  expect(c + 1);
  call_for(c + 1);
}

// ---- network side: time ----

void Mailbox::tick(Cycle c) {
  settle(c);
  if (router_blocked_ || c % kWindow == kWindow - 1) {
    serve_all(c);
    if (to_serve() != 0) call_for(c + 1);
  }
  if (flits_left_ != 0 || !send_queue_.empty()) advance_send(c);
  if (router_blocked_) {
    !freed_.empty() && freed_.front().at <= c ? retry_router(c) : watch(c);
  }
}

/// Does what has become due up to cycle `c`, but for serving receivers. In a cycle arrivals come first, then
/// what cores asked for, then receivers, then the end of a send.
void Mailbox::settle_due(Cycle c) {
  for (;;) {
    const Cycle tail = arrivals_.empty() ? kNeverCycle : arrivals_.front().tail;
    const Cycle requested = events_.empty() ? kNeverCycle : events_.front().at;
    due_ = std::min({tail, requested, read_done_});
    if (due_ > c) return;
    if (tail == due_) {
      complete_arrival();
    } else if (requested == due_) {
      const Event event = events_.front();
      events_.pop();
      apply(event);
    } else {
      finish_send();
    }
  }
}

/// While the router waits, whatever it may wait for has a call in its own cycle.
void Mailbox::watch(Cycle c) {
  if (to_serve() != 0) call_at(c + 1);
  if (!events_.empty()) call_at(events_.front().at);
  if (!arrivals_.empty()) call_at(arrivals_.front().tail);
  if (!freed_.empty()) call_at(freed_.front().at);
}

void Mailbox::apply(const Event& event) {
  switch (event.kind) {
    case EventKind::free:
      --late_frees_;
      // A slot without a reference was never received: the older API "allocates" such slots.
      if (references_[event.arg] != 0 && --references_[event.arg] == 0) put_back(event.at, event.arg);
      break;
    case EventKind::wait:
      begin_wait(event.at, event.thread, event.arg);
      break;
    case EventKind::room: {
      const unsigned core = core_of(event.thread);
      serve(core, event.at - 1);
      stalled_ &= ~(1u << core);
      groups_[core].next = std::max(groups_[core].next, event.at);
      break;
    }
  }
}

/// The slot is free from cycle `c` on.
void Mailbox::put_back(Cycle c, unsigned slot) {
  freed_.push_in_order({c, static_cast<std::uint16_t>(slot)});
  ++counters_.freed;
  --shared_.activity.in_flight;
  shared_.activity.changed = std::max(shared_.activity.changed, c);
}

void Mailbox::collect_freed(Cycle c) {
  for (; !freed_.empty() && freed_.front().at <= c; freed_.pop()) free_.push_back(freed_.front().slot);
}

void Mailbox::retry_router(Cycle c) {
  router_blocked_ = false;
  shared_.wheel.schedule(c, shared_.router_unit(tile_));
}

// ---- network side: waiting threads ----

void Mailbox::begin_wait(Cycle c, unsigned thread, std::uint32_t bits) {
  serve(core_of(thread), c - 1);
  waits_[thread] = static_cast<std::uint8_t>(bits);
  if (bits & kWaitIdle) {
    ++shared_.activity.idle_waiting;
    shared_.activity.changed = std::max(shared_.activity.changed, c);
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
  cores_->wake(std::max(c + shared_.wake, shared_.window_end), thread, bits);
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

// ---- network side: receiving ----

bool Mailbox::can_accept(Cycle c) {
  settle(c);
  collect_freed(c);
  // Messages on their way count: each may need an entry of every core.
  return (!free_.empty() && entries_ + arrivals_.size() < kMulticastEntries) || find_room(c);
}

/// can_accept() when there may be none.
bool Mailbox::find_room(Cycle c) {
  serve_all(c);
  bool room = !free_.empty();
  for (const CoreGroup& group : groups_) {
    if (group.buffer.size() + arrivals_.size() >= kMulticastEntries) room = false;
  }
  if (!room) {
    router_blocked_ = true;
    ++counters_.refused;
    watch(c);
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
  expect(tail);
  call_for(tail);
}

void Mailbox::complete_arrival() {
  const Arrival arrival = arrivals_.front();
  arrivals_.pop();
  const Message& message = shared_.pool[arrival.id];
  copy_flits(message.data.data(), &bytes_[arrival.slot * kSlotWords], message.flits);
  references_[arrival.slot] = static_cast<std::uint8_t>(std::popcount(message.mask));
  const std::uint64_t one_core = (std::uint64_t{1} << threads_per_core_) - 1;
  std::uint64_t left = message.mask;
  for (unsigned core = 0; left != 0; ++core, left >>= threads_per_core_) {
    if (const auto threads = static_cast<std::uint32_t>(left & one_core); threads != 0) {
      serve(core, arrival.tail - 1);
      CoreGroup& group = groups_[core];
      if (group.buffer.empty()) group.next = std::max(group.next, arrival.tail + kCyclesPerReceiver);
      group.buffer.push({threads, arrival.slot});
      ++entries_;
      buffered_ |= 1u << core;
    }
  }
  ++counters_.received;
  counters_.received_flits += message.flits;
  shared_.pool.release(arrival.id);
  // With a slot free, the router waits for a buffer: of a core that this message, now known, may not be for.
  if (router_blocked_ && !free_.empty()) retry_router(arrival.tail);
}

void Mailbox::serve_all(Cycle c) {
  for (std::uint32_t left = to_serve(); left != 0; left &= left - 1) {
    const auto core = static_cast<unsigned>(std::countr_zero(left));
    if (groups_[core].next <= c) serve_due(core, c);
  }
}

/// Hands the core's messages to their receivers up to cycle `c`. Precondition: the next one is due.
void Mailbox::serve_due(unsigned core, Cycle c) {
  CoreGroup& group = groups_[core];
  do {
    MulticastEntry& entry = group.buffer.front();
    const unsigned thread = core * threads_per_core_ + static_cast<unsigned>(std::countr_zero(entry.threads));
    Pointers& queue = pointers_[thread];
    if (queue.count == kPointers) {
      stalled_ |= 1u << core;  // ended by EventKind::room
      return;
    }
    queues_[(queue.head + queue.count++) % 64][thread] = entry.slot;
    ++counters_.delivered;
    if (waits_[thread] & kWaitRecv) check_wait(group.next, thread);
    group.next += kCyclesPerReceiver;
    entry.threads &= entry.threads - 1;
    if (entry.threads == 0) {
      entry_served(core);
      if (group.buffer.empty()) return;
    }
  } while (group.next <= c);
}

/// The last receiver of a message was served: the buffer was what the router may have waited for.
void Mailbox::entry_served(unsigned core) {
  CoreGroup& group = groups_[core];
  group.buffer.pop();
  --entries_;
  if (group.buffer.empty()) buffered_ &= ~(1u << core);
  if (router_blocked_) retry_router(group.next - kCyclesPerReceiver);
}

// ---- network side: sending ----

void Mailbox::finish_send() {
  const auto thread = static_cast<unsigned>(sending_);
  const Cycle c = read_done_;
  if (waits_[thread] & kWaitSend) serve(core_of(thread), c);
  sending_ = -1;
  read_done_ = kNeverCycle;
  send_busy_ &= ~(std::uint64_t{1} << thread);
  if (waits_[thread] & kWaitSend) check_wait(c, thread);
}

/// Precondition: something is being sent or queued.
void Mailbox::advance_send(Cycle c) {
  if (flits_left_ != 0) return read_flit(c);
  if (sending_ >= 0) return call_at(read_done_);
  if (send_queue_.front().at > c) return call_at(send_queue_.front().at);
  if (injector_.local_room(tile_, c)) start_send(c);
}

void Mailbox::start_send(Cycle c) {
  const unsigned thread = send_queue_.front().thread;
  send_queue_.pop();
  const SendRequest& request = requests_[thread];
  sending_ = static_cast<int>(thread);
  sending_id_ = shared_.pool.allocate();
  Message& message = shared_.pool[sending_id_];
  message.dest = request.dest;
  message.mask = request.mask;
  message.flits = request.flits;
  message.kind = shared_.layout.kind_of(request.dest, request.mask);
  const std::uint32_t first = (request.slot_addr / 4 & word_mask_) / kSlotWords * kSlotWords;
  copy_flits(&bytes_[first], message.data.data(), message.flits);
  ++counters_.sent;
  counters_.sent_flits += request.flits;
  if (shared_.params.scratchpad_single_port) {
    flits_left_ = request.flits;
    read_flit(c);
    return;
  }
  injector_.inject(tile_, c + kReadLatency, sending_id_);
  read_done_ = c + request.flits;
  expect(read_done_);
  send_queue_.empty() ? call_for(read_done_) : call_at(read_done_);
}

/// Single port: reads one flit unless a write takes this cycle.
void Mailbox::read_flit(Cycle c) {
  if (write_cycles_[c % Wheel::kSpan] != c && --flits_left_ == 0) {
    // Handed on whole, so that a body delayed by writes never holds a link.
    injector_.inject(tile_, c + kReadLatency, sending_id_);
    read_done_ = c + 1;
    expect(read_done_);
  }
  call_at(c + 1);
}

std::uint64_t Mailbox::state_hash() const {
  fabric::Digest digest;
  for (std::size_t i = 0; i < bytes_.size(); i += 2) {
    digest.add(bytes_[i] | (std::uint64_t{bytes_[i + 1]} << 32));
  }
  for (const std::uint8_t count : references_) digest.add(count);
  for (unsigned t = 0; t < 64; ++t) digest.add(pointers_[t].count | (std::uint64_t{waits_[t]} << 8));
  for (const std::uint64_t value :
       {counters_.sent, counters_.received, counters_.delivered, counters_.freed, send_busy_}) {
    digest.add(value);
  }
  return digest.value();
}

}  // namespace polyloom::overlay
