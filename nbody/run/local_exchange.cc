// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/local_exchange.h"

#include <chrono>
#include <utility>

namespace polyloom::nbody {

LocalTeam::LocalTeam(unsigned ranks, unsigned at_once, LetMode mode)
    : ranks_(ranks),
      mode_(mode),
      slots_(at_once),
      gathered_(ranks),
      sent_(ranks),
      lets_(ranks, std::vector<Let>(ranks)),
      whole_(ranks) {}

void LocalTeam::meet() {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = round_;
  slots_.release();
  if (++arrived_ == ranks_) {
    arrived_ = 0;
    ++round_;
    met_.notify_all();
  } else {
    met_.wait(lock, [&] { return round_ != round || failure_; });
  }
  // A rank that failed never comes again, but those that met before it did may go on to their next meeting.
  if (round_ == round) throw Abandoned{};
  lock.unlock();
  slots_.acquire();
}

void LocalTeam::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  met_.notify_all();
}

void LocalExchange::meet() {
  if (team_.ranks_ == 1) return;
  const auto start = std::chrono::steady_clock::now();
  team_.meet();
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Bytes> LocalExchange::all_gather(std::span<const std::byte> mine) {
  team_.gathered_[rank_] = mine;
  meet();
  std::vector<Bytes> all;
  for (const auto& part : team_.gathered_) all.emplace_back(part.begin(), part.end());
  meet();  // `mine` is the caller's again
  return all;
}

std::vector<Bytes> LocalExchange::all_to_all(std::vector<Bytes> parts) {
  team_.sent_[rank_] = std::move(parts);
  meet();
  std::vector<Bytes> received;
  for (auto& from : team_.sent_) received.push_back(std::move(from[rank_]));
  meet();
  return received;
}

std::span<NodeRecord> LocalExchange::tree_memory(std::size_t count) {
  if (memory_.size() < count) memory_.resize(count);
  return std::span(memory_).first(count);
}

std::vector<TreeView> LocalExchange::exchange_lets(const TreeView& local,
                                                   std::span<const Summary> summaries) {
  if (team_.ranks_ == 1) return {};
  team_.whole_[rank_] = local;
  for (unsigned to = 0; to < size() && team_.mode_ == LetMode::kHost; ++to) {
    Let& let = team_.lets_[rank_][to];
    let.count = 0;
    if (to != rank_ && summaries[to].any) make_let(local, summaries[to].target, let);
  }
  meet();
  std::vector<TreeView> received;
  for (unsigned from = 0; from < size(); ++from) {
    if (from == rank_ || !summaries[rank_].any) continue;
    const TreeView tree =
        team_.mode_ == LetMode::kHost ? team_.lets_[from][rank_].view() : team_.whole_[from];
    if (!tree.nodes.empty()) received.push_back(tree);
  }
  return received;
}

}  // namespace polyloom::nbody
