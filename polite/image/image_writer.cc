// SPDX-License-Identifier: Apache-2.0
// Memory images: lays the tables of each thread out in its SRAM and DRAM, checks every limit before anything
// is written, and writes them.
#include <chrono>
#include <cstring>
#include <string>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/image/limits.h"
#include "polite/image/tables.h"
#include "polite/layout.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

constexpr std::uint64_t kLine = 32;
/// Mailbox id of the host: bit 17 of a thread id, without the six bits of a thread in its tile.
constexpr std::uint16_t kHostMailbox = 0x20000 >> 6;

std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit * unit; }

/// Sizes and addresses of a thread's regions.
struct ThreadPlan {
  std::uint32_t devices = 0, partials = 0;
  std::uint64_t state_bytes = 0, accumulator_bytes = 0, in_bytes = 0, out_bytes = 0, queue_bytes = 0,
                out_entries = 0;
  bool states_in_dram = false, in_in_dram = true, out_in_dram = true;
  std::uint64_t sram = 0, dram = 0;  ///< bytes used
  std::uint32_t accumulators = 0, states = 0, in_table = 0, out_table = 0, queue = 0;
};

class ImageWriter {
 public:
  ImageWriter(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
              const MapOptions& options, const Tables& tables)
      : graph_(graph), placement_(placement), layout_(layout), options_(options), tables_(tables) {}

  void plan_all() {
    plans_.resize(placement_.machine.threads());
    for (unsigned t = 0; t < plans_.size(); ++t) plan(t);
    check();
  }

  std::uint64_t write_all(const std::byte* states, ImageSink& sink) {
    std::uint64_t bytes = 0;
    for (unsigned t = 0; t < plans_.size(); ++t) bytes += write(t, states, sink);
    const unsigned width = placement_.machine.boards_x;
    for (unsigned b = 0; b < tables_.routers.boards.size(); ++b) {
      for (unsigned slice = 0; slice < RouterTables::kMostSlices; ++slice) {
        const RouterTables::Slice& beats = tables_.routers.boards[b][slice];
        if (beats.empty()) continue;
        const std::size_t size = beats.size() * overlay::records::kBeatBytes;
        sink.write(b % width, b / width, slice, Machine::kRouterBase, beats.data(), size);
        bytes += size;
      }
    }
    return bytes;
  }

 private:
  void plan(unsigned t) {
    ThreadPlan& p = plans_[t];
    p.devices = placement_.thread_begin[t + 1] - placement_.thread_begin[t];
    p.partials = placement_.combining.on_thread(t);
    p.state_bytes = p.devices * layout_.pstate_bytes + p.partials * layout_.partial_bytes;
    p.accumulator_bytes = p.devices * layout_.accumulator_bytes;
    p.in_bytes = tables_.in[t].device.size() * layout_.in_edge_bytes;
    p.out_entries = kFirstPinBase;
    for (std::uint32_t i = 0; i < p.devices; ++i) p.out_entries += out_entries_of(device(t, i));
    p.out_entries += 2 * p.partials;  // an entry and an end mark each
    p.out_bytes = p.out_entries * sizeof(POutEdge);
    p.queue_bytes = round_up((p.devices + p.partials) * sizeof(std::uint16_t), 4);
    p.states_in_dram = options_.vertices_in_dram;
    p.in_in_dram = options_.in_edges_in_dram;
    p.out_in_dram = options_.out_edges_in_dram;
    lay_out(t, p);
    // What does not fit the small memory moves to the large one, biggest tables first, states last.
    const std::uint64_t sram = placement_.machine.sram_bytes - kSramReserve;
    for (bool* in_dram : {&p.out_in_dram, &p.in_in_dram, &p.states_in_dram}) {
      if (p.sram <= sram || *in_dram) continue;
      *in_dram = true;
      lay_out(t, p);
    }
  }

  std::uint32_t device(unsigned t, std::uint32_t i) const {
    return placement_.order[placement_.thread_begin[t] + i];
  }

  /// Entries of a vertex's pins; each list that is not empty has an end mark.
  std::uint64_t out_entries_of(std::uint32_t v) const {
    std::uint64_t entries = 0;
    for (unsigned pin = 0; pin < graph_.pins(); ++pin) {
      const std::size_t row = std::size_t{v} * graph_.pins() + pin;
      const std::uint64_t n = tables_.out_begin[row + 1] - tables_.out_begin[row];
      if (n != 0) entries += n + 1;
    }
    return entries;
  }

