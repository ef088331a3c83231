// SPDX-License-Identifier: Apache-2.0
// One memory channel of a collective node: R# and W# between the switch and the channel's two
// pseudo-channels.
//
// Owns: the walks of R# and W# over the patterns of the step, the beats that R# has asked for, those that
// wait
//   in the switch's registers before W#, and the channel's arbiter.
// Contract: clock() once an edge, before the switch moves beats of that edge; read() only if beat_ready(),
//   write() only if not full(). W# reports the end of its part, and what is outside the channel or of the
//   wrong length, to the step. Bytes move in read() and write(); what the memory grants is only counted.
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc, fault_test.cc, burst_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "blocks/memory/sim/backing_store.h"
#include "blocks/memory/sim/hbm2.h"
#include "fabric/node.h"
#include "roles/collective/sim/beat.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/pattern.h"
#include "roles/collective/sim/running_step.h"

namespace polyloom::collective {

class ChannelPort {
 public:
  /// `memory` is null if contents are not stored.
  ChannelPort(unsigned number, const CollectiveParams& params, blocks::BackingStore* memory,
              RunningStep& step);

  // ---- the step
  void load_read(const Instruction& i);
  void load_write(const Instruction& i);
  bool reads() const { return reader_.active; }
  void begin_read(Cycle k) {
    reader_.begun = true;
    reader_.request_from = k + p_.timing.begin_to_request;
  }
  /// R# has given its last beat.
  void end_read() { reader_.active = reader_.begun = false; }
  void leave();

  /// An edge of the memory: what R# asks for, what W# writes. True if anything changed or is wrong.
  bool clock(Cycle k);
  /// The first edge from `now` on at which clock() has something to do.
  Cycle next(Cycle now) const;

  // ---- the switch
  bool beat_ready(Cycle k) const { return reader_.count != 0 && reader_.ready[reader_.head] <= k; }
  Cycle beat_from() const { return reader_.count != 0 ? reader_.ready[reader_.head] : kNeverCycle; }
  void read(Beat& into);
  bool full() const { return writer_.full; }
  void write(const Beat& beat, Cycle k);

  // ---- many beats at once (burst.h); each call does what the ones above do beat by beat

