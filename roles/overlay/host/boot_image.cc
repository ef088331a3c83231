// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/boot_image.h"

#include <vector>

namespace polyloom::overlay {

std::span<const std::uint8_t> boot_image() {
  static const std::vector<std::uint8_t> bytes = {
#include "boot_image.inc"
  };
  return bytes;
}

}  // namespace polyloom::overlay
