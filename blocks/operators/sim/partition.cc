// SPDX-License-Identifier: Apache-2.0
#include "blocks/operators/sim/partition.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace polyloom::blocks::operators {

Partition::Partition(unsigned inputs, unsigned outputs, unsigned depth, unsigned buckets,
                     unsigned record_beats)
    : Operator(inputs, outputs, 2, 2 + buckets + outputs),
      depth_(depth),
      buckets_(buckets),
      out_bits_(static_cast<unsigned>(std::bit_width(outputs)) - 1),
      record_beats_(record_beats),
      ins_(inputs),
      outs_(outputs) {
  if (!std::has_single_bit(outputs) || outputs < 2 || outputs > 32 || !std::has_single_bit(buckets) ||
      buckets < 2 || buckets > 64 || depth < 1 || record_beats < 2) {
    throw std::invalid_argument(
        "partition: outputs must be a power of two from 2 to 32, buckets one from 2 to 64, the depth at "
        "least 1 "
        "and the record at least 2 beats");
  }
  for (Input& input : ins_) {
    input.buffers.resize(outputs);
    for (Buffer& buffer : input.buffers) {
      buffer.groups.resize(depth + 1);
      buffer.clear();
    }
  }
}

/// Output o: shows its beat, takes one group.
void Partition::collect(unsigned o) {
  Output& out = outs_[o];
  const bool emits = (out.fill > kWords || out.final) && (out_room() >> o & 1) != 0;
  const std::uint64_t request = out.waiting & ~out.ended;
  const bool accepts = request != 0 && !out.final && (out.fill <= kWords || emits);
  if (emits) {
    Beat& beat = emit(o);
    const unsigned count = std::min(out.fill, kWords);
    status_words()[2 + buckets_ + o] += count;
    std::copy_n(out.word.begin(), kWords, beat.word.begin());
    std::fill(beat.word.begin() + count, beat.word.end(), 0);
    beat.keep = static_cast<std::uint32_t>((std::uint64_t{1} << (4 * count)) - 1);
    beat.last = out.final && out.fill <= kWords;
    std::copy_n(out.word.begin() + kWords, kWords, out.word.begin());
    out.fill -= count;
    if (beat.last) out.final = false, out.ended = 0;
  }
  if (accepts) {
    const std::uint64_t rest = request >> out.turn << out.turn;
    const unsigned i = static_cast<unsigned>(std::countr_zero(rest != 0 ? rest : request));
    Input& input = ins_[i];
    Buffer& buffer = input.buffers[o];
    const Group& group = buffer.groups[buffer.head];
    std::copy_n(group.word.begin(), kWords, out.word.begin() + out.fill);
    out.fill += group.count;
    if (group.ends) {
      out.ended |= std::uint64_t{1} << i;
      out.final = (out.ended & mask_) == mask_;
    }
    if (++buffer.head == buffer.groups.size()) buffer.head = 0;
    if (--buffer.count == 0) out.waiting &= ~(std::uint64_t{1} << i);
    input.full &= ~(std::uint64_t{1} << o);
    out.turn = i + 1 == inputs() ? 0 : i + 1;
  }
}

void Partition::close(unsigned i, unsigned o, unsigned words, bool ends) {
  Buffer& buffer = ins_[i].buffers[o];
  buffer.close(words, ends);
  if (buffer.count == depth_) ins_[i].full |= std::uint64_t{1} << o;
  outs_[o].waiting |= std::uint64_t{1} << i;
}

/// Stage 3 of input i: words to their groups, or the end of the stream.
void Partition::pack(unsigned i, bool room) {
  Input& input = ins_[i];
  if (!room) return;
  if (input.ending) {
    for (std::uint64_t left = on_; left != 0; left &= left - 1) {
      const unsigned o = static_cast<unsigned>(std::countr_zero(left));
      close(i, o, input.buffers[o].fill, true);
    }
    input.ending = false;
    return;
  }
  Stage& stage = input.two;
  if (!stage.valid) return;
  if (!setup_.silent) {
    Buffer* buffers = input.buffers.data();
    for (unsigned k = 0; k < kWords; ++k) {
      if ((stage.there >> k & 1) == 0) continue;
      const unsigned o = stage.target[k];
      Buffer& buffer = buffers[o];
      buffer.tail->word[buffer.fill] = stage.word[k];
      if (++buffer.fill == kWords) close(i, o, kWords, false);
    }
    input.ending = stage.last;
  }
  stage.valid = false;
}

