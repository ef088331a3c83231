// SPDX-License-Identifier: Apache-2.0
// The softswitch: the event loop of every thread, which calls the handlers of its vertices.
// - How: send what is wanted, one out-edge at a time; between any two sends drain what has come; when nothing
//   is left to send, take part in termination detection, and step or finish on its verdict.
// - Order: docs/sources/tinsel.md, 5.3. The send queue is LIFO, each vertex is on it at most once. `finish`
//   follows the round after the last one in which some step returned true.
// - Combiners (polite/combiner.h): partial receivers are vertices that the mapper added. A sender
//   reaches those on its own thread without a message. They send as vertices do, so no step begins while one
//   of them still holds a part: a thread whose queues are not empty does not become idle, and no message in
//   flight is missed.
// - Accumulators: recv is given a vertex's accumulator alone. Its state's address is found only to absorb it.
// - Cost, handlers excluded: 13 instructions an out-edge, 15 a message received by one vertex, 12 each
//   further receiver; with a combiner up to four more a message, and 12 a message to a partial receiver.
//   Code must fit 7616 bytes.
// - Tests: polite/tests/softswitch_test.cc runs it instruction by instruction.
#pragma once

#ifdef TINSEL

#include <tinsel.h>

#include "polite/combiner.h"
#include "polite/layout.h"
#include "polite/types.h"

// Handlers are inlined into the loop, so that vertex fields become plain loads and stores. A program whose
// code becomes too big for the instruction memory can define POLITE_SMALL_CODE.
#ifdef POLITE_SMALL_CODE
#define POLYLOOM_FLATTEN
#else
#define POLYLOOM_FLATTEN __attribute__((flatten))
#endif

#ifdef POLITE_COUNT_MSGS
#define POLYLOOM_COUNT(counter) (++(counter))
#else
#define POLYLOOM_COUNT(counter) ((void)0)
#endif

template <typename DeviceType, typename S, typename E, typename M>
struct PThread : polyloom::polite::PThreadHead {
  static constexpr uint32_t kPins = DeviceType::numPins;
  typedef polyloom::polite::PState<S, kPins> State;
  typedef polyloom::polite::PInEdge<E> InEdge;
  typedef polyloom::polite::POutEdge OutEdge;
  typedef polyloom::polite::CombinerOf<DeviceType, E, M> Combiner;
  typedef polyloom::polite::PPartial<S, M> Partial;
  typedef PMessage<PFinishType<DeviceType>> FinishMessage;
  typedef typename DeviceType::Accumulator Accumulator;
  static_assert(sizeof(PMessage<M>) <= 64, "a message, with its 2-byte key, must fit 64 bytes (4 flits)");
  static_assert(sizeof(FinishMessage) <= 64, "a finish message, with its 2-byte key, must fit 64 bytes");

  /// Never returns.
  POLYLOOM_FLATTEN __attribute__((noreturn)) void run() {
    setup();
    // The queues lie in memory, their ends in registers; an entry is a state's offset in units. Vertices, and
    // partial receivers that have all, are taken from the last added on; other partial receivers, from the
    // far end, when nothing else is left to send: what comes until then they need not send twice.
    const uint32_t base = devices;
    InEdge* const in_table = (InEdge*)inTable;
    Queues queues;
    queues.top = (uint16_t*)senders;
    queues.far = queues.top + numDevices + (Combiner::kExists ? numPartials : 0);
    uint16_t* const first = queues.top;
    uint16_t* const end = queues.far;
    const uint32_t first_direct = direct != 0 ? polyloom::polite::kFirstDirect : 0x10000;
    // Where in-edges' entries lead: to accumulators, or states if there are none; behind them, partial
    // receivers.
    const uint32_t receivers = kAccumulates ? accumulators : base;
    const uint32_t receiving_partials =
        kAccumulates ? accumulators + entry_of(base, (void*)partials) * (uint32_t)sizeof(Accumulator)
                     : partials;
    init_all(queues);
    PMessage<M>* const slot = (PMessage<M>*)tinselSendSlot();
    const OutEdge* edge = (const OutEdge*)outTable + polyloom::polite::kEmptyPinBase;
    uint32_t word = kEnd;  // first word of *edge
    bool active = true;
    for (;;) {
      if ((int32_t)word >= 0) {
        if (tinselCanSend()) {
          slot->destKey = (uint16_t)word;
          send_edge(edge, word);
          ++edge;
          word = first_word(edge);
        } else {
          wait_to_send();
        }
      } else if (queues.top != first) {
        if (tinselCanSend()) {
          State* const state = state_at(base, *--queues.top);
          if (Combiner::kCounts && (uint32_t)state >= (uint32_t)partials) {
            edge = send_partial((Partial*)state, slot);
            word = begin_row(edge, base, in_table, slot, queues);
          } else {
            state->queued = 0;
            const PPin pin = state->readyToSend;
            if (pin != No) {
              DeviceType dev = device(state, accumulator_of(base, state));
              dev.send(&slot->payload);
              if (state->readyToSend != No) enqueue(base, state, queues);
              edge = (const OutEdge*)outTable + pin_base(state, pin);
              word = begin_row(edge, base, in_table, slot, queues);
            }
          }
        } else {
          wait_to_send();
        }
      } else if (kDelays && queues.far != end) {
        if (tinselCanSend()) {
          edge = send_partial((Partial*)state_at(base, *queues.far++), slot);
          word = begin_row(edge, base, in_table, slot, queues);
        } else {
          wait_to_send();
        }
      } else {
        const int verdict = tinselIdle(!active);
        if (verdict > 1) break;
        if (verdict != 0) {
          check_partials();
          queues.top = step_all(queues.top, &active);
          time = time + 1;
        }
      }
      if (tinselCanRecv()) {
        do {
          receive(base, in_table, first_direct, receivers, receiving_partials, queues);
        } while (tinselCanRecv());
      }
    }
    check_partials();
    finish_all((FinishMessage*)slot);
    for (;;) tinselWaitUntil((TinselWakeupCond)0);
  }

