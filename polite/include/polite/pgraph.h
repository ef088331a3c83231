// SPDX-License-Identifier: Apache-2.0
// PGraph: the host's side of a POLite graph. Build it, map(), set initial states, write(), boot and go.
// Source: Tinsel paper IV, docs/sources/tinsel.md, 5.2; members marked "beyond POLite" are our own.
//
// Edges that are added take 8 bytes, their rows 4 more (plus labels); tens of millions are fine. Where the graph
// runs is decided when write() meets the HostLink: on the boards behind it, or natively on this CPU.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "fabric/error.h"
#include "polite/combiner.h"
#include "polite/device_names.h"
#include "polite/graph_store.h"
#include "polite/layout.h"
#include "polite/placed_graph.h"
#include "polite/types.h"
#include "roles/overlay/host/HostLink.h"
#include "roles/overlay/host/native_program.h"
#if __has_include("polite/native/engine.h")
#include "polite/native/engine.h"
#define POLYLOOM_HAS_NATIVE_ENGINE 1
#endif

namespace polyloom::polite {

/// What PGraph::devices[i] points at.
template <typename S>
struct HostDevice {
  S state;
};

/// The states of a graph: one array of S, zero filled, that reads like POLite's array of pointers.
template <typename S>
class DeviceList {
 public:
  HostDevice<S>* operator[](std::size_t i) const { return data_.get() + i; }
  explicit operator bool() const { return data_ != nullptr; }
  HostDevice<S>* data() const { return data_.get(); }
  void allocate(std::size_t n) {
    constexpr std::size_t kLine = 64;
    const std::size_t bytes =
        (std::max<std::size_t>(n, 1) * sizeof(HostDevice<S>) + kLine - 1) / kLine * kLine;
    void* memory = std::aligned_alloc(kLine, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    data_.reset(static_cast<HostDevice<S>*>(memory));
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<HostDevice<S>[], Free> data_;
};

/// What placement finds out.
template <typename T>
struct KnownLater : std::vector<T> {
  T& operator[](std::size_t i) {
    check();
    return std::vector<T>::operator[](i);
  }
  const T& operator[](std::size_t i) const {
    check();
    return std::vector<T>::operator[](i);
  }

 private:
  void check() const {
    if (!this->empty()) return;
    throw UserError(
        "PGraph: where devices are placed (toDeviceAddr, fromDeviceAddr, numDevicesOnThread) is known after "
        "write() to a cluster, which names the boards; not after map() alone, and never natively");
  }
};

}  // namespace polyloom::polite

template <typename DeviceType, typename S, typename E, typename M>
class PGraph {
  static_assert(sizeof(PMessage<M>) <= 64, "a message, with its 2-byte key, must fit 64 bytes (4 flits)");
  static constexpr uint32_t kPins = DeviceType::numPins;
  using State = polyloom::polite::PState<S, kPins>;
  using InEdge = polyloom::polite::PInEdge<E>;
  using Combiner = polyloom::polite::CombinerOf<DeviceType, E, M>;
  using Partial = polyloom::polite::PPartial<S, M>;

 public:
  PDeviceId numDevices = 0;
  /// Exists after map(): devices[i]->state, zero filled.
  polyloom::polite::DeviceList<S> devices;
  /// Where tables go; false = SRAM. Set before write(). Incoming edges are one table here: its two flags must
  /// agree.
  bool mapVerticesToDRAM = false;
  bool mapInEdgeHeadersToDRAM = true;
  bool mapInEdgeRestToDRAM = true;
  bool mapOutEdgesToDRAM = true;
  unsigned chatty = 0;
  /// After write() on a cluster (or mapOn()): address of each vertex, vertices of each thread id. To read
  /// them sooner, or natively, throws UserError.
  polyloom::polite::KnownLater<PDeviceAddr> toDeviceAddr;
  polyloom::polite::KnownLater<std::vector<PDeviceId>> fromDeviceAddr;
  polyloom::polite::KnownLater<uint32_t> numDevicesOnThread;
  /// Beyond POLite: placer, seed and more; times of the last map.
  polyloom::polite::MapOptions mapOptions;
  polyloom::polite::MapReport mapReport;

  PGraph() : PGraph(0, 0) {}
  /// Takes boxes of 3 x 2 boards; 0 = all boards of the HostLink.
  PGraph(uint32_t boxesX, uint32_t boxesY) : store_(kPins, kLabelBytes) {
    polyloom::polite::report_uncaught_errors();
    mapOptions.boards_x = 3 * boxesX;
    mapOptions.boards_y = 2 * boxesY;
    if (const char* text = std::getenv("POLITE_CHATTY")) chatty = std::atoi(text) != 0;
  }
  PGraph(const PGraph&) = delete;
  PGraph& operator=(const PGraph&) = delete;

  /// Restricts placement to the first x times y boards.
  void setNumBoards(uint32_t x, uint32_t y) {
    mapOptions.boards_x = x;
    mapOptions.boards_y = y;
  }

