// SPDX-License-Identifier: Apache-2.0
// What polyloom/graphs does with all edges of a graph that Python holds: as arrays, and as NetworkX's
// dictionaries.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>
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

/// The value of a key, which another object may hold alone; null if there is none.
PyObject* found(nb::handle dict, nb::handle key) {
  PyObject* const value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

void require_dict(nb::handle object) {
  if (!PyDict_Check(object.ptr())) throw nb::type_error("a dictionary is expected");
}

/// The entries of a dictionary as they are now. All are held: comparisons of vertices and conversions of
/// weights may run any code, and that may change the graph. They lie all over the memory, so all are
/// asked for before the first one is touched.
class Entries {
 public:
  void take(nb::handle dict) {
    require_dict(dict);
    entries_.clear();
    Py_ssize_t at = 0;
    for (PyObject *key = nullptr, *value = nullptr; PyDict_Next(dict.ptr(), &at, &key, &value) != 0;) {
      __builtin_prefetch(key, 1);
      __builtin_prefetch(value, 1);
      raw_.emplace_back(key, value);
    }
    entries_.reserve(raw_.size());
    for (const auto& [key, value] : raw_) entries_.emplace_back(nb::borrow(key), nb::borrow(value));
    raw_.clear();
  }
  const auto& all() const { return entries_; }

 private:
  std::vector<std::pair<PyObject*, PyObject*>> raw_;
  std::vector<std::pair<nb::object, nb::object>> entries_;
};

/// How many edges there are.
std::uint64_t count_edges(const nb::dict& adjacency, bool multi) {
  std::uint64_t count = 0;
  Entries vertices, neighbours;
  vertices.take(adjacency);
  for (const auto& [vertex, row] : vertices.all()) {
    require_dict(row);
    if (!multi) {
      count += static_cast<std::uint64_t>(PyDict_Size(row.ptr()));
      continue;
    }
    neighbours.take(row);
    for (const auto& [neighbour, parallel] : neighbours.all()) {
      require_dict(parallel);
      count += static_cast<std::uint64_t>(PyDict_Size(parallel.ptr()));
    }
  }
  return count;
}

/// Rows of vertices by what they are called.
struct Rows {
  nb::dict by_name;
  bool numbered;  ///< all are called by their rows

  std::uint32_t of(nb::handle vertex) const {
    if (numbered && PyLong_CheckExact(vertex.ptr())) {
      int overflow = 0;
      const long row = PyLong_AsLongAndOverflow(vertex.ptr(), &overflow);
      if (overflow == 0 && row >= 0 && static_cast<std::size_t>(row) < by_name.size())
        return static_cast<std::uint32_t>(row);
    }
    PyObject* const row = found(by_name, vertex);
    if (row == nullptr) throw nb::key_error("a neighbour is no vertex of the graph");
    return static_cast<std::uint32_t>(PyLong_AsUnsignedLong(row));
  }
};

/// Weights of edges in their order: those of an attribute, as far as edges have it.
struct WeightColumn {
  nb::object attribute;  ///< None: there are none
  double missing;        ///< of edges without it
  Weights out;           ///< untouched until an edge has one: most graphs have none
  bool any = false, whole = true;

  void take(std::size_t edge, nb::handle data) {
    if (attribute.is_none()) return;
    require_dict(data);
    PyObject* const value = PyDict_GET_SIZE(data.ptr()) == 0 ? nullptr : found(data, attribute);
    if (value != nullptr && !any) {
      std::fill_n(out.data(), edge, missing);
      any = true;
    }
    if (any) out.data()[edge] = value == nullptr ? missing : number(value);
  }

 private:
  double number(nb::handle value) {
    const nb::object held = nb::borrow(value);
    const double number = PyFloat_AsDouble(held.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    whole = whole && !PyFloat_Check(held.ptr()) && PyIndex_Check(held.ptr()) != 0;
    return number;
  }
};

/// Edges of NetworkX's adjacency in its order, by the numbers in `rows`; their weights where `attribute` is
/// not None. Returns whether an edge has it, and whether all that have it are of whole types. Throws
/// TypeError for what is no plain dictionary, and whatever a weight's conversion does.
nb::tuple take_adjacency(const nb::dict& adjacency, const nb::dict& rows, bool numbered, bool multi,
                         const Pairs& out, const nb::object& attribute, double missing,
                         const nb::object& weights) {
  const Rows names{rows, numbered};
  WeightColumn column{attribute, missing, {}};
  if (!attribute.is_none()) column.out = nb::cast<Weights>(weights);
  if (column.out.is_valid() && column.out.shape(0) != out.shape(0))
    throw nb::value_error("one weight an edge is expected");
  std::size_t edges = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to, nb::handle data) {
    if (edges == out.shape(0)) throw nb::value_error("the graph was changed while it was read");
    out.data()[2 * edges] = from;
    out.data()[2 * edges + 1] = to;
    column.take(edges, data);
    ++edges;
  };
  Entries vertices, neighbours, parallel;
  vertices.take(adjacency);
  for (const auto& [vertex, row] : vertices.all()) {
    const std::uint32_t from = names.of(vertex);
    neighbours.take(row);
    for (const auto& [neighbour, data] : neighbours.all()) {
      const std::uint32_t to = names.of(neighbour);
      if (!multi) {
        add(from, to, data);
        continue;
      }
      parallel.take(data);
      for (const auto& [key, one] : parallel.all()) add(from, to, one);
    }
  }
  if (edges != out.shape(0)) throw nb::value_error("the graph was changed while it was read");
  return nb::make_tuple(column.any, column.whole);
}

}  // namespace
}  // namespace polyloom::polite

NB_MODULE(_polyloom_graphs, m) {
  using namespace polyloom;
  nb::register_exception_translator(raise_user_error);
  m.def("number", &polite::number, nb::arg("from_"), nb::arg("to"), nb::arg("out"));
  m.def("count_edges", &polite::count_edges, nb::arg("adjacency"), nb::arg("multi"));
  m.def("take_adjacency", &polite::take_adjacency, nb::arg("adjacency"), nb::arg("rows"), nb::arg("numbered"),
        nb::arg("multi"), nb::arg("out"), nb::arg("attribute").none(), nb::arg("missing"),
        nb::arg("weights").none());
}