 private:
  static constexpr uint32_t kEnd = 0xffffffffu;
  static constexpr uint32_t kUnitShift = __builtin_ctz(alignof(State));
  static constexpr bool kAccumulates = !__is_empty(Accumulator);
  static constexpr bool kMayBeDirect = polyloom::polite::may_be_direct<DeviceType>();
  /// Partial receivers that do not know whether they have all wait in the far queue.
  static constexpr bool kDelays = Combiner::kExists && !Combiner::kCounts;
  /// Ends of the two send queues, which grow towards each other: every state is in at most one, once.
  struct Queues {
    uint16_t* top;
    uint16_t* far;
  };
  static constexpr int kFlits = (sizeof(PMessage<M>) + 15) / 16;
  static constexpr int kFinishFlits = (sizeof(FinishMessage) + 15) / 16;

  static INLINE uint32_t receiver_at(uint32_t receivers, uint32_t entry) {
    if (!kAccumulates) return (uint32_t)state_at(receivers, entry);
    constexpr uint32_t kBytes = sizeof(Accumulator);
    if ((kBytes & (kBytes - 1)) == 0) return receivers + ((entry << 17) >> (17 - __builtin_ctz(kBytes)));
    return receivers + ((entry << 17) >> 17) * kBytes;
  }

  static INLINE State* state_at(uint32_t base, uint32_t entry) {
    return (State*)(base + ((entry << 17) >> (17 - kUnitShift)));  // bit 15 of an in-edge is a mark
  }
  INLINE Accumulator* accumulator_of(uint32_t base, State* state) const {
    return kAccumulates ? (Accumulator*)accumulators + (state - (State*)base) : nullptr;
  }
  INLINE DeviceType device(State* state, Accumulator* accumulator) const {
    DeviceType dev;
    dev.s = &state->state;
    dev.a = accumulator;
    dev.readyToSend = &state->readyToSend;
    dev.numVertices = numVertices;
    dev.time = time;
    return dev;
  }
  static INLINE uint16_t entry_of(uint32_t base, void* state) {
    return (uint16_t)(((uint32_t)state - base) >> kUnitShift);
  }
  static INLINE void enqueue(uint32_t base, State* state, Queues& queues) {
    state->queued = 1;
    *queues.top++ = entry_of(base, state);
  }
  static INLINE uint32_t first_word(const OutEdge* edge) {
    typedef uint32_t __attribute__((may_alias)) Word;
    return *(const Word*)edge;
  }
  INLINE uint32_t pin_base(State* state, PPin pin) const {
    if (pin == HostPin) return polyloom::polite::kHostPinBase;
    const uint32_t number = pin - Pin(0);
    if (__builtin_expect(number >= kPins, false))
      *(volatile uint8_t*)(polyloomBadPin() + 256 * kPins + number) = 0;  // ends the program
    return state->pinBase[kPins == 1 ? 0 : number];
  }

