// SPDX-License-Identifier: Apache-2.0
// Where PGraph meets HostLink: its sizes, its DMA, its console.
#include <cstdio>
#include <string>

#include "fabric/error.h"
#include "polite/placed_graph.h"
#include "polite/save_stats.h"
#include "roles/overlay/host/HostLink.h"

namespace polyloom::polite {

namespace {

class HostLinkSink : public ImageSink {
 public:
  explicit HostLinkSink(HostLink& link) : link_(link) {}
  void write(unsigned board_x, unsigned board_y, unsigned slice, std::uint32_t address, const void* data,
             std::size_t bytes) override {
    if (address == Machine::kRouterBase) link_.takeRoutingTables("PGraph::write");
    link_.dmaWrite(board_x, board_y, slice, address, data, bytes);
  }

 private:
  HostLink& link_;
};

}  // namespace

Machine Machine::of(const HostLink& link) {
  Machine machine;
  machine.boards_x = static_cast<unsigned>(link.meshXLen);
  machine.boards_y = static_cast<unsigned>(link.meshYLen);
  machine.tiles_x = static_cast<unsigned>(link.tilesX);
  machine.tiles_y = static_cast<unsigned>(link.tilesY);
  machine.slices = static_cast<unsigned>(link.slicesPerBoard);
  machine.programmable_routers = link.programmableRouters;
  machine.check();
  return machine;
}

std::unique_ptr<ImageSink> host_link_sink(HostLink& link) { return std::make_unique<HostLinkSink>(link); }

void save_stats(HostLink& link, const char* file, bool count_messages) {
  if (link.is_native()) return;
  const Machine machine = Machine::of(link);
  // One line a cache (tile), one a core, one a thread.
  std::uint32_t lines = machine.mailboxes() * (1 + machine.cores_per_tile);
  if (count_messages) lines += machine.threads();
  std::FILE* out = std::fopen(file, "wt");
  if (out == nullptr) throw UserError(std::string("statistics cannot be written to '") + file + "'");
  link.dumpStdOut(out, lines);
  if (std::fclose(out) != 0)
    throw UserError(std::string("statistics were not fully written to '") + file + "'");
}

}  // namespace polyloom::polite
