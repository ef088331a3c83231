// SPDX-License-Identifier: Apache-2.0
#include "fabric/source_dir.h"

namespace polyloom {

const char* source_dir() { return POLYLOOM_SOURCE_DIR; }

}  // namespace polyloom
