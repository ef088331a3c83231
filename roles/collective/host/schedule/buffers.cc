// SPDX-License-Identifier: Apache-2.0
// What buffers should look like: streams that want to run at once need channels of their own at both ends.
#include <algorithm>

#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective {
namespace {

using namespace detail;

class Chooser {
 public:
  Chooser(const std::string& algorithm, const Situation& s)
      : algorithm_(algorithm), r_(s.request), t_(s.topology), channels_(s.shape.channels) {
    const auto n = static_cast<unsigned>(t_.size());
    // Several lanes to a peer split a block only if each part has a channel of its own.
    for (const int d : dimensions(t_)) {
      const auto m = static_cast<unsigned>(t_.multiplicity(d));
      links_ = d == dimensions(t_)[0] ? m : std::min(links_, m);
    }
    links_ = std::max(1u, std::min(links_, channels_ / n));
  }

  /// A vector that all of it goes to one place, or is cut by the algorithm as it likes.
  Layout vector(std::uint64_t bytes) const {
    const auto n = static_cast<unsigned>(t_.size());
    if (by_owner()) return blocks(cut_evenly(bytes, n));
    unsigned stripes = links_;
    if (algorithm_ == "forward") stripes = (n - 1) * links_;
    if (algorithm_ == "striped") {
      stripes = static_cast<unsigned>(disjoint(t_, r_.root, r_.destination).size()) * links_;
    }
    if (algorithm_ == "aggressive" || algorithm_ == "naive") {
      stripes = static_cast<unsigned>(std::max(t_.nx, t_.ny)) * links_;
    }
    return Layout::striped(bytes, channels_, stripes);
  }

  /// Blocks by rank. In a hypercube a step takes the blocks of a row's columns, another those of a column's
  /// rows: with the sum of the coordinates as channel both find theirs in different channels (a Latin
  /// square).
  Layout blocks(const std::vector<std::uint64_t>& sizes) const {
    const bool cube = t_.nx > 1 && t_.ny > 1;
    const auto side = static_cast<unsigned>(std::max(t_.nx, t_.ny));
    const bool latin = cube && sizes.size() == static_cast<std::size_t>(t_.size());
    const unsigned parts = algorithm_ == "halves" ? 2 * links_ : links_;
    if (!latin) return Layout::blocks(sizes, channels_, parts);
    // The exchange by cut-through pairs column distance a with row distance k - a instead.
    const bool exchange = r_.traits().sizes == SizeKind::pairs;
    if (exchange && channels_ >= static_cast<unsigned>(t_.size()))
      return Layout::blocks(sizes, channels_, parts);
    std::vector<unsigned> channel_of;
    for (int rank = 0; rank < t_.size(); ++rank) {
      const int x = t_.x_of(rank), y = t_.y_of(rank);
      const auto hue = static_cast<unsigned>(!exchange ? x + y : t_.nx >= t_.ny ? x : y) % side;
      for (unsigned k = 0; k < parts; ++k) channel_of.push_back((hue + k * side) % channels_);
    }
    return Layout::placed(sizes, channel_of, channels_, parts);
  }

  /// A buffer of a rank that has `bytes` bytes, and in it what its operation says.
  Layout buffer(Holds what, std::uint64_t bytes, std::size_t rank) const {
    const auto n = static_cast<std::size_t>(t_.size());
    std::vector<std::uint64_t> sizes;
    switch (what) {
      case Holds::nothing:
        return {};
      case Holds::vector:
        return vector(bytes);
      case Holds::block:
        return blocks({r_.sizes[rank]});
      case Holds::blocks:
        return bytes > 0 ? blocks(r_.sizes) : Layout{};
      case Holds::row:
        for (std::size_t j = 0; j < n; ++j) sizes.push_back(r_.sizes[rank * n + j]);
        return blocks(sizes);
      case Holds::column:
        for (std::size_t i = 0; i < n; ++i) sizes.push_back(r_.sizes[i * n + rank]);
        return blocks(sizes);
    }
    return {};
  }

 private:
  bool by_owner() const {
    return algorithm_ == "scatter-all-gather" || algorithm_ == "scatter-gather" ||
           algorithm_ == "hierarchical" || algorithm_ == "halves";
  }

  const std::string& algorithm_;
  const Request& r_;
  const Topology& t_;
  unsigned channels_;
  unsigned links_ = 1;
};

}  // namespace

Buffers preferred_buffers(const std::string& algorithm, const Situation& s) {
  const Request& r = s.request;
  const Topology& t = s.topology;
  const Chooser choose(algorithm, s);
  Buffers buffers;
  buffers.scratch.resize(index(t.size()));
  for (int rank = 0; rank < t.size(); ++rank) {
    const Traits& is = r.traits();
    buffers.send.push_back(choose.buffer(is.sends, send_bytes(r, t, rank), index(rank)));
    buffers.recv.push_back(choose.buffer(is.receives, recv_bytes(r, t, rank), index(rank)));
  }
  return buffers;
}

}  // namespace polyloom::collective
