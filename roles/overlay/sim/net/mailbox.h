// SPDX-License-Identifier: Apache-2.0
// A tile's mailbox: scratchpad, send requests, reference-counted receive slots, local multicast, waiting
// threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "roles/overlay/sim/net/fifo.h"
#include "roles/overlay/sim/net/shared.h"
#include "roles/overlay/sim/tile_ports.h"

namespace polyloom::overlay {

/// Where a mailbox puts messages: the local input of its tile's router.
class Injector {
 public:
  virtual ~Injector() = default;
  /// Room for a message of any length. If false, the mailbox's unit is called again when that may have
  /// changed.
  virtual bool local_room(unsigned tile, Cycle c) = 0;
  /// The head of the message can be routed from cycle `ready` on; its body follows at link rate.
  virtual void inject(unsigned tile, Cycle ready, MessageId id) = 0;
};

struct MailboxCounters {
  std::uint64_t sent = 0, sent_flits = 0;          ///< messages and flits read from the scratchpad
  std::uint64_t received = 0, received_flits = 0;  ///< messages and flits written to it
  std::uint64_t delivered = 0;                     ///< (message, receiver) pairs
  std::uint64_t freed = 0;                         ///< receive slots given back
  std::uint64_t refused = 0;                       ///< times that the router found no room
};

/// Semantics: docs/sources/tinsel.md, 3.1, Multicast paper III.C. Thread t's send slots are slots t and, with
/// extra_send_slot, 64 + t; all other slots form one free list. A message is accepted when a slot is free and
/// every core's multicast buffer has room; with its last flit it is queued for each addressed core, which
/// hands it to the pointer queues of its threads, one receiver in kCyclesPerReceiver cycles, and stalls while
/// one of them is full.
///
/// How it is simulated: cores see what a window did only after it, and routers see free slots and room in the
/// buffers only. So what happens inside is done when it may be seen: at the end of a window, when a
/// message may start to leave, and when a router asks; always with the cycle at which it happened, in order.
/// While a router waits for this mailbox, everything is done in its own cycle. Not thread safe: cores and
/// network of a board take turns.
class Mailbox final : public MailboxPort {
 public:
  static constexpr unsigned kMulticastEntries = 512;
  static constexpr unsigned kPointers = 63;  ///< usable entries of a thread's pointer queue
  static constexpr Cycle kCyclesPerReceiver = 2;
  /// Cycles from a flit's scratchpad read until the router may route it: block RAM, then link FIFO.
  static constexpr Cycle kReadLatency = 2;

  Mailbox(NetShared& shared, unsigned tile, Injector& injector);
  void attach(CoreWakeups& cores) { cores_ = &cores; }

  // MailboxPort: called by the tile's cores.
  bool can_send(unsigned thread) const override {
    return !((send_busy_ >> thread) & 1) && !shared_.activity.frozen;
  }
  void send(Cycle c, unsigned thread, const SendRequest& request) override;
  bool can_recv(unsigned thread) const override {
    return pointers_[thread].count != 0 && !shared_.activity.frozen;
  }
  std::uint32_t recv(Cycle c, unsigned thread) override;
  void free_slot(Cycle c, std::uint32_t addr) override;
  void wait(Cycle c, unsigned thread, std::uint32_t bits) override;
  /// Nothing to do: a thread that has stopped does not wait, so detection cannot fire.
  void thread_stopped(unsigned) override {}
  std::uint32_t load(std::uint32_t addr) const override { return bytes_[(addr / 4) & word_mask_]; }
  void store(std::uint32_t addr, std::uint32_t data, unsigned byte_enable) override;
  std::span<const std::uint32_t> words() const override { return bytes_; }
  bool foreseeable() const override { return !shared_.may_freeze; }
  unsigned queued(unsigned thread) const override { return pointers_[thread].count; }
  std::uint32_t peek(unsigned thread, unsigned n) const override {
    return std::uint32_t{queues_[(pointers_[thread].head + n) % 64][thread]} * kSlotWords * 4;
  }

  // Network side.
  /// Does what is due in cycle `c`.
  void tick(Cycle c);
  /// True if a message may be sent to this mailbox in cycle `c`, after tick(c); else its router is called
  /// again when that may have changed.
  bool can_accept(Cycle c);
  /// A message comes: its first flit arrives at `head`, one more every `cycles_per_flit`. Precondition:
  /// can_accept().
  void accept(Cycle head, MessageId id);

  /// Termination was detected: ends the wait of every thread in tinselIdle.
  void release_idle(Cycle c, bool voted);
  /// The end of Activity::frozen: waits are looked at again.
  void thaw(Cycle c);

  const MailboxCounters& counters() const { return counters_; }
  std::size_t free_slots() const { return free_.size() + freed_.size(); }
  unsigned references(unsigned slot) const { return references_[slot]; }
  /// What the thread waits for (WaitBits), 0 if it does not wait.
  std::uint32_t waiting(unsigned thread) const { return waits_[thread]; }
  bool send_pending(unsigned thread) const { return (send_busy_ >> thread) & 1; }
  /// Why the request cannot be served; empty if it can.
  SendFault problem_with(unsigned thread, const SendRequest& request) const;
  /// Hash of everything that later behaviour depends on.
  std::uint64_t state_hash() const;

