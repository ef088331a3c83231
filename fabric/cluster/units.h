// SPDX-License-Identifier: Apache-2.0
// Quantities with units, as cluster files and command lines write them: "250 MHz", "10 Gb/s", "780 ns", "2
// GiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fabric/time.h"

namespace polyloom::fabric {

/// A decimal number, one optional space, a unit (case matters: "Mb/s" are bits, "MB" bytes, "MiB" 2^20
/// bytes). Results are exact or rounded to the nearest whole base unit; nullopt if the text is anything else,
/// negative or too large.
std::optional<std::uint64_t> parse_frequency(std::string_view text);  ///< hertz: Hz kHz MHz GHz
std::optional<std::uint64_t> parse_rate(std::string_view text);   ///< bits a second: b/s kb/s Mb/s Gb/s Tb/s
std::optional<Time> parse_duration(std::string_view text);        ///< picoseconds: ps ns us ms s
std::optional<std::uint64_t> parse_bytes(std::string_view text);  ///< bytes: B kB MB GB KiB MiB GiB TiB

/// The shortest text with a unit that parses back to the same value: 780000 -> "780 ns".
std::string format_frequency(std::uint64_t hertz);
std::string format_rate(std::uint64_t bits_per_second);
std::string format_duration(Time picoseconds);
std::string format_bytes(std::uint64_t bytes);

/// Which unit strings are allowed, for messages.
inline constexpr const char* kFrequencyAllowed =
    "a frequency with its unit (Hz, kHz, MHz, GHz), such as \"250 MHz\"";
inline constexpr const char* kRateAllowed =
    "a rate with its unit (b/s, kb/s, Mb/s, Gb/s, Tb/s), such as \"10 Gb/s\"";
inline constexpr const char* kDurationAllowed =
    "a time with its unit (ps, ns, us, ms, s), such as \"780 ns\"";
inline constexpr const char* kBytesAllowed =
    "a size with its unit (B, kB, MB, GB, KiB, MiB, GiB, TiB), such as \"2 GiB\"";

}  // namespace polyloom::fabric
