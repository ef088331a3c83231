// SPDX-License-Identifier: Apache-2.0
// The role-independent part of a board's shell: frames from and to the host, DMA, management registers.
//
// How: words from the host are parsed as they arrive, one at a time. A write's data go to the board's
//   memory while the frame is still coming (dma_words_per_cycle at most); short frames are decoded when
//   their last word is there and handed to the role. Responses leave in order; a read's data leave in
//   segments of at most segment_words words, each read from memory when it starts.
// Hardware: the one-word parser of host_frames.h, a write and a read DMA engine on the memory bus, a
//   register file.
// Latency: a short frame is handled at the clock edge at or after its last word's arrival; a response
//   may leave response_cycles later; the first word of a read's data after read_cycles.
// Backpressure: a frame that the role is too busy for stays, with everything behind it (the host link
//   has flow control of its own, so arrivals wait in the link's buffers).
// Errors: malformed or refused frames are answered with frame_error and counted; nothing of a refused
//   write is written. A write cut short keeps what had arrived, as it does in hardware.
// Source: own design; frames: blocks/shell/host_frames.h.
// Tests: shell_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "blocks/cycle.h"
#include "blocks/shell/host_frames.h"
#include "blocks/wire_ends.h"

namespace polyloom::blocks {

/// What a role does with what the host asks. All calls come from Shell::advance.
class ShellHandler {
 public:
  enum class Response { done, busy, refused };  ///< busy: ask again later
  virtual ~ShellHandler() = default;

  /// True if the board has these bytes and they may be written or read.
  virtual bool has(const MemRange& range) const = 0;
  /// How many times longer than a word of memory a word of the range keeps the write engine busy.
  virtual unsigned write_slots(const MemRange&) const { return 1; }
  /// Bytes of word `index` of a range that has() accepted: the low `bytes` (1..8) of `data`.
  virtual void write_word(Cycle c, const MemRange& range, std::size_t index, std::uint64_t data,
                          unsigned bytes) = 0;
  virtual std::uint64_t read_word(Cycle c, const MemRange& range, std::size_t index, unsigned bytes) = 0;

  virtual Response message(Cycle c, const MsgFrame& frame) = 0;
  virtual Response uart_in(Cycle c, const UartInFrame& frame) = 0;
  virtual Response start(Cycle c, const StartFrame& frame) = 0;
  /// Registers from reg::role_base on; nothing or false if there is no such register.
  virtual std::optional<std::uint64_t> role_register(Cycle, std::uint32_t) { return {}; }
  virtual bool set_role_register(Cycle, std::uint32_t, std::uint64_t) { return false; }
  /// reg::kResetCounters was written.
  virtual void reset_counters(Cycle) {}
};

struct ShellParams {
  RoleId role = RoleId::overlay;
  std::uint16_t x = 0, y = 0;        ///< of the board in its mesh
  unsigned dma_words_per_cycle = 4;  ///< 64-bit words: 32 bytes, the memory bus
  unsigned write_turnaround = 0;     ///< cycles between the last word of a write and the first of the next
  unsigned word_cycles = 0;          ///< least time of a word to the host; the host link's, if that is more
  unsigned frame_turnaround = 0;     ///< cycles between frames to the host
  unsigned response_cycles = 1;      ///< from a request to its response
  unsigned read_cycles = 40;         ///< from a read's request to its first word
  unsigned segment_words = 32;       ///< longest segment of a frame to the host
  unsigned max_reads = 16;           ///< reads waiting for their turn
};

/// Not thread safe; embedded in a board's node and advanced with it.
class Shell {
 public:
  /// `host` may lack both ends: a board without a host. `handler` and the ends outlive this.
  Shell(WireEnds host, ShellHandler& handler, const ShellParams& params, fabric::Clock clock);
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// Parses what arrives before cycle `until`.
  void receive(Cycle until);
  /// Sends what leaves before cycle `until`.
  void transmit(Cycle until);
  /// Queues a frame (message, uart_out, fault) that may leave from cycle `ready` on.
  void send(Cycle ready, std::vector<std::uint64_t> words);
  /// Frames not yet wholly sent: a role stops taking messages for the host when it grows.
  std::size_t backlog() const { return out_.size(); }

  Cycle next_event() const;
  /// When receive() has something to do.
  Cycle next_input() const;
  std::string waiting_for() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& d) const;

 private:
  enum class State { header, write, skip };
  /// A frame to the host: either all its words, or a header and a range to read.
  struct Out {
    Cycle ready;
    std::vector<std::uint64_t> words;  ///< all, or the two words before the data
    MemRange range;
    bool read = false;
    std::size_t sent = 0;  ///< words
    std::size_t size() const { return words.size() + (read ? range.words() : 0); }
  };

  bool feed(std::uint64_t word, Cycle c, Cycle until, bool last);
  void begin_write(Cycle c, bool last);
  bool take_write_word(std::uint64_t word, Cycle c, Cycle until, bool last);
  bool handle(Cycle c);
  ShellHandler::Response read(Cycle c, const ReadFrame& f);
  bool read_register(Cycle c, const RegReadFrame& f);
  bool write_register(Cycle c, const RegWriteFrame& f);
  void refuse(Cycle c, FrameReason reason, std::uint64_t word0);
  std::optional<std::uint64_t> register_value(Cycle c, std::uint32_t reg);
  std::uint64_t out_word(const Out& out, std::size_t i, Cycle c);

  WireEnds host_;
  ShellHandler& handler_;
  ShellParams p_;
  fabric::Clock clock_;

  State state_ = State::header;
  std::size_t position_ = 0;          ///< in the front segment
  std::vector<std::uint64_t> frame_;  ///< words of a short frame, or the first two of a write
  bool complete_ = false;             ///< frame_ is whole and waits for the role
  MemRange write_;
  std::size_t write_index_ = 0;
  std::uint64_t dma_slot_ = 0;  ///< next free word slot of the write engine
  Cycle received_until_ = 0;

  std::deque<Out> out_;
  unsigned reads_ = 0;
  Cycle sent_until_ = 0, tx_free_ = 0;

  std::uint64_t frames_in_ = 0, frames_out_ = 0, bad_frames_ = 0, bytes_written_ = 0, bytes_read_ = 0;
  bool bad_seen_ = false;
};

}  // namespace polyloom::blocks
