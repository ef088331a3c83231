// SPDX-License-Identifier: Apache-2.0
// A collective node of the fabric: the engine and the shell that its host talks to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "blocks/shell/sim/shell.h"
#include "fabric/node.h"
#include "roles/collective/sim/engine.h"

namespace polyloom::collective {

struct NodeSite {
  std::string name;                     ///< "fpga.3": prefix of counters, name of the backdoor's file
  std::vector<blocks::WireEnds> lanes;  ///< network ports, in order; null ends where unconnected
  blocks::WireEnds host;                ///< null if no host is attached
  fabric::TraceTrack* trace = nullptr;
};

/// Ports: lanes, then the host. Frames: blocks/shell/host_frames.h; registers: program.h, from
/// blocks::reg::role_base on. Instructions are written whole: address and bytes of Space::program are
/// multiples of 32; while a program runs its memory is not written.
class CollectiveNode final : public fabric::Node, private blocks::ShellHandler {
 public:
  CollectiveNode(const CollectiveParams& params, NodeSite site);

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::string waiting_for() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

  // Looking in, for tests and benches.
  Engine& engine() { return engine_; }
  /// Bytes of a channel; precondition: contents are stored.
  std::uint8_t* channel(unsigned c) { return memory_->data() + c * params_.channel.bytes; }

 private:
  bool has(const blocks::MemRange& range) const override;
  void write_word(blocks::Cycle c, const blocks::MemRange& range, std::size_t index, std::uint64_t data,
                  unsigned bytes) override;
  std::uint64_t read_word(blocks::Cycle c, const blocks::MemRange& range, std::size_t index,
                          unsigned bytes) override;
  Response message(blocks::Cycle, const blocks::MsgFrame&) override { return Response::refused; }
  Response uart_in(blocks::Cycle, const blocks::UartInFrame&) override { return Response::refused; }
  Response start(blocks::Cycle, const blocks::StartFrame&) override { return Response::refused; }
  std::optional<std::uint64_t> role_register(blocks::Cycle c, std::uint32_t reg) override;
  bool set_role_register(blocks::Cycle c, std::uint32_t reg, std::uint64_t value) override;
  void reset_counters(blocks::Cycle) override { engine_.reset_counters(); }
  void ended(const ProgramEnd& end);

  const CollectiveParams params_;
  const std::string name_;
  const fabric::Clock clock_;
  std::unique_ptr<blocks::BackingStore> memory_;  ///< null: timing only
  Engine engine_;
  blocks::Shell shell_;
};

}  // namespace polyloom::collective
