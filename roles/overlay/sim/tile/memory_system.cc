// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/memory_system.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "fabric/error.h"
#include "roles/overlay/sim/tile/cache.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kMaxClients = 64;
constexpr unsigned kMaxLine = 128;

/// Known by its index from push() to finish().
struct Request {
  Cycle at;
  MemoryClient* who;  ///< null: a write
  std::uint32_t addr, tag;
  std::uint32_t next;    ///< request of the same client after this one, or kNone
  std::uint8_t channel;  ///< of the slice: 0 DRAM, 1 SRAM A, 2 SRAM B
};
constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Requests by index, and apart from these the bytes that they carry, which few are asked for.
class Requests {
 public:
  Request& operator[](std::uint32_t id) { return requests_[id]; }
  const Request& operator[](std::uint32_t id) const { return requests_[id]; }
  /// Stays where it is.
  std::uint8_t* line(std::uint32_t id) { return lines_[id].data(); }
  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(requests_.size()));
      requests_.emplace_back();
      lines_.emplace_back();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(std::uint32_t id) { free_.push_back(id); }

 private:
  struct alignas(64) Line : std::array<std::uint8_t, kMaxLine> {};
  std::vector<Request> requests_;
  std::deque<Line> lines_;
  std::vector<std::uint32_t> free_;
};

unsigned channel_of(std::uint32_t addr) {
  const Region r = region_of(addr);
  assert(r == Region::dram || r == Region::sram_a || r == Region::sram_b);
  return r == Region::dram ? 0 : r == Region::sram_a ? 1 : 2;
}

/// One slice: its bus, its three memories, what clients ask of them and what these have in hand.
class Slice {
 public:
  Slice(unsigned index, Memory& memory, unsigned clients, const blocks::DramParams& dram,
        const blocks::SramParams& sram)
      : index_(index),
        memory_(memory),
        dram_(dram, &bus_),
        srams_{blocks::Sram(sram, &bus_), blocks::Sram(sram, &bus_)},
        queues_(clients) {}

  /// Puts a request at the end of its client's queue; `line`: what a write carries.
  void push(Cycle at, unsigned client, MemoryClient* who, std::uint32_t addr, std::uint32_t tag,
            const std::uint8_t* line) {
    const std::uint32_t id = requests_.take();
    if (line != nullptr) copy_line(requests_.line(id), line, memory_.line_bytes());
    Request& r = requests_[id];
    r.at = at, r.who = who, r.addr = addr, r.tag = tag, r.next = kNone;
    r.channel = static_cast<std::uint8_t>(channel_of(addr));
    Queue& q = queues_[client];
    if (q.first == kNone) {
      request(client, id);
    } else {
      assert(requests_[q.last].at <= at);
      requests_[q.last].next = id;
    }
    q.last = id;
  }

  void advance(Cycle from) {
    window_ = from;
    for (std::uint64_t m = all_requesting() & ~there_; m != 0; m &= m - 1)
      come(static_cast<unsigned>(std::countr_zero(m)), from);
    for (unsigned o = 0; o < kWindow; ++o) {
      there_ |= std::exchange(coming_[o], 0);
      if (there_ != 0 && bus_.free(from + o)) offer(from + o);
    }
    unsigned taken = 0;  // bit o: a line of the DRAM goes back at from + o
    dram_.advance(from + kWindow, [&](std::uint32_t id, Cycle c) {
      if (is_write(id)) return write(id);
      taken |= 1u << (c - from);
      finish(id, c, memory_.line(index_, requests_[id].addr));
    });
    for (unsigned i = 0; i < srams_.size(); ++i) {
      srams_[i].advance(from + kWindow, [&](std::uint32_t id, Cycle c) {
        if (is_write(id)) return write(id);
        // It goes back later: what it holds then may have been overwritten.
        copy_line(requests_.line(id), memory_.line(index_, requests_[id].addr), memory_.line_bytes());
        back_[i].push_back({c, id});
      });
    }
    give_back(from, taken);
  }

