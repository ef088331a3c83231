// SPDX-License-Identifier: Apache-2.0
// Vertices whose messages are numbers of which only the best one counts (PMin or PMax), and stays true.
//
// Such a vertex needs to be told of a message only if it is better than all that it has heard, and of several
// only the best (polite/combiner.h, "monotone"). So the engine keeps the best number that each has heard
// beside its state: whether a message is any good is seen without a look at the state, and the handlers of a
// vertex run once for all that has come meanwhile.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "fabric/error.h"
#include "polite/combiner.h"
#include "polite/graph/huge_pages.h"
#include "polite/native/labels.h"
#include "polite/native_view.h"
#include "polite/types.h"
#include "roles/overlay/host/bad_pin.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::polite {

/// Whether a vertex class can be run so: messages are one number, one pin, no accumulator.
template <typename Dev, typename E, typename M>
constexpr bool can_relax() {
  if constexpr (!CombinerOf<Dev, E, M>::kNamed || !Dev::monotone) {
    return false;
  } else {
    using Value = typename Dev::Combiner::Value;
    return Dev::Combiner::Function::kSelects && sizeof(M) == sizeof(Value) &&
           std::atomic_ref<Value>::is_always_lock_free && Dev::numPins == 1 &&
           __is_empty(typename Dev::Accumulator);
  }
}

/// States, wishes and what has been heard. What is said of one vertex may be called by one worker at a time;
/// heard() and improve() by all.
template <typename Dev, typename S, typename E, typename M>
class RelaxVertices {
 public:
  using Value = typename Dev::Combiner::Value;
  using Best = typename Dev::Combiner::Function;
  static constexpr bool kLabelled = LabelTraits<Dev, E, M>::kLabelled;
  static constexpr std::size_t kLabelBytes = LabelTraits<Dev, E, M>::kBytes;

  explicit RelaxVertices(const NativeGraph& graph)
      : states_(reinterpret_cast<S*>(graph.state)),
        count_(graph.num_vertices),
        heard_(count_, Best::identity()),
        wants_(count_, No) {}

  std::uint32_t count() const { return count_; }
  std::uint16_t time() const { return time_; }
  void next_time() { ++time_; }
  const S* states() const { return states_; }
  void set_output(overlay::NativeOutput* out) { out_ = out; }
  bool stopping() const { return out_->stopping(); }

  static bool before(Value a, Value b) { return Best::before(a, b); }

