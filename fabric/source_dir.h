// SPDX-License-Identifier: Apache-2.0
// Where this was built from. The path has a source file to itself: all else compiles alike in every checkout.
#pragma once

namespace polyloom {

/// The checkout; it may be gone.
const char* source_dir();

}  // namespace polyloom
