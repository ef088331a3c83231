// SPDX-License-Identifier: Apache-2.0
// polyloom.collectives in Python: a thin layer over Communicator; NumPy arrays cross as bytes. The package
// polyloom/collectives gives them their types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "polyloom/collectives.h"
#include "roles/collective/host/schedule/algorithms.h"

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
  nb::exception<polyloom::UserError>(m, "CollectiveError", PyExc_RuntimeError);

  nb::class_<Request>(m, "Request")
      .def(
          "__init__",
          [](Request* self, const std::string& operation, const std::vector<std::uint64_t>& sizes, int root,
             int destination, const std::string& reduce, const std::string& type) {
            new (self) Request(make_request(operation, sizes, root, destination, reduce, type));
          },
          "operation"_a, "sizes"_a, "root"_a = 0, "destination"_a = 0, "reduce"_a = "sum",
          "type"_a = "bytes");
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
  nb::class_<Communicator>(m, "Communicator")
      .def(
          "__init__",
          [](Communicator* self, const std::string& cluster, const std::string& on, int native_ranks,
             double watchdog) {
            new (self) Communicator(Options{cluster, on, native_ranks, watchdog});
          },
          "cluster"_a = "", "on"_a = "", "native_ranks"_a = 8, "watchdog_seconds"_a = 5e-3)
      .def_prop_ro("size", &Communicator::size)
      .def_prop_ro("native", &Communicator::native)
      .def_prop_ro("topology", [](const Communicator& c) { return c.topology().text(); })
      .def_prop_ro("lane_gbps",
                   [](const Communicator& c) {
                     return c.parameters() ? std::optional<double>(c.parameters()->lane_rate * 8e-9)
                                           : std::nullopt;
                   })
      .def_prop_ro("lanes", [](const Communicator& c) { return c.topology().lanes.front().size(); })
      .def("explain", &Communicator::explain)
      .def("choose", &Communicator::choose)
      .def("algorithms",
           [](const Communicator& c, const Request& r) { return algorithms(r, c.topology(), c.shape()); })
      .def("send_bytes", [](const Communicator& c, const Request& r,
                            int rank) { return send_bytes(r, c.topology(), rank); })
      .def("recv_bytes", [](const Communicator& c, const Request& r,
                            int rank) { return recv_bytes(r, c.topology(), rank); })
      .def("check", [](const Communicator& c, const Request& r) { check(r, c.topology()); })
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
      .def("prepare", &Communicator::prepare, "request"_a, "algorithm"_a = "", nb::keep_alive<0, 1>())
      .def("run", &Communicator::run)
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
