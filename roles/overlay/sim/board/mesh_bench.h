// SPDX-License-Identifier: Apache-2.0
// For tests: a mesh of boards with a scripted host, programs assembled in place.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "fabric/fabric.h"
#include "roles/overlay/sim/board/board.h"
#include "roles/overlay/sim/tile/test_asm.h"

namespace polyloom::overlay::test {

/// Frames in the order given, each from its time on, in segments that fit the fabric's window.
class FrameSender {
 public:
  explicit FrameSender(fabric::Tx& tx) : tx_(&tx) {}
  void send(fabric::Time ready, std::vector<std::uint64_t> words) {
    out_.push_back({ready, std::move(words)});
  }
  void transmit(fabric::Time until) {
    while (!out_.empty()) {
      const auto& [ready, words] = out_.front();
      fabric::Segment segment;
      segment.first = std::max(ready, tx_->free_at());
      if (segment.first >= until) return;
      const auto room = static_cast<std::size_t>((until - segment.first + tx_->period() - 1) / tx_->period());
      const std::size_t end = std::min(words.size(), sent_ + room);
      segment.head = sent_ == 0;
      segment.tail = end == words.size();
      segment.words.assign(words.begin() + static_cast<std::ptrdiff_t>(sent_),
                           words.begin() + static_cast<std::ptrdiff_t>(end));
      sent_ = end;
      if (segment.tail) sent_ = 0, out_.pop_front();
      tx_->send(std::move(segment));
    }
  }
  fabric::Time next_departure() const {
    return out_.empty() ? fabric::kNever : std::max(out_.front().first, tx_->free_at());
  }

 private:
  fabric::Tx* tx_;
  std::deque<std::pair<fabric::Time, std::vector<std::uint64_t>>> out_;
  std::size_t sent_ = 0;  ///< words of the first frame
};

/// Sends frames when told and keeps what comes.
class ScriptedHost final : public fabric::Node {
 public:
  struct Frame {
    std::size_t board;
    fabric::Time time;
    std::vector<std::uint64_t> words;
  };
  explicit ScriptedHost(std::vector<fabric::Port> ports) : ports_(std::move(ports)), parts_(ports_.size()) {
    for (const fabric::Port& port : ports_) out_.emplace_back(*port.tx);
  }
  void send(std::size_t board, fabric::Time at, std::vector<std::uint64_t> words) {
    out_[board].send(at, std::move(words));
  }
  void advance(fabric::Time until) override {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      out_[i].transmit(until);
      while (const fabric::Segment* s = ports_[i].rx->front()) {
        if (s->first >= until) break;
        if (s->head) parts_[i].clear();
        parts_[i].insert(parts_[i].end(), s->words.begin(), s->words.end());
        if (s->tail) received.push_back({i, s->end(), parts_[i]});
        ports_[i].rx->pop();
      }
    }
  }
  fabric::Time next_event() const override {
    fabric::Time next = fabric::kNever;
    for (const FrameSender& sender : out_) next = std::min(next, sender.next_departure());
    return next;
  }
  std::vector<Frame> received;

 private:
  std::vector<fabric::Port> ports_;
  std::vector<FrameSender> out_;
  std::vector<std::vector<std::uint64_t>> parts_;
};

/// Does nothing.
class IdleNode final : public fabric::Node {
 public:
  void advance(fabric::Time) override {}
  fabric::Time next_event() const override { return fabric::kNever; }
};

struct MeshOptions {
  MeshSize mesh{1, 1};
  OverlayParams params;
  fabric::LinkSpec link{.latency = 780'000, .period = 6'400};  ///< 195 cycles of 250 MHz, 10 Gb/s
  fabric::Time window = 0;  ///< longest window of the fabric, 0: what the links allow
};