void Partition::count_keys(const Stage& stage) {
  if (setup_.steer) return;
  std::uint64_t* counts = status_words().data() + 2;
  const unsigned step = setup_.pair ? 2 : 1;
  for (unsigned k = 0; k < kWords; k += step) counts[stage.bucket[k]] += stage.there >> k & 1;
}

/// Stage 1 of input i: the output of each word.
void Partition::classify(unsigned i, const Beat& beat) {
  Input& input = ins_[i];
  Stage& stage = input.one;
  stage.valid = true;
  stage.last = beat.last;
  stage.word = beat.word;
  const std::uint32_t bucket_mask = (1u << setup_.bits) - 1;
  const unsigned phase_mask = outputs() - 1, lane_mask = setup_.pair ? 6 : 7;
  const unsigned shift = setup_.shift, turn = input.turn;
  stage.there = 0xff;
  if (beat.keep != kKeepAll) {
    stage.there = 0;
    for (unsigned k = 0; k < kWords; ++k) {
      stage.there |= static_cast<std::uint8_t>((beat.keep >> (4 * (k & lane_mask)) & 1) << k);
    }
  }
  // Local copies: bytes that are stored through a reference could be anything, as the compiler sees it.
  Targets bucket, target;
  for (unsigned k = 0; k < kWords; ++k) {
    bucket[k] = static_cast<std::uint8_t>(beat.word[k & lane_mask] >> shift & bucket_mask);
  }
  if (split_) {
    const unsigned halve = setup_.bits == 6 ? 1 : 0;
    for (unsigned k = 0; k < kWords; ++k) {
      target[k] = deal_[bucket[k] >> halve][((k & lane_mask) + turn) & phase_mask];
    }
  } else {
    for (unsigned k = 0; k < kWords; ++k) target[k] = whole_[bucket[k]];
  }
  stage.bucket = bucket;
  stage.target = target;
  input.turn = (turn + 1) & phase_mask;
  if (setup_.steer) {
    if (input.beat >= input.recorded) error(kErrorRecord);
    for (unsigned k = 0; k < kWords; ++k) {
      stage.target[k] = input.beat < input.recorded ? input.record[input.beat][k & lane_mask] : 0;
    }
  }
  if (setup_.record) {
    if (input.beat == record_beats_) {
      error(kErrorRecord);
    } else {
      input.record[input.beat] = stage.target;
      input.recorded = input.beat + 1;
    }
  }
  if (input.beat != record_beats_) ++input.beat;
  ++status_words()[1];
}

bool Partition::advance() {
  if ((in_valid() & ~mask_) != 0) error(kErrorStray);
  if (mask_ == 0) return busy_ = false;
  // Room of the start of the cycle: what outputs take now counts in the next one.
  std::uint64_t rooms = 0;
  for (unsigned i = 0; i < ins_.size(); ++i) rooms |= std::uint64_t{ins_[i].full == 0} << i;
  busy_ = false;
  for (std::uint64_t left = on_; left != 0; left &= left - 1) {
    collect(static_cast<unsigned>(std::countr_zero(left)));
  }
  for (std::uint64_t left = mask_; left != 0; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    Input& input = ins_[i];
    pack(i, rooms >> i & 1);
    if (input.one.valid && !input.two.valid) {
      count_keys(input.one);
      input.two = input.one;
      input.one.valid = false;
    }
    if (!input.one.valid && (in_valid() & left & -left) != 0) {
      classify(i, in(i));
      take(left & -left);
    }
    busy_ |= input.one.valid | input.two.valid | input.ending;
  }
  for (const Output& out : outs_) busy_ |= out.fill != 0 || out.final || out.waiting != 0;
  return busy_;
}

