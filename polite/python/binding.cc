// SPDX-License-Identifier: Apache-2.0
// What polyloom/graphs does with all edges of a graph that Python holds: as arrays, and as NetworkX's
// dictionaries.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "fabric/python/user_error.h"
#include "polite/python/numbering.h"

namespace nb = nanobind;

namespace polyloom::polite {
namespace {

using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Pairs = nb::ndarray<std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Id>
Ends<Id> ends_of(const Column& column) {
  return {static_cast<const Id*>(column.data()), column.stride(0)};
}

template <typename Id>
nb::object numbered(const Column& from, const Column& to, const Pairs& out) {
  std::uint64_t count = 0;
  auto ids = std::make_unique<std::vector<Id>>();
  {
    const nb::gil_scoped_release others_run;
    *ids = number_vertices<Id>(ends_of<Id>(from), ends_of<Id>(to), from.shape(0), out.data(), count);
  }
  if (ids->empty()) return nb::make_tuple(count, nb::none());
  std::vector<Id>* const memory = ids.release();
  const nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<std::vector<Id>*>(p); });
  return nb::make_tuple(count,
                        nb::ndarray<nb::numpy, Id, nb::ndim<1>>(memory->data(), {memory->size()}, owner));
}

nb::object number(const Column& from, const Column& to, const Pairs& out) {
  if (from.dtype() != to.dtype() || from.shape(0) != to.shape(0) || out.shape(0) != from.shape(0))
    throw nb::type_error("columns of one type and length are expected");
  if (from.dtype() == nb::dtype<std::int64_t>()) return numbered<std::int64_t>(from, to, out);
  if (from.dtype() == nb::dtype<std::uint64_t>()) return numbered<std::uint64_t>(from, to, out);
  if (from.dtype() == nb::dtype<std::int32_t>()) return numbered<std::int32_t>(from, to, out);
  if (from.dtype() == nb::dtype<std::uint32_t>()) return numbered<std::uint32_t>(from, to, out);
  throw nb::type_error("columns of whole numbers of 32 or 64 bits are expected");
}

/// The entries of a dictionary. All that is walked is held: comparisons of vertices may run anybody's code,
/// and that may change the graph.
class Items {
 public:
  explicit Items(nb::handle dict) : dict_(nb::borrow(dict)) {
    if (!PyDict_Check(dict.ptr())) throw nb::type_error("a dictionary is expected");
  }
  bool next(nb::object& key, nb::object& value) {
    PyObject *k = nullptr, *v = nullptr;
    if (PyDict_Next(dict_.ptr(), &at_, &k, &v) == 0) return false;
    key = nb::borrow(k);
    value = nb::borrow(v);
    return true;
  }

 private:
  nb::object dict_;
  Py_ssize_t at_ = 0;
};

/// The value of a key, which another object may hold alone; null if there is none.
PyObject* found(nb::handle dict, nb::handle key) {
  PyObject* const value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

/// How many edges there are, and whether one of them has this attribute.
nb::tuple count_edges(const nb::dict& adjacency, bool multi, const nb::object& attribute) {
  std::uint64_t count = 0;
  bool has = false;
  const auto add = [&](const nb::object& data) {
    ++count;
    if (has || attribute.is_none()) return;
    if (!PyDict_Check(data.ptr())) throw nb::type_error("a dictionary is expected");
    has = found(data, attribute) != nullptr;
  };
  nb::object from, row, to, data, key, one;
  for (Items vertices(adjacency); vertices.next(from, row);) {
    for (Items neighbours(row); neighbours.next(to, data);) {
      if (!multi) {
        add(data);
        continue;
      }
      for (Items parallel(data); parallel.next(key, one);) add(one);
    }
  }
  return nb::make_tuple(count, has);
}

std::uint32_t row_of(nb::handle rows, nb::handle vertex) {
  PyObject* const row = found(rows, vertex);
  if (row == nullptr) throw nb::key_error("a neighbour is no vertex of the graph");
  return static_cast<std::uint32_t>(PyLong_AsUnsignedLong(row));
}

double weight_of(nb::handle data, nb::handle name, double missing) {
  if (!PyDict_Check(data.ptr())) throw nb::type_error("a dictionary is expected");
  PyObject* const value = found(data, name);
  if (value == nullptr) return missing;
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

/// Edges of NetworkX's adjacency in its order, by the numbers in `rows`; their weights where `weight` names
/// an attribute. Throws TypeError for what is no plain dictionary, and whatever a weight's conversion does.
void take_adjacency(const nb::dict& adjacency, const nb::dict& rows, bool multi, const Pairs& out,
                    const nb::object& weight, double missing, const nb::object& weights) {
  Weights given;
  if (!weight.is_none()) given = nb::cast<Weights>(weights);
  if (given.is_valid() && given.shape(0) != out.shape(0))
    throw nb::value_error("one weight an edge is expected");
  std::size_t edges = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to, nb::handle data) {
    if (edges == out.shape(0)) throw nb::value_error("the graph was changed while it was read");
    out.data()[2 * edges] = from;
    out.data()[2 * edges + 1] = to;
    if (given.is_valid()) given.data()[edges] = weight_of(data, weight, missing);
    ++edges;
  };
  nb::object vertex, row, neighbour, data, key, one;
  for (Items vertices(adjacency); vertices.next(vertex, row);) {
    const std::uint32_t from = row_of(rows, vertex);
    for (Items neighbours(row); neighbours.next(neighbour, data);) {
      const std::uint32_t to = row_of(rows, neighbour);
      if (!multi) {
        add(from, to, data);
        continue;
      }
      for (Items parallel(data); parallel.next(key, one);) add(from, to, one);
    }
  }
  if (edges != out.shape(0)) throw nb::value_error("the graph was changed while it was read");
}

}  // namespace
}  // namespace polyloom::polite

NB_MODULE(_polyloom_graphs, m) {
  using namespace polyloom;
  nb::register_exception_translator(raise_user_error);
  m.def("number", &polite::number, nb::arg("from_"), nb::arg("to"), nb::arg("out"));
  m.def("count_edges", &polite::count_edges, nb::arg("adjacency"), nb::arg("multi"),
        nb::arg("attribute").none());
  m.def("take_adjacency", &polite::take_adjacency, nb::arg("adjacency"), nb::arg("rows"), nb::arg("multi"),
        nb::arg("out"), nb::arg("weight").none(), nb::arg("missing"), nb::arg("weights").none());
}