  Cycle next_event() const {
    if (there_ != 0) return window_ + kWindow;
    Cycle next = std::min({dram_.next_event(), srams_[0].next_event(), srams_[1].next_event()});
    for (const auto& back : back_) {
      if (!back.empty()) next = std::min(next, back.front().at);
    }
    for (std::uint64_t m = all_requesting(); m != 0; m &= m - 1) {
      next = std::min(next, queues_[static_cast<unsigned>(std::countr_zero(m))].at);
    }
    return next;
  }

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const {
    const std::string dram = prefix + "dram." + std::to_string(index_) + ".";
    sink(dram + "reads", dram_.counters().reads);
    sink(dram + "writes", dram_.counters().writes);
    sink(dram + "activates", dram_.counters().activates);
    sink(dram + "bursts", dram_.counters().bursts);
    for (unsigned i = 0; i < srams_.size(); ++i) {
      const std::string sram = prefix + "sram." + std::to_string(2 * index_ + i) + ".";
      sink(sram + "reads", srams_[i].counters().reads);
      sink(sram + "writes", srams_[i].counters().writes);
    }
  }

  void digest(fabric::Digest& d) const {
    dram_.digest(d);
    for (const blocks::Sram& s : srams_) s.digest(d);
    for (const Queue& q : queues_) {
      for (std::uint32_t id = q.first; id != kNone; id = requests_[id].next) {
        d.add(requests_[id].at), d.add(requests_[id].addr);
      }
      d.add(kNone);
    }
    for (const auto& back : back_) {
      for (const Back& b : back) d.add(b.at);
    }
  }

 private:
  static constexpr unsigned kChannels = 3;

  std::uint64_t all_requesting() const { return requesting_[0] | requesting_[1] | requesting_[2]; }

  /// Lets one request into its memory: memories that have room and are asked take turns, and at each of them
  /// its clients. (One turn for all would favour the clients that come after those of a busy memory.)
  void offer(Cycle c) {
    for (unsigned k = 1; k <= kChannels; ++k) {
      const unsigned channel = (last_channel_ + k) % kChannels;
      const std::uint64_t there = requesting_[channel] & there_;
      if (there == 0) continue;
      if (channel != 0 && srams_[channel - 1].full(c)) continue;
      // The client after the last one served.
      const std::uint64_t later = there & ~((std::uint64_t{2} << last_client_[channel]) - 1);
      const auto client = static_cast<unsigned>(std::countr_zero(later != 0 ? later : there));
      if (!submit(c, queues_[client].first)) continue;
      requesting_[channel] &= ~(std::uint64_t{1} << client);
      there_ &= ~(std::uint64_t{1} << client);
      request(client, requests_[queues_[client].first].next);
      if (queues_[client].first != kNone) come(client, c);
      last_client_[channel] = client;
      last_channel_ = channel;
      return;
    }
  }

  /// Notes when the client's oldest request is there: at cycle `c`, of this window, or later in it.
  void come(unsigned client, Cycle c) {
    const std::uint64_t bit = std::uint64_t{1} << client;
    const Cycle at = queues_[client].at;
    if (at <= c) {
      there_ |= bit;
    } else if (at < window_ + kWindow) {
      coming_[at - window_] |= bit;
    }
  }

  /// `id` (or kNone) is now the client's oldest request.
  void request(unsigned client, std::uint32_t id) {
    Queue& q = queues_[client];
    q.first = id;
    if (id == kNone) return;
    q.at = requests_[id].at;
    requesting_[requests_[id].channel] |= std::uint64_t{1} << client;
  }

  bool submit(Cycle c, std::uint32_t id) {
    const Request& r = requests_[id];
    const std::uint32_t where = memory_.physical(r.addr);
    const bool write = r.who == nullptr;
    const bool taken = r.channel == 0 ? dram_.submit(c, where, write, id)
                                      : srams_[r.channel - 1u].submit(c, where & (kSramABase - 1), write, id);
    if (!taken) return false;
    memory_.prefetch(index_, where);
    if (!write) r.who->memory_soon(r.tag);
    return true;
  }

  bool is_write(std::uint32_t id) const { return requests_[id].who == nullptr; }
  void write(std::uint32_t id) {
    memory_.write_line(index_, requests_[id].addr, requests_.line(id));
    requests_.give_back(id);
  }
  void finish(std::uint32_t id, Cycle c, const std::uint8_t* line) {
    const Request r = requests_[id];
    r.who->memory_done(c, r.tag, line);
    requests_.give_back(id);
  }

