// SPDX-License-Identifier: Apache-2.0
// Peers that are threads of one process: for tests of what several processes do.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "polite/native/peers.h"

namespace polyloom::polite {

/// What they share. Every call waits for all, twice: until all have given, and until all have taken.
struct ThreadsTogether {
  explicit ThreadsTogether(unsigned size) : given(size), to(size), turn(size) {}
  std::vector<std::vector<Peers::Bytes>> given;  ///< by process
  std::vector<std::vector<unsigned>> to;         ///< in an exchange, whom
  std::barrier<> turn;
};

class ThreadPeers final : public Peers {
 public:
  ThreadPeers(ThreadsTogether& all, unsigned rank) : all_(all), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return static_cast<unsigned>(all_.given.size()); }
  unsigned hosts() const override { return 1; }
  unsigned on_this_host() const override { return size(); }
  std::string host() const override { return "here"; }
  bool is_near(unsigned) const override { return false; }  // so that tests see all that processes do

  void sum(std::span<std::uint64_t> values) override {
    const std::vector<Bytes> each = gather(std::as_bytes(values));
    std::fill(values.begin(), values.end(), 0);
    for (const Bytes& bytes : each) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t value;
        std::memcpy(&value, &bytes[8 * i], 8);
        values[i] += value;
      }
    }
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    all_.given[rank_] = {Bytes(mine.begin(), mine.end())};
    all_.turn.arrive_and_wait();
    std::vector<Bytes> taken;
    for (const auto& given : all_.given) taken.push_back(given[0]);
    all_.turn.arrive_and_wait();
    return taken;
  }
  /// Others' messages come in the reverse order of processes: no engine may rely on theirs.
  void exchange(std::span<const unsigned> to, std::vector<Bytes>& out, std::span<const unsigned> from,
                const Take& take) override {
    all_.to[rank_].assign(to.begin(), to.end());
    all_.given[rank_] = out;
    all_.turn.arrive_and_wait();
    std::vector<std::pair<unsigned, Bytes>> taken;
    for (std::size_t i = from.size(); i-- > 0;) {
      const std::vector<unsigned>& whom = all_.to[from[i]];
      const auto at = std::find(whom.begin(), whom.end(), rank_);
      if (at == whom.end()) throw std::logic_error("a process waits for one that sends it nothing");
      taken.push_back({from[i], all_.given[from[i]][static_cast<std::size_t>(at - whom.begin())]});
    }
    all_.turn.arrive_and_wait();
    for (const auto& [process, bytes] : taken) take(process, bytes);
  }

 private:
  ThreadsTogether& all_;
  unsigned rank_;
};

/// Calls body(peers) in `size` threads. What all of them throw alike is thrown again, once.
template <typename Body>
void in_threads(unsigned size, Body body) {
  ThreadsTogether all(size);
  std::vector<std::exception_ptr> failures(size);
  {
    std::vector<std::jthread> threads;
    for (unsigned rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadPeers peers(all, rank);
        try {
          body(peers);
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
    }
  }
  if (failures[0]) std::rethrow_exception(failures[0]);
}

}  // namespace polyloom::polite
