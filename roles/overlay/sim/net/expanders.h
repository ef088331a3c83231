// SPDX-License-Identifier: Apache-2.0
// What makes copies of key messages at a board's router: one expander an input, two ports to memory for all.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "roles/overlay/arch/records/records.h"
#include "roles/overlay/sim/net/fifo.h"
#include "roles/overlay/sim/net/mesh_ports.h"
#include "roles/overlay/sim/net/shared.h"

namespace polyloom::overlay {

/// Where routing records are read: a board's memories.
class RecordMemory {
 public:
  virtual ~RecordMemory() = default;
  /// Asks for the line that holds `address`; the request is in the slice's queue in cycle `at`. The response is
  /// Expanders::beat() with the same port and tag.
  virtual void read(Cycle at, unsigned port, unsigned slice, std::uint32_t address, unsigned tag) = 0;
};

struct RouterCounters {
  std::uint64_t copies = 0;        ///< messages made from key messages
  std::uint64_t copies_links = 0;  ///< of these, to other boards
  std::uint64_t keys = 0;          ///< key messages that have ended
  std::uint64_t beats = 0;         ///< of records, read from memory
};

/// Multicast paper IV.C, with rules of our own where it is silent: roles/overlay/README.md "Programmable
/// routers". A message stays in its input's buffer until its last copy has left; its records are fetched as
/// soon as it comes in. Exact to the cycle. Not thread safe.
class Expanders {
 public:
  static constexpr unsigned kPlaces = 7;  ///< beats that an expander has asked for and not used up
  static constexpr unsigned kPorts = 2;
  static constexpr Cycle kToMemory = 8;    ///< from a port to the slice's queue
  static constexpr Cycle kFromMemory = 4;  ///< from the slice until the beat can be decoded
  static constexpr unsigned kMostIndirections = 255;

  Expanders(NetShared& shared, unsigned inputs);

  /// What an input's register shows: a copy of the message at its head, or that the message has ended.
  struct Copy {
    bool end = false, last = false;
    std::uint8_t out = 0;  ///< port of the board router
    MessageKind kind = MessageKind::unicast;
    std::uint32_t dest = 0;
    std::uint64_t mask = 0;
    std::uint64_t replace = 0;  ///< bits of the first two words that the record replaces
    std::uint64_t words = 0;    ///< by these

    /// Makes the key message this copy of it.
    void make(Message& message) const;
  };

  /// A key message has come in that may be granted from cycle `ready` on.
  void arrive(unsigned in, Cycle ready, std::uint32_t key);
  /// Null if nothing is shown in cycle `c`. If there will be something, the board router's unit is called
  /// then.
  const Copy* shown(unsigned in, Cycle c) const {
    const Expander& e = expanders_[in];
    return e.full && e.visible <= c ? &e.copy : nullptr;
  }
  /// The copy is granted, or the end taken, in cycle `c`.
  void taken(unsigned in, Cycle c);
  /// Does what is due in cycle `c`.
  void step(Cycle c);
  /// The line asked for has left its channel in cycle `c`.
  void beat(Cycle c, unsigned port, unsigned tag, const std::uint8_t* line);

  const RouterCounters& counters() const { return counters_; }
  void set_memory(RecordMemory* memory) { memory_ = memory; }

 private:
  static constexpr unsigned kChainPlace = kPlaces;
  struct Waiting {
    Cycle ready;
    records::Key key;
  };
  struct Place {
    Cycle there = kNeverCycle;  ///< when its beat can be decoded
    std::uint32_t address = 0;
    records::Beat beat{};
  };
  /// The records of one key, being decoded.
  struct Level {
    records::Key key;
    unsigned left;  ///< beats
    bool in_chain = false;
    std::optional<records::Key> next = std::nullopt;  ///< its indirection
  };
  struct Expander {
    Fifo<Waiting> to_fetch, to_decode;
    unsigned requested = 0;  ///< beats of to_fetch.front()
    unsigned put = 0, take = 0, used = 0;
    std::array<Place, kPlaces + 1> places;
    std::optional<Level> level;
    unsigned indirections = 0;  ///< of the message
    std::optional<records::BeatReader> reader;
    records::Key chain;              ///< address: of the beat to ask for next
    Cycle chain_from = kNeverCycle;  ///< when to
    Cycle decoded_at = kNeverCycle, freed_at = kNeverCycle;
    bool full = false;
    Cycle visible = 0;
    Copy copy{};
  };

  bool valid(const records::Key& key) const;
  bool wants_chain(const Expander& e, Cycle c) const { return e.chain_from <= c; }
  bool wants_beat(const Expander& e, Cycle c) const {
    const unsigned used = e.used + (e.freed_at == c ? 1 : 0);  // free from the next cycle on
    return !e.to_fetch.empty() && e.to_fetch.front().ready <= c && used < kPlaces;
  }
  void fetch(unsigned port, Cycle c);
  void request(unsigned in, unsigned port, Cycle c);
  void decode(unsigned in, Cycle c);
  void begin(Expander& e);
  bool beat_done(Expander& e, Cycle c);
  void indirect(Expander& e, Cycle c, std::uint32_t key);
  std::optional<RouteFault> problem_with(unsigned in, const records::Record& record) const;
  Copy copy_of(const records::Record& record) const;
  void fault(Cycle c, RouteFault why, const records::Key& key, std::uint32_t head) const;
  void call_at(Cycle c) { shared_.wheel.schedule(c, shared_.expander_unit()); }

  NetShared& shared_;
  RecordMemory* memory_ = nullptr;
  std::vector<Expander> expanders_;
  std::uint32_t busy_ = 0;  ///< those with something to fetch or decode
  struct Port {
    unsigned first, count;  ///< expanders
    unsigned last = 0;      ///< served last
    Cycle passed_at = kNeverCycle;
  };
  std::array<Port, kPorts> ports_;
  RouterCounters counters_;
};

}  // namespace polyloom::overlay
