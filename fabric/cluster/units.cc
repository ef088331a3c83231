// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/units.h"

#include <limits>
#include <span>

namespace polyloom::fabric {
namespace {

struct Unit {
  const char* name;
  std::uint64_t factor;
};

constexpr std::uint64_t kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000;
// Largest first: format picks the first that divides the value.
constexpr Unit kHertz[] = {{"GHz", giga}, {"MHz", mega}, {"kHz", kilo}, {"Hz", 1}};
constexpr Unit kBitsPerSecond[] = {
    {"Tb/s", tera}, {"Gb/s", giga}, {"Mb/s", mega}, {"kb/s", kilo}, {"b/s", 1}};
constexpr Unit kSeconds[] = {{"s", tera}, {"ms", giga}, {"us", mega}, {"ns", kilo}, {"ps", 1}};
constexpr Unit kByteUnits[] = {
    {"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10},
    {"GB", giga},        {"MB", mega},        {"kB", kilo},        {"B", 1}};

constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max();

// digits[.digits][ ]unit. Exact in integers as far as possible, so that "0.1 ns" is 100 ps on every machine.
std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units) {
  std::size_t i = 0;
  unsigned __int128 number = 0, scale = 1;
  bool digits = false, fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      digits = true;
      number = number * 10 + static_cast<unsigned>(c - '0');
      if (fraction) scale *= 10;
      if (number > kLimit || scale > kLimit) return std::nullopt;
    } else if (c == '.' && !fraction && digits) {
      fraction = true;
    } else {
      break;
    }
  }
  if (!digits || text[i - 1] == '.') return std::nullopt;
  if (i < text.size() && text[i] == ' ') ++i;
  const std::string_view unit = text.substr(i);
  for (const Unit& u : units) {
    if (unit != u.name) continue;
    const unsigned __int128 value = (number * u.factor + scale / 2) / scale;
    if (value > kLimit) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  return std::nullopt;
}

std::string format(std::uint64_t value, std::span<const Unit> units) {
  for (const Unit& u : units) {
    if (value != 0 && value % u.factor == 0) return std::to_string(value / u.factor) + " " + u.name;
  }
  return std::to_string(value) + " " + units.back().name;
}

}  // namespace

std::optional<std::uint64_t> parse_frequency(std::string_view text) { return parse(text, kHertz); }
std::optional<std::uint64_t> parse_rate(std::string_view text) { return parse(text, kBitsPerSecond); }
std::optional<std::uint64_t> parse_bytes(std::string_view text) { return parse(text, kByteUnits); }
std::optional<Time> parse_duration(std::string_view text) {
  const auto value = parse(text, kSeconds);
  if (!value) return std::nullopt;
  return static_cast<Time>(*value);
}

std::string format_frequency(std::uint64_t hertz) { return format(hertz, kHertz); }
std::string format_rate(std::uint64_t bits_per_second) { return format(bits_per_second, kBitsPerSecond); }
std::string format_bytes(std::uint64_t bytes) { return format(bytes, kByteUnits); }
std::string format_duration(Time picoseconds) {
  return format(picoseconds < 0 ? 0 : static_cast<std::uint64_t>(picoseconds), kSeconds);
}

}  // namespace polyloom::fabric
