// SPDX-License-Identifier: Apache-2.0
#include "blocks/operators/sim/reduce.h"

#include <algorithm>

namespace polyloom::blocks::operators {

namespace {

constexpr std::uint32_t kNan = 0x7fc00000;

using Words = std::array<std::uint32_t, kWords>;

bool is_nan(std::uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
std::int32_t fp_key(std::uint32_t x) {  // same order as the number, -0 below +0
  return static_cast<std::int32_t>(x ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> 31) >> 1));
}

std::uint32_t canonical(float value) { return value != value ? kNan : std::bit_cast<std::uint32_t>(value); }

struct FpSum {
  static std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    return canonical(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  }
};
template <bool kMin>
struct FpPick {
  static std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    if (is_nan(a)) return is_nan(b) ? kNan : b;
    if (is_nan(b)) return a;
    return (fp_key(a) < fp_key(b)) == kMin ? a : b;
  }
};
struct IntSum {
  static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a + b; }
};
template <typename Int, bool kMin>
struct IntPick {
  static std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    const bool less = static_cast<Int>(a) < static_cast<Int>(b);
    return less == kMin ? a : b;
  }
};

/// Joins count leaves (null: not there) in the order of the trees; leaves is used up. At least one is there.
template <typename Join>
void tree(std::array<const Words*, kMaxPorts>& leaves, unsigned count, Words& result) {
  std::array<Words, kMaxPorts + 1> held;
  for (; count > 1; count = (count + 1) / 2) {
    for (unsigned k = 0; k < count; k += 2) {
      const Words* a = leaves[k];
      const Words* b = k + 1 < count ? leaves[k + 1] : nullptr;
      const Words*& z = leaves[k / 2];
      if (a == nullptr || b == nullptr) {
        z = a != nullptr ? a : b;
        // What leaves[j] points to is an input or held[j], so that no result overwrites one still wanted.
        if (z == &held[k] || z == &held[k + 1]) {
          held[k / 2] = *z;
          z = &held[k / 2];
        }
        continue;
      }
      Words joined;
      for (unsigned w = 0; w < kWords; ++w) joined[w] = Join::join((*a)[w], (*b)[w]);
      held[k / 2] = joined;
      z = &held[k / 2];
    }
  }
  result = *leaves[0];
}

template <typename Int>
void integer_average(const std::array<const Words*, kMaxPorts>& leaves, unsigned count, std::uint32_t divisor,
                     Words& result) {
  std::array<std::int64_t, kWords> sums{};
  for (unsigned k = 0; k < count; ++k) {
    if (leaves[k] == nullptr) continue;
    for (unsigned w = 0; w < kWords; ++w) sums[w] += static_cast<Int>((*leaves[k])[w]);
  }
  for (unsigned w = 0; w < kWords; ++w) {
    result[w] = static_cast<std::uint32_t>(sums[w] / static_cast<std::int64_t>(divisor));
  }
}

}  // namespace

Reduce::Reduce(unsigned inputs, unsigned outputs, unsigned groups)
    : Operator(inputs, outputs, latency(inputs) + 2, groups + 1),
      groups_(groups),
      latency_(latency(inputs)),
      room_(latency(inputs) + 2) {
  for (Group& group : groups_) group.flights.resize(latency_ + 1);
}

void Reduce::join(const Group& group, std::uint64_t need, Beat& result) const {
  std::array<const Words*, kMaxPorts> leaves;
  const unsigned count = inputs();
  for (unsigned i = 0; i < count; ++i) leaves[i] = need >> i & 1 ? &in(i).word : nullptr;
  const bool fp = group.element == Element::fp32, is_signed = group.element == Element::int32;
  switch (group.function) {
    case Function::sum:
      return fp ? tree<FpSum>(leaves, count, result.word) : tree<IntSum>(leaves, count, result.word);
    case Function::min:
      return fp          ? tree<FpPick<true>>(leaves, count, result.word)
             : is_signed ? tree<IntPick<std::int32_t, true>>(leaves, count, result.word)
                         : tree<IntPick<std::uint32_t, true>>(leaves, count, result.word);
    case Function::max:
      return fp          ? tree<FpPick<false>>(leaves, count, result.word)
             : is_signed ? tree<IntPick<std::int32_t, false>>(leaves, count, result.word)
                         : tree<IntPick<std::uint32_t, false>>(leaves, count, result.word);
    case Function::average:
      if (is_signed) return integer_average<std::int32_t>(leaves, count, group.factor, result.word);
      if (!fp) return integer_average<std::uint32_t>(leaves, count, group.factor, result.word);
      tree<FpSum>(leaves, count, result.word);
      for (std::uint32_t& word : result.word) {
        word = canonical(std::bit_cast<float>(word) * std::bit_cast<float>(group.factor));
      }
  }
}

