// SPDX-License-Identifier: Apache-2.0
// One end of a full-duplex link as blocks take it; either may be missing. Same members as fabric::Port,
// without the rest of the fabric.
#pragma once

#include "fabric/node.h"

namespace polyloom::blocks {

struct WireEnds {
  fabric::Tx* tx = nullptr;
  fabric::Rx* rx = nullptr;
};

}  // namespace polyloom::blocks
