// SPDX-License-Identifier: Apache-2.0
// Where the pieces of Polyloom lie: in a checkout, or in what was installed, which has the same folders.
#pragma once

#include <filesystem>
#include <vector>

namespace polyloom {

/// Folders of compiled programs and libraries that belong together, the likeliest first: that of the running
/// program, that of the library which has this code, and unless $POLYLOOM_HOME is set that of the build.
std::vector<std::filesystem::path> program_folders();

/// The root of clusters/, roles/ and build/: $POLYLOOM_HOME; else two folders above one of program_folders();
/// else the checkout that this was built from, which may be gone.
std::filesystem::path home();

}  // namespace polyloom
