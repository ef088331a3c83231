// SPDX-License-Identifier: Apache-2.0
// An overlay board as a node of the fabric: tiles, memories, message network, links, detection, shell.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "blocks/shell/sim/shell.h"
#include "fabric/node.h"
#include "fabric/trace.h"
#include "roles/overlay/sim/board/mesh_link.h"
#include "roles/overlay/sim/board/overlay_params.h"
#include "roles/overlay/sim/net/detector.h"
#include "roles/overlay/sim/net/noc.h"
#include "roles/overlay/sim/tile/instr_memory.h"
#include "roles/overlay/sim/tile/tile.h"

namespace polyloom::overlay {

struct BoardSite {
  std::string name;  ///< "fpga.0.1": prefix of counters
  BoardCoord at;
  MeshSize mesh;
  struct Ends {
    fabric::Tx* tx = nullptr;
    fabric::Rx* rx = nullptr;
    fabric::Time latency = 0;
  };
  std::array<Ends, kLinks> links;       ///< by BoardPort; null at the periphery
  Ends host;                            ///< null if no host is attached
  fabric::TraceTrack* trace = nullptr;  ///< null when the run is not traced
};

/// Time goes in board windows of kWindow cycles: cores, then memories, then links, network, detection and
/// shell. What a window puts on a link leaves at or after the window's end. Windows without anything to do
/// are skipped. The shell's frames: blocks/shell/host_frames.h. Ports: 0..3 north, east, south, west.
class Board final : public fabric::Node,
                    private DetectorEnv,
                    private TileEvents,
                    private RecordMemory,
                    private blocks::ShellHandler {
 public:
  Board(const OverlayParams& params, BoardSite site);
  ~Board() override;

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::optional<std::uint64_t> work() const override;
  std::string waiting_for() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void tables(const fabric::TableSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

  // Looking in, for tests and benches. Loading through these is `--load backdoor`.
  Tile& tile(unsigned index) { return *tiles_[index]; }
  Memory& memory() { return memory_; }
  Noc& noc() { return noc_; }
  const Detector& detector() const { return *detector_; }
  const NetShared& net() const { return net_; }
  /// Every window up to this cycle is over.
  Cycle now() const { return now_; }
  /// Skips no window from now on: must change nothing but the time it takes.
  void run_every_window() { every_window_ = true; }
  std::uint64_t instructions() const;

  /// Board registers from blocks::reg::role_base on.
  enum Register : std::uint32_t {
    kMeshSize = 0x100,      ///< R  width[15:0] height[31:16]
    kTiles = 0x101,         ///< R  tiles_x[7:0] tiles_y[15:8] cores a tile[23:16] threads a core[31:24]
    kSlices = 0x102,        ///< R  memory slices
    kOptions = 0x103,       ///< R  bit 0: extra send slot
    kBarriers = 0x104,      ///< R  times that this board was released from a barrier
    kInstructions = 0x105,  ///< R  instructions that this board has retired
  };

 private:
  /// What this board did since its reset.
  struct Work {
    std::uint64_t instructions = 0, message_hops = 0;
  };
  /// From one barrier to the next; number 0, from the reset to the first, holds loading and initialisation.
  struct Superstep {
    Cycle end;
    bool voted;
    Work work;  ///< of this step alone
  };

  // Time (board.cc).
  Cycle next_window() const;
  void window(Cycle from);
  void network(Cycle from, Cycle to);
  void links_in(Cycle from, Cycle to);
  void links_out(Cycle to);
  void host_messages_in(Cycle from, Cycle to);
  void host_messages_out(Cycle to);

  // ShellHandler (board_shell.cc).
  bool has(const blocks::MemRange& range) const override;
  unsigned write_slots(const blocks::MemRange& range) const override;
  void write_word(Cycle c, const blocks::MemRange& range, std::size_t index, std::uint64_t data,
                  unsigned bytes) override;
  std::uint64_t read_word(Cycle c, const blocks::MemRange& range, std::size_t index, unsigned bytes) override;
  Response message(Cycle c, const blocks::MsgFrame& frame) override;
  Response uart_in(Cycle c, const blocks::UartInFrame& frame) override;
  Response start(Cycle c, const blocks::StartFrame& frame) override;
  std::optional<std::uint64_t> role_register(Cycle c, std::uint32_t reg) override;
  void reply(std::vector<std::uint64_t> words) { shell_.send(reply_at_, std::move(words)); }

  // DetectorEnv.
  void send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) override;
  void release_threads(Cycle c, bool voted) override;
  void freeze_threads(Cycle c, bool frozen) override;
  // TileEvents.
  bool uart_out(Cycle c, std::uint32_t thread_id, std::uint8_t byte) override;
  void uart_read(Cycle c, std::uint32_t thread_id) override;
  void fault(Cycle c, std::uint32_t thread_id, const Fault& fault) override;
  void emit(Cycle c, std::uint32_t thread_id, std::uint32_t value) override;
  std::uint32_t router_sent(bool inter_board) override;

  // RecordMemory.
  void read(Cycle at, unsigned port, unsigned slice, std::uint32_t address, unsigned tag) override;

  void route_fault(Cycle c, RouteFault why, std::uint32_t key, std::uint32_t head);
  void console_fault(std::uint32_t thread);
  void net_fault(unsigned tile, unsigned thread, const SendRequest& request, SendFault why);
  unsigned pairs() const { return params_.board.tiles() * ((params_.board.cores_per_tile + 1) / 2); }
  std::uint32_t thread_id(unsigned tile, unsigned thread) const;
  unsigned core_of(std::uint32_t thread_id) const;

  const OverlayParams params_;
  const BoardSite site_;
  const fabric::Clock clock_;
  NetShared net_;
  Noc noc_;
  Memory memory_;
  MemorySystem memory_system_;
  Arena arena_;  ///< outlives the tiles, as does their code
  SharedCode code_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  /// A port of the board router's to memory: the last clients of memory_system_.
  struct RouterPort final : MemoryClient {
    Board* board = nullptr;
    unsigned port = 0;
    void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) override {
      board->noc_.expanders().beat(c, port, tag, line);
    }
  };
  std::array<RouterPort, Expanders::kPorts> router_ports_;
  std::array<std::unique_ptr<MeshLink>, kLinks> links_;  ///< null at the periphery
  blocks::Shell shell_;
  std::unique_ptr<Detector> detector_;

  Cycle now_ = 0;                    ///< end of the last window simulated
  std::optional<Cycle> started_at_;  ///< when all threads have started that the host's frame names
  Cycle reply_at_ = 0;               ///< edge at which what this window produces may leave
  bool every_window_ = false;
  bool retry_ = false;                 ///< what was held back may go on in the next window
  std::uint32_t blocked_entries_ = 0;  ///< ports at which a message found no room in the last window
  std::array<bool, kLinks> held_counted_{};
  std::deque<Message> from_host_;
  unsigned from_host_flits_ = 0;       ///< of these
  unsigned unreported_flits_ = 0;      ///< that have gone on and are not yet given back as room
  std::vector<Superstep> supersteps_;  ///< the first of them, for the run record
  std::size_t barriers_ = 0;
  Work work_before_;             ///< at the last barrier
  fabric::Time step_began_ = 0;  ///< for the trace
  std::string first_fault_;
  std::uint64_t faults_ = 0;
};

}  // namespace polyloom::overlay