  INLINE void setup() {
    const uint32_t id = tinselId();
    if ((id & (TinselThreadsPerCore - 1)) == 0) {
      tinselPerfCountReset();
      tinselPerfCountStart();
    }
    tinselSetLen(kFlits - 1);
    // Handlers do not send by themselves, so the slot's address is told once.
    POLYLOOM_CSR_WRITE(CSR_SEND_PTR, tinselSendSlot());
  }

  INLINE void send_edge(const OutEdge* edge, uint32_t word) {
    POLYLOOM_CSR_WRITE(CSR_SEND_DEST, word >> 16);
    register uint32_t high __asm__("a0") = edge->maskHigh;
    register uint32_t low __asm__("a1") = edge->maskLow;
    __asm__ volatile(".4byte 0x00b50008" : : "r"(high), "r"(low) : "memory");
    POLYLOOM_COUNT(sent);
  }
  INLINE void wait_to_send() {
    POLYLOOM_COUNT(blocked);
    tinselWaitUntil(TINSEL_CAN_SEND | TINSEL_CAN_RECV);
  }

  INLINE void init_all(Queues& queues) {
    State* state = (State*)devices;
    for (uint32_t n = numDevices; n != 0; --n, ++state) {
      DeviceType dev = device(state, accumulator_of(devices, state));
      dev.init();
      if (state->readyToSend != No) enqueue(devices, state, queues);
    }
  }

  /// Nothing is queued when this is called. Not inlined: it needs many registers, and so does the event loop.
  POLYLOOM_FLATTEN __attribute__((noinline)) uint16_t* step_all(uint16_t* top, bool* active) {
    State* state = (State*)devices;
    Accumulator* accumulator = (Accumulator*)accumulators;
    bool more = false;
    for (uint32_t n = numDevices; n != 0; --n, ++state, ++accumulator) {
      DeviceType dev = device(state, accumulator);
      more |= dev.step();
      if (state->readyToSend != No) {
        state->queued = 1;
        *top++ = entry_of(devices, state);
      }
    }
    *active = more;
    return top;
  }

  /// Takes one message and hands it to its receivers, the partial ones first.
  INLINE void receive(uint32_t base, InEdge* in_table, uint32_t first_direct, uint32_t receivers,
                      uint32_t partials_begin, Queues& queues) {
    PMessage<M>* const message = (PMessage<M>*)tinselRecv();
    const uint32_t key = message->destKey;
    if (kMayBeDirect && __builtin_expect(key >= first_direct, true)) {
      hand_over(base, receiver_at(receivers, key), (int32_t)key, &message->payload, nullptr, queues);
      POLYLOOM_COUNT(received);
      tinselFree(message);
      return;
    }
    InEdge* in = in_table + key;
    int32_t entry = (int16_t)in->device;  // negative: the last receiver
    uint32_t receiver = receiver_at(receivers, entry);
    const auto next = [&] {
      ++in;
      entry = (int16_t)in->device;
      receiver = receiver_at(receivers, entry);
    };
    if (Combiner::kExists && __builtin_expect(receiver >= partials_begin, false)) {
      do {
        combine(base, (Partial*)(kAccumulates ? state_at(base, entry) : (State*)receiver), &message->payload,
                in, queues);
        if (entry < 0) {
          tinselFree(message);
          return;
        }
        next();
      } while (receiver >= partials_begin);
    }
    for (;; next()) {
      hand_over(base, receiver, entry, &message->payload, label(in), queues);
      POLYLOOM_COUNT(received);
      if (__builtin_expect(entry < 0, true)) break;
    }
    tinselFree(message);
  }

  INLINE void hand_over(uint32_t base, uint32_t receiver, int32_t entry, M* payload, E* label,
                        Queues& queues) {
    State* state;
    if constexpr (kAccumulates) {
      DeviceType part = device(nullptr, (Accumulator*)receiver);
      if (__builtin_expect(!part.recv(payload, label), true)) return;
      state = (State*)base + (entry & 0x7fff);
      DeviceType whole = device(state, (Accumulator*)receiver);
      whole.absorb();
    } else {
      state = (State*)receiver;
      DeviceType dev = device(state, nullptr);
      dev.recv(payload, label);
    }
    if (!DeviceType::recvNeverSends && state->readyToSend != No && !state->queued)
      enqueue(base, state, queues);
  }

