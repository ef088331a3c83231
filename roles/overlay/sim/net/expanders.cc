// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/expanders.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "roles/overlay/sim/tile/memory.h"

namespace polyloom::overlay {
namespace {

using records::Direction;
using records::Key;
using records::Record;
using records::Tag;

BoardPort link_of(Direction direction) {
  static constexpr BoardPort ports[] = {kLinkNorth, kLinkSouth, kLinkEast, kLinkWest};
  return ports[static_cast<unsigned>(direction)];
}

/// Whether dimension order lets what came in at `in` go out of the link `out`.
bool may_turn(unsigned in, BoardPort out) {
  if (in >= kHostPort) return true;
  const bool came_in_y = in == kLinkNorth || in == kLinkSouth;
  return came_in_y ? out == opposite(in) : out != in;
}

}  // namespace

void Expanders::Copy::make(Message& message) const {
  message.kind = kind;
  message.dest = dest;
  message.mask = mask;
  for (unsigned i = 0; i < 2; ++i) {
    const auto bits = static_cast<std::uint32_t>(replace >> (32 * i));
    message.data[i] = (message.data[i] & ~bits) | (static_cast<std::uint32_t>(words >> (32 * i)) & bits);
  }
}

Expanders::Expanders(NetShared& shared, unsigned inputs)
    : shared_(shared),
      expanders_(inputs),
      ports_{Port{0, kColumn0, kColumn0 - 1}, Port{kColumn0, inputs - kColumn0, inputs - kColumn0 - 1}} {}

bool Expanders::valid(const Key& key) const {
  return key.beats == 0 || (key.slice < shared_.params.dram_channels && key.address >= kSramABase &&
                            key.address + key.beats * records::kBeatBytes <= kDramEnd);
}

void Expanders::fault(Cycle c, RouteFault why, const Key& key, std::uint32_t head) const {
  if (shared_.route_fault) shared_.route_fault(c, why, key.word(), head);
}

void Expanders::arrive(unsigned in, Cycle ready, std::uint32_t word) {
  Expander& e = expanders_[in];
  Key key = Key::of(word);
  if (!valid(key)) {
    fault(ready, RouteFault::memory, key, 0);
    key.beats = 0;
  }
  if (key.beats != 0) e.to_fetch.push({ready, key});
  e.to_decode.push({ready, key});
  busy_ |= 1u << in;
  call_at(ready);
}

void Expanders::taken(unsigned in, Cycle c) {
  Expander& e = expanders_[in];
  e.full = false;
  if (e.copy.end || e.copy.last) {
    ++counters_.keys;
    if (e.to_decode.empty() && e.to_fetch.empty()) busy_ &= ~(1u << in);
  }
  if (!e.copy.end) {
    ++counters_.copies;
    if (e.copy.out < kHostPort) ++counters_.copies_links;
  }
  if ((busy_ >> in & 1u) != 0) call_at(c);
}

// ---- fetching ----

void Expanders::fetch(unsigned index, Cycle c) {
  Port& port = ports_[index];
  if (port.passed_at == c) return;
  std::uint32_t wanting = 0;
  for (unsigned i = 0; i < port.count; ++i) {
    const Expander& e = expanders_[port.first + i];
    if (wants_chain(e, c) || wants_beat(e, c)) wanting |= 1u << i;
  }
  if (wanting == 0) return;
  const std::uint32_t later = wanting & ~((2u << port.last) - 1);
  port.last = static_cast<unsigned>(std::countr_zero(later != 0 ? later : wanting));
  port.passed_at = c;
  request(port.first + port.last, index, c);
  call_at(c + 1);
}

void Expanders::request(unsigned in, unsigned port, Cycle c) {
  Expander& e = expanders_[in];
  unsigned place = kChainPlace;
  Key key = e.chain;
  if (wants_chain(e, c)) {
    e.chain_from = kNeverCycle;
  } else {
    place = e.put;
    e.put = (e.put + 1) % kPlaces;
    ++e.used;
    key = e.to_fetch.front().key;
    key.address += e.requested * records::kBeatBytes;
    if (++e.requested == key.beats) {
      e.to_fetch.pop();
      e.requested = 0;
    }
  }
  e.places[place].there = kNeverCycle;
  e.places[place].address = key.address;
  ++counters_.beats;
  memory_->read(c + kToMemory, port, key.slice, key.address, ((in - ports_[port].first) << 3) | place);
}

void Expanders::beat(Cycle c, unsigned port, unsigned tag, const std::uint8_t* line) {
  Place& place = expanders_[ports_[port].first + (tag >> 3)].places[tag & 7];
  const std::uint32_t offset = place.address & (shared_.params.line_bytes - 1);
  std::memcpy(place.beat.data(), line + offset, place.beat.size());
  place.there = c + kFromMemory;
  call_at(place.there);
}

// ---- decoding ----

/// The message whose copies are made next.
void Expanders::begin(Expander& e) {
  e.level = Level{e.to_decode.front().key, e.to_decode.front().key.beats};
  e.indirections = 0;
  e.to_decode.pop();
}

std::optional<RouteFault> Expanders::problem_with(unsigned in, const Record& r) const {
  const BoardParams& p = shared_.params;
  if (r.tag == Tag::router) {
    const BoardPort link = link_of(r.direction);
    if (!has_link(shared_.board, shared_.mesh, link)) return RouteFault::link;
    if (!may_turn(in, link)) return RouteFault::turn;
    return std::nullopt;
  }
  const std::uint64_t mask = r.tag == Tag::tile ? r.mask : std::uint64_t{1} << r.index;
  if (r.tile_x >= p.tiles_x || r.tile_y >= p.tiles_y || mask == 0 || (mask & ~p.tile_mask()) != 0) {
    return RouteFault::receiver;
  }
  return std::nullopt;
}

Expanders::Copy Expanders::copy_of(const Record& r) const {
  Copy copy;
  copy.words = r.words;
  if (r.tag == Tag::router) {
    copy.kind = MessageKind::key;
    copy.out = static_cast<std::uint8_t>(link_of(r.direction));
    copy.dest = shared_.layout.key_bit();
    copy.mask = r.key;
    return copy;
  }
  copy.kind = r.tag == Tag::tile ? MessageKind::mask : MessageKind::unicast;
  copy.out = static_cast<std::uint8_t>(kColumn0 + r.tile_x);
  copy.dest = shared_.layout.mailbox_id(shared_.board, r.tile_x, r.tile_y);
  copy.mask = r.tag == Tag::tile ? r.mask : std::uint64_t{1} << r.index;
  copy.replace = r.tag == Tag::tile ? 0xffff : r.tag == Tag::thread ? 0xffffffff : ~std::uint64_t{0};
  return copy;
}

void Expanders::indirect(Expander& e, Cycle c, std::uint32_t word) {
  Key key = Key::of(word);
  if (e.level->next || e.indirections == kMostIndirections) {
    return fault(c, RouteFault::chain, e.level->key, word);
  }
  ++e.indirections;
  if (!valid(key)) {
    fault(c, RouteFault::memory, key, 0);
    key.beats = 0;
  }
  e.level->next = key;
  // The place of chains is this one's until its own chain is through.
  if (!e.level->in_chain && key.beats != 0) e.chain = key, e.chain_from = c + 1;
}

/// The last record of a beat has been decoded; gives whether it was the message's last beat.
bool Expanders::beat_done(Expander& e, Cycle c) {
  Level& level = *e.level;
  e.reader.reset();
  --level.left;
  if (!level.in_chain) {
    e.take = (e.take + 1) % kPlaces;
    --e.used;
    e.freed_at = c;
  } else {
    e.places[kChainPlace].there = kNeverCycle;
    if (level.left != 0) {
      e.chain.address += records::kBeatBytes;
      e.chain_from = c + 1;
    }
  }
  if (level.left != 0) return false;
  if (!level.next) {
    e.level.reset();
    return true;
  }
  const Key next = *level.next;
  if (level.in_chain && next.beats != 0) e.chain = next, e.chain_from = c + 1;
  e.level = Level{next, next.beats, true};
  return false;
}

void Expanders::decode(unsigned in, Cycle c) {
  Expander& e = expanders_[in];
  if (e.full || e.decoded_at == c) return;
  if (!e.level) {
    if (e.to_decode.empty()) return;
    if (e.to_decode.front().ready > c) return call_at(e.to_decode.front().ready);
    begin(e);
  }
  const auto show = [&](const Copy& copy) {
    e.copy = copy;
    e.full = true;
    e.visible = c + 1;
    shared_.wheel.schedule(c + 1, shared_.board_router_unit());
  };
  if (e.level->left == 0) {  // of no beats
    e.decoded_at = c;
    e.level.reset();
    return show({.end = true});
  }
  Place& place = e.places[e.level->in_chain ? kChainPlace : e.take];
  if (!e.reader) {
    if ((!e.level->in_chain && e.used == 0) || place.there > c) return;
    e.reader.emplace(place.beat);
  }
  e.decoded_at = c;
  call_at(c + 1);
  const Key key = e.level->key;
  const std::uint32_t head = e.reader->head();
  const std::optional<Record> record = e.reader->next();
  std::optional<Copy> copy;
  if (!record) {
    fault(c, RouteFault::record, key, head);
  } else if (record->tag == Tag::indirection) {
    indirect(e, c, record->key);
  } else if (const auto why = problem_with(in, *record)) {
    fault(c, *why, key, head);
  } else {
    copy = copy_of(*record);
  }
  const bool last = (!record || e.reader->left() == 0) && beat_done(e, c);
  if (copy) {
    copy->last = last;
    show(*copy);
  } else if (last) {
    show({.end = true});
  }
}

void Expanders::step(Cycle c) {
  for (unsigned port = 0; port < kPorts; ++port) fetch(port, c);
  for (std::uint32_t left = busy_; left != 0; left &= left - 1) {
    decode(static_cast<unsigned>(std::countr_zero(left)), c);
  }
}

}  // namespace polyloom::overlay
