// SPDX-License-Identifier: Apache-2.0
// What the softswitch and the network take for their parts, by which the mapper chooses and foretells. The
// softswitch's is counted in its code with handlers of a few instructions (polite/README.md); a program with
// larger handlers costs more, its parts in like proportion.
#pragma once

namespace polyloom::polite::costs {

// In instructions.
inline constexpr double kVertex = 40;   ///< to take a vertex from the queue, to step it
inline constexpr double kSend = 13;     ///< an out-edge
inline constexpr double kReceive = 24;  ///< a message, at its first receiver on a thread
inline constexpr double kFurther = 20;  ///< at each further one
inline constexpr double kCombine = 14;  ///< at a partial receiver on the sender's thread

/// Cycles from one instruction of a thread to its next, at least: the depth of a core's pipeline.
inline constexpr double kThreadCycles = 8;

// In cycles of the network, beside one a flit.
inline constexpr double kLinkWord = 1.6;  ///< a word of 8 bytes on a link of 10 Gb/s
inline constexpr double kKey = 3;         ///< a router, to look a key up while it makes copies by others

/// Cycles of a memory slice, to read a line of an in-edge table that is not in its thread's part of a cache.
inline constexpr double kLine = 2;
/// Of a thread's part of a cache, what in-edge tables find left by states.
inline constexpr double kTableBytes = 1024;

}  // namespace polyloom::polite::costs
