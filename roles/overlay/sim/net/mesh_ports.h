// SPDX-License-Identifier: Apache-2.0
// Ports of a board's router, and where its links lead in the mesh of boards.
#pragma once

#include "roles/overlay/arch/address.h"

namespace polyloom::overlay {

/// Links first (as a mesh node's ports), then the host, then one column of tiles each.
enum BoardPort : unsigned {
  kLinkNorth = 0,
  kLinkEast = 1,
  kLinkSouth = 2,
  kLinkWest = 3,
  kHostPort = 4,
  kColumn0 = 5
};
inline constexpr unsigned kLinks = 4;
inline constexpr unsigned kBoardExits = kLinks + 1;  ///< links and host

inline constexpr unsigned opposite(unsigned link) { return link ^ 2u; }  ///< north/south, east/west

/// Whether there is a board behind a board's link.
inline constexpr bool has_link(BoardCoord board, MeshSize mesh, unsigned link) {
  switch (link) {
    case kLinkNorth:
      return board.y + 1 < mesh.height;
    case kLinkEast:
      return board.x + 1 < mesh.width;
    case kLinkSouth:
      return board.y > 0;
    default:
      return board.x > 0;
  }
}

/// The link by which a mesh leads from one board to another, X first; kHostPort if they are the same.
inline constexpr unsigned link_towards(BoardCoord from, BoardCoord to) {
  if (to.x != from.x) return to.x > from.x ? kLinkEast : kLinkWest;
  if (to.y != from.y) return to.y > from.y ? kLinkNorth : kLinkSouth;
  return kHostPort;
}

}  // namespace polyloom::overlay
