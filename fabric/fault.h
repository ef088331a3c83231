// SPDX-License-Identifier: Apache-2.0
// Faults of one direction of a link: bit errors and lost frames, drawn from counters so that a run can be
// repeated.
#pragma once

#include <cstdint>
#include <vector>

namespace polyloom::fabric {

/// SplitMix64's output function: a bijection that turns a counter into 64 well mixed bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Draw number `n` of one kind (`stream`) on one link: depends on nothing else, so not on the engine, nor on
/// how nodes are divided over threads and processes.
constexpr std::uint64_t fault_draw(std::uint64_t seed, std::uint64_t link, std::uint64_t stream,
                                   std::uint64_t n) {
  return mix64(mix64(mix64(mix64(seed) ^ link) ^ stream) ^ n);
}

/// Number of bits that pass unharmed before the next error, for error probability `p` (0 < p <= 1) and a
/// uniform draw: geometric, floor(ln u / ln(1-p)). Uses plain IEEE arithmetic only, so it is the same on
/// every machine.
std::uint64_t geometric_gap(double p, std::uint64_t draw);

/// Decides the fate of what passes a link. Cost: none at rate 0 (the link does not ask), one hash a frame for
/// drops, one subtraction a segment plus one logarithm an error for bit errors. Not thread safe; owned by the
/// link's sender.
class FaultModel {
 public:
  /// Rates are probabilities per bit and per frame in [0, 1].
  FaultModel(double bit_error_rate, double drop_rate, std::uint64_t seed, std::uint64_t link);

  bool active() const { return bit_error_rate_ > 0 || drop_rate_ > 0; }
  /// Draws for the next frame; call once a frame (pulses too).
  bool drops_frame();
  /// Flips bits of the words in place, `keep` bytes of the last one being on the wire. Returns how many.
  std::uint64_t corrupt(std::vector<std::uint64_t>& words, unsigned keep);

 private:
  std::uint64_t next_gap() { return geometric_gap(bit_error_rate_, fault_draw(seed_, link_, 1, errors_++)); }

  double bit_error_rate_, drop_rate_;
  std::uint64_t seed_, link_;
  std::uint64_t frames_ = 0;       ///< frames drawn for
  std::uint64_t errors_ = 0;       ///< gaps drawn
  std::uint64_t until_error_ = 0;  ///< bits that pass before the next flipped one
};

}  // namespace polyloom::fabric
