// SPDX-License-Identifier: Apache-2.0
// The boot image that HostLink loads below every program (roles/overlay/device/boot.S, assembled by the
// build).
#pragma once

#include <cstdint>
#include <span>

namespace polyloom::overlay {

/// Bytes from address 0 on. Empty if this library was built without a RISC-V compiler.
std::span<const std::uint8_t> boot_image();

/// Where threads of unused boards start.
inline constexpr std::uint32_t kParkAddress = 64;

}  // namespace polyloom::overlay
