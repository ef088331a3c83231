// SPDX-License-Identifier: Apache-2.0
// HostLink over boards: every operation becomes frames of the shells' host links.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "fabric/phases.h"
#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/host/console_input.h"
#include "roles/overlay/host/core.h"
#include "roles/overlay/host/verilog_hex.h"

namespace polyloom::overlay {

inline constexpr std::size_t kMessageBytes = 64;

/// Frames to boards wait in a ring and leave together, in one call of the host: when the ring is full, and
/// before the host waits for anything. Responses are taken as a driver takes them that empties a ring: all that
/// are there.
class BoardCore : public HostCore {
 public:
  BoardCore(std::unique_ptr<HostBackend> backend, unsigned boards_x, unsigned boards_y);

  const ClusterFacts& facts() const override { return backend_->facts(); }
  bool is_native() const override { return false; }

  bool send(const Destination& to, unsigned flits, const void* message, bool queue) override;
  void flush() override { ring(); }
  void recv(void* message, std::size_t bytes) override;
  bool can_recv() override;
  void load_all(const std::string& code, const std::string& data) override;
  void load_code(const std::string& code, CoreAt core) override;
  void load_data(const std::string& data, CoreAt core) override;
  void prepare_all() override { all_prepared_ = true; }
  void prepare(CoreAt core, int threads) override;
  void go_all() override;
  void go(CoreAt core) override;
  void write(const char* call, const SliceAt& slice, std::uint32_t address, const void* data,
             std::uint64_t bytes) override;
  void read(const char* call, const SliceAt& slice, std::uint32_t address, void* data,
            std::uint64_t bytes) override;
  void require_thread(std::uint32_t address) const override;
  void require_core(CoreAt core, unsigned thread) const override;
  void require_board(unsigned x, unsigned y) const override { board(x, y); }
  bool console(ConsoleByte& byte) override;
  bool wait_console() override;
  void console_in(CoreAt core, unsigned thread, bool every_core, std::uint8_t byte) override;
  [[noreturn]] void attach(NativeProgram*) override;
  double seconds() const override;
  PhaseSeconds phases() const override;
  std::string finish() override;

 private:
  struct Message {
    std::uint8_t bytes[kMessageBytes];
  };
  /// Threads 0 .. threads - 1 of `cores` cores of a board, to be started at pc.
  struct Start {
    unsigned board, first_core, cores, threads;
    std::uint32_t pc;
  };

  /// What is executed: a file, and what it held when it was loaded.
  struct Code {
    std::string file;
    std::vector<MemoryImage> images;
  };

  unsigned board(unsigned x, unsigned y) const;
  unsigned cluster_board(unsigned x, unsigned y) const { return y * facts().boards_x + x; }
  bool in_use(unsigned board) const {
    return board % facts().boards_x < boards_x_ && board / facts().boards_x < boards_y_;
  }
  std::string board_name(unsigned board) const {
    return "board (" + std::to_string(board % facts().boards_x) + "," +
           std::to_string(board / facts().boards_x) + ")";
  }

  /// Number on its board of the instruction memory of a core (dense number); two cores of a tile share one.
  unsigned memory_of(unsigned core) const {
    const unsigned of_tile = facts().cores_per_tile;
    return core / of_tile * ((of_tile + 1) / 2) + core % of_tile / 2;
  }

  // Frames (board_core.cc).
  void post(unsigned board, std::vector<std::uint64_t> words);
  void ring();
  void take(std::vector<BackendFrame> frames);
  void wait_for_frames();
  void handle(const BackendFrame& frame);
  void handle_fault(unsigned board, const blocks::FaultFrame& fault);
  void pump();
  void send_waiting();
  void settle();

  // Phases (board_core.cc).
  void enter(const char* phase, fabric::Time at);
  void note_register(unsigned board, const blocks::RegDataFrame& data);
  void note_progress();

  // Memories and programs (board_load.cc).
  void require_memory(const std::string& what, std::uint32_t address, std::uint64_t bytes) const;
  std::vector<MemoryImage> read_data(const std::string& file) const;
  void write_range(unsigned board, blocks::Space space, std::uint32_t target, std::uint32_t address,
                   const std::uint8_t* data, std::uint64_t bytes);
  void load_instructions(unsigned board, std::uint32_t target, const std::vector<MemoryImage>& images);
  std::vector<MemoryImage> read_code(const std::string& file) const;
  void refuse_if_started(const std::string& file, unsigned board, unsigned memory) const;
  void refuse_if_another_program(unsigned board, unsigned core) const;
  void start(const std::vector<Start>& starts);

  std::unique_ptr<HostBackend> backend_;
  unsigned boards_x_, boards_y_;
  std::vector<BackendFrame> ring_;  ///< frames that wait for the bell
  std::size_t ring_bytes_ = 0;
  unsigned room_ = kHostFlits;                      ///< flits of messages that board (0,0) can take
  std::deque<std::vector<std::uint64_t>> waiting_;  ///< frames of messages that it could not
  std::deque<Message> messages_;
  std::deque<ConsoleByte> console_;
  std::uint64_t unconfirmed_frames_ = 0, unconfirmed_bytes_ = 0;
  std::vector<std::uint8_t> read_data_;
  bool read_done_ = false;
  bool all_prepared_ = false;
  std::map<std::pair<unsigned, unsigned>, unsigned> prepared_;  ///< (board, dense core) -> threads
  std::map<std::pair<unsigned, unsigned>, unsigned>
      started_;  ///< (board, instruction memory) -> a core that executes from it, dense
  Code code_;    ///< of every core ...
  std::map<std::pair<unsigned, unsigned>, Code>
      code_of_memory_,  ///< ... but those of (board, instruction memory), as it was loaded last, and ...
      code_of_core_;    ///< ... what (board, dense core) was given
  ConsoleInput input_;

  std::vector<fabric::PhaseMark> phases_;
  std::map<unsigned, std::uint64_t> started_cycle_;  ///< of a board's clock, by which its threads run
  unsigned awaited_registers_ = 0;                   ///< that say so
  fabric::Time running_ = 0;                         ///< when the last thread was started
  std::optional<fabric::Time> first_result_;         ///< when it reached the host
};

}  // namespace polyloom::overlay