void Partition::configure(std::span<const Config> configs) {
  std::uint32_t word = 0;
  std::uint64_t mask = 0, on = 0;
  bool routed = false;
  for (unsigned o = 0; o < configs.size(); ++o) {
    if (!configs[o].valid) continue;
    word |= static_cast<std::uint32_t>(configs[o].word);
    mask |= configs[o].mask;
    on |= std::uint64_t{1} << o;
    routed |= configs[o].word >> 32 != 0;
  }
  const PartitionSetup setup{.shift = word & 31,
                             .bits = word >> 8 & 7,
                             .pair = (word >> 16 & 1) != 0,
                             .record = (word >> 17 & 1) != 0,
                             .steer = (word >> 18 & 1) != 0,
                             .silent = (word >> 19 & 1) != 0};
  bool good = mask != 0 && (word & 0xfff0f8e0) == 0 && 1u << setup.bits <= buckets_ &&
              !(setup.record && setup.steer) && !(setup.silent && setup.steer);
  for (const Config& config : configs) {
    if (config.valid && (static_cast<std::uint32_t>(config.word) != word || config.mask != mask))
      good = false;
  }
  const unsigned route_bits = std::min(setup.bits, 5u);
  for (unsigned r = 0; good && r < 1u << route_bits; ++r) {
    const unsigned straight = route_bits > out_bits_ ? r >> (route_bits - out_bits_) : r;
    std::array<std::uint8_t, 32> members{};
    unsigned count = 0;
    for (unsigned o = 0; o < outputs(); ++o) {
      const bool leaves = routed ? (configs[o].word >> (32 + r) & 1) != 0 : o == straight;
      if (configs[o].valid && leaves) members[count++] = static_cast<std::uint8_t>(o);
    }
    if (count == 0) good = false;
    for (unsigned phase = 0; good && phase < outputs(); ++phase) {
      deal_[r][phase] = members[phase * count >> out_bits_];
    }
  }
  split_ = false;
  const unsigned halve = setup.bits == 6 ? 1 : 0;
  for (unsigned b = 0; good && b < 1u << setup.bits; ++b) {
    const auto& row = deal_[b >> halve];
    whole_[b] = row[0];
    split_ |= std::any_of(row.begin(), row.begin() + outputs(), [&](std::uint8_t o) { return o != row[0]; });
  }
  if (on != 0 && !good) error(kErrorConfig);
  mask_ = good ? mask : 0;
  on_ = good ? on : 0;
  setup_ = good ? setup : PartitionSetup{};
  // Equal steps mix their inputs equally: values meet the keys that they were steered by.
  for (Output& out : outs_) out.turn = 0;
  for (Input& input : ins_) {
    input.turn = input.beat = 0;
    if (!setup_.record) continue;
    input.recorded = 0;
    input.record.resize(record_beats_);  // not before it is used: a long one is large
  }
}

void Partition::drop() {
  for (Input& input : ins_) {
    input.one.valid = input.two.valid = input.ending = false;
    input.turn = input.beat = input.recorded = 0;
    input.full = 0;
    for (Buffer& buffer : input.buffers) buffer.clear();
  }
  for (Output& out : outs_) {
    out.fill = out.turn = 0;
    out.final = false;
    out.ended = out.waiting = 0;
  }
  mask_ = on_ = 0;
  busy_ = false;
}

void Partition::digest_inner(fabric::Digest& digest) const {
  for (const Input& input : ins_) {
    digest.add(input.turn | std::uint64_t{input.beat} << 32);
    digest.add(input.recorded | std::uint64_t{input.ending} << 32);
    for (const Stage* stage : {&input.one, &input.two}) {
      digest.add(stage->valid);
      for (unsigned k = 0; stage->valid && k < kWords; ++k) digest.add(stage->word[k]);
    }
    for (const Buffer& buffer : input.buffers) {
      digest.add(buffer.count | std::uint64_t{buffer.fill} << 32);
      for (unsigned n = 0; n < buffer.count; ++n) {
        const Group& group = buffer.groups[(buffer.head + n) % buffer.groups.size()];
        for (unsigned k = 0; k < group.count; ++k) digest.add(group.word[k]);
      }
    }
  }
  for (const Output& out : outs_) {
    digest.add(out.fill | std::uint64_t{out.turn} << 16 | std::uint64_t{out.final} << 32);
    digest.add(out.ended);
    for (unsigned k = 0; k < out.fill; ++k) digest.add(out.word[k]);
  }
}

}  // namespace polyloom::blocks::operators