 private:
  enum class EventKind : std::uint8_t { free, wait, room };
  /// What a core has asked for, to take effect in cycle `at`: one after its call.
  struct Event {
    Cycle at;
    std::uint16_t arg;
    EventKind kind;
    std::uint8_t thread;
  };
  struct QueuedSend {
    Cycle at;  ///< may start from here on
    std::uint8_t thread;
  };
  struct FreedSlot {
    Cycle at;  ///< may be used from here on
    std::uint16_t slot;
  };
  struct Arrival {
    Cycle tail;
    MessageId id;
    std::uint16_t slot;
  };
  struct MulticastEntry {
    std::uint32_t threads;  ///< of the core, still to be served
    std::uint16_t slot;
  };
  struct CoreGroup {
    Fifo<MulticastEntry> buffer;
    Cycle next = 0;  ///< when the next receiver is served, if there is one
  };
  /// Of a ring of 64 slots: a column of queues_. Starts over when empty, so that short queues are all in the
  /// first rows, few cache lines of the host.
  struct Pointers {
    std::uint8_t head = 0, count = 0;
  };

  void push_event(Cycle c, EventKind kind, unsigned thread, unsigned arg);
  void settle(Cycle c) {
    if (due_ <= c) settle_due(c);
  }
  void settle_due(Cycle c);
  void expect(Cycle c) { due_ = std::min(due_, c); }
  void apply(const Event& event);
  void put_back(Cycle c, unsigned slot);
  void collect_freed(Cycle c);
  void begin_wait(Cycle c, unsigned thread, std::uint32_t bits);
  void check_wait(Cycle c, unsigned thread);
  void wake(Cycle c, unsigned thread, std::uint32_t bits);
  bool find_room(Cycle c);
  void retry_router(Cycle c);
  void complete_arrival();
  void serve(unsigned core, Cycle c) {
    if ((to_serve() >> core & 1u) != 0 && groups_[core].next <= c) serve_due(core, c);
  }
  void serve_due(unsigned core, Cycle c);
  std::uint32_t to_serve() const { return buffered_ & ~stalled_; }
  void entry_served(unsigned core);
  void serve_all(Cycle c);
  unsigned core_of(unsigned thread) const { return thread / threads_per_core_; }
  void finish_send();
  void advance_send(Cycle c);
  void start_send(Cycle c);
  void read_flit(Cycle c);
  void call_at(Cycle c) { shared_.wheel.schedule(c, unit_); }
  /// Something happens in cycle `c` that only a waiting router sees before the end of its window.
  void call_for(Cycle c) {
    call_at(c | (kWindow - 1));
    if (router_blocked_) call_at(c);
  }
  void watch(Cycle c);

  NetShared& shared_;
  Injector& injector_;
  CoreWakeups* cores_ = nullptr;
  const unsigned tile_, unit_, threads_per_core_;
  std::uint64_t valid_mask_ = 0;  ///< mask bits that stand for a thread
  std::uint32_t word_mask_;
  unsigned first_receive_slot_;

  std::vector<std::uint32_t> bytes_;
  std::vector<std::uint8_t> references_;
  std::vector<std::uint16_t> free_;  ///< the last one freed is the next one used
  Fifo<FreedSlot> freed_;            ///< not yet in free_
  unsigned late_frees_ = 0;          ///< events of that kind
  bool router_blocked_ = false;

  Cycle due_ = kNeverCycle;  ///< first of arrivals_, events_ and read_done_
  Fifo<Event> events_;
  Fifo<Arrival> arrivals_;
  std::vector<CoreGroup> groups_;
  std::size_t entries_ = 0;     ///< in all multicast buffers
  std::uint32_t buffered_ = 0;  ///< bit per core: something is in its buffer
  std::uint32_t stalled_ = 0;   ///< bit per core: a pointer queue is full
  std::array<Pointers, 64> pointers_{};
  std::array<std::uint8_t, 64> waits_{};
  alignas(64) std::array<std::array<std::uint16_t, 64>, 64> queues_{};

  // Sending: one message at a time is read from the scratchpad.
  std::uint64_t send_busy_ = 0;
  std::array<SendRequest, 64> requests_{};
  Fifo<QueuedSend> send_queue_;
  int sending_ = -1;  ///< thread whose message is being read
  MessageId sending_id_ = 0;
  Cycle read_done_ = kNeverCycle;                 ///< when its last flit has been read, if that is known
  unsigned flits_left_ = 0;                       ///< single port only
  std::array<Cycle, Wheel::kSpan> write_cycles_;  ///< single port only: cycle c has a write if [c % 64] == c

  MailboxCounters counters_;
};

}  // namespace polyloom::overlay