/// Boards in row order, then the host. Frames sent before a run leave at once.
class MeshBench {
 public:
  explicit MeshBench(const MeshOptions& options) : options_(options) {
    const MeshSize mesh = options.mesh;
    for (unsigned b = 0; b < mesh.boards(); ++b) fabric_.add_node(name(b));
    const int host = fabric_.add_node("host");
    std::vector<BoardSite> sites(mesh.boards());
    std::vector<fabric::Port> host_ports;
    std::uint64_t seed = options.link.seed;
    for (unsigned b = 0; b < mesh.boards(); ++b) {
      sites[b].name = name(b);
      sites[b].at = {b % mesh.width, b / mesh.width};
      sites[b].mesh = mesh;
      const auto join = [&](unsigned other, BoardPort mine) {
        fabric::LinkSpec to = options.link, back = options.link;
        to.seed = ++seed, back.seed = ++seed;
        const auto [a, z] = fabric_.connect(to, back, static_cast<int>(b), static_cast<int>(other));
        sites[b].links[mine] = {a.tx, a.rx, options.link.latency};
        sites[other].links[opposite(mine)] = {z.tx, z.rx, options.link.latency};
      };
      if (sites[b].at.x + 1 < mesh.width) join(b + 1, kLinkEast);
      if (sites[b].at.y + 1 < mesh.height) join(b + mesh.width, kLinkNorth);
      const fabric::LinkSpec host_link{.latency = 1'000'000, .period = 2'000};
      const auto [a, z] = fabric_.connect(host_link, host_link, static_cast<int>(b), host);
      sites[b].host = {a.tx, a.rx, host_link.latency};
      host_ports.push_back(z);
    }
    for (unsigned b = 0; b < mesh.boards(); ++b) {
      auto node = std::make_unique<Board>(options.params, sites[b]);
      boards_.push_back(node.get());
      fabric_.set_node(static_cast<int>(b), std::move(node));
    }
    auto node = std::make_unique<ScriptedHost>(host_ports);
    host_ = node.get();
    fabric_.set_node(host, std::move(node));
    if (options.window != 0) shorten_windows(options.window);
  }

  Board& board(std::size_t i) { return *boards_[i]; }
  std::size_t boards() const { return boards_.size(); }
  ScriptedHost& host() { return *host_; }
  fabric::Fabric& fabric() { return fabric_; }

  void send(std::size_t board, std::vector<std::uint64_t> words) {
    host_->send(board, fabric_.now(), std::move(words));
  }
  /// Loads the program into every core of every board through the shell and starts threads at 0.
  void load(const Asm& program) {
    std::vector<std::uint64_t> data;
    for (std::size_t i = 0; i < program.words.size(); i += 2) {
      data.push_back(program.words[i] |
                     (i + 1 < program.words.size() ? std::uint64_t{program.words[i + 1]} << 32 : 0));
    }
    const blocks::MemRange range{.space = blocks::Space::instr,
                                 .target = blocks::kBroadcast,
                                 .address = 0,
                                 .bytes = static_cast<std::uint32_t>(4 * program.words.size())};
    for (std::size_t b = 0; b < boards(); ++b) send(b, blocks::encode(blocks::WriteFrame{1, range, data}));
  }
  void start() {
    const BoardParams& p = options_.params.board;
    for (std::size_t b = 0; b < boards(); ++b) {
      send(b, blocks::encode(
                  blocks::StartFrame{.first_core = 0,
                                     .cores = static_cast<std::uint16_t>(p.tiles() * p.cores_per_tile),
                                     .threads = static_cast<std::uint8_t>(p.threads_per_core)}));
    }
  }
  fabric::RunResult run(fabric::Time limit = fabric::kNever, fabric::EngineOptions engine = {}) {
    engine.limit = limit;
    return fabric::run(fabric_, engine);
  }
  /// Everything threads printed, in order of arrival.
  std::string uart() const {
    std::string text;
    for (const auto& frame : host_->received) {
      if ((frame.words[0] & 0xff) == static_cast<std::uint64_t>(blocks::HostOp::uart_out)) {
        text += static_cast<char>((frame.words[0] >> 8) & 0xff);
      }
    }
    return text;
  }
  /// Frames of one kind, decoded.
  template <class F>
  std::vector<F> frames() const {
    std::vector<F> out;
    for (const auto& frame : host_->received) {
      const blocks::HostFrame decoded = blocks::decode(frame.words);
      if (const F* f = std::get_if<F>(&decoded)) out.push_back(*f);
    }
    return out;
  }

 private:
  std::string name(unsigned b) const {
    return "fpga." + std::to_string(b % options_.mesh.width) + "." + std::to_string(b / options_.mesh.width);
  }

  /// A link as short as that, between nodes of their own.
  void shorten_windows(fabric::Time window) {
    const fabric::LinkSpec link{.latency = window, .period = 1'000};
    const int a = fabric_.add_node("idle.0"), b = fabric_.add_node("idle.1");
    fabric_.connect(link, link, a, b);
    for (const int node : {a, b}) fabric_.set_node(node, std::make_unique<IdleNode>());
  }

  MeshOptions options_;
  fabric::Fabric fabric_;
  std::vector<Board*> boards_;
  ScriptedHost* host_ = nullptr;
};

}  // namespace polyloom::overlay::test
