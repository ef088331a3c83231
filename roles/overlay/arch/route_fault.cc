// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/arch/route_fault.h"

#include <cstdio>

#include "roles/overlay/arch/records/records.h"

namespace polyloom::overlay {
namespace {

std::string what(RouteFault fault, std::uint32_t value, const BoardParams& params) {
  // The fields that are named here lie in the upper 32 bits of a record, whatever its length.
  const records::Record record =
      records::decode(value >> 29, records::Bits{value} << ((value >> 29 & 1) != 0 ? 64 : 16))
          .value_or(records::Record{});
  static const char* const sides[] = {"north", "south", "east", "west"};
  const std::string side = sides[static_cast<unsigned>(record.direction)];
  switch (fault) {
    case RouteFault::memory:
      return "names memory that the board does not have: its tables lie in SRAM or DRAM of " +
             std::to_string(params.dram_channels) + " slices, and a key's top bit says which";
    case RouteFault::record:
      return "leads to what is no routing record (is its table written?)";
    case RouteFault::receiver:
      return "has a record for tile (" + std::to_string(record.tile_x) + "," + std::to_string(record.tile_y) +
             "), of which the board has " + std::to_string(params.tiles_x) + "x" +
             std::to_string(params.tiles_y) + ", or for threads that the tile does not have";
    case RouteFault::link:
      return "has a record for the board in the " + side + ", where there is none";
    case RouteFault::turn:
      return "has a record that sends a message back, or from Y to X, out of the " + side +
             " link: messages that come from a link in Y go on in Y, which is why none can deadlock";
    case RouteFault::chain:
      return "has two indirections, or a message that has followed 255 of them meets another (do they lead "
             "in a circle?)";
  }
  return {};
}

}  // namespace

std::string route_fault_text(RouteFault fault, std::uint32_t key, std::uint32_t head,
                             const BoardParams& params) {
  const std::string text = what(fault, head, params);
  char name[32];
  std::snprintf(name, sizeof name, "routing key 0x%x ", key);
  return text.empty() ? text : name + text;
}

}  // namespace polyloom::overlay
