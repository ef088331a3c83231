// SPDX-License-Identifier: Apache-2.0
// What a vertex program is written with: pins, messages, and the base class of vertices. Same text on host
// and device; needs no library (bare-metal RISC-V compilers ship no libstdc++). Source: Tinsel paper IV
// figure 7; names of both the paper (PVertex, PEmpty) and the later code (PDevice, None).
#pragma once

#include <stdint.h>

#ifndef POLITE_NUM_PINS
#define POLITE_NUM_PINS 1
#endif

#ifndef INLINE
#define INLINE inline __attribute__((always_inline))
#endif

/// What a vertex wants to send on: No, HostPin, or Pin(n) for n < POLITE_NUM_PINS.
typedef uint8_t PPin;
constexpr PPin No = 0;
constexpr PPin HostPin = 1;
/// Beyond POLite: PMessage::destKey of a message that a vertex has sent to the host on HostPin.
constexpr uint16_t kHostPinKey = 1;
INLINE constexpr PPin Pin(uint8_t n) { return static_cast<PPin>(n + 2); }

/// Number of a pin, 0 .. POLITE_NUM_PINS-1.
typedef uint32_t PinId;

/// Dense number of a vertex, from 0.
typedef uint32_t PDeviceId;
/// Number of a vertex on its thread.
typedef uint16_t PLocalDeviceId;
/// Where a vertex runs: thread id in bits 17:0, bit 18 set if none, number on the thread in 31:19.
typedef uint32_t PDeviceAddr;

/// The edge type of a graph without labels. Costs no memory in tables.
struct None {};
typedef None PEmpty;

/// A message as it travels and as the host receives it: recvMsg(&m, sizeof(m)). At most 64 bytes. M must be
/// plain data of equal layout on x86-64 and ilp32 (fixed-width integers, float; no pointers, no long).
template <typename M>
struct PMessage {
  uint16_t destKey;  ///< as the host sees it: kHostPinKey of what came by HostPin, 0 of what finish() gave
  M payload;
};

/// Base of every vertex. The derived class defines, as ordinary (also inline) members, found statically:
/// - void init(): once, before anything else.
/// - void send(M*): write the message; may change *readyToSend. It goes to the pin requested before the call.
/// - void recv(M*, E*): a message has come along an edge with that label. The message is shared: read only.
/// - bool step(): no vertex wants to send and nothing is in flight; true = go on.
/// - bool finish(M*): the previous round of step was false everywhere; true = send this to the host.
///   Beyond POLite, finish may take a pointer to another type than M: see PFinishType.
/// Beyond POLite, what recv adds to may be an accumulator of type A. Those of a thread's vertices lie
/// together, so that its cache holds hundreds of them; they begin as zeros. The class defines, in place of
/// the above recv:
/// - bool recv(M*, E*): may use nothing but *a, numVertices and time; true = absorb.
/// - void absorb(): recv has said true; takes from *a into the state. It may do all that recv may do without
///   an accumulator.
/// init, send and step may use both; finish has no accumulator.
template <typename S, typename E, typename M, typename A = None>
struct PDevice {
  S* s;                  ///< this vertex's state
  A* a;                  ///< and its accumulator
  PPin* readyToSend;     ///< what it wants to send on
  uint32_t numVertices;  ///< vertices in the whole graph
  uint16_t time;         ///< completed rounds of step
  /// Beyond POLite: pins of this program, where a class says another number than the macro.
  static constexpr uint32_t numPins = POLITE_NUM_PINS;
  /// Beyond POLite: a derived class may say true if its recv never changes *readyToSend. Engines may then
  /// step a vertex as soon as it has received its last message of a round.
  static constexpr bool recvNeverSends = false;
  /// Beyond POLite: the step of a vertex to which nothing has come since its latest step, or since init, changes
  /// nothing and is false. Engines may then leave it out.
  static constexpr bool stepNeedsMessages = false;
  /// Beyond POLite, of programs with a combiner (polite/combiner.h). Between two steps all vertices send on
  /// Pin(0), each once, or none does: a partial receiver then waits for all of its messages.
  static constexpr bool sendsEveryStep = false;
  /// What combine() keeps stays true in later supersteps (a minimum that only falls): who has heard a message learns
  /// nothing from a worse one, and who sends a better one need not send the worse. A partial receiver then forgets
  /// nothing and sends on only what changes it; the native engine brings messages in an order of its own
  /// (polite/native/relax.h).
  static constexpr bool monotone = false;
  typedef S State;
  typedef E Edge;
  typedef M Message;
  typedef A Accumulator;
};

template <typename S, typename E, typename M, typename A = None>
using PVertex = PDevice<S, E, M, A>;

/// Type that a vertex reports to the host when it finishes: what its finish takes a pointer to. Usually M; a
/// program whose result is larger than its messages gives finish a type of its own, and the host receives
/// PMessage of that.
template <typename DeviceType, typename R>
R politeFinishType(bool (DeviceType::*)(R*));
template <typename DeviceType, typename R>
R politeFinishType(bool (DeviceType::*)(volatile R*));
template <typename DeviceType>
using PFinishType = decltype(politeFinishType(&DeviceType::finish));
