// SPDX-License-Identifier: Apache-2.0
// polyloom.nbody in Python: runs and problems. A thin layer; the package polyloom/nbody gives it its types.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <limits>
#include <numeric>

#include "nbody/problems/problems.h"
#include "nbody/python/arrays.h"
#include "nbody/run/local_run.h"
#include "nbody/walk/kernels.h"

namespace polyloom::nbody {
namespace {

Criterion criterion_of(const std::string& name) {
  if (name == "side") return Criterion::kSide;
  if (name == "angle") return Criterion::kAngle;
  if (name == "acceleration") return Criterion::kAcceleration;
  throw UserError("no criterion '" + name + "'; there are: side, angle, acceleration");
}

LetMode let_mode_of(const std::string& name) {
  if (name == "host") return LetMode::kHost;
  if (name == "full") return LetMode::kFull;
  throw UserError("no way to exchange trees '" + name + "' in one process; there are: host, full");
}

std::vector<double> list(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

Bodies bodies_of(const Vectors& pos, const Vectors& vel, const Values& mass, const Ids& id) {
  Bodies b;
  const std::size_t n = pos.shape(0);
  b.position = copy_of<Vec3>(pos, n, "pos");
  b.velocity = copy_of<Vec3>(vel, n, "vel");
  b.mass = copy_of<double>(mass, n, "mass");
  b.id = copy_of<std::uint64_t>(id, n, "id");
  b.acceleration.resize(n);
  b.potential.resize(n);
  return b;
}

nb::dict dict_of(const Bodies& b) {
  nb::dict d;
  d["pos"] = array_of(b.position);
  d["vel"] = array_of(b.velocity);
  d["mass"] = array_of(b.mass);
  d["id"] = array_of(b.id);
  return d;
}

nb::dict dict_of(const Diagnostics& v) {
  nb::dict d;
  d["bodies"] = v.bodies;
  d["mass"] = v.mass;
  d["kinetic"] = v.kinetic;
  d["potential"] = v.potential;
  d["energy"] = v.energy();
  d["momentum"] = list(v.momentum);
  d["angular_momentum"] = list(v.angular_momentum);
  d["centre"] = list(v.centre);
  return d;
}

nb::dict dict_of(const ForceErrors& v) {
  nb::dict d;
  d["samples"] = v.samples;
  d["median"] = v.median;
  d["p90"] = v.p90;
  d["p99"] = v.p99;
  d["max"] = v.most;
  d["rms"] = v.rms;
  return d;
}

nb::dict report_of(const Simulation& s) {
  nb::dict phases, simulated, d;
  for (std::size_t p = 0; p < kPhases; ++p) {
    phases[kPhaseNames[p]] = s.phases().seconds()[p];
    simulated[kPhaseNames[p]] = s.phases().simulated()[p];
  }
  const TreeStats& t = s.stats();
  d["phases"] = phases;
  d["simulated_phases"] = simulated;
  d["bodies"] = t.bodies;
  d["nodes"] = t.nodes;
  d["let_nodes"] = t.let_nodes;
  d["full_nodes"] = t.full_nodes;
  d["point_interactions"] = t.walk.points;
  d["cell_interactions"] = t.walk.cells;
  d["list_lengths"] = t.walk.lists;
  return d;
}

namespace {

std::unique_ptr<LocalRun> make_run(const nb::dict& settings, unsigned domains, const std::string& let,
                                   unsigned threads, const Vectors& pos, const Vectors& vel,
                                   const Values& mass, const Ids& id) {
  const Bodies b = bodies_of(pos, vel, mass, id);
  return std::make_unique<LocalRun>(settings_of(settings), domains, let_mode_of(let), threads, b,
                                    std::span<const std::uint32_t>{}, Clock{});
}

using Owners = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<LocalRun> resume_run(const nb::dict& settings, unsigned domains, const std::string& let,
                                     unsigned threads, const Vectors& pos, const Vectors& vel,
                                     const Values& mass, const Ids& id, const Vectors& acc, const Values& pot,
                                     const Owners& domain, std::uint64_t step, double time) {
  const std::size_t n = pos.shape(0);
  Bodies b = bodies_of(pos, vel, mass, id);
  b.acceleration = copy_of<Vec3>(acc, n, "acc");
  b.potential = copy_of<double>(pot, n, "pot");
  return std::make_unique<LocalRun>(settings_of(settings), domains, let_mode_of(let), threads, b,
                                    copy_of<std::uint32_t>(domain, n, "domain"), Clock{step, time, true});
}

nb::dict state_of(const LocalRun& run) {
  std::vector<std::uint32_t> domain;
  const Bodies b = run.bodies(domain);
  nb::dict d = dict_of(b);
  d["acc"] = array_of(b.acceleration);
  d["pot"] = array_of(b.potential);
  d["domain"] = array_of(std::move(domain));
  d["step"] = run.simulation(0).clock().step;
  d["time"] = run.simulation(0).clock().time;
  return d;
}

/// Interactions a second if every unit for products did nothing else, of `threads` threads: measured
/// multiply-adds by what an interaction needs.
double interaction_limit(unsigned threads, double seconds) {
  constexpr std::uint64_t kRounds = 1 << 16;
  fabric::Pool pool(threads);
  std::vector<std::uint64_t> rounds(threads, 0);
  std::vector<float> results(threads, 0);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  pool.run(threads, [&](std::size_t block, unsigned) {
    for (; passed() < seconds; rounds[block] += kRounds) results[block] += kernels().multiply_add(kRounds);
  });
  const double done = static_cast<double>(std::accumulate(rounds.begin(), rounds.end(), std::uint64_t{0}));
  return done * 16 * kernels().lanes / passed() / kProductsAnInteraction;
}

void bind_runs(nb::module_& m) {
  nb::class_<LocalRun>(m, "Run")
      .def("start", &LocalRun::start, nb::call_guard<nb::gil_scoped_release>())
      .def("advance", &LocalRun::advance, nb::call_guard<nb::gil_scoped_release>())
      .def("diagnostics",
           [](LocalRun& run, bool direct) {
             Diagnostics d;
             {
               const nb::gil_scoped_release release;
               d = run.diagnostics(direct);
             }
             return dict_of(d);
           })
      .def("force_errors",
           [](LocalRun& run, std::size_t samples) {
             ForceErrors e;
             {
               const nb::gil_scoped_release release;
               e = run.force_errors(samples);
             }
             return dict_of(e);
           })
      .def("state", &state_of)
      .def("reports", [](const LocalRun& run) {
        nb::list all;
        for (unsigned rank = 0; rank < run.domains(); ++rank) all.append(report_of(run.simulation(rank)));
        return all;
      });
  m.def("make_run", &make_run);
  m.def("resume_run", &resume_run);
}

}  // namespace

namespace {

/// A setting of the type that it must have.
template <typename T>
T setting(const nb::dict& values, const char* key, const char* wanted) {
  T value{};
  if (values.contains(key) && nb::try_cast<T>(values[key], value)) return value;
  const std::string found = values.contains(key) ? nb::repr(values[key]).c_str() : "missing";
  throw UserError(std::string(key) + " " + found + ": must be " + wanted);
}

}  // namespace

Settings settings_of(const nb::dict& values) {
  Settings s;
  const auto number = [&](const char* key) { return setting<double>(values, key, "a number"); };
  const auto word = [&](const char* key) { return setting<std::string>(values, key, "a word"); };
  const auto count = [&](const char* key) {
    const auto v = setting<std::int64_t>(values, key, "an integer");
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (v < 0 || v > kMost) {
      throw UserError(std::string(key) + " " + std::to_string(v) + ": must be 0 to " + std::to_string(kMost));
    }
    return static_cast<unsigned>(v);
  };
  s.mac = {criterion_of(word("mac")), number("theta"), number("delta")};
  s.quadrupole = setting<bool>(values, "quadrupole", "True or False");
  s.eps = number("eps");
  s.gravity = number("gravity");
  s.dt = number("dt");
  s.leaf = count("leaf");
  s.group = count("group");
  s.rebalance = count("rebalance");
  const auto target = word("target");
  if (target != "box" && target != "sphere")
    throw UserError("no target '" + target + "'; there are: box, sphere");
  s.target = target == "box" ? TargetShape::kBox : TargetShape::kSphere;
  check_settings(s);
  return s;
}

NB_MODULE(_polyloom_nbody, m) {
  nb::exception<UserError>(m, "NBodyError");
  m.def("problem", [](const std::string& name, std::size_t count, std::uint64_t seed) {
    return dict_of(make_problem(name, count, seed));
  });
  m.def("problem_names", &problem_names);
  m.def("simd", [] { return std::string(kernels().name); });
  m.def("interaction_limit", &interaction_limit);
  bind_runs(m);
  bind_trees(m);
#ifdef POLYLOOM_NBODY_HUB
  bind_hub(m);
#endif
}

}  // namespace polyloom::nbody
