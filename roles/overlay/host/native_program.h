// SPDX-License-Identifier: Apache-2.0
// How a program that runs on this CPU takes the place of a simulated cluster behind HostLink
// (POLYLOOM_ON=native). PGraph::write() makes a NativeProgram from the graph and hands it to
// HostLink::attach_native(); HostLink::go() runs it on a thread of its own and HostLink's receive and console
// calls read what it puts out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyloom::overlay {

/// Where a running NativeProgram puts what a device would send. Calls may come from any number of threads at
/// once.
class NativeOutput {
 public:
  virtual ~NativeOutput() = default;
  /// One message to the host: 1..64 bytes, zero-padded to 64 as the mesh would (docs/sources/tinsel.md, 4).
  virtual void message(const void* bytes, std::size_t size) = 0;
  /// `count` messages of `size` bytes each (1..64), `stride` bytes apart: one call, one lock.
  virtual void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) = 0;
  /// One console line (no newline at its end) as printed by device thread `thread` (a global thread id).
  virtual void console(std::uint32_t thread, const char* line) = 0;
  /// So many supersteps are over, for those who watch a long run.
  virtual void superstep(std::uint64_t) {}
  /// True once the host program leaves, or is interrupted: a long run() should look now and then, and return.
  virtual bool stopping() const = 0;
};

class NativeProgram;

/// HostLink's side of an attached program.
class NativeRunner {
 public:
  virtual ~NativeRunner() = default;
  /// Sets stopping(), waits until run() has returned, and forgets the program. Called once by
  /// NativeProgram::leave().
  virtual void program_leaves(NativeProgram* program) = 0;
};

/// A program for this CPU. Owned by what made it (a PGraph), not by HostLink; either may go first.
/// The host program's own thread constructs, attaches and destroys it; only run() is on another thread.
class NativeProgram {
 public:
  NativeProgram() = default;
  NativeProgram(const NativeProgram&) = delete;
  NativeProgram& operator=(const NativeProgram&) = delete;
  virtual ~NativeProgram() { leave(); }

  /// Runs the whole program; returns when the last message for the host is out. A UserError thrown here ends
  /// the host program with its message.
  virtual void run(NativeOutput& out) = 0;

  /// Ends a run that is still going on. A derived class calls this first thing in its destructor, while what
  /// run() uses still exists.
  void leave() {
    if (runner_ != nullptr) {
      NativeRunner* runner = runner_;
      runner_ = nullptr;
      runner->program_leaves(this);
    }
  }

  /// For HostLink only: null when detached.
  void set_runner(NativeRunner* runner) { runner_ = runner; }

 private:
  NativeRunner* runner_ = nullptr;
};

}  // namespace polyloom::overlay
