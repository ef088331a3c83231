// SPDX-License-Identifier: Apache-2.0
// What HostLink and DebugLink are made of: one interface, one implementation over boards, one over this CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "roles/overlay/host/backend.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::overlay {

std::string hex(std::uint32_t value);

/// What a device program did wrong, in words, from what a board says of it.
std::string fault_text(const ClusterFacts& facts, const blocks::FaultFrame& fault);

struct ConsoleByte {
  unsigned board_x = 0, board_y = 0;
  unsigned core = 0;  ///< of the board, as in thread ids: tile number * 4 + core
  unsigned thread = 0;
  std::uint8_t byte = 0;
};

/// Which thread of which core of which board. `core` is board-local, bits 9:4 of a thread id.
struct CoreAt {
  unsigned x = 0, y = 0, core = 0;
};

/// A memory slice of a board.
struct SliceAt {
  unsigned x = 0, y = 0, slice = 0;
};

/// Where a message goes: threads of a mailbox, or the receivers of the routing key in `mask`.
struct Destination {
  std::uint32_t mailbox = 0;  ///< with the extra address bits (docs/sources/tinsel.md, 1.4)
  std::uint64_t mask = 0;
};

/// Phases of a run by name and length, in order (README.md).
using PhaseSeconds = std::vector<std::pair<std::string, double>>;

/// All calls throw UserError. "Waits" means in simulated time, if there is any. Not thread safe.
class HostCore {
 public:
  virtual ~HostCore() = default;
  virtual const ClusterFacts& facts() const = 0;
  virtual bool is_native() const = 0;

  /// `flits` flits of 16 bytes. They leave at flush() at the latest if the cluster has space for them. If
  /// not: with `queue` in a later call, behind those queued before; without it never, and the result is
  /// false.
  virtual bool send(const Destination& to, unsigned flits, const void* message, bool queue) = 0;
  virtual void flush() = 0;
  /// Waits for a message and copies its first `bytes` (at most 64) bytes.
  virtual void recv(void* message, std::size_t bytes) = 0;
  virtual bool can_recv() = 0;

  virtual void load_all(const std::string& code, const std::string& data) = 0;
  virtual void load_code(const std::string& code, CoreAt core) = 0;
  virtual void load_data(const std::string& data, CoreAt core) = 0;
  /// Marks threads to start, and starts what is marked.
  virtual void prepare_all() = 0;
  virtual void prepare(CoreAt core, int threads) = 0;
  virtual void go_all() = 0;
  virtual void go(CoreAt core) = 0;

  /// `call` is the host program's, for the message where the cluster has no such memory.
  virtual void write(const char* call, const SliceAt& slice, std::uint32_t address, const void* data,
                     std::uint64_t bytes) = 0;
  virtual void read(const char* call, const SliceAt& slice, std::uint32_t address, void* data,
                    std::uint64_t bytes) = 0;

  /// Nothing if there is such a thread, core or board; natively there may be any, as nothing is done with it.
  virtual void require_thread(std::uint32_t address) const = 0;
  virtual void require_core(CoreAt core, unsigned thread) const = 0;
  virtual void require_board(unsigned x, unsigned y) const = 0;

  /// Takes the oldest console byte; false if there is none now.
  virtual bool console(ConsoleByte& byte) = 0;
  /// Waits until there is one. Returns false if there can never be one again.
  virtual bool wait_console() = 0;
  virtual void console_in(CoreAt core, unsigned thread, bool every_core, std::uint8_t byte) = 0;

  virtual void attach(NativeProgram* program) = 0;
  virtual double seconds() const = 0;
  virtual PhaseSeconds phases() const = 0;
  /// Messages whose first half-word is `key` are no results: the compute phase goes on.
  void compute_goes_on_at(std::uint16_t key) { running_key_ = key; }
  virtual std::string finish() = 0;

 protected:
  bool is_result(const void* message) const {
    std::uint16_t key;
    std::memcpy(&key, message, sizeof key);
    return key != running_key_;
  }

 private:
  std::optional<std::uint16_t> running_key_;
};

/// Number of a core on its board's host link: dense, 0 .. facts.cores() - 1. Throws UserError if there is no
/// such core.
unsigned dense_core(const ClusterFacts& facts, unsigned core);
/// The inverse.
unsigned core_of_dense(const ClusterFacts& facts, unsigned dense);
/// Memory slice of a core's threads: tiles are divided evenly over the slices, in order.
unsigned slice_of_core(const ClusterFacts& facts, unsigned core);

/// Uses the first boards_x times boards_y boards of the backend's cluster; threads of the others take part in
/// termination detection, always willing, and do nothing else.
std::unique_ptr<HostCore> make_board_core(std::unique_ptr<HostBackend> backend, unsigned boards_x,
                                          unsigned boards_y);
/// `facts` is what a program that asks for the machine's size is told.
std::unique_ptr<HostCore> make_native_core(const ClusterFacts& facts);

}  // namespace polyloom::overlay
