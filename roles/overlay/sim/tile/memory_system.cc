// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/memory_system.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <deque>
#include <memory>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "fabric/error.h"
#include "roles/overlay/sim/tile/cache.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kMaxClients = 64;
constexpr unsigned kMaxLine = 128;

/// Stays in one place from push() to finish(), known by its index.
struct alignas(64) Request {
  Cycle at;
  MemoryClient* who;  ///< null: a write
  std::uint32_t addr, tag;
  std::uint32_t next;    ///< request of the same client after this one, or kNone
  std::uint8_t channel;  ///< of the slice: 0 DRAM, 1 SRAM A, 2 SRAM B
  std::array<std::uint8_t, kMaxLine> line;
};
constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Requests by index, in pieces that stay where they are.
class Requests {
 public:
  Request& operator[](std::uint32_t id) { return (*pieces_[id / kPiece])[id % kPiece]; }
  const Request& operator[](std::uint32_t id) const { return (*pieces_[id / kPiece])[id % kPiece]; }
  std::uint32_t take() {
    if (free_.empty()) {
      const auto first = static_cast<std::uint32_t>(pieces_.size() * kPiece);
      pieces_.push_back(std::make_unique<std::array<Request, kPiece>>());
      for (std::uint32_t i = kPiece; i-- != 0;) free_.push_back(first + i);
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(std::uint32_t id) { free_.push_back(id); }

 private:
  static constexpr std::uint32_t kPiece = 64;
  std::vector<std::unique_ptr<std::array<Request, kPiece>>> pieces_;
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

  /// Puts a request at the end of its client's queue; a write's bytes are still to be filled in.
  Request& push(Cycle at, unsigned client, MemoryClient* who, std::uint32_t addr, std::uint32_t tag) {
    const std::uint32_t id = requests_.take();
    Request& r = requests_[id];
    r.at = at, r.who = who, r.addr = addr, r.tag = tag, r.next = kNone;
    r.channel = static_cast<std::uint8_t>(channel_of(addr));
    Queue& q = queues_[client];
    if (q.first == kNone) {
      ask(client, id);
    } else {
      assert(requests_[q.last].at <= at);
      requests_[q.last].next = id;
    }
    q.last = id;
    return r;
  }

  void advance(Cycle from) {
    for (Cycle c = from; c < from + kWindow && all_asking() != 0; ++c) {
      if (bus_.free(c)) offer(c);
    }
    unsigned taken = 0;  // bit o: a line of the DRAM goes back at from + o
    dram_.advance(from + kWindow, [&](std::uint32_t id, Cycle c) {
      if (requests_[id].who != nullptr) taken |= 1u << (c - from);
      serve(id);
      finish(id, c);
    });
    for (unsigned i = 0; i < srams_.size(); ++i) {
      srams_[i].advance(from + kWindow, [&](std::uint32_t id, Cycle c) {
        serve(id);
        if (requests_[id].who == nullptr) return finish(id, c);
        back_[i].push_back({c, id});
      });
    }
    give_back(from, taken);
  }

  Cycle next_event() const {
    Cycle next = std::min({dram_.next_event(), srams_[0].next_event(), srams_[1].next_event()});
    for (const auto& back : back_) {
      if (!back.empty()) next = std::min(next, back.front().at);
    }
    for (std::uint64_t m = all_asking(); m != 0; m &= m - 1) {
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

  std::uint64_t all_asking() const { return asking_[0] | asking_[1] | asking_[2]; }

  /// Lets one request into its memory: memories that have room and are asked take turns, and at each of them
  /// its clients. (One turn for all would favour the clients that come after those of a busy memory.)
  void offer(Cycle c) {
    for (unsigned k = 1; k <= kChannels; ++k) {
      const unsigned channel = (last_channel_ + k) % kChannels;
      if (asking_[channel] == 0) continue;
      if (channel != 0 && srams_[channel - 1].full(c)) continue;
      const unsigned client = next_client(channel, c);
      if (client == kMaxClients || !submit(c, queues_[client].first)) continue;
      asking_[channel] &= ~(std::uint64_t{1} << client);
      ask(client, requests_[queues_[client].first].next);
      last_client_[channel] = client;
      last_channel_ = channel;
      return;
    }
  }

  /// The client after the last one served by `channel` whose oldest request is for it and is there at cycle
  /// `c`; kMaxClients if none is.
  unsigned next_client(unsigned channel, Cycle c) const {
    const std::uint64_t asking = asking_[channel];
    const std::uint64_t later = asking & ~((std::uint64_t{2} << last_client_[channel]) - 1);
    for (std::uint64_t left : {later, asking & ~later}) {
      for (; left != 0; left &= left - 1) {
        const auto client = static_cast<unsigned>(std::countr_zero(left));
        if (queues_[client].at <= c) return client;
      }
    }
    return kMaxClients;
  }

  /// `id` (or kNone) is now the client's oldest request.
  void ask(unsigned client, std::uint32_t id) {
    Queue& q = queues_[client];
    q.first = id;
    if (id == kNone) return;
    q.at = requests_[id].at;
    asking_[requests_[id].channel] |= std::uint64_t{1} << client;
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

  /// The bytes of a line move.
  void serve(std::uint32_t id) {
    Request& r = requests_[id];
    if (r.who == nullptr) {
      memory_.write_line(index_, r.addr, r.line.data());
    } else {
      memory_.read_line(index_, r.addr, r.line.data());
    }
  }

  void finish(std::uint32_t id, Cycle c) {
    const Request& r = requests_[id];
    if (r.who != nullptr) r.who->memory_done(c, r.tag, r.line.data());
    requests_.give_back(id);
  }

  /// Lines of the SRAMs go back in the cycles of a window that those of the DRAM leave free.
  void give_back(Cycle from, unsigned taken) {
    for (unsigned o = 0; o < kWindow && !(back_[0].empty() && back_[1].empty()); ++o) {
      if ((taken >> o & 1) != 0) continue;
      for (auto& back : back_) {
        if (back.empty() || back.front().at > from + o) continue;
        finish(back.front().id, from + o);
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
  std::array<std::deque<Back>, 2> back_;           ///< by SRAM: lines that have left it
  std::vector<Queue> queues_;                      ///< by client, in order of time
  std::array<std::uint64_t, kChannels> asking_{};  ///< by channel: clients whose oldest request is for it
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

  Request& push(Cycle at, unsigned client, MemoryClient* who, unsigned slice, std::uint32_t addr,
                std::uint32_t tag) {
    next = std::min(next, at);
    return slices[slice].push(at, client, who, addr, tag);
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
  impl_->push(at, client, &who, slice, addr, tag);
}

void MemorySystem::write(Cycle at, unsigned client, unsigned slice, std::uint32_t addr,
                         const std::uint8_t* line) {
  Request& r = impl_->push(at, client, nullptr, slice, addr, 0);
  copy_line(r.line.data(), line, impl_->memory.line_bytes());
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