  /// First word of a list of out-edges that are messages. Partial receivers on this thread, if the list
  /// begins with them, have got theirs then.
  INLINE uint32_t begin_row(const OutEdge*& edge, uint32_t base, InEdge* in_table, PMessage<M>* slot,
                            Queues& queues) {
    uint32_t word = first_word(edge);
    if (Combiner::kExists && (int32_t)word < 0 && word != kEnd) {
      combine_run(base, in_table + (uint16_t)word, &slot->payload, queues);
      word = first_word(++edge);
    }
    return word;
  }
  /// Hands a message to the partial receivers of a list.
  INLINE void combine_run(uint32_t base, InEdge* in, M* payload, Queues& queues) {
    for (;; ++in) {
      const int32_t entry = (int16_t)in->device;
      combine(base, (Partial*)state_at(base, entry), payload, in, queues);
      if (entry < 0) return;
    }
  }
  INLINE void combine(uint32_t base, Partial* partial, M* payload, InEdge* in, Queues& queues) {
    M message = *payload;
    Combiner::along(message, *label(in));
    if constexpr (Combiner::kCounts) {
      Combiner::combine(partial->value, message);
      if (--partial->left == 0) *queues.top++ = entry_of(base, partial);
    } else {
      M combined = partial->value;
      Combiner::combine(combined, message);
      if (Combiner::kKeeps && !differ(combined, partial->value)) return;
      partial->value = combined;
      if (partial->queued) return;
      partial->queued = 1;
      *--queues.far = entry_of(base, partial);
    }
  }
  static INLINE bool differ(const M& a, const M& b) {
    typedef uint32_t __attribute__((may_alias)) Word;
    typedef uint8_t __attribute__((may_alias)) Byte;
    constexpr bool kWords = sizeof(M) % 4 == 0 && alignof(M) >= 4;
    for (uint32_t i = 0; i < sizeof(M) / (kWords ? 4 : 1); ++i) {
      if (kWords ? ((Word*)&a)[i] != ((Word*)&b)[i] : ((Byte*)&a)[i] != ((Byte*)&b)[i]) return true;
    }
    return false;
  }
  /// Writes what a partial receiver holds; returns its out-edge.
  INLINE const OutEdge* send_partial(Partial* partial, PMessage<M>* slot) {
    slot->payload = partial->value;
    if (!Combiner::kKeeps) partial->value = Combiner::identity();
    if (Combiner::kCounts) {
      partial->left = partial->expected;
    } else {
      partial->queued = 0;
    }
    return (const OutEdge*)outTable + partial->outBase;
  }
  /// Ends the program if a vertex did not send although its class says sendsEveryStep.
  INLINE void check_partials() {
    if constexpr (Combiner::kCounts) {
      Partial* partial = (Partial*)partials;
      for (uint32_t n = numPartials; n != 0; --n, ++partial) {
        if (__builtin_expect(partial->left != partial->expected, false))
          *(volatile uint8_t*)(polyloomMissingMessages() + (time & 0xffff)) = 0;
      }
    }
  }
  static INLINE E* label(InEdge* in) { return (E*)((char*)in + polyloom::polite::label_offset<E>()); }

  INLINE void finish_all(FinishMessage* slot) {
#ifdef POLITE_DUMP_STATS
    dump_stats();
#endif
    if (kFinishFlits != kFlits) tinselSetLen(kFinishFlits - 1);
    State* state = (State*)devices;
    for (uint32_t n = numDevices; n != 0; --n, ++state) {
      tinselWaitUntil(TINSEL_CAN_SEND);
      slot->destKey = 0;
      DeviceType dev = device(state, nullptr);
      if (dev.finish(&slot->payload)) tinselSend(tinselHostId(), slot);
    }
  }

#ifdef POLITE_DUMP_STATS
  /// One line a cache, a core and (with POLITE_COUNT_MSGS) a thread, as docs/sources/tinsel.md, 5.7.
  INLINE void dump_stats() {
    tinselPerfCountStop();
    const uint32_t id = tinselId();
    if ((id & (TinselThreadsPerMailbox - 1)) == 0) {
      printf("H:%x,M:%x,W:%x\n", tinselHitCount(), tinselMissCount(), tinselWritebackCount());
    }
    if ((id & (TinselThreadsPerCore - 1)) == 0) {
      printf("C:%x %x,I:%x %x\n", tinselCycleCountU(), tinselCycleCount(), tinselCPUIdleCountU(),
             tinselCPUIdleCount());
    }
#ifdef POLITE_COUNT_MSGS
    const bool first = (id & (TinselThreadsPerBoard - 1)) == 0;
    printf("MS:%x,MR:%x,PR:%x,PRI:%x,BL:%x\n", sent, received, first ? tinselProgRouterSent() : 0,
           first ? tinselProgRouterSentInterBoard() : 0, blocked);
#endif
  }
#endif
};

#endif
