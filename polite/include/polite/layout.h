// SPDX-License-Identifier: Apache-2.0
// How a thread's part of a graph lies in its memory: written by the host's image builder, read by the
// softswitch. Same text on both sides; addresses are 32-bit thread-view addresses on both, so that offsets
// agree. Source: Multicast paper V (receiver tables with equal index on all threads of a tile), own compact
// form.
#pragma once

#include "polite/types.h"

namespace polyloom {
namespace polite {

/// Largest number of vertices on one thread (13-bit field of PDeviceAddr).
constexpr uint32_t kMaxDevicesPerThread = 8192;
/// Ends a pin's list of out-edges (in key and mbox); never a valid index into the in-edge table.
constexpr uint16_t kNoKey = 0xffff;
/// Of messages that may be direct, the first key that is no index.
constexpr uint32_t kFirstDirect = 0x8000;

/// State offsets in tables are 15-bit multiples of this many bytes. 16 for states up to 64 bytes; larger ones
/// use a coarser unit, so that kMaxDevicesPerThread vertices stay within reach.
constexpr uint32_t state_unit_for(uint32_t bytes) {
  uint32_t unit = 16;
  while (unit * 4 < bytes) unit *= 2;
  return unit;
}

/// One vertex in memory. Its size is a multiple of its alignment, the table unit.
template <typename S, uint32_t Pins = POLITE_NUM_PINS>
struct StateHead {
  uint16_t pinBase[Pins];  ///< index of each pin's first out-edge
  PPin readyToSend;
  uint8_t queued;  ///< non-zero while on the send queue: a vertex is queued at most once
  S state;
};
template <typename S, uint32_t Pins = POLITE_NUM_PINS>
struct alignas(state_unit_for(sizeof(StateHead<S, Pins>))) PState : StateHead<S, Pins> {};
template <typename S, uint32_t Pins = POLITE_NUM_PINS>
constexpr uint32_t state_offset() {
  using Head = StateHead<S, Pins>;
  return __builtin_offsetof(Head, state);
}

/// A message to send: to the threads of `mask` at mailbox `mbox`, which find their receivers at index `key`.
/// The key comes first: the softswitch stores the low half of the first word and shifts the mailbox out of
/// the high one.
struct POutEdge {
  uint16_t key;
  uint16_t mbox;
  uint32_t maskLow;
  uint32_t maskHigh;
};
static_assert(sizeof(POutEdge) == 12, "out-edges are 12 bytes");

/// Mailbox of an out-edge to partial receivers on the sender's own thread: no message, the receivers at index
/// `key` get it at once. It is the first of its list. Like the end of a list, its first word is negative.
constexpr uint16_t kThisThread = 0x8000;

/// First entries of every out-edge table: the list of HostPin, then the empty list.
constexpr uint32_t kHostPinBase = 0;
constexpr uint32_t kEmptyPinBase = 1;
constexpr uint32_t kFirstPinBase = 2;

/// One receiver of a message. Receivers of one message are consecutive; `device` holds the state's offset in
/// units, or with accumulators the vertex's number on its thread, and kLastReceiver in the last one. (Both
/// are less than the offsets of partial receivers, which follow the states.)
constexpr uint16_t kLastReceiver = 0x8000;
static_assert(kLastReceiver == kFirstDirect, "a direct key is the in-edge of a last receiver");
template <typename E, bool Empty = __is_empty(E)>
struct PInEdge {
  uint16_t device;
  E edge;
};
template <typename E>
struct PInEdge<E, true> {
  uint16_t device;
};
template <typename E>
constexpr uint32_t label_offset() {
  if constexpr (__is_empty(E)) {
    return 0;
  } else {
    return __builtin_offsetof(PInEdge<E>, edge);
  }
}

/// Whether messages to one vertex on one thread may carry its in-edge, so that a thread need not read its
/// table: not where edges have labels; and only programs with accumulators, whose other memory fits their
/// caches, gain by it.
template <typename DeviceType>
constexpr bool may_be_direct() {
  return __is_empty(typename DeviceType::Edge) && !__is_empty(typename DeviceType::Accumulator);
}

/// A partial receiver: combines on its thread what goes to one vertex (polite/combiner.h), and has an
/// out-edge towards it. They follow the thread's vertices, and in-edges address them like these.
template <typename M>
struct PartialHead {
  uint16_t outBase;   ///< index of its out-edge
  uint16_t queued;    ///< non-zero while it waits to be sent
  uint32_t left;      ///< messages that this superstep still brings (sendsEveryStep)
  uint32_t expected;  ///< messages that a superstep brings
  M value;
};
template <typename S, typename M>
struct alignas(state_unit_for(sizeof(StateHead<S>))) PPartial : PartialHead<M> {};

/// Head of a thread's memory, at its SRAM heap base.
struct PThreadHead {
  uint16_t numDevices;
  uint16_t time;  ///< completed rounds of step
  uint32_t numVertices;
  uint32_t devices;   ///< address of PState[numDevices]
  uint32_t outTable;  ///< address of POutEdge[]
  uint32_t inTable;   ///< address of PInEdge[]
  uint32_t senders;  ///< address of the send queue: state offsets in units, one a vertex and partial receiver
  // Counters of POLITE_COUNT_MSGS; always there, so that the host need not know whether they are used.
  uint32_t sent;          ///< messages
  uint32_t received;      ///< calls of recv
  uint32_t blocked;       ///< times that a send had to wait
  uint32_t partials;      ///< address of PPartial[numPartials]
  uint16_t numPartials;   ///< partial receivers
  uint16_t direct;        ///< non-zero: keys from kFirstDirect on are in-edges, of the one receiver
  uint32_t accumulators;  ///< address of accumulators, one a vertex
};
static_assert(sizeof(PThreadHead) == 48, "the head keeps 16-byte alignment");

}  // namespace polite
}  // namespace polyloom
