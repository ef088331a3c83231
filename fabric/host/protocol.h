// SPDX-License-Identifier: Apache-2.0
// Messages between a host program and a HostNode: a header, then `bytes` bytes of body.
// Little-endian, same machine.
#pragma once

#include <cstdint>

namespace polyloom::fabric {

inline constexpr std::uint32_t kHostProtocolVersion = 3;

// clang-format off
/// Body layouts (u32, i64: integers; words: 64-bit):
///   key      u32 version, the secret of the run: what both sides say first
///   hello    u32 client number, u32 n, n x u32 links it wants the frames of (n = 0: all)
///   welcome  i64 call_time, u32 links, per link (u32 length, peer's name, i64 latency, i64 period), u32 length, JSON
///   send     u32 link, u32 keep, words: no response; time = when the call was made
///   batch    per frame: u32 link, u32 keep, u32 words, u32 0, words: as so many sends in one call
///   receive  i64 deadline; response: frames; time = when the call was made
///   frames   per frame: u32 link, u32 keep, u32 words, u32 0, i64 arrival, words; none if the deadline passed
///   away     i64 deadline; response: back, at the deadline at the latest
///   meet     n x u32 numbers of clients (n = 0: all of the run); response: back, when all of them are there
///   back     nothing; time = from which on simulated time waits for this client again
///   mark     i64 time, u32 length, name: no call and no response; from `time` on the run is in the phase of that name
///   finish   nothing; response: done, once the whole run has ended
///   done     JSON text of the run's result
///   error    u32 HostErrorReason, text; takes the place of any response and ends the conversation
// clang-format on
enum class HostMessage : std::uint32_t {
  hello = 1,
  send = 2,
  receive = 3,
  finish = 4,
  batch = 5,
  away = 6,
  meet = 7,
  key = 8,
  mark = 9,
  welcome = 101,
  frames = 102,
  done = 103,
  error = 104,
  back = 105
};

struct HostHeader {
  HostMessage type;
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;
  std::int64_t time = 0;  ///< simulated ps
};
static_assert(sizeof(HostHeader) == 24);

/// Longest body: a frame of 4 GiB. More means that the other side is not one of ours.
inline constexpr std::uint64_t kMaxHostBody = (std::uint64_t{4} << 30) + 64;
/// A response carries waiting frames up to about this size, so that reading many needs few exchanges.
inline constexpr std::uint64_t kFramesBytes = 256 * 1024;

enum class HostErrorReason : std::uint32_t {
  user = 1,         ///< bad cluster file, bad option, full disk ...
  deadlock = 2,     ///< nothing can ever happen again while a client waits
  limit = 3,        ///< the limit of cycles or time was reached
  fault = 4,        ///< a node stopped the run
  interrupted = 5,  ///< a signal, or another client left
  lost = 6,         ///< the simulator ended without a word
  protocol = 7,     ///< the two sides do not understand each other
};

}  // namespace polyloom::fabric
