// SPDX-License-Identifier: Apache-2.0
// What the mapper must know of a cluster: how many boards, tiles and threads, and how they are addressed.
// Source: docs/sources/tinsel.md, 1.3 (memory map) and 1.4 (identifiers).
#pragma once

#include <cstdint>

class HostLink;

namespace polyloom::polite {

/// Sizes of a cluster of overlay boards. Thread ids keep the published bit fields whatever the sizes are:
/// board y 15:13, board x 12:10, tile y 9:8, tile x 7:6, core 5:4, thread 3:0.
struct Machine {
  unsigned boards_x = 3, boards_y = 2;
  unsigned tiles_x = 4, tiles_y = 4;
  unsigned cores_per_tile = 4, threads_per_core = 16;
  unsigned slices = 2;                   ///< memory slices of a board; its tiles are divided evenly over them
  std::uint32_t sram_bytes = 32 * 1024;  ///< of one thread
  std::uint32_t dram_bytes = 2 * 1024 * 1024;             ///< of one thread
  bool programmable_routers = true;                       ///< boards look up routing keys
  std::uint32_t router_bytes = 0x40000000 - kRouterBase;  ///< of a slice, for routing tables

  /// Where they begin in each slice: behind the globals that a POLite program may have.
  static constexpr std::uint32_t kRouterBase = 0x01804000;

  unsigned boards() const { return boards_x * boards_y; }
  unsigned tiles() const { return tiles_x * tiles_y; }
  unsigned threads_per_tile() const { return cores_per_tile * threads_per_core; }
  unsigned threads_per_board() const { return tiles() * threads_per_tile(); }
  unsigned threads() const { return boards() * threads_per_board(); }
  unsigned mailboxes() const { return boards() * tiles(); }

  // Dense numbers: board = y * boards_x + x, mailbox = board * tiles + (ty * tiles_x + tx),
  // thread = mailbox * threads_per_tile + (core * threads_per_core + thread).
  unsigned board_of(unsigned thread) const { return thread / threads_per_board(); }
  unsigned mailbox_of(unsigned thread) const { return thread / threads_per_tile(); }
  /// Id of a mailbox in messages and out-edges.
  std::uint32_t mailbox_id(unsigned mailbox) const;
  /// Mailbox of a message that goes by routing key.
  static std::uint32_t key_mailbox();
  /// Global id of a thread (dense number), as tinselId() returns it.
  std::uint32_t thread_id(unsigned thread) const;
  /// Dense number of a global thread id.
  unsigned thread_number(std::uint32_t id) const;
  unsigned slice_of(unsigned thread) const;
  /// Address of the first byte of a thread's own SRAM and DRAM, as that thread sees it.
  std::uint32_t sram_base(unsigned thread) const;
  std::uint32_t dram_base(unsigned thread) const;

  /// Throws UserError if a size does not fit the id's bit fields.
  void check() const;
  /// The boards that a HostLink holds.
  static Machine of(const HostLink& link);
  /// Without a HostLink: boxes of 3 x 2 boards of the default size, as many as HOSTLINK_BOXES_X and
  /// HOSTLINK_BOXES_Y say (1).
  static Machine from_environment();
};

}  // namespace polyloom::polite
