// SPDX-License-Identifier: Apache-2.0
// polyloom.nbody in Python: single trees, LETs, direct summation.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "nbody/python/arrays.h"
#include "nbody/run/diagnostics.h"
#include "nbody/run/domain.h"
#include "nbody/tree/hilbert.h"
#include "nbody/tree/let.h"

namespace polyloom::nbody {
namespace {

/// A tree over bodies that do not move, and forces on them.
class StillTree {
 public:
  StillTree(const nb::dict& settings, unsigned threads, const Vectors& pos, const Values& mass)
      : settings_(settings_of(settings)), pool_(threads), domain_(settings_, pool_) {
    Bodies& b = domain_.bodies;
    const std::size_t n = pos.shape(0);
    b.position = copy_of<Vec3>(pos, n, "pos");
    b.mass = copy_of<double>(mass, n, "mass");
    b.acceleration.resize(n);
    b.potential.resize(n);
    for (std::size_t i = 0; i < n; ++i) b.id.push_back(i);
    check_bodies(b.position, {}, b.mass);
    build(false);
  }

  /// The acceleration criterion needs accelerations: those of a first pass by opening angle.
  void forces() {
    const nb::gil_scoped_release release;
    if (settings_.mac.criterion == Criterion::kAcceleration && !known_) {
      domain_.walk({});
      build(true);
    }
    domain_.walk({});
  }
  /// Forces from this tree and others.
  void forces_with(const std::vector<Bytes1>& others) {
    std::vector<TreeView> views;
    for (const Bytes1& o : others) {
      views.push_back({{reinterpret_cast<const NodeRecord*>(o.data()), o.size() / sizeof(NodeRecord)}, {}});
    }
    domain_.walk(views);
  }
  nb::tuple result() const {
    const Bodies& b = domain_.bodies;
    std::vector<Vec3> acceleration(b.size());
    std::vector<double> potential(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      acceleration[b.id[i]] = b.acceleration[i];
      potential[b.id[i]] = b.potential[i];
    }
    return nb::make_tuple(array_of(std::move(acceleration)), array_of(std::move(potential)));
  }
  nb::object records() const { return bytes_array(memory_.data(), memory_.size()); }
  nb::object second() const {
    const auto view = domain_.tree().second;
    return bytes_array(view.data(), view.size());
  }
  nb::object radius() const {
    const auto r = domain_.local_tree().radius();
    return array_of(std::vector<float>(r.begin(), r.end()));
  }
  nb::object order() const { return array_of(domain_.bodies.id); }
  nb::object target() const {
    const Summary w = domain_.summary();
    return bytes_array(&w.target, w.any ? 1 : 0);
  }
  nb::tuple frame() const {
    const Frame& f = domain_.frame();
    return nb::make_tuple(f.origin.x, f.origin.y, f.origin.z, f.length, f.mass);
  }
  nb::tuple stats() const {
    const WalkStats& s = domain_.stats();
    return nb::make_tuple(s.points, s.cells, s.lists);
  }

 private:
  void build(bool known) {
    known_ = known;
    const Extent extent = extent_of(domain_.bodies.position, domain_.bodies.mass);
    domain_.sort(make_frame(std::span(&extent, 1)), known);
    memory_.resize(domain_.make_tree());
    domain_.summarize(memory_);
  }

  Settings settings_;
  fabric::Pool pool_;
  Domain domain_;
  std::vector<NodeRecord> memory_;
  bool known_ = false;
};

nb::object let_of(const Bytes1& records, const Bytes1& target) {
  if (records.size() % sizeof(NodeRecord) != 0 || target.size() != sizeof(Target)) {
    throw UserError("a record has 24 bytes and a target 32");
  }
  const TreeView tree{
      {reinterpret_cast<const NodeRecord*>(records.data()), records.size() / sizeof(NodeRecord)}, {}};
  Target t;
  std::memcpy(&t, target.data(), sizeof t);
  Let let;
  make_let(tree, t, let);
  return bytes_array(let.nodes.data(), let.count);
}

nb::tuple direct(const Vectors& sources, const Values& mass, const Vectors& targets, const Values& own,
                 double eps, double gravity, unsigned threads) {
  const auto from = copy_of<Vec3>(sources, sources.shape(0), "sources");
  const auto masses = copy_of<double>(mass, from.size(), "mass");
  const auto at = copy_of<Vec3>(targets, targets.shape(0), "targets");
  const auto mine = copy_of<double>(own, own.shape(0), "own");
  fabric::Pool pool(threads);
  Field field = direct_field(pool, from, masses, at, mine, eps, gravity);
  return nb::make_tuple(array_of(std::move(field.acceleration)), array_of(std::move(field.potential)));
}

}  // namespace

void bind_trees(nb::module_& m) {
  nb::class_<StillTree>(m, "Tree")
      .def(nb::init<const nb::dict&, unsigned, const Vectors&, const Values&>())
      .def("forces", &StillTree::forces)
      .def("forces_with", &StillTree::forces_with)
      .def("result", &StillTree::result)
      .def("records", &StillTree::records)
      .def("second", &StillTree::second)
      .def("radius", &StillTree::radius)
      .def("order", &StillTree::order)
      .def("target", &StillTree::target)
      .def("frame", &StillTree::frame)
      .def("stats", &StillTree::stats);
  m.def("let", &let_of);
  m.def("direct", &direct);
  m.def("hilbert_key", &hilbert_key);
}

}  // namespace polyloom::nbody
