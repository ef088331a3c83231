// SPDX-License-Identifier: Apache-2.0
// memory_rtl_top with its memories, one cycle at a time, and threads that access them.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "blocks/verilated/line_memory.h"
#include "blocks/verilated/node_ports.h"
#include "roles/overlay/tests/memory/memory_reference.h"

namespace polyloom::overlay::test {

struct Shape {
  unsigned tiles = 1, cores = 4, threads = 16, ways = 16, sets = 4, line_bytes = 32;

  BoardParams board() const {
    BoardParams p;
    p.tiles_x = tiles, p.tiles_y = 1;
    p.cores_per_tile = cores, p.threads_per_core = threads;
    p.cache_ways = ways, p.cache_sets_per_thread = sets;
    p.line_bytes = line_bytes, p.dram_channels = 1;
    return p;
  }
};

class RtlMemories {
 public:
  RtlMemories(const Shape& shape, const blocks::DramParams& dram, const blocks::SramParams& sram)
      : shape_(shape),
        model_("memory_rtl_top",
               blocks::build_rtl({"memory_rtl_top",
                                  {"roles/overlay/tests/memory/memory_rtl_top.f"},
                                  {{"Tiles", std::to_string(shape.tiles)},
                                   {"Cores", std::to_string(shape.cores)},
                                   {"Threads", std::to_string(shape.threads)},
                                   {"Ways", std::to_string(shape.ways)},
                                   {"Sets", std::to_string(shape.sets)},
                                   {"LineBytes", std::to_string(shape.line_bytes)}},
                                  false}),
               1),
        memories_(make(dram, sram)),
        ports_(model_, "memory_rtl_top", memories_) {
    const auto reset = model_.input("rst_ni");
    reset.set_bit(0, true);
    model_.settle();
    reset.set_bit(0, false);
    for (unsigned i = 0; i < 8; ++i) model_.settle(), model_.step();
    model_.settle();
    reset.set_bit(0, true);
  }

  Cycle now() const { return now_; }
  /// The memory behind a channel: 0 DRAM, 1 and 2 SRAM.
  blocks::AxiMemory& memory(unsigned channel) { return *memories_[channel]; }
  bool idle() const { return idle_; }
  Counts counts() const { return counts_; }
  blocks::RtlModel::Port input(const std::string& name) const { return model_.input(name); }
  blocks::RtlModel::Port output(const std::string& name) const { return model_.output(name); }

  /// One clock cycle in which `asks` are driven (at most one a core); appends the responses seen. `look` runs
  /// between the settling of all signals and the edge.
  template <class Look>
  void cycle(const std::vector<Access>& requests, std::vector<Response>& responses, Look&& look) {
    const auto valid = model_.input("req_valid_i"), req = model_.input("req_i");
    for (unsigned i = 0; i < shape_.tiles * shape_.cores; ++i) valid.set_bit(i, false);
    for (const Access& a : requests) {
      const unsigned i = a.tile * shape_.cores + a.core;
      valid.set_bit(i, true);
      const std::uint64_t low = std::uint64_t{a.addr} << 32 | a.data;
      const unsigned high = a.thread | a.sign << 4 | a.size << 5 | static_cast<unsigned>(a.op) << 7;
      std::memcpy(req.data + 10 * i, &low, 8);
      req.data[10 * i + 8] = static_cast<std::uint8_t>(high);
      req.data[10 * i + 9] = static_cast<std::uint8_t>(high >> 8);
    }
    for (unsigned m = 0; m < 3; ++m) ports_.drive(m, memories_[m]->outputs(now_));
    model_.settle();
    look();
    collect(responses);
    idle_ = model_.output("idle_o").bit(0);
    for (unsigned m = 0; m < 3; ++m) {
      memories_[m]->step(now_, ports_.read(m));
      idle_ = idle_ && memories_[m]->idle();
    }
    model_.step();
    ++now_;
  }
  void cycle(const std::vector<Access>& requests, std::vector<Response>& responses) {
    cycle(requests, responses, [] {});
  }

 private:
  std::vector<std::unique_ptr<blocks::AxiMemory>> make(blocks::DramParams dram,
                                                       blocks::SramParams sram) const {
    dram.request_bytes = sram.request_bytes = shape_.line_bytes;
    const auto bus = std::make_shared<blocks::MemoryBus>();
    std::vector<std::unique_ptr<blocks::AxiMemory>> all;
    const auto store = [](const char* name, std::uint64_t bytes) {
      return std::make_shared<blocks::BackingStore>(name, bytes);
    };
    all.push_back(blocks::make_dram_memory(dram, store("dram", dram.bytes), 0, bus));
    all.push_back(blocks::make_sram_memory(sram, store("sram_a", sram.bytes), 0, bus));
    all.push_back(blocks::make_sram_memory(sram, store("sram_b", sram.bytes), 0, bus));
    return all;
  }

  void collect(std::vector<Response>& responses) {
    const auto hit = model_.output("hit_o"), fill = model_.output("fill_o"), count = model_.output("count_o");
    const auto hit_valid = model_.output("hit_valid_o"), fill_valid = model_.output("fill_valid_o");
    for (unsigned t = 0; t < shape_.tiles; ++t) {
      for (unsigned c = 0; c < shape_.cores; ++c) {
        const unsigned i = t * shape_.cores + c;
        if (hit_valid.bit(i)) responses.push_back(response(t, c, hit, false));
        if (fill_valid.bit(i)) responses.push_back(response(t, c, fill, true));
      }
      counts_.hits += count.data[t] & 1;
      counts_.misses += count.data[t] >> 1 & 1;
      counts_.writebacks += count.data[t] >> 2 & 1;
    }
  }

  Response response(unsigned tile, unsigned core, const blocks::RtlModel::Port& port, bool fill) const {
    Response a{now_, tile, core, port.data[5 * tile + 4] & 15u, fill, false, 0};
    std::memcpy(&a.data, port.data + 5 * tile, 4);
    return a;
  }

  Shape shape_;
  blocks::RtlModel model_;
  std::vector<std::unique_ptr<blocks::AxiMemory>> memories_;
  blocks::MemoryPorts ports_;
  Cycle now_ = 0;
  bool idle_ = false;
  Counts counts_;
};

}  // namespace polyloom::overlay::test
