// SPDX-License-Identifier: Apache-2.0
// One rank's side of the collectives, in elements: what the code of a rank calls. Part of collectives.h.
//
// Contract: every rank posts the same operations in the same order; nothing happens until the last rank has
//   posted (Communicator). Spans must stay valid until the handle is done. Sizes are what the paragraphs say,
//   of equal blocks; blocks that differ in length: Communicator::post with a Request.
// Types: reductions work on float and std::int32_t; what only moves may be any trivially copyable type.
#pragma once

#include <algorithm>

#include "polyloom/collectives.h"

namespace polyloom::collective {

class Rank {
 public:
  Rank(Communicator& communicator, int number) : communicator_(&communicator), number_(number) {}
  int number() const { return number_; }

  Handle barrier() { return post({.operation = Operation::barrier}, {}, {}); }

  /// `data` of the root to all; the others' is overwritten.
  template <class T>
  Handle broadcast(std::span<T> data, int root) {
    const Request request{.operation = Operation::broadcast, .sizes = {data.size_bytes()}, .root = root};
    return number_ == root ? post(request, bytes_of(data), {}) : post(request, {}, bytes_of(data));
  }
  /// `send` of the root to `recv` of the destination; other ranks give the size by either.
  template <class T>
  Handle unicast(std::span<const T> send, std::span<T> recv, int root, int destination) {
    const Request request{.operation = Operation::unicast,
                          .sizes = {std::max(send.size_bytes(), recv.size_bytes())},
                          .root = root,
                          .destination = destination};
    return post(request, number_ == root ? bytes_of(send) : Out{},
                number_ == destination ? bytes_of(recv) : In{});
  }
  /// Block i of the root's `send` to `recv` of rank i.
  template <class T>
  Handle scatter(std::span<const T> send, std::span<T> recv, int root) {
    return post({.operation = Operation::scatter, .sizes = blocks(recv.size_bytes()), .root = root},
                number_ == root ? bytes_of(send) : Out{}, bytes_of(recv));
  }
  /// `send` of rank i becomes block i of the root's `recv`.
  template <class T>
  Handle gather(std::span<const T> send, std::span<T> recv, int root) {
    return post({.operation = Operation::gather, .sizes = blocks(send.size_bytes()), .root = root},
                bytes_of(send), number_ == root ? bytes_of(recv) : In{});
  }
  /// `send` of rank i becomes block i of every rank's `recv`.
  template <class T>
  Handle all_gather(std::span<const T> send, std::span<T> recv) {
    return post({.operation = Operation::all_gather, .sizes = blocks(send.size_bytes())}, bytes_of(send),
                bytes_of(recv));
  }
  /// Block j of `send` of rank i becomes block i of `recv` of rank j.
  template <class T>
  Handle all_to_all(std::span<const T> send, std::span<T> recv) {
    const auto ranks = static_cast<std::size_t>(communicator_->size());
    if (send.size() % ranks != 0) {
      throw UserError("all_to_all: " + std::to_string(send.size()) + " elements are not " +
                      std::to_string(ranks) + " equal blocks");
    }
    const std::vector<std::uint64_t> sizes(ranks * ranks, send.size_bytes() / ranks);
    return post({.operation = Operation::all_to_all, .sizes = sizes}, bytes_of(send), bytes_of(recv));
  }
  /// Element-wise combination of all ranks' `send`, in the root's `recv`.
  template <class T>
  Handle reduce(std::span<const T> send, std::span<T> recv, int root, ReduceOp op = ReduceOp::sum) {
    return post({.operation = Operation::reduce,
                 .sizes = {send.size_bytes()},
                 .root = root,
                 .reduce = op,
                 .type = number_type<T>()},
                bytes_of(send), number_ == root ? bytes_of(recv) : In{});
  }
  /// The same in every rank's `recv`.
  template <class T>
  Handle all_reduce(std::span<const T> send, std::span<T> recv, ReduceOp op = ReduceOp::sum) {
    return post({.operation = Operation::all_reduce,
                 .sizes = {send.size_bytes()},
                 .reduce = op,
                 .type = number_type<T>()},
                bytes_of(send), bytes_of(recv));
  }
  /// Rank i gets block i of the combination.
  template <class T>
  Handle reduce_scatter(std::span<const T> send, std::span<T> recv, ReduceOp op = ReduceOp::sum) {
    return post({.operation = Operation::reduce_scatter,
                 .sizes = blocks(recv.size_bytes()),
                 .reduce = op,
                 .type = number_type<T>()},
                bytes_of(send), bytes_of(recv));
  }

 private:
  using Out = std::span<const std::uint8_t>;
  using In = std::span<std::uint8_t>;

  Handle post(const Request& request, Out send, In recv) {
    return communicator_->post(number_, request, send, recv);
  }
  std::vector<std::uint64_t> blocks(std::uint64_t bytes) const {
    return std::vector<std::uint64_t>(static_cast<std::size_t>(communicator_->size()), bytes);
  }
  template <class T>
  static constexpr DataType number_type() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>,
                  "reductions work on float and std::int32_t");
    return std::is_same_v<T, float> ? DataType::fp32 : DataType::int32;
  }

  Communicator* communicator_;
  int number_;
};

inline Rank Communicator::rank(int number) {
  if (number < 0 || number >= size()) {
    throw UserError("rank " + std::to_string(number) + " is not one of 0.." + std::to_string(size() - 1));
  }
  return {*this, number};
}

}  // namespace polyloom::collective
