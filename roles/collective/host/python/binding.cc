// SPDX-License-Identifier: Apache-2.0
// polyloom.collectives in Python: a thin layer over Communicator; NumPy arrays cross as bytes. The package
// polyloom/collectives gives them their types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "fabric/host/channel.h"
#include "polyloom/collectives.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace polyloom::collective {
namespace {

using Input = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using View = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

Request make_request(const std::string& operation, const std::vector<std::uint64_t>& sizes, int root,
                     int destination, const std::string& reduce, const std::string& type) {
  Request r;
  r.operation = parse_operation(operation);
  r.sizes = sizes;
  r.root = root;
  r.destination = destination;
  r.reduce = parse_reduce_op(reduce);
  r.type = parse_data_type(type);
  return r;
}

std::vector<std::span<const std::uint8_t>> inputs(const std::vector<Input>& arrays) {
  std::vector<std::span<const std::uint8_t>> spans;
  for (const Input& a : arrays) spans.emplace_back(a.data(), a.size());
  return spans;
}
std::vector<std::span<std::uint8_t>> outputs(const std::vector<Output>& arrays) {
  std::vector<std::span<std::uint8_t>> spans;
  for (const Output& a : arrays) spans.emplace_back(a.data(), a.size());
  return spans;
}

/// op, index, source, flags, run_bytes, base, stride, runs, extra: the fields of program.h in order.
using Fields = std::tuple<unsigned, unsigned, unsigned, unsigned, std::uint32_t, std::uint64_t, std::int64_t,
                          std::uint32_t, std::uint32_t>;

std::vector<std::vector<Instruction>> instructions(const std::vector<std::vector<Fields>>& programs) {
  std::vector<std::vector<Instruction>> result;
  for (const auto& program : programs) {
    auto& out = result.emplace_back();
    for (const auto& [op, index, source, flags, run_bytes, base, stride, runs, extra] : program) {
      if (std::max({op, index, source, flags}) > 0xff) {
        throw polyloom::UserError("op, index, source and flags of an instruction are bytes");
      }
      out.push_back({static_cast<Op>(op), static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(source),
                     static_cast<std::uint8_t>(flags), run_bytes, base, stride, runs, extra});
    }
  }
  return result;
}

Half parse_half(const std::string& name) {
  if (name == "first") return Half::first;
  if (name == "second") return Half::second;
  if (name == "any") return Half::any;
  throw polyloom::UserError("half is 'first', 'second' or 'any', not '" + name + "'");
}

using Words = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewWords = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;

std::vector<std::span<const std::uint32_t>> columns(const std::vector<Words>& arrays) {
  std::vector<std::span<const std::uint32_t>> spans;
  for (const Words& a : arrays) spans.emplace_back(a.data(), a.size());
  return spans;
}
/// Arrays that own what the columns held.
std::vector<NewWords> arrays_of(std::vector<std::vector<std::uint32_t>>& columns) {
  std::vector<NewWords> arrays;
  for (auto& column : columns) {
    auto* kept = new std::vector<std::uint32_t>(std::move(column));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
    arrays.emplace_back(kept->data(), std::initializer_list<std::size_t>{kept->size()}, owner);
  }
  return arrays;
}

/// The buffer's pieces in the nodes' memory, as arrays that keep the communicator alive.
std::vector<View> views(nb::handle self, const Communicator::Prepared& prepared, bool send, int rank) {
  auto& communicator = nb::cast<Communicator&>(self);
  const auto& buffers = send ? prepared.send : prepared.recv;
  std::vector<View> arrays;
  for (const auto& span : communicator.view(buffers.at(static_cast<std::size_t>(rank)))) {
    arrays.emplace_back(span.data(), std::initializer_list<std::size_t>{span.size()}, self);
  }
  return arrays;
}

}  // namespace
}  // namespace polyloom::collective

