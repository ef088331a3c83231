// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/rtl_board.h"

#include <algorithm>
#include <utility>

#include "blocks/reliable_link/sim/link_straps.h"
#include "blocks/reliable_link/sim/reliable_link.h"
#include "blocks/verilated/line_memory.h"
#include "fabric/error.h"
#include "roles/overlay/sim/board/rtl_waiting.h"
#include "roles/overlay/sim/tile/memory_system.h"

namespace polyloom::overlay {
namespace {

constexpr std::uint64_t kDramBytes = std::uint64_t{1} << 31, kSramBytes = std::uint64_t{1} << 23;

/// What calibration presets and experiments may set and the hardware does not have.
void check_form(const OverlayParams& p) {
  const auto refuse = [](const char* key, const char* allowed) {
    throw UserError(std::string("[overlay] ") + key + " exists at fidelity sim only; RTL has " + allowed);
  };
  if (p.detector != DetectorKind::tree) refuse("detector = \"star\"", "\"tree\"");
  if (p.published_link) refuse("link_layer = \"published\"", "\"ours\"");
  if (p.board.header_every_flit) refuse("header_every_flit = true", "false");
  if (p.board.scratchpad_single_port) refuse("scratchpad_single_port = true", "false");
  if (p.board.noc_cycles_per_flit != 1) refuse("noc_cycles_per_flit above 1", "1");
  const OverlayParams ours;
  if (p.gather_cycles != ours.gather_cycles) refuse("gather_cycles", "what its size takes");
  if (p.turnaround_cycles != ours.turnaround_cycles)
    refuse("turnaround_cycles other than the default", "the default");
  if (p.end_cycles != ours.end_cycles) refuse("end_cycles other than the default", "the default");
  if (p.board.cache_sets_per_thread > 16 || p.board.cache_sets_per_thread * p.board.cache_ways > 64)
    refuse("cache_sets_per_thread above 16, or above 64 lines a thread,", "16 and 64 at most");
  if (p.timing != TileTiming{}) refuse("timing other than the default", "the default");
}

/// As the fast model's links, with the time-out of the slowest.
blocks::LinkStraps link_constants(const OverlayParams& p, const BoardSite& site) {
  blocks::LinkStraps result{2, 0};  // the least that is legal, for boards without links
  const fabric::Clock clock(p.board.clock_hz);
  for (const BoardSite::Ends& ends : site.links) {
    if (ends.tx == nullptr) continue;
    const auto params = blocks::ReliableLinkParams::standard(clock, ends.latency, ends.tx->period());
    const blocks::LinkStraps of_link = blocks::link_straps(clock, params, ends.tx->period());
    result.timeout = std::max(result.timeout, of_link.timeout);
    result.word_time = std::max(result.word_time, of_link.word_time);
  }
  return result;
}

std::uint64_t straps(const OverlayParams& p, const BoardSite& site) {
  const blocks::LinkStraps links = link_constants(p, site);
  return site.at.x | site.at.y << 3 | site.mesh.width << 6 | site.mesh.height << 10 |
         std::uint64_t{links.timeout} << 14 | std::uint64_t{links.word_time} << 30;
}

}  // namespace

blocks::RtlShape rtl_shape(const OverlayParams& p, bool waves) {
  check_form(p);
  blocks::RtlShape shape;
  shape.top = "polyloom_overlay_node";
  shape.files = {"roles/overlay/rtl/overlay.f"};
  const auto set = [&](const char* name, unsigned value) { shape.parameters[name] = std::to_string(value); };
  p.board.parameters(set);
  p.parameters(set);
  shape.parameters["ClockHz"] = "64'd" + std::to_string(p.board.clock_hz);
  if (p.board.tiles_x * p.board.tiles_y > 1 && !waves) {
    shape.lanes = {"polyloom_overlay_tile", "polyloom_overlay_router", "polyloom_overlay_link"};
    const unsigned cores = p.board.tiles_x * p.board.tiles_y * p.board.cores_per_tile;
    if (cores <= 64)
      shape.lanes.push_back("polyloom_overlay_core");  // of more, a tile's are computed one by one
  }
  // What has no work stands still: by its clock in Verilator's model; lanes know it by themselves.
  shape.parameters["Gate"] = shape.lanes.empty() ? "1'b1" : "1'b0";
  return shape;
}

std::unique_ptr<blocks::VerilatedNode> make_rtl_board(const OverlayParams& p, const BoardSite& site,
                                                      const fabric::WaveRequest* wave) {
  blocks::VerilatedParams params;
  params.name = site.name;
  params.shape = rtl_shape(p, wave != nullptr);
  params.clock_hz = p.board.clock_hz;
  params.strap = straps(p, site);
  for (const BoardSite::Ends& ends : site.links) params.lanes.push_back({ends.tx, ends.rx});
  params.host = {site.host.tx, site.host.rx};
  params.tx_beats = 0;  // links have their own buffers
  params.idle_edges = true;
  params.counters = {"instructions",      "hits",      "misses",        "writebacks", "messages_sent",
                     "messages_received", "link_sent", "link_received", "link_again", "link_bad",
                     "barriers"};
  if (p.board.programmable_routers)
    params.counters.insert(params.counters.end(),
                           {"router.copies", "router.copies_links", "router.keys", "router.beats"});
  // A link that sends again either gets through or is said to be down (role.cc).
  params.work = {"instructions",  "messages_sent", "messages_received", "link_sent",
                 "link_received", "link_again",    "barriers",          "router.beats"};
  params.waiting_for = [p](const blocks::RtlModel& model) { return rtl_waiting_for(p.board, model); };
  params.wave = wave;
  std::vector<std::unique_ptr<blocks::AxiMemory>> memories;
  for (unsigned slice = 0; slice < p.board.dram_channels; ++slice) {
    const auto bus = std::make_shared<blocks::MemoryBus>();
    const std::string name = site.name + ".slice." + std::to_string(slice);
    const auto store = [&](const char* of, std::uint64_t bytes) {
      return std::make_shared<blocks::BackingStore>(name + of, bytes);
    };
    blocks::DramParams dram = fitted(p.dram, p.board);
    dram.bytes = kDramBytes;
    blocks::SramParams sram = fitted(p.sram, p.board);
    sram.bytes = kSramBytes;
    memories.push_back(blocks::make_dram_memory(dram, store(".dram", kDramBytes), 0, bus));
    memories.push_back(blocks::make_sram_memory(sram, store(".sram.a", kSramBytes), 0, bus));
    memories.push_back(blocks::make_sram_memory(sram, store(".sram.b", kSramBytes), 0, bus));
  }
  return std::make_unique<blocks::VerilatedNode>(std::move(params), std::move(memories));
}

}  // namespace polyloom::overlay
