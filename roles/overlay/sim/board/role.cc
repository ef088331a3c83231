// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/role.h"

#include <cstdlib>

#include "blocks/reliable_link/sim/link_watch.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "roles/overlay/sim/board/board.h"
#include "roles/overlay/sim/board/rtl_board.h"
#include "spec/overlay_keys.h"

namespace polyloom::overlay {
namespace {

void read_sizes(fabric::Table& table, BoardParams& board) {
  board.read(table);
  // The largest boards have as many caches as can share memories: no port is left for the router.
  board.programmable_routers = table.boolean(keys::programmable_routers.name, board.tiles() < 64);
  if (board.dram_channels > board.tiles()) {
    table.fail(keys::dram_channels.name, "is more than the board has tiles",
               "at most " + std::to_string(board.tiles()));
  }
  if (board.extra_send_slot && board.mailbox_slots <= 128) {
    table.fail(keys::mailbox_slots.name, "leaves no slot to receive into, with extra_send_slot",
               "256 or 512");
  }
}

/// Boards are all nodes of a mesh, or in an explicit topology those nodes whose `position` lies in [overlay]
/// mesh; other nodes may be of other roles.
MeshSize read_mesh(fabric::Table& table, const fabric::Topology& topology) {
  constexpr int kMaxSide = 1 << AddressLayout::kBoardBits;
  if (topology.kind == fabric::TopologyKind::explicit_links) {
    const auto size = table.integers(keys::mesh, std::nullopt, 1, kMaxSide, 2, 2);
    return {static_cast<unsigned>(size[0]), static_cast<unsigned>(size[1])};
  }
  if (topology.kind != fabric::TopologyKind::mesh || topology.size.size() != 2) {
    table.fail("detector", "needs boards in a mesh, because overlay addresses are mesh coordinates",
               "[topology] kind = \"mesh\", or \"explicit\" with [overlay] mesh");
  }
  if (topology.size[0] > kMaxSide || topology.size[1] > kMaxSide) {
    table.fail("detector", "addresses at most 8 x 8 boards", "[topology] size up to [8, 8]");
  }
  return {static_cast<unsigned>(topology.size[0]), static_cast<unsigned>(topology.size[1])};
}

std::shared_ptr<const fabric::RoleParams> validate(fabric::Table& table, const fabric::RoleSite& site) {
  auto params = std::make_shared<OverlayParams>();
  params->board.clock_hz = site.clock_hz;
  read_sizes(table, params->board);
  fabric::Table timing = table.table("timing");
  params->timing.read(timing);
  timing.finish();
  params->read(table);
  params->detector = table.read(keys::detector) == "star" ? DetectorKind::star : DetectorKind::tree;
  params->published_link = table.read(keys::link_layer) == "published";
  if (params->published_link && params->detector != DetectorKind::star) {
    table.fail(keys::link_layer.name, "has no channel for control words, which detector = \"tree\" needs",
               "\"ours\", or detector = \"star\"");
  }
  if (params->detector != DetectorKind::star && table.has(keys::bridge_hop_cycles.name)) {
    table.fail(keys::bridge_hop_cycles.name, "is for detector = \"star\", whose master sits behind a bridge",
               "no such key, or detector = \"star\"");
  }
  const bool published = table.read(keys::memory_controller) == "published";
  params->dram = published ? blocks::DramParams::ddr3_1600_published(params->board.line_bytes)
                           : blocks::DramParams::ddr3_1600(params->board.line_bytes);
  params->sram = blocks::SramParams::qdr2(params->board.line_bytes);
  params->profile |= std::getenv("POLYLOOM_PROFILE") != nullptr;

  params->mesh = read_mesh(table, site.topology);
  return params;
}

/// A board's neighbours are where its coordinates say: port 0 north (+y), 1 east (+x), 2 south, 3 west.
void check_neighbours(const fabric::NodeContext& context, MeshSize mesh) {
  const fabric::ClusterNode& node = context.node();
  const std::vector<int>& at = node.position;
  const int width = static_cast<int>(mesh.width), height = static_cast<int>(mesh.height);
  const auto inside = [&](int x, int y) { return x >= 0 && x < width && y >= 0 && y < height; };
  if (at.size() != 2 || !inside(at[0], at[1])) {
    throw UserError(node.name + ": a board needs a position = [x, y] in its mesh of " +
                    std::to_string(width) + " x " + std::to_string(height));
  }
  static constexpr int kDx[kLinks] = {0, 1, 0, -1}, kDy[kLinks] = {1, 0, -1, 0};
  for (unsigned link = 0; link < kLinks; ++link) {
    const int x = at[0] + kDx[link], y = at[1] + kDy[link];
    const int peer = link < context.ports.size() ? context.ports[link].peer : -1;
    if (!inside(x, y)) continue;
    const fabric::ClusterNode* other =
        peer < 0 ? nullptr : &context.cluster.nodes[static_cast<std::size_t>(peer)];
    if (!other || other->role != node.role || other->position != std::vector<int>{x, y}) {
      throw UserError(node.name + ": port " + std::to_string(link) + " must lead to the board at [" +
                      std::to_string(x) + ", " + std::to_string(y) + "]; it leads to " +
                      (other ? other->name : std::string("nothing")));
    }
  }
}

/// Ends the run when what goes out of a port is sent again and again in vain. The same for a model and RTL,
/// which put the same frames on the wire.
void watch_link(const fabric::NodePort& port, const OverlayParams& params, std::string from, std::string to) {
  const auto watch =
      std::make_shared<blocks::LinkWatch>(blocks::LinkFormat{params.published_link}, params.link_down_after);
  port.tx->watch([watch, from = std::move(from), to = std::move(to)](const fabric::Segment& segment) {
    const auto down = watch->sent(segment);
    if (!down) return;
    throw UserError(
        "link " + from + " -> " + to + " is down: since " + fabric::format_duration(down->since) +
        " it has sent the same items " + std::to_string(down->times) +
        " times again and nothing was acknowledged (now " + fabric::format_duration(segment.first) +
        "); look at drop_rate and bit_error_rate of this link, both ways ([overlay] link_down_after "
        "sets the patience)");
  });
}

std::unique_ptr<fabric::Node> make_node(const fabric::NodeContext& context) {
  const fabric::ClusterNode& node = context.node();
  if (node.fidelity != fabric::Fidelity::sim && node.fidelity != fabric::Fidelity::rtl) {
    throw UserError(node.name +
                    ": this program has overlay boards of the fidelities sim and rtl; this one asks for " +
                    fabric::name_of(node.fidelity));
  }
  const MeshSize mesh = context.params<OverlayParams>().mesh;
  check_neighbours(context, mesh);
  BoardSite site;
  site.name = node.name;
  site.at = {static_cast<unsigned>(node.position.at(0)), static_cast<unsigned>(node.position.at(1))};
  site.mesh = mesh;
  const auto ends = [&](std::size_t port) -> BoardSite::Ends {
    if (port >= context.ports.size()) return {};
    const fabric::NodePort& p = context.ports[port];
    return {p.tx, p.rx, p.quality == nullptr ? 0 : p.quality->latency};
  };
  const auto& params = context.params<OverlayParams>();
  for (unsigned link = 0; link < kLinks; ++link) {
    site.links[link] = ends(link);
    if (site.links[link].tx == nullptr) continue;
    const fabric::NodePort& port = context.ports[link];
    watch_link(port, params, node.name, context.cluster.nodes[static_cast<std::size_t>(port.peer)].name);
  }
  if (node.host_port >= 0) site.host = ends(static_cast<std::size_t>(node.host_port));
  site.trace = context.trace;
  if (node.fidelity == fabric::Fidelity::rtl) return make_rtl_board(params, site, context.wave);
  return std::make_unique<Board>(params, std::move(site));
}

}  // namespace

void register_role(fabric::RoleRegistry& registry) {
  registry.add({"overlay", validate, make_node, {}, "reliable"});
}

}  // namespace polyloom::overlay
