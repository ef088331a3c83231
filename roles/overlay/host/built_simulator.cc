// SPDX-License-Identifier: Apache-2.0
// The path has a source file to itself: all else compiles alike in every checkout.
#include "roles/overlay/host/backend.h"

namespace polyloom::overlay {

const char* built_simulator() { return POLYLOOM_SIMULATOR; }

}  // namespace polyloom::overlay
