// SPDX-License-Identifier: Apache-2.0
// A tile's mailbox: scratchpad, send requests, reference-counted receive slots, local multicast, waiting
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

/// Semantics: Tinsel facts 3.1, Multicast paper III.C. Thread t's send slots are slots t and, with
/// extra_send_slot, 64 + t; all other slots form one free list. A message is accepted when a slot is free and
/// every core's multicast buffer has room; with its last flit it is queued for each addressed core, which
/// hands it to the pointer queues of its threads, one receiver in kCyclesPerReceiver cycles, and stalls while
/// one of them is full. Not thread safe: cores and network of a board take turns.
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
    return queues_[thread].count != 0 && !shared_.activity.frozen;
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
  unsigned queued(unsigned thread) const override { return queues_[thread].count; }
  std::uint32_t peek(unsigned thread, unsigned n) const override {
    const PointerQueue& queue = queues_[thread];
    return std::uint32_t{queue.slots[(queue.head + n) % 64]} * kSlotWords * 4;
  }

  // Network side.
  /// Does what is due in cycle `c`.
  void tick(Cycle c);
  /// True if a message may be sent to this mailbox now; else its router is called again when that may have
  /// changed.
  bool can_accept();
  /// A message comes: its first flit arrives at `head`, one more every `cycles_per_flit`. Precondition:
  /// can_accept().
  void accept(Cycle head, MessageId id);

  /// Termination was detected: ends the wait of every thread in tinselIdle.
  void release_idle(Cycle c, bool voted);
  /// The end of Activity::frozen: waits are looked at again.
  void thaw(Cycle c);

  const MailboxCounters& counters() const { return counters_; }
  std::size_t free_slots() const { return free_.size(); }
  unsigned references(unsigned slot) const { return references_[slot]; }
  /// What the thread waits for (WaitBits), 0 if it does not wait.
  std::uint32_t waiting(unsigned thread) const { return waits_[thread]; }
  bool send_pending(unsigned thread) const { return (send_busy_ >> thread) & 1; }
  /// Why the request cannot be served; empty if it can.
  std::string problem_with(unsigned thread, const SendRequest& request) const;
  /// Hash of everything that later behaviour depends on.
  std::uint64_t state_hash() const;

 private:
  enum class EventKind : std::uint8_t { send, free, wait, room };
  struct Event {
    Cycle cycle;  ///< of the core's call; takes effect one cycle later
    std::uint32_t arg;
    EventKind kind;
    std::uint8_t thread;
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
  /// Queue in a vector that starts over when it runs empty, so that a short queue stays in few cache lines.
  template <class T>
  struct Queue {
    std::vector<T> items;
    std::size_t head = 0;
    bool empty() const { return head == items.size(); }
    std::size_t size() const { return items.size() - head; }
    T& front() { return items[head]; }
    void push(const T& item) { items.push_back(item); }
    void pop() {
      if (++head == items.size()) {
        items.clear();
        head = 0;
      } else if (head >= 4096) {
        items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(head));
        head = 0;
      }
    }
  };
  struct CoreGroup {
    Queue<MulticastEntry> buffer;
    Cycle next = 0;  ///< when the next receiver is served
  };
  struct PointerQueue {
    std::array<std::uint16_t, 64> slots;
    std::uint8_t head = 0, count = 0;
  };

  void push_event(Cycle c, EventKind kind, unsigned thread, std::uint32_t arg);
  void apply(Cycle c, const Event& event);
  void drop_reference(Cycle c, unsigned slot);
  void begin_wait(Cycle c, unsigned thread, std::uint32_t bits);
  void check_wait(Cycle c, unsigned thread);
  void wake(Cycle c, unsigned thread, std::uint32_t bits);
  void complete_arrival(Cycle c);
  void serve(Cycle c, unsigned core);
  void advance_send(Cycle c);
  void start_send(Cycle c);
  void read_flit(Cycle c);
  void again(Cycle c) { shared_.wheel.schedule(c, unit_); }

  NetShared& shared_;
  Injector& injector_;
  CoreWakeups* cores_ = nullptr;
  const unsigned tile_, unit_, core_mask_bits_;
  std::uint64_t valid_mask_ = 0;  ///< mask bits that stand for a thread
  std::uint32_t word_mask_;
  unsigned first_receive_slot_;

  std::vector<std::uint32_t> bytes_;
  std::vector<std::uint8_t> references_;
  std::vector<std::uint16_t> free_;  ///< the last one freed is the next one used
  bool router_blocked_ = false;

  Queue<Event> events_;
  Queue<Arrival> arrivals_;
  std::vector<CoreGroup> cores_groups_;
  std::uint32_t buffered_ = 0;  ///< bit per core: something is in its buffer
  std::uint32_t stalled_ = 0;   ///< bit per core: a pointer queue is full
  std::array<PointerQueue, 64> queues_{};
  std::array<std::uint8_t, 64> waits_{};

  // Sending: one message at a time is read from the scratchpad.
  std::uint64_t send_busy_ = 0;
  std::array<SendRequest, 64> requests_{};
  Queue<std::uint8_t> send_queue_;
  int sending_ = -1;  ///< thread whose message is being read
  MessageId sending_id_ = 0;
  unsigned flits_left_ = 0;                       ///< single port only
  Cycle read_done_ = 0;                           ///< when the last flit has been read
  std::array<Cycle, Wheel::kSpan> write_cycles_;  ///< single port only: cycle c has a write if [c % 64] == c

  MailboxCounters counters_;
};

}  // namespace polyloom::overlay