  void lay_out(unsigned t, ThreadPlan& p) const {
    const Machine& machine = placement_.machine;
    std::uint64_t sram = sizeof(PThreadHead), dram = 0;
    auto put = [&](bool in_dram, std::uint64_t bytes) {
      std::uint64_t& used = in_dram ? dram : sram;
      used = round_up(used, kLine);
      const std::uint64_t at = used;
      used += round_up(bytes, 4);
      return static_cast<std::uint32_t>((in_dram ? machine.dram_base(t) : machine.sram_base(t)) + at);
    };
    p.accumulators = put(p.states_in_dram, p.accumulator_bytes);
    p.states = put(p.states_in_dram, p.state_bytes);
    p.in_table = put(p.in_in_dram, p.in_bytes);
    p.out_table = put(p.out_in_dram, p.out_bytes);
    // The queue needs no first content: last, and not written.
    p.queue = put(false, p.queue_bytes);
    p.sram = sram;
    p.dram = dram;
  }

  void check() const {
    const Machine& machine = placement_.machine;
    struct Limit {
      const char* what;
      const char* unit;
      std::uint64_t most;
      const char* help;
      std::uint64_t worst = 0;
      unsigned thread = 0, broken = 0;
    };
    Limit limits[] = {
        {"vertices", "", kMaxDevicesPerThread, ""},
        {"outgoing messages and end marks", " entries", 65535, ", or a placer that cuts fewer edges"},
        {"of SRAM", " bytes", machine.sram_bytes - kSramReserve, ", or mapVerticesToDRAM = true"},
        {"of DRAM", " bytes", machine.dram_bytes - kDramReserve, ", or smaller states and labels"},
        {"of states of vertices and partial receivers", " bytes", 32768 * layout_.state_unit,
         ", or smaller states"},
    };
    for (unsigned t = 0; t < plans_.size(); ++t) {
      const ThreadPlan& p = plans_[t];
      const std::uint64_t values[] = {p.devices, p.out_entries, p.sram, p.dram, p.state_bytes};
      for (std::size_t i = 0; i < std::size(limits); ++i) {
        limits[i].broken += values[i] > limits[i].most;
        if (values[i] > limits[i].worst) {
          limits[i].worst = values[i];
          limits[i].thread = t;
        }
      }
    }
    for (const Limit& l : limits) {
      if (l.broken == 0) continue;
      throw UserError("the graph does not fit: thread " + thread_name(l.thread) + " needs " +
                      std::to_string(l.worst) + l.unit + " " + l.what + ", " +
                      std::to_string(l.worst - l.most) + " more than the " + std::to_string(l.most) +
                      " allowed (" + std::to_string(l.broken) + " of " + std::to_string(plans_.size()) +
                      " threads break this limit" + largest_part(l.thread) +
                      "); what helps: more boards (now " + std::to_string(machine.boards()) + ")" + l.help);
    }
  }

  /// The vertex with most entries in a thread's tables, if any has an entry.
  std::string largest_part(unsigned t) const {
    std::uint64_t most = 0;
    std::uint32_t vertex = 0;
    for (std::uint32_t i = 0; i < plans_[t].devices; ++i) {
      const std::uint32_t v = device(t, i);
      const std::uint64_t entries = out_entries_of(v) + graph_.in_degree()[v];
      if (entries > most) vertex = v;
      most = std::max(most, entries);
    }
    if (most == 0) return "";
    return "; of its vertices number " + std::to_string(vertex) + " has the most in-edges and messages, " +
           std::to_string(most);
  }

  /// As on the console: board x, board y, core of the board, thread of the core.
  std::string thread_name(unsigned t) const {
    const Machine& m = placement_.machine;
    const unsigned board = m.board_of(t), in_board = t % m.threads_per_board();
    return std::to_string(board % m.boards_x) + ":" + std::to_string(board / m.boards_x) + ":" +
           std::to_string(in_board / m.threads_per_core) + ":" +
           std::to_string(in_board % m.threads_per_core);
  }

  std::uint64_t write(unsigned t, const std::byte* states, ImageSink& sink) {
    const Machine& machine = placement_.machine;
    const ThreadPlan& p = plans_[t];
    // One buffer a memory; the queue, last in SRAM, is not written.
    std::vector<std::byte> sram(p.queue - machine.sram_base(t)), dram(p.dram);
    auto at = [&](std::uint32_t address) {
      const std::uint32_t dram_base = machine.dram_base(t);
      return address >= dram_base ? dram.data() + (address - dram_base)
                                  : sram.data() + (address - machine.sram_base(t));
    };
    PThreadHead head{};
    head.numDevices = static_cast<std::uint16_t>(p.devices);
    head.numVertices = graph_.vertices();
    head.devices = p.states;
    head.outTable = p.out_table;
    head.inTable = p.in_table;
    head.senders = p.queue;
    head.partials = static_cast<std::uint32_t>(p.states + p.devices * layout_.pstate_bytes);
    head.numPartials = static_cast<std::uint16_t>(p.partials);
    head.direct = placement_.sending.direct;
    head.accumulators = p.accumulators;
    std::memcpy(sram.data(), &head, sizeof(head));
    fill_states(t, states, at(p.states), at(p.out_table));
    fill_in_table(t, at(p.in_table));
    const unsigned board = machine.board_of(t), slice = machine.slice_of(t);
    auto send = [&](std::uint32_t address, const std::vector<std::byte>& data) {
      if (!data.empty()) {
        sink.write(board % machine.boards_x, board / machine.boards_x, slice, address, data.data(),
                   data.size());
      }
    };
    send(machine.sram_base(t), sram);
    send(machine.dram_base(t), dram);
    return sram.size() + dram.size();
  }

