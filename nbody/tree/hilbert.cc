// SPDX-License-Identifier: Apache-2.0
// The curve in a cell is the same Gray code walk of the octants, turned: which corner it enters (3 bits) and
// along which axis it leaves (0..2) is the state. After Hamilton, "Compact Hilbert Indices", 2006.
#include "nbody/tree/hilbert.h"

#include <array>
#include <bit>

namespace polyloom::nbody {
namespace {

constexpr unsigned gray(unsigned i) { return i ^ (i >> 1); }
constexpr unsigned gray_inverse(unsigned g) { return (g ^ (g >> 1) ^ (g >> 2)) & 7; }
constexpr unsigned rotate_right(unsigned v, unsigned by) { return ((v >> by % 3) | (v << (3 - by % 3))) & 7; }
constexpr unsigned rotate_left(unsigned v, unsigned by) { return ((v << by % 3) | (v >> (3 - by % 3))) & 7; }
/// Corner at which the walk enters its i-th octant.
constexpr unsigned entry(unsigned i) { return i == 0 ? 0 : gray(2 * ((i - 1) / 2)); }
/// Axis along which it crosses that octant.
constexpr unsigned direction(unsigned i) {
  if (i == 0) return 0;
  return static_cast<unsigned>(std::countr_one(i % 2 == 0 ? i - 1 : i)) % 3;
}

struct Step {
  std::uint8_t place;  ///< of the octant on the curve
  std::uint8_t next;   ///< state inside the octant
};
using Table = std::array<std::array<Step, 8>, 24>;

constexpr Table make_table() {
  Table table{};
  for (unsigned state = 0; state < 24; ++state) {
    const unsigned e = state / 3, d = state % 3;
    for (unsigned octant = 0; octant < 8; ++octant) {
      const unsigned place = gray_inverse(rotate_right(octant ^ e, d + 1));
      const unsigned next_e = e ^ rotate_left(entry(place), d + 1);
      const unsigned next_d = (d + direction(place) + 1) % 3;
      table[state][octant] = {static_cast<std::uint8_t>(place),
                              static_cast<std::uint8_t>(next_e * 3 + next_d)};
    }
  }
  return table;
}
constexpr Table kTable = make_table();

/// Three levels at once: indexed by state and by nine bits, of which z has the upper three, x the lower.
struct Steps {
  std::uint16_t place;  ///< nine bits of the key
  std::uint16_t next;
};
constexpr unsigned kTogether = 3, kPlaces = 1u << (3 * kTogether);
using Tables = std::array<std::array<Steps, kPlaces>, 24>;

constexpr Tables make_tables() {
  Tables tables{};
  for (unsigned start = 0; start < 24; ++start) {
    for (unsigned cell = 0; cell < kPlaces; ++cell) {
      unsigned state = start, place = 0;
      for (unsigned level = kTogether; level-- > 0;) {
        const unsigned octant =
            (cell >> (6 + level) & 1) << 2 | (cell >> (3 + level) & 1) << 1 | (cell >> level & 1);
        const Step step = kTable[state][octant];
        place = place << 3 | step.place;
        state = step.next;
      }
      tables[start][cell] = {static_cast<std::uint16_t>(place), static_cast<std::uint16_t>(state)};
    }
  }
  return tables;
}
const Tables kTables = make_tables();

}  // namespace

std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned bits) {
  std::uint64_t key = 0;
  unsigned state = 0, level = bits;
  for (; level % kTogether != 0; --level) {
    const unsigned at = level - 1;
    const Step step = kTable[state][(z >> at & 1) << 2 | (y >> at & 1) << 1 | (x >> at & 1)];
    key = key << 3 | step.place;
    state = step.next;
  }
  while (level > 0) {
    level -= kTogether;
    const Steps steps = kTables[state][(z >> level & 7) << 6 | (y >> level & 7) << 3 | (x >> level & 7)];
    key = key << (3 * kTogether) | steps.place;
    state = steps.next;
  }
  return key;
}

}  // namespace polyloom::nbody