  /// Lines of the SRAMs go back in the cycles of a window that those of the DRAM leave free.
  void give_back(Cycle from, unsigned taken) {
    for (unsigned o = 0; o < kWindow && !(back_[0].empty() && back_[1].empty()); ++o) {
      if ((taken >> o & 1) != 0) continue;
      for (auto& back : back_) {
        if (back.empty() || back.front().at > from + o) continue;
        finish(back.front().id, from + o, requests_.line(back.front().id));
        back.pop_front();
        break;
      }
    }
    for (auto& back : back_) {
      for (Back& b : back) b.at = std::max(b.at, from + kWindow);
    }
  }

  unsigned index_;
  Memory& memory_;
  blocks::MemoryBus bus_;
  blocks::Dram dram_;
  std::array<blocks::Sram, 2> srams_;
  struct Queue {
    Cycle at = 0;  ///< of the first
    std::uint32_t first = kNone, last = kNone;
  };
  struct Back {
    Cycle at;  ///< from when it may go
    std::uint32_t id;
  };
  std::array<std::deque<Back>, 2> back_;               ///< by SRAM: lines that have left it
  std::vector<Queue> queues_;                          ///< by client, in order of time
  std::array<std::uint64_t, kChannels> requesting_{};  ///< by channel: clients whose oldest request is for it
  std::uint64_t there_ = 0;                            ///< clients whose oldest request is there,
  std::array<std::uint64_t, kWindow> coming_{};        ///< and by cycle of the window at window_, will be
  Cycle window_ = 0;
  std::array<unsigned, kChannels> last_client_{63, 63, 63};
  unsigned last_channel_ = kChannels - 1;
  Requests requests_;
};

}  // namespace

blocks::DramParams fitted(blocks::DramParams p, const BoardParams& board) {
  p.core_hz = board.clock_hz;
  p.request_bytes = board.line_bytes;
  p.beat_bytes = std::min(p.beat_bytes, board.line_bytes);
  return p;
}

blocks::SramParams fitted(blocks::SramParams p, const BoardParams& board) {
  p.core_hz = board.clock_hz;
  p.request_bytes = board.line_bytes;
  p.bus_beat_bytes = std::min(p.bus_beat_bytes, board.line_bytes);
  return p;
}

struct MemorySystem::Impl {
  Memory& memory;
  std::deque<Slice> slices;  // not movable
  Cycle next = kNeverCycle;  ///< what next_event() says

  void push(Cycle at, unsigned client, MemoryClient* who, unsigned slice, std::uint32_t addr,
            std::uint32_t tag, const std::uint8_t* line) {
    next = std::min(next, at);
    slices[slice].push(at, client, who, addr, tag, line);
  }
};

MemorySystem::MemorySystem(const BoardParams& params, Memory& memory, unsigned clients,
                           const blocks::DramParams& dram, const blocks::SramParams& sram)
    : impl_(new Impl{memory, {}, kNeverCycle}) {
  if (clients > kMaxClients) {
    throw UserError("overlay: " + std::to_string(clients) +
                    " caches and routers share a board's memories; at most " + std::to_string(kMaxClients) +
                    " can");
  }
  for (unsigned i = 0; i < params.dram_channels; ++i) {
    impl_->slices.emplace_back(i, memory, clients, fitted(dram, params), fitted(sram, params));
  }
}

MemorySystem::~MemorySystem() = default;

void MemorySystem::read(Cycle at, unsigned client, MemoryClient& who, unsigned slice, std::uint32_t addr,
                        std::uint32_t tag) {
  impl_->push(at, client, &who, slice, addr, tag, nullptr);
}

void MemorySystem::write(Cycle at, unsigned client, unsigned slice, std::uint32_t addr,
                         const std::uint8_t* line) {
  impl_->push(at, client, nullptr, slice, addr, 0, line);
}

void MemorySystem::advance(Cycle from) {
  impl_->next = kNeverCycle;  // those that are served may ask again
  for (Slice& s : impl_->slices) s.advance(from);
  for (const Slice& s : impl_->slices) impl_->next = std::min(impl_->next, s.next_event());
}

Cycle MemorySystem::next_event() const { return impl_->next; }

void MemorySystem::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  for (const Slice& s : impl_->slices) s.counters(prefix, sink);
}

void MemorySystem::digest(fabric::Digest& d) const {
  for (const Slice& s : impl_->slices) s.digest(d);
}

}  // namespace polyloom::overlay