  PDeviceId newDevice() { return newDevices(1); }
  /// Beyond POLite: n vertices at once; returns the first.
  PDeviceId newDevices(uint64_t n) {
    const PDeviceId first = store_.add_vertices(n);
    numDevices = store_.vertices();
    return first;
  }

  void addEdge(PDeviceId from, PinId pin, PDeviceId to) { store_.add_edge(from, pin, to); }
  void addLabelledEdge(E label, PDeviceId from, PinId pin, PDeviceId to) {
    store_.add_edge(from, pin, to, &label);
  }
  void addLabelledEdgeLockedDst(E label, PDeviceId from, PinId pin, PDeviceId to) {
    addLabelledEdge(label, from, pin, to);
  }
  void reserveOutgoingEdgeSpace(PDeviceId, PinId, std::size_t n) { (void)n; }
  /// Beyond POLite: room for n more edges.
  void reserveEdges(uint64_t n) { store_.reserve(n); }
  /// Beyond POLite: many edges of one pin; labels (if any) in the same order.
  void addEdges(std::span<const polyloom::polite::Edge> edges, PinId pin = 0) {
    store_.add_edges(edges, pin);
  }
  void addEdges(std::vector<polyloom::polite::Edge>&& edges, PinId pin = 0) {
    store_.take_edges(std::move(edges), pin);
  }
  /// Beyond POLite: the same, without a copy where it can be: the arrays must stay while the graph does. With
  /// bothWays, each edge also in the other direction, after all of them.
  void viewEdges(std::span<const polyloom::polite::Edge> edges, PinId pin = 0, bool bothWays = false) {
    store_.view_edges(edges, pin, nullptr, bothWays);
  }
  void viewLabelledEdges(std::span<const polyloom::polite::Edge> edges, std::span<const E> labels,
                         PinId pin = 0, bool bothWays = false) {
    require_one_label_each(edges, labels);
    store_.view_edges(edges, pin, labels.data(), bothWays);
  }
  void addLabelledEdges(std::span<const polyloom::polite::Edge> edges, std::span<const E> labels,
                        PinId pin = 0) {
    require_one_label_each(edges, labels);
    store_.add_edges(edges, pin, labels.data());
  }
  /// Beyond POLite: work that a vertex causes, for balance; the default is 1 + its degree.
  void setVertexWeight(PDeviceId v, uint32_t weight) {
    if (weights_.size() <= v) weights_.resize(v + 1, 0);
    weights_[v] = weight;
  }

  uint32_t fanIn(PDeviceId v) { return store_.fan_in(v); }
  uint32_t fanOut(PDeviceId v) { return store_.fan_out(v); }
  uint32_t getMaxFanIn() {
    return max_of([this](PDeviceId v) { return fanIn(v); });
  }
  uint32_t getMaxFanOut() {
    return max_of([this](PDeviceId v) { return fanOut(v); });
  }
  uint64_t getEdgeCount() const { return store_.edges(); }
  /// True where vertices run on this CPU.
  bool is_simulation() const { return native_ != nullptr; }

  /// Ends the adding of edges and makes the states. Placement follows in write(), when the machine is known.
  void map() {
    store_.finish();
    if (!devices) devices.allocate(numDevices);
  }

  /// Beyond POLite: places vertices for a given machine now.
  void mapOn(const polyloom::polite::Machine& machine) {
    map();
    std::vector<uint32_t> weights = weights_;
    if (!weights.empty()) weights.resize(numDevices, 0);
    placement_ = polyloom::polite::map_graph(store_, machine, layout(), options(), weights, &mapReport);
    publish_addresses();
  }

  /// Puts the graph where it will run: tables and states into the cluster's memories, or a native program.
  void write(HostLink* link) {
    map();
    if (link->is_native()) {
      write_native(link);
      return;
    }
#ifdef POLYLOOM_HAS_NATIVE_ENGINE
    if (polyloom::polite::processes() != nullptr)
      throw polyloom::UserError("PGraph: several processes (POLYLOOM_PROCESSES) run a graph natively alone");
#endif
    mapOn(polyloom::polite::Machine::of(*link));
    auto sink = polyloom::polite::host_link_sink(*link);
    writeTo(*sink);
  }
  /// Beyond POLite: writes the images of a graph that mapOn() has placed.
  void writeTo(polyloom::polite::ImageSink& sink) {
    polyloom::polite::write_images(store_, placement_, layout(), options(),
                                   reinterpret_cast<const std::byte*>(devices.data()), sink, &mapReport);
  }

