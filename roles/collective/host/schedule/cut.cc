// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "fabric/error.h"

namespace polyloom::collective {
namespace {

void collect_cuts(std::set<std::uint64_t>& cuts, const Place& place, std::uint64_t bytes,
                  const Buffers& buffers) {
  const Layout& layout = buffers.of(place.rank, place.buffer);
  if (place.offset + bytes > layout.bytes) {
    throw UserError(fmt::format("rank {}: the {} buffer has {} bytes, {} are needed", place.rank,
                                place.buffer == kSend   ? "send"
                                : place.buffer == kRecv ? "receive"
                                                        : "scratch",
                                layout.bytes, place.offset + bytes));
  }
  for (std::size_t i = layout.find(place.offset); i < layout.pieces.size(); ++i) {
    const std::uint64_t border = layout.pieces[i].offset + layout.pieces[i].bytes;
    if (border >= place.offset + bytes) break;
    cuts.insert(border - place.offset);
  }
}

Pattern locate(const Place& place, std::uint64_t at, std::uint64_t bytes, const Buffers& buffers) {
  const Layout& layout = buffers.of(place.rank, place.buffer);
  const Piece& piece = layout.pieces[layout.find(place.offset + at)];
  const std::uint64_t inside = place.offset + at - piece.offset;
  if (inside % kBeatBytes != 0) {
    throw UserError(
        fmt::format("rank {}: byte {} of a buffer lies {} bytes into its piece of channel {}; data can "
                    "move from multiples of {} only: lay the buffer out by the operation's blocks",
                    place.rank, place.offset + at, inside, piece.channel, kBeatBytes));
  }
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError(
        fmt::format("a piece of {} bytes: one run has at most 4 GiB; cut the layout finer", bytes));
  }
  return {piece.channel, piece.base + inside, static_cast<std::uint32_t>(bytes), 1, 0};
}

void cut_work(const Work& work, const Buffers& buffers, std::vector<Unit>& units) {
  std::set<std::uint64_t> cuts{0, work.bytes};
  for (const Flow& f : work.flows) {
    if (f.join < 0) collect_cuts(cuts, f.source, work.bytes, buffers);
    for (const Place& w : f.writes) collect_cuts(cuts, w, work.bytes, buffers);
  }
  for (auto begin = cuts.begin(), end = std::next(begin); end != cuts.end(); begin = end++) {
    Unit unit{*end - *begin, {}, &work};
    for (const Flow& f : work.flows) {
      UnitFlow part{f.join, f.source.rank, {}, {}, &f};
      if (f.join < 0) part.read = locate(f.source, *begin, unit.bytes, buffers);
      for (const Place& w : f.writes) part.writes.push_back({w.rank, locate(w, *begin, unit.bytes, buffers)});
      unit.flows.push_back(std::move(part));
    }
    units.push_back(std::move(unit));
  }
}

/// All patterns of a unit without joins, in a fixed order.
std::vector<Pattern*> patterns(Unit& unit) {
  std::vector<Pattern*> all{&unit.flows[0].read};
  for (Write& w : unit.flows[0].writes) all.push_back(&w.pattern);
  return all;
}

/// What two units must share to become one stream: the way, and the channels at its ends.
std::vector<std::int64_t> way_of(const Unit& unit) {
  const UnitFlow& f = unit.flows[0];
  std::vector<std::int64_t> key{f.rank, f.read.channel};
  for (const Write& w : f.writes) key.insert(key.end(), {w.rank, w.pattern.channel});
  for (const Route& route : f.flow->routes) {
    key.push_back(-1);
    for (const Edge& e : route) key.insert(key.end(), {e.from, e.to});
  }
  return key;
}

/// `next` appended to `unit`, if equal runs at constant strides (or runs that touch) describe both. A
/// pattern with a short last run can only be the end of a chain of touching runs.
bool extend(Unit& unit, Unit& next) {
  const auto mine = patterns(unit), theirs = patterns(next);
  const Pattern& first = *mine[0];
  bool touching = first.runs == 1 && first.run_bytes % kBeatBytes == 0 &&
                  std::uint64_t{first.run_bytes} + next.bytes <= std::numeric_limits<std::uint32_t>::max();
  bool strided = first.run_bytes == theirs[0]->run_bytes;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::int64_t step =
        static_cast<std::int64_t>(theirs[i]->base) -
        static_cast<std::int64_t>(mine[i]->base +
                                  (mine[i]->runs - 1) * static_cast<std::uint64_t>(mine[i]->stride));
    touching = touching && step == static_cast<std::int64_t>(mine[i]->run_bytes);
    strided = strided && (mine[i]->runs == 1 || step == mine[i]->stride);
  }
  if (!touching && !strided) return false;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (touching) {
      mine[i]->run_bytes += theirs[i]->run_bytes;
    } else {
      if (mine[i]->runs == 1)
        mine[i]->stride =
            static_cast<std::int64_t>(theirs[i]->base) - static_cast<std::int64_t>(mine[i]->base);
      ++mine[i]->runs;
    }
  }
  unit.bytes += next.bytes;
  return true;
}

/// Units on the same way become streams of several runs: fewer steps, one start-up.
std::vector<Unit> merge(std::vector<Unit> units, bool relays_merge) {
  std::vector<Unit> result;
  std::map<std::vector<std::int64_t>, std::size_t> last;
  for (Unit& unit : units) {
    if (unit.work->joins.empty() && unit.flows.size() == 1 && (relays_merge || !relayed(unit))) {
      const auto [place, fresh] = last.try_emplace(way_of(unit), result.size());
      if (!fresh && extend(result[place->second], unit)) continue;
      place->second = result.size();
    }
    result.push_back(std::move(unit));
  }
  return result;
}

}  // namespace

bool relayed(const Unit& unit) {
  return std::any_of(unit.flows.begin(), unit.flows.end(), [](const UnitFlow& f) {
    return std::any_of(f.flow->routes.begin(), f.flow->routes.end(), [&](const Route& route) {
      return std::any_of(route.begin(), route.end(), [&](const Edge& e) { return e.from != f.rank; });
    });
  });
}

std::vector<Unit> cut(const Phase& phase, const Buffers& buffers, bool relays_merge) {
  std::vector<Unit> units;
  for (const Work& work : phase) {
    if (work.bytes > 0) {
      cut_work(work, buffers, units);
    } else {
      Unit pulse{0, {}, &work};
      for (const Flow& f : work.flows) pulse.flows.push_back({-1, f.source.rank, {}, {}, &f});
      units.push_back(std::move(pulse));
    }
  }
  return merge(std::move(units), relays_merge);
}

}  // namespace polyloom::collective