bool Reduce::advance() {
  if ((in_valid() & ~used_) != 0) error(kErrorStray);
  bool flying = false;
  for (unsigned g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.mask == 0) continue;
    const std::uint64_t need = group.mask & ~group.ended;
    const bool fire = (need & ~in_valid()) == 0 && group.count + out_count(g) < room_;
    if (group.count != 0 && group.flights[group.head].due == time_) {
      emit(g) = group.flights[group.head].beat;
      if (++group.head == group.flights.size()) group.head = 0;
      --group.count;
    }
    if (fire) {
      const std::size_t at = group.head + group.count;
      Flight& flight = group.flights[at < group.flights.size() ? at : at - group.flights.size()];
      std::uint32_t any = 0, all = kKeepAll;
      std::uint64_t last = 0;
      for (std::uint64_t left = need; left != 0; left &= left - 1) {
        const Beat& beat = in(static_cast<unsigned>(std::countr_zero(left)));
        any |= beat.keep;
        all &= beat.keep;
        if (beat.last) last |= left & -left;
      }
      if (any != all || (last != 0 && last != need)) error(kErrorLength);
      join(group, need, flight.beat);
      flight.beat.keep = any;
      flight.beat.last = last == need;
      flight.due = time_ + latency_;
      group.ended = last == need ? 0 : group.ended | last;
      ++group.count;
      ++status_words()[1 + g];
      take(need);
    }
    flying |= group.count != 0;
  }
  ++time_;
  return flying;
}

void Reduce::configure(std::span<const Config> configs) {
  used_ = 0;
  for (unsigned o = 0; o < configs.size(); ++o) {
    const Config& config = configs[o];
    if (o >= groups_.size()) {
      if (config.valid) error(kErrorConfig);
      continue;
    }
    Group& group = groups_[o];
    group.mask = group.ended = 0;
    if (!config.valid) continue;
    const unsigned function = config.word & 0xff, element = config.word >> 8 & 0xff;
    const std::uint32_t factor = static_cast<std::uint32_t>(config.word >> 32);
    bool good = config.mask != 0 && function <= 3 && element <= 2 && (config.word >> 16 & 0xffff) == 0;
    if (function != static_cast<unsigned>(Function::average)) {
      good &= factor == 0;
    } else if (element != static_cast<unsigned>(Element::fp32)) {
      good &= factor >= 1 && factor <= kMaxDivisor;
    }
    for (unsigned h = 0; h < groups_.size() && h < configs.size(); ++h) {
      if (h != o && configs[h].valid && (configs[h].mask & config.mask) != 0) good = false;
    }
    if (!good) {
      error(kErrorConfig);
      continue;
    }
    group.mask = config.mask;
    group.function = static_cast<Function>(function);
    group.element = static_cast<Element>(element);
    group.factor = factor;
    used_ |= config.mask;
  }
}

void Reduce::drop() {
  for (Group& group : groups_) group.mask = group.ended = group.head = group.count = 0;
  used_ = 0;
}

bool Reduce::busy() const {
  return std::ranges::any_of(groups_, [](const Group& group) { return group.count != 0; });
}

void Reduce::digest_inner(fabric::Digest& digest) const {
  for (const Group& group : groups_) {
    digest.add(group.ended);
    for (unsigned k = 0; k < group.count; ++k) {
      const Flight& flight = group.flights[(group.head + k) % group.flights.size()];
      digest.add(flight.due - time_);
      for (const std::uint32_t word : flight.beat.word) digest.add(word);
      digest.add(flight.beat.keep | std::uint64_t{flight.beat.last} << 32);
    }
  }
}

}  // namespace polyloom::blocks::operators
