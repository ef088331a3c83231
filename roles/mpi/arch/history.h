// SPDX-License-Identifier: Apache-2.0
// What a rank asked its engine for, and how long it waited for the responses: sums over all of its run, and the
// first commands one by one, as rows of the run record. For FPGA ranks in the fast model and for CPU ranks.
//
//   mpi_ranks.csv   a rank: from when to when it ran, how long it waited for its engine and for DRAM, its
//                   program's messages
//   mpi_waits.csv   a rank, a call, the rank that it waited for: how often, how long
//   mpi_pairs.csv   a rank and another: messages of the program sent there and received from there
//   mpi_left.csv    an FPGA rank that has ended and requests that it has not completed: what is to be said of
//                   them
//   mpi_calls.csv   a command; of a receive that is complete, `peer`, `tag` and `bytes` are the message's.
//                   Of the message it starts one, waits for one, both, or looks for one
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "roles/mpi/arch/messages.h"

namespace polyloom::mpi {

class History {
 public:
  using Time = std::int64_t;  ///< ps
  using Sink = std::function<void(std::string_view table, std::string_view header, std::string_view row)>;

  /// The rank's program begins; so many ranks of its kind share what is kept of commands.
  void begin(Time at, unsigned ranks);
  /// Not of a rank that was stopped: its history ends with its last call.
  void end(Time at) {
    end_ = at;
    ended_ = true;
  }
  /// Words of ENGINE.md, and when the rank begins to say them.
  void command(Time at, const std::uint64_t words[3]);
  /// When the rank has got the response.
  void response(Time at, const std::uint64_t words[2]);
  /// It stood still for DRAM.
  void dram(Time time) { dram_ += time; }

  /// Requests that were started and not completed yet, collectives among them.
  std::vector<Wait> open() const;
  /// Of a rank that has begun; nothing else has rows.
  void tables(unsigned rank, bool fpga, const Sink& sink) const;

 private:
  struct Call {
    Time begin = 0, end = 0;
    std::uint64_t words[3] = {};
    std::uint16_t peer = 0, handle = 0;
    std::int32_t tag = 0;
    std::uint32_t bytes = 0;
    bool done = false;  ///< not of a question in vain, nor of one that leaves what it found
  };
  struct Sum {
    std::uint64_t count = 0;
    Time time = 0;
  };
  /// Word 0 and the communicator, as far as they say which call it is; the peer.
  using Key = std::tuple<std::uint64_t, std::uint16_t, std::uint16_t>;

  void note(const Call& call, Time since);
  void count(const Call& call);

  bool began_ = false;
  Time begin_ = 0, end_ = 0, waited_ = 0, dram_ = 0;
  std::size_t most_ = 0;
  std::map<std::uint16_t, std::array<std::uint64_t, 3>> open_;   ///< by handle: words of its start
  std::map<std::uint16_t, std::array<std::uint64_t, 2>> pairs_;  ///< by peer: messages sent, received
  bool ended_ = false;
  std::uint64_t commands_ = 0, sent_ = 0, sent_bytes_ = 0, received_ = 0, received_bytes_ = 0;
  Call now_;
  bool full_ = false;   ///< the last command is not kept
  bool polls_ = false;  ///< it was a question in vain
  Time last_ = 0;       ///< when it was answered
  std::vector<Call> calls_;
  std::map<Key, Sum> sums_;
};

}  // namespace polyloom::mpi
