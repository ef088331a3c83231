// SPDX-License-Identifier: Apache-2.0
// Boards without time, for tests: every thread on the reference interpreter, messages delivered in random
// order after random delays, sends that are refused at random. Semantics from docs/sources/tinsel.md, 1.2, 2
// and 3.1; written apart from the overlay's timed model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "polite/placed_graph.h"
#include "polite/tests/key_expander.h"
#include "roles/overlay/sim/isa/reference.h"

namespace polyloom::polite {

class FunctionalMachine : public ImageSink {
 public:
  using Message = KeyExpander::Message;

  FunctionalMachine(const Machine& machine, std::uint64_t seed);
  ~FunctionalMachine() override;

  void write(unsigned board_x, unsigned board_y, unsigned slice, std::uint32_t address, const void* data,
             std::size_t bytes) override;
  /// Loads code.v and data.v of a device program.
  void load(const std::string& folder);
  /// Runs until every thread waits for nothing any more. Throws std::runtime_error on a fault, on a thread
  /// that waits for something that can never come, on a misuse of the mailbox, or after `max_instructions`.
  void run(std::uint64_t max_instructions);

  std::vector<Message> to_host;
  std::string console;
  std::uint64_t instructions = 0, messages = 0, barriers = 0;
  std::uint64_t by_key = 0;  ///< of the messages

 private:
  struct Slot {
    Message data{};
    unsigned references = 0;
  };
  struct Thread;
  class ThreadEnvironment;
  struct Flight {
    std::uint32_t mailbox;
    std::uint64_t mask;
    Message data;
    unsigned delay;
  };
  struct Tile {
    std::array<std::uint32_t, 8192> scratchpad{};
    std::vector<unsigned> free_slots;
    std::array<unsigned, 512> references{};
  };

  Thread& thread_of(std::uint32_t id) { return *threads_[machine_.thread_number(id)]; }
  void send(Thread& from, std::uint64_t mask);
  KeyExpander::Beat beat(unsigned x, unsigned y, unsigned slice, std::uint32_t address) const;
  bool deliver_some();
  bool wake_some();
  bool detect();
  void wake(Thread& thread, std::uint32_t bits);
  [[noreturn]] void fail(const Thread& thread, const std::string& what) const;

  Machine machine_;
  std::mt19937_64 rng_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Tile> tiles_;
  std::vector<std::uint32_t> code_;
  std::unordered_map<std::uint32_t, std::uint32_t> globals_;
  std::unordered_map<std::uint64_t, std::uint32_t> tables_;  // routers' words, by board, slice and address
  std::vector<Flight> flying_;
};

}  // namespace polyloom::polite