  std::uint64_t left_to_read() const { return reader_.take.left(); }
  std::uint64_t left_to_write() const { return writer_.data.left(); }
  /// W# holds nothing and goes on.
  bool write_flows() const { return !writer_.ended && writer_.held == 0 && !writer_.data.done(); }
  /// For so many beats R# and W# each stay in a half of their own.
  bool halves_apart(Cycle beats) const;
  /// Beats that R# has asked for, and when beat n of them is at the source.
  unsigned requested() const { return reader_.count; }
  Cycle requested_from(std::size_t n) const { return reader_.ready[(reader_.head + n) & mask()]; }
  /// The same of all that R# asks for from edge k on. They come one a cycle at least as fast as they can
  /// leave, once the first is here: R# asks for more beats than the latency has cycles.
  Cycle comes_from(Cycle k) const {
    return reader_.issue.done() ? kNeverCycle : std::max(k, reader_.request_from) + latency();
  }
  /// No request has been or is late, and a beat is here.
  bool read_flows(Cycle k) const { return reader_.even && beat_ready(k) && reader_.request_from <= k; }
  /// R# asks from k to before `end` while its beats leave at the edges `pops`. The last edge of a request; 0:
  /// none.
  Cycle request(Cycle k, Cycle end, std::span<const Cycle> pops);
  /// The same if read_flows() and `beats` leave, beat n at edge(n): one a cycle until the store is full, then
  /// one after each beat that leaves.
  template <typename EdgeOf>
  Cycle request_evenly(Cycle k, Cycle end, std::size_t beats, EdgeOf edge) {
    Reader& r = reader_;
    const std::uint64_t left_before_last = beats - (beats != 0 && edge(beats - 1) == end - 1);
    const std::uint64_t most = r.issue.done() ? 0 : r.issue.left();
    const std::uint64_t requested = std::min({most, end - k, r.depth - r.count + left_before_last});
    Cycle at_edge = 0;
    if (requested != 0) {
      at_edge = k + requested - 1;
      if (r.count + requested > r.depth)
        at_edge = std::max(at_edge, edge(r.count + requested - r.depth - 1) + 1);
      grant_reads(requested);
      forget_times(requested);
    }
    r.head = (r.head + static_cast<unsigned>(beats)) & mask();
    r.count = static_cast<unsigned>(r.count + requested - beats);
    return at_edge;
  }
  /// Calls deliver(words, beats, bytes of each beat) for R#'s next beats, in pieces.
  template <typename Deliver>
  void copy(std::size_t beats, Deliver deliver) {
    static constexpr std::array<std::uint64_t, 64 * kBeatWords> kZeros{};
    PatternCursor& take = reader_.take;
    const std::uint8_t* const from = base();
    for (std::size_t left = beats; left != 0;) {
      std::size_t n = std::min<std::size_t>(left, take.whole());
      if (n == 0) {  // the last, shorter beat of a run
        n = 1;
        const unsigned bytes = take.bytes();
        std::array<std::uint64_t, kBeatWords> words{};
        if (from != nullptr) std::memcpy(words.data(), from + take.offset(), bytes);
        deliver(words.data(), std::size_t{1}, bytes);
      } else if (from != nullptr) {
        deliver(reinterpret_cast<const std::uint64_t*>(from + take.offset()), n, kBeatBytes);
      } else {
        n = std::min<std::size_t>(n, 64);
        deliver(kZeros.data(), n, kBeatBytes);
      }
      take.pass(n);
      left -= n;
    }
    reader_.beats += beats;
  }
  void write(const std::uint64_t* words, std::size_t beats, unsigned bytes);
  /// `beats` were written, the last two at these edges: the memory has taken all but one that came at the
  /// last edge. The edge of its last grant; 0: none.
  Cycle settle(Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before);

  // ---- reports
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void reset_counters() { reader_.beats = writer_.beats = 0; }
  void digest(fabric::Digest& d) const;

 private:
  struct Reader {
    bool active = false, begun = false;
    PatternCursor issue, take;  ///< of the next beat from the memory, and to the switch
    PatternSpan span;
    std::vector<Cycle> ready;  ///< ring: when each beat asked for is at the source
    unsigned head = 0, count = 0, depth = 0;
    Cycle request_from = 0;
    bool even = false;  ///< no request of the step has had to wait for a write
    std::uint64_t beats = 0;
  };
  struct Writer {
    bool active = false, ended = false, open_end = false;
    PatternCursor data, grant;  ///< of the next beat from the switch, and to the memory
    unsigned held = 0, coming = 0;
    bool full = false;  ///< the switch's registers before it, at the start of the cycle
    PatternSpan span;
    std::uint64_t beats = 0, hash = 0;
  };

  std::uint8_t* base() const {
    return memory_ != nullptr ? memory_->data() + number_ * p_.channel.bytes : nullptr;
  }
  unsigned mask() const { return static_cast<unsigned>(reader_.ready.size()) - 1; }
  Cycle latency() const { return channel_.read_ready(0) + p_.timing.read_to_source; }
  unsigned half_of(const PatternCursor& cursor, const PatternSpan& span, Cycle beats) const;
  void grant_reads(std::uint64_t beats);
  /// Times of requests that are never what the stream waits for: any that is not after the true one will do.
  void forget_times(std::uint64_t beats);

  const unsigned number_;
  const CollectiveParams& p_;
  blocks::BackingStore* memory_;
  RunningStep& step_;
  blocks::Hbm2Channel channel_;
  Reader reader_;
  Writer writer_;
};

}  // namespace polyloom::collective