NB_MODULE(_polyloom_collectives, m) {
  using namespace polyloom::collective;
  polyloom::fabric::Channel::on_signal = [] {
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  nb::exception<polyloom::UserError>(m, "CollectiveError", PyExc_RuntimeError);

  nb::class_<Request>(m, "Request");
  nb::class_<Result>(m, "Result")
      .def_ro("operation", &Result::operation)
      .def_ro("algorithm", &Result::algorithm)
      .def_ro("bytes", &Result::bytes)
      .def_ro("ranks", &Result::ranks)
      .def_ro("steps", &Result::steps)
      .def_ro("simulated_seconds", &Result::simulated_seconds)
      .def_ro("predicted_seconds", &Result::predicted_seconds)
      .def_ro("bus_factor", &Result::bus_factor)
      .def_prop_ro("algorithm_gbps", &Result::algorithm_gbps)
      .def_prop_ro("bus_gbps", &Result::bus_gbps);
  nb::class_<Handle>(m, "Handle")
      .def("done", &Handle::done, "True once the operation has run or failed.")
      .def("wait", &Handle::wait, "The result; raises CollectiveError with the cause.");
  nb::class_<Communicator::Prepared>(m, "Prepared")
      .def_ro("algorithm", &Communicator::Prepared::algorithm)
      .def("send_bytes", [](const Communicator::Prepared& p,
                            int r) { return p.send.at(static_cast<std::size_t>(r)).bytes(); })
      .def("recv_bytes", [](const Communicator::Prepared& p, int r) {
        return p.recv.at(static_cast<std::size_t>(r)).bytes();
      });
  nb::class_<NodeRun>(m, "NodeRun")
      .def_ro("begin", &NodeRun::begin)
      .def_ro("finish", &NodeRun::finish)
      .def_ro("marks", &NodeRun::marks)
      .def_ro("status", &NodeRun::status);
  nb::class_<Partitioned>(m, "Partitioned")
      .def("take_keys", [](Partitioned& p) { return arrays_of(p.keys); })
      .def("take_values", [](Partitioned& p) { return arrays_of(p.values); })
      .def_ro("histogram", &Partitioned::histogram)
      .def_ro("result", &Partitioned::result);
  nb::class_<Buffer>(m, "Buffer")
      .def_prop_ro("rank", &Buffer::rank)
      .def_prop_ro("bytes", &Buffer::bytes)
      .def_prop_ro("channel", [](const Buffer& b) { return b.bytes() ? b.layout().pieces[0].channel : 0u; })
      .def_prop_ro("offset", [](const Buffer& b) { return b.bytes() ? b.layout().pieces[0].base : 0u; });
  nb::class_<Communicator>(m, "Communicator")
      .def(
          "__init__",
          [](Communicator* self, const std::string& cluster, const std::string& on,
             std::optional<int> native_ranks, double watchdog) {
            new (self) Communicator(Options{cluster, on, native_ranks, watchdog});
          },
          "cluster"_a = "", "on"_a = "", "native_ranks"_a = nb::none(), "watchdog_seconds"_a = 5e-3)
      .def_prop_ro("size", &Communicator::size)
      .def_prop_ro("native", &Communicator::native)
      .def_prop_ro("topology", [](const Communicator& c) { return c.topology().text(); })
      .def_prop_ro("lane_gbps",
                   [](const Communicator& c) {
                     const auto& p = c.parameters();
                     return p && p->lanes.empty() ? std::optional<double>(p->lane_rate * 8e-9) : std::nullopt;
                   })
      .def_prop_ro("fastest_lane_gbps",
                   [](const Communicator& c) {
                     return c.parameters() ? std::optional<double>(c.parameters()->fastest_lane * 8e-9)
                                           : std::nullopt;
                   })
      .def_prop_ro("lanes", [](const Communicator& c) { return c.topology().lanes.front().size(); })
      .def_prop_ro("channels", [](const Communicator& c) { return c.shape().channels; })
      .def_prop_ro("operator_ports", [](const Communicator& c) { return c.shape().operator_inputs; })
      .def_prop_ro("channel_bytes", &Communicator::channel_bytes)
      .def_prop_ro("partitions", &Communicator::partitions)
      .def_prop_ro("record_beats", &Communicator::record_beats)
      .def_prop_ro("eager_bytes", [](const Communicator& c) { return c.shape().eager_bytes; })
      .def_prop_ro("clock_hz", &Communicator::clock_hz)
      .def("lane_ends",
           [](const Communicator& c, int rank) {
             std::vector<std::tuple<int, int>> ends;
             for (const LaneEnd& e : c.topology().lanes.at(static_cast<std::size_t>(rank)))
               ends.emplace_back(e.peer, e.lane);
             return ends;
           })
      .def(
          "allocate",
          [](Communicator& c, int rank, unsigned channel, std::uint64_t bytes, const std::string& half) {
            return c.allocate(rank, channel, bytes, parse_half(half));
          },
          nb::keep_alive<0, 1>())
      .def("store",
           [](Communicator& c, const Buffer& b, std::uint64_t at, Input bytes) {
             c.write(b, at, {bytes.data(), bytes.size()});
           })
      .def("load", [](Communicator& c, const Buffer& b, std::uint64_t at,
                      Output bytes) { c.read(b, at, std::span(bytes.data(), bytes.size())); })
      .def(
          "run_programs",
          [](Communicator& c, const std::vector<std::vector<Fields>>& programs, bool barrier, unsigned marks,
             unsigned status_words, unsigned first_status_word, const std::vector<int>& start_order) {
            return c.run_programs(instructions(programs),
                                  {barrier, marks, status_words, first_status_word, start_order});
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("away", &Communicator::away)
      .def("back", &Communicator::back, nb::call_guard<nb::gil_scoped_release>())
      .def("explain", &Communicator::explain)
      .def("choose", &Communicator::choose)
      .def("algorithms", &Communicator::algorithms)
      .def("send_bytes", [](const Communicator& c, const Request& r,
                            int rank) { return send_bytes(r, c.topology(), rank); })
      .def("recv_bytes", [](const Communicator& c, const Request& r,
                            int rank) { return recv_bytes(r, c.topology(), rank); })
      .def(
          "request",
          [](const Communicator& c, const std::string& operation, const std::vector<std::uint64_t>& sizes,
             int root, int destination, const std::string& reduce, const std::string& type) {
            Request r = make_request(operation, sizes, root, destination, reduce, type);
            c.check(r);
            return r;
          },
          "operation"_a, "sizes"_a, "root"_a = 0, "destination"_a = 0, "reduce"_a = "sum", "type"_a = "bytes")
      .def(
          "call",
          [](Communicator& c, const Request& r, const std::vector<Input>& send,
             const std::vector<Output>& recv,
             const std::string& algorithm) { return c.call(r, inputs(send), outputs(recv), algorithm); },
          "request"_a, "send"_a, "recv"_a, "algorithm"_a = "")
      .def("post",
           [](Communicator& c, int rank, const Request& r, Input send, Output recv) {
             return c.post(rank, r, {send.data(), send.size()}, {recv.data(), recv.size()});
           })
      .def("partition",
           [](Communicator& c, const std::vector<Words>& keys, const std::vector<Words>& values,
              unsigned shift, unsigned bits, const std::vector<int>& owners) {
             return c.partition(columns(keys), columns(values), {shift, bits, owners});
           })
      .def("prepare", &Communicator::prepare, "request"_a, "algorithm"_a = "", nb::keep_alive<0, 1>())
      .def("run", &Communicator::run, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "run_all",
          [](Communicator& c, const std::vector<const Communicator::Prepared*>& operations, bool barrier,
             const std::vector<int>& start_order) {
            c.run_all(operations, {.barrier = barrier, .marks = 0, .start_order = start_order});
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("views", [](nb::handle self, const Communicator::Prepared& p, bool send,
                       int rank) { return views(self, p, send, rank); })
      .def("write",
           [](Communicator& c, const Communicator::Prepared& p, int rank, Input bytes) {
             c.write(p.send.at(static_cast<std::size_t>(rank)), {bytes.data(), bytes.size()});
           })
      .def("read", [](Communicator& c, const Communicator::Prepared& p, int rank, Output bytes) {
        c.read(p.recv.at(static_cast<std::size_t>(rank)), {bytes.data(), bytes.size()});
      });
}