  /// Beyond POLite: the graph as plain arrays (after map()).
  polyloom::polite::NativeGraph nativeGraph() {
    polyloom::polite::NativeGraph g;
    g.num_vertices = numDevices;
    g.num_pins = kPins;
    g.num_edges = store_.edges();
    g.label_bytes = kLabelBytes;
    g.state = reinterpret_cast<std::byte*>(devices.data());
    g.state_bytes = sizeof(S);
    g.store = &store_;
    g.mutual = store_.is_mutual();
    using polyloom::polite::Combine;
    const Combine combine = polyloom::polite::combine_or_environment(mapOptions.combine);
    g.combine = combine != Combine::off;
    g.combine_near = combine == Combine::on;
    polyloom::polite::pins_or_environment(
        mapOptions.pins);  // a word that means nothing is told natively, too
    return g;
  }
  const polyloom::polite::Placement& placement() const { return placement_; }
  const polyloom::polite::GraphStore& store() const { return store_; }

  /// Sizes of this graph's elements in device memory.
  static polyloom::polite::ElementLayout layout() {
    polyloom::polite::ElementLayout l;
    l.pstate_bytes = sizeof(State);
    l.state_offset = polyloom::polite::state_offset<S, kPins>();
    l.state_bytes = sizeof(S);
    l.state_unit = alignof(State);
    using Accumulator = typename DeviceType::Accumulator;
    if constexpr (!__is_empty(Accumulator)) l.accumulator_bytes = sizeof(Accumulator);
    l.may_be_direct = polyloom::polite::may_be_direct<DeviceType>();
    l.in_edge_bytes = sizeof(InEdge);
    l.label_offset = polyloom::polite::label_offset<E>();
    l.pins = kPins;
    l.message_bytes = sizeof(PMessage<M>);
    l.payload_offset = __builtin_offsetof(PMessage<M>, payload);
    if constexpr (Combiner::kExists) {
      const M identity = Combiner::identity();
      l.partial_bytes = sizeof(Partial);
      l.value_offset = __builtin_offsetof(polyloom::polite::PartialHead<M>, value);
      l.identity = bytes_of(identity);
      if constexpr (kLabelBytes != 0) l.neutral_label = bytes_of(Combiner::neutral_label());
    }
    return l;
  }

 private:
  static constexpr std::size_t kLabelBytes = __is_empty(E) ? 0 : sizeof(E);

  static void require_one_label_each(std::span<const polyloom::polite::Edge> edges,
                                     std::span<const E> labels) {
    if (labels.size() != edges.size()) throw std::invalid_argument("PGraph: one label an edge");
  }
  template <typename T>
  static std::vector<std::byte> bytes_of(const T& value) {
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    return {first, first + sizeof value};
  }
  template <typename F>
  uint32_t max_of(F&& f) {
    uint32_t best = 0;
    for (PDeviceId v = 0; v < numDevices; ++v) best = std::max(best, f(v));
    return best;
  }

  polyloom::polite::MapOptions options() const {
    if (mapInEdgeHeadersToDRAM != mapInEdgeRestToDRAM) {
      throw polyloom::UserError(
          "PGraph: mapInEdgeHeadersToDRAM and mapInEdgeRestToDRAM differ, but headers and rest of the "
          "incoming "
          "edges are one table here; set both to true (DRAM) or both to false (SRAM)");
    }
    polyloom::polite::MapOptions o = mapOptions;
    o.vertices_in_dram = mapVerticesToDRAM;
    o.in_edges_in_dram = mapInEdgeHeadersToDRAM;
    o.out_edges_in_dram = mapOutEdgesToDRAM;
    o.chatty = chatty != 0;
    return o;
  }

  void publish_addresses() {
    const auto& p = placement_;
    toDeviceAddr.resize(numDevices);
    numDevicesOnThread.assign(p.machine.thread_id(p.machine.threads() - 1) + 1, 0);
    fromDeviceAddr.assign(numDevicesOnThread.size(), {});
    for (PDeviceId v = 0; v < numDevices; ++v) {
      const uint32_t id = p.machine.thread_id(p.thread[v]);
      toDeviceAddr[v] = id | (p.local[v] << 19);
      ++numDevicesOnThread[id];
    }
    for (uint32_t t = 0; t < p.machine.threads(); ++t) {
      const auto first = p.order.begin() + p.thread_begin[t], last = p.order.begin() + p.thread_begin[t + 1];
      fromDeviceAddr[p.machine.thread_id(t)].assign(first, last);
    }
  }

  void write_native(HostLink* link) {
#ifdef POLYLOOM_HAS_NATIVE_ENGINE
    native_ = polyloom::polite::make_native_program<DeviceType, S, E, M>(nativeGraph());
    link->attach_native(native_.get());
    if (polyloom::polite::processes() != nullptr) store_.drop_edges();  // the program has its part
#else
    (void)link;
    throw std::logic_error("PGraph: this build has no native engine");
#endif
  }

  polyloom::polite::GraphStore store_;
  std::vector<uint32_t> weights_;
  polyloom::polite::Placement placement_;
  std::unique_ptr<polyloom::overlay::NativeProgram> native_;
};
