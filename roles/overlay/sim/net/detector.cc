// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/detector.h"

#include "fabric/node.h"
#include "roles/overlay/sim/net/detector_star.h"
#include "roles/overlay/sim/net/detector_tree.h"

namespace polyloom::overlay {

BoardCoord Detector::beyond(unsigned link) const {
  BoardCoord at = config_.board;
  switch (link) {
    case kLinkNorth:
      ++at.y;
      break;
    case kLinkEast:
      ++at.x;
      break;
    case kLinkSouth:
      --at.y;
      break;
    default:
      --at.x;
      break;
  }
  return at;
}

std::uint64_t Detector::state_hash() const {
  fabric::Digest digest;
  for (unsigned link = 0; link < kLinks; ++link) {
    digest.add(sent_[link]);
    digest.add(received_[link]);
  }
  for (const std::uint64_t value : {host_in_, host_out_, counters_.barriers, counters_.reports})
    digest.add(value);
  return digest.value();
}

std::unique_ptr<Detector> make_detector(DetectorKind kind, const DetectorConfig& config,
                                        const Activity& activity, DetectorEnv& env) {
  if (kind == DetectorKind::star) return std::make_unique<StarDetector>(config, activity, env);
  return std::make_unique<TreeDetector>(config, activity, env);
}

}  // namespace polyloom::overlay
