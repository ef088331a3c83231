// SPDX-License-Identifier: Apache-2.0
// The backend that a simulated cluster is: one link of the host node to each board.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "fabric/host/client.h"
#include "roles/overlay/host/backend.h"

namespace polyloom::overlay {
namespace {

class SimBackend : public HostBackend {
 public:
  SimBackend() : facts_(facts_of_cluster(client_.info())) {
    board_of_link_.assign(static_cast<std::size_t>(client_.num_links()), kNoBoard);
    for (unsigned y = 0; y < facts_.boards_y; ++y) {
      for (unsigned x = 0; x < facts_.boards_x; ++x) {
        const std::string& peer = facts_.names.at(link_of_board_.size());
        const int link = client_.find_link(peer);
        if (link < 0) {
          throw UserError("cluster '" + facts_.name + "': board " + peer +
                          " has no host link; HostLink loads every board over its own");
        }
        board_of_link_[static_cast<std::size_t>(link)] = static_cast<unsigned>(link_of_board_.size());
        link_of_board_.push_back(link);
      }
    }
  }

  const ClusterFacts& facts() const override { return facts_; }
  void send(std::span<const BackendFrame> frames) override {
    std::vector<fabric::Outgoing> outgoing;
    for (const BackendFrame& frame : frames)
      outgoing.push_back({link_of_board_.at(frame.board), frame.words});
    client_.send(outgoing);
  }
  std::vector<BackendFrame> try_recv() override { return convert(client_.recv_within(0)); }
  std::vector<BackendFrame> recv() override { return convert(client_.recv_within(fabric::kNever)); }
  fabric::Time now() const override { return client_.now(); }
  void mark(const char* phase, fabric::Time at) override { client_.mark(phase, at); }
  std::string finish() override { return client_.finish(); }

 private:
  static constexpr unsigned kNoBoard = ~0u;

  std::vector<BackendFrame> convert(std::vector<fabric::Received> received) const {
    std::vector<BackendFrame> frames;
    for (fabric::Received& frame : received) {
      const unsigned board = board_of_link_.at(static_cast<std::size_t>(frame.link));
      frames.push_back({board, std::move(frame.words), frame.arrival});
    }
    return frames;
  }

  fabric::HostClient client_;
  ClusterFacts facts_;
  std::vector<int> link_of_board_;
  std::vector<unsigned> board_of_link_;
};

using Sizes = std::vector<unsigned>;

/// The board at each place: by its position where nodes state them, else by the name that a mesh gives it.
void read_names(const nlohmann::json& cluster, ClusterFacts& facts) {
  for (unsigned y = 0; y < facts.boards_y; ++y) {
    for (unsigned x = 0; x < facts.boards_x; ++x) {
      facts.names.push_back("fpga." + std::to_string(x) + "." + std::to_string(y));
    }
  }
  for (const auto& node : cluster.value("nodes", nlohmann::json::array())) {
    const auto at = node.value("position", Sizes{});
    if (node.value("role", "") != "overlay" || at.size() != 2) continue;
    if (at[0] < facts.boards_x && at[1] < facts.boards_y) {
      facts.names[at[1] * facts.boards_x + at[0]] = node.value("name", "");
    }
  }
}

}  // namespace

ClusterFacts facts_of_cluster(const std::string& text) {
  const auto cluster = nlohmann::json::parse(text, nullptr, false);
  if (!cluster.is_object())
    throw UserError("the simulator described its cluster in no JSON that HostLink can read");
  ClusterFacts facts;
  facts.name = cluster.value("name", "");
  const auto fail = [&](const std::string& why) {
    throw UserError("cluster '" + facts.name + "': " + why +
                    "; HostLink needs a mesh of overlay boards, e.g. laptop");
  };
  const auto roles = cluster.value("roles", nlohmann::json::object());
  const auto topology = cluster.value("topology", nlohmann::json::object());
  const std::string kind = topology.value("kind", "");
  if (!roles.contains("overlay") || (kind == "mesh" && roles.size() != 1)) {
    fail("not every board has the role overlay");
  }
  if (roles["overlay"].size() != 1) fail("its boards differ in their [overlay] tables");
  const auto& table = roles["overlay"][0];
  const auto size = (kind == "mesh" ? topology : table).value(kind == "mesh" ? "size" : "mesh", Sizes{});
  if ((kind != "mesh" && kind != "explicit") || size.size() != 2)
    fail("its boards are no two-dimensional mesh");
  facts.boards_x = size[0];
  facts.boards_y = size[1];
  read_names(cluster, facts);
  const auto read = [&](const auto& key, auto& fact) { fact = table.value(key.name, fact); };
  read(keys::tiles_x, facts.tiles_x);
  read(keys::tiles_y, facts.tiles_y);
  read(keys::cores_per_tile, facts.cores_per_tile);
  read(keys::threads_per_core, facts.threads_per_core);
  read(keys::dram_channels, facts.slices);
  read(keys::instr_words, facts.instr_words);
  read(keys::max_flits, facts.max_flits);
  read(keys::extra_send_slot, facts.extra_send_slot);
  read(keys::programmable_routers, facts.programmable_routers);
  return facts;
}

std::unique_ptr<HostBackend> connect_to_simulator() {
  const auto is_set = [](const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != 0;
  };
  // As `polyloom run` does where none is named.
  if (!is_set("POLYLOOM_CLUSTER") && !is_set("POLYLOOM_SOCKET")) ::setenv("POLYLOOM_CLUSTER", "laptop", 1);
  return std::make_unique<SimBackend>();
}

}  // namespace polyloom::overlay