  Value heard(std::uint32_t v) const { return at(v).load(std::memory_order_relaxed); }
  /// For who alone may write it now.
  void set_heard(std::uint32_t v, Value value) { at(v).store(value, std::memory_order_relaxed); }
  /// Whether `value` is better than all that v has heard; then it has heard this one too.
  INLINE bool improve(std::uint32_t v, Value value) {
    Value known = heard(v);
    while (before(value, known)) {
      if (at(v).compare_exchange_weak(known, value, std::memory_order_seq_cst, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  void prefetch_heard(std::uint32_t v) const { __builtin_prefetch(&heard_[v]); }
  void prefetch(std::uint32_t v) const {
    __builtin_prefetch(&heard_[v]);
    __builtin_prefetch(&wants_[v]);
    __builtin_prefetch(states_ + v);
  }
  void prefetch_state(std::uint32_t v) const { __builtin_prefetch(states_ + v); }

  /// What no message is worse than.
  static Value worst() { return Best::identity(); }
  bool wants(std::uint32_t v) const { return wants_[v] != No; }

  /// Calls init.
  INLINE void init(std::uint32_t v) {
    PPin wish = No;
    device(states_ + v, &wish).init();
    wants_[v] = wish;
    heard_[v] = Best::identity();
  }
  /// What v would send stands in for what it has heard, if that would be no news to it.
  INLINE void hear_itself(std::uint32_t v) {
    const PPin wish = wants_[v];
    if (wish != Pin(0)) return;
    S copy = copy_of(v);
    Value value{};
    if (!sends_once(copy, wish, value)) return;
    copy = copy_of(v);
    PPin news = No;
    receive(device(&copy, &news), value);
    if (news == No && std::memcmp(&copy, states_ + v, sizeof(S)) == 0) heard_[v] = value;
  }
  /// Hands v the best that it has heard.
  INLINE void hear(std::uint32_t v) {
    const Value value = at(v).load(std::memory_order_seq_cst);
    if (!before(value, Best::identity())) return;
    PPin wish = wants_[v];
    receive(device(states_ + v, &wish), value);
    wants_[v] = wish;
  }
  /// Lets v send until it wants no more. True if something is for its pin: `value`, merged.
  INLINE bool send(std::uint32_t v, Value& value) {
    const PPin wish = wants_[v];
    if (wish == No) return false;
    wants_[v] = No;
    return send_all(states_ + v, wish, value);
  }
  /// Both, one worker after the other.
  INLINE bool hear_and_send(std::uint32_t v, Value& value) {
    const std::atomic_ref lock(wants_[v]);
    PPin wish;
    while ((wish = lock.exchange(kLocked, std::memory_order_acquire)) == kLocked) {
    }
    const Value heard = at(v).load(std::memory_order_relaxed);
    if (before(heard, Best::identity())) receive(device(states_ + v, &wish), heard);
    const bool sends = wish != No && send_all(states_ + v, wish, value);
    lock.store(No, std::memory_order_release);
    return sends;
  }
  /// Hands v the best that it has heard, lets it step, and send; `value` is for its pin if it `sends`. True if the
  /// step was.
  INLINE bool hear_step_and_send(std::uint32_t v, Value& value, bool& sends) {
    S state = copy_of(v);
    PPin wish = wants_[v];
    receive(device(&state, &wish), heard(v));
    const bool more = device(&state, &wish).step();
    if (wants_[v] != No) wants_[v] = No;
    sends = wish != No && send_all(&state, wish, value);
    std::memcpy(static_cast<void*>(states_ + v), &state, sizeof(S));
    return more;
  }
  /// As send() if v, which wants to send, sends `value` and that alone; otherwise it sends nothing yet.
  INLINE bool send_if(std::uint32_t v, Value value) {
    if (wants_[v] != Pin(0)) return false;
    S copy = copy_of(v);
    Value sent{};
    if (!sends_once(copy, wants_[v], sent) || sent != value) return false;
    std::memcpy(static_cast<void*>(states_ + v), &copy, sizeof(S));
    wants_[v] = No;
    return true;
  }
  INLINE bool step(std::uint32_t v) {
    PPin wish = wants_[v];
    const bool more = device(states_ + v, &wish).step();
    wants_[v] = wish;
    return more;
  }
  /// What a message is once it has come along an edge.
  static INLINE Value along(Value value, const std::byte* label) {
    if constexpr (!kLabelled) {
      return value;
    } else {
      M message = std::bit_cast<M>(value);
      Dev::along(message, *reinterpret_cast<const E*>(label));
      return std::bit_cast<Value>(message);
    }
  }

 private:
  using Labels = LabelTraits<Dev, E, M>;
  /// In the place of a wish: a worker has the vertex.
  static constexpr PPin kLocked = 0xff;

  std::atomic_ref<Value> at(std::uint32_t v) const { return std::atomic_ref<Value>(heard_[v]); }
  S copy_of(std::uint32_t v) const {
    S copy;
    std::memcpy(static_cast<void*>(&copy), states_ + v, sizeof(S));
    return copy;
  }
  INLINE Dev device(S* state, PPin* wish) const {
    Dev d;
    d.s = state;
    d.readyToSend = wish;
    d.numVertices = count_;
    d.time = time_;
    return d;
  }
  INLINE bool send_all(S* state, PPin wish, Value& value) {
    bool some = false;
    Dev d = device(state, &wish);
    for (std::uint32_t turns = 1; wish != No; ++turns) {
      const PPin pin = wish;
      if (pin > Pin(0)) [[unlikely]]
        throw UserError("native engine: " + overlay::bad_pin_text(pin - Pin(0), 1));
      M message;
      d.send(&message);
      if (pin == HostPin) {
        to_host(message);
      } else {
        const auto sent = std::bit_cast<Value>(message);
        value = some ? Best::apply(value, sent) : sent;
        some = true;
      }
      if (turns % 65536 == 0 && out_->stopping()) break;
    }
    return some;
  }
  /// Lets a state that wants to send on Pin(0) send once. False if it wants more than that.
  INLINE bool sends_once(S& state, PPin wish, Value& value) const {
    M message;
    device(&state, &wish).send(&message);
    value = std::bit_cast<Value>(message);
    return wish == No;
  }
  INLINE void receive(Dev d, Value value) const {
    M message = std::bit_cast<M>(value);
    const E neutral = CombinerOf<Dev, E, M>::neutral_label();
    Labels::receive(d, &message, reinterpret_cast<const std::byte*>(&neutral));
  }
  void to_host(const M& message) {
    PMessage<M> packet;
    std::memset(static_cast<void*>(&packet), 0, sizeof packet);
    packet.destKey = kHostPinKey;
    packet.payload = message;
    out_->message(&packet, sizeof packet);
  }

  S* states_;
  std::uint32_t count_;
  mutable HugeVector<Value> heard_;
  HugeVector<PPin> wants_;
  std::uint16_t time_ = 0;
  overlay::NativeOutput* out_ = nullptr;
};

}  // namespace polyloom::polite
