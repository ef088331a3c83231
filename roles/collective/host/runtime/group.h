// SPDX-License-Identifier: Apache-2.0
// Collects what ranks post one by one until an operation is complete.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyloom/collectives.h"

namespace polyloom::collective {

struct Posted {
  Request request;
  std::span<const std::uint8_t> send;
  std::span<std::uint8_t> recv;
};

/// One operation of all ranks; what its handles share.
struct Handle::State {
  std::vector<std::optional<Posted>> posts;
  std::optional<Result> outcome;
  std::string error;

  bool settled() const { return outcome || !error.empty(); }
  Result result() const;
};

/// The k-th post of each rank belongs to the k-th operation. Operations run in order.
class Group {
 public:
  using Run = std::function<Result(const std::vector<Posted>&)>;
  explicit Group(int ranks) : next_(static_cast<std::size_t>(ranks), 0) {}
  std::shared_ptr<Handle::State> post(int rank, Posted posted, const Run& run);

 private:
  std::vector<std::size_t> next_;  ///< [rank] number of its next operation
  std::map<std::size_t, std::shared_ptr<Handle::State>> open_;
};

/// What differs between the posts, in words; empty if nothing does.
std::string differences(const std::vector<Posted>& posts);
/// Of operation, type, root, sizes and the algorithm: nodes compare it on the wire.
std::uint32_t fingerprint(const Request& request, const std::string& algorithm);

}  // namespace polyloom::collective