  static constexpr POutEdge kEnd = {kNoKey, 0xffff, 0, 0};
  static void put_out_edge(std::byte*& to, const POutEdge& edge) {
    std::memcpy(to, &edge, sizeof(edge));
    to += sizeof(edge);
  }

  /// States and out-edges, which states point to.
  void fill_states(unsigned t, const std::byte* states, std::byte* to, std::byte* out) const {
    std::byte* const out_table = out;
    put_out_edge(out, {kHostPinKey, kHostMailbox, 1, 0});
    put_out_edge(out, kEnd);
    for (std::uint32_t i = 0; i < plans_[t].devices; ++i, to += layout_.pstate_bytes) {
      const std::uint32_t v = device(t, i);
      for (unsigned pin = 0; pin < graph_.pins(); ++pin) {
        const std::size_t row = std::size_t{v} * graph_.pins() + pin;
        const std::uint64_t first = tables_.out_begin[row], last = tables_.out_begin[row + 1];
        const auto base = static_cast<std::uint16_t>(
            first == last ? kEmptyPinBase : static_cast<std::size_t>(out - out_table) / sizeof(POutEdge));
        std::memcpy(to + pin * sizeof(base), &base, sizeof(base));
        put_row(row, out);
      }
      std::memcpy(to + layout_.state_offset, states + v * layout_.state_bytes, layout_.state_bytes);
    }
    fill_partials(t, to, out_table, out);
  }
  void fill_partials(unsigned t, std::byte* to, const std::byte* out_table, std::byte* out) const {
    struct Head {  // of PPartial, up to its value
      std::uint16_t out_base, queued;
      std::uint32_t left, expected;
    };
    static_assert(sizeof(Head) == offsetof(PartialHead<std::uint32_t>, value));
    for (std::uint32_t i = 0; i < plans_[t].partials; ++i, to += layout_.partial_bytes) {
      const std::uint32_t number = placement_.combining.thread_begin[t] + i;
      const std::uint32_t expected = placement_.combining.partials[number].expected;
      const Head head{
          static_cast<std::uint16_t>(static_cast<std::size_t>(out - out_table) / sizeof(POutEdge)), 0,
          expected, expected};
      std::memcpy(to, &head, sizeof(head));
      std::memcpy(to + layout_.value_offset, layout_.identity.data(), layout_.identity.size());
      put_row(std::size_t{graph_.vertices()} * graph_.pins() + number, out);
    }
  }
  /// Out-edges of a row, and their end mark.
  void put_row(std::size_t row, std::byte*& out) const {
    const std::uint64_t first = tables_.out_begin[row], last = tables_.out_begin[row + 1];
    for (std::uint64_t e = first; e < last; ++e) put_out_edge(out, tables_.out[e]);
    if (first != last) put_out_edge(out, kEnd);
  }

  void fill_in_table(unsigned t, std::byte* to) const {
    const std::size_t label_bytes = graph_.label_bytes();
    const InTable& in = tables_.in[t];
    for (std::size_t i = 0; i < in.device.size(); ++i) {
      std::memcpy(to, &in.device[i], sizeof(in.device[i]));
      if (label_bytes != 0) {
        const std::byte* const label = in.edge[i] == kNeutralLabel
                                           ? layout_.neutral_label.data()
                                           : graph_.out_label() + in.edge[i] * label_bytes;
        std::memcpy(to + layout_.label_offset, label, label_bytes);
      }
      to += layout_.in_edge_bytes;
    }
  }

  const GraphStore& graph_;
  const Placement& placement_;
  const ElementLayout& layout_;
  const MapOptions& options_;
  const Tables& tables_;
  std::vector<ThreadPlan> plans_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void write_images(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
                  const MapOptions& options, const std::byte* states, ImageSink& sink, MapReport* report) {
  const auto start = std::chrono::steady_clock::now();
  graph.sort();
  const Tables tables =
      build_tables(graph, placement, layout, fabric::host_threads(options.threads), options.edges_at_once);
  ImageWriter writer(graph, placement, layout, options, tables);
  writer.plan_all();
  const double table_seconds = seconds_since(start);
  const std::uint64_t bytes = writer.write_all(states, sink);
  if (report == nullptr) return;
  report->table_seconds = table_seconds;
  report->write_seconds = seconds_since(start) - table_seconds;
  report->bytes = bytes;
  report->out_entries = tables.out.size();
  report->routers = tables.routers.sizes;
  report->in_entries = 0;
  for (const InTable& in : tables.in) report->in_entries += in.device.size();
}

}  // namespace polyloom::polite
