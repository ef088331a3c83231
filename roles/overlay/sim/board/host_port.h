// SPDX-License-Identifier: Apache-2.0
// The board's end of its host link: whole frames in and out, at their times.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "fabric/node.h"
#include "fabric/time.h"

namespace polyloom::overlay {

/// Frames of the host link are not protected: PCI Express does that itself. Not thread safe.
class HostPort {
 public:
  /// Null ends are a board without a host: nothing comes, what is sent is dropped.
  HostPort(fabric::Tx* tx, fabric::Rx* rx) : tx_(tx), rx_(rx) {}

  struct Frame {
    fabric::Time time = 0;  ///< when the last word arrived
    std::vector<std::uint64_t> words;
  };
  /// The next frame whose last word arrives before `until`.
  std::optional<Frame> receive(fabric::Time until);
  /// When something will next be there to receive; kNever if nothing is known to come.
  fabric::Time next_arrival() const;

  /// Queues a frame that may leave from `ready` on.
  void send(fabric::Time ready, std::vector<std::uint64_t> words);
  /// Puts on the wire what leaves in the window that ends at `until`.
  void transmit(fabric::Time until);
  /// When the next queued word can leave; kNever if none waits.
  fabric::Time next_departure() const;
  std::size_t backlog() const { return out_.size(); }

  std::uint64_t frames_in() const { return frames_in_; }
  std::uint64_t frames_out() const { return frames_out_; }

 private:
  fabric::Tx* tx_;
  fabric::Rx* rx_;
  std::vector<std::uint64_t> assembling_;
  std::deque<Frame> out_;
  std::size_t sent_ = 0;  ///< words of the first frame that have left
  std::uint64_t frames_in_ = 0, frames_out_ = 0;
};

}  // namespace polyloom::overlay
