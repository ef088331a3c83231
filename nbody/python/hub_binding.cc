// SPDX-License-Identifier: Apache-2.0
// polyloom.nbody in Python: one rank of a simulation on a cluster of hubs.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "nbody/hub/hub_rank.h"
#include "nbody/python/arrays.h"

namespace polyloom::nbody {
namespace {

HubLet hub_let_of(const std::string& name) {
  if (name == "hub") return HubLet::kHub;
  if (name == "host") return HubLet::kHost;
  if (name == "full") return HubLet::kFull;
  throw UserError("no way to exchange trees '" + name + "' on a cluster; there are: hub, host, full");
}

/// place: socket, rank, ranks, let, measured, workers. state: arrays of this rank; with acc it goes on.
std::unique_ptr<HubRank> make_rank(const nb::dict& settings, const nb::dict& place, const nb::dict& state) {
  HubPlace p;
  p.socket = nb::cast<std::string>(place["socket"]);
  p.rank = nb::cast<unsigned>(place["rank"]);
  p.ranks = nb::cast<unsigned>(place["ranks"]);
  p.let = hub_let_of(nb::cast<std::string>(place["let"]));
  p.compute = nb::cast<bool>(place["measured"]) ? ComputeTime::kMeasured : ComputeTime::kFree;
  Bodies b = bodies_of(nb::cast<Vectors>(state["pos"]), nb::cast<Vectors>(state["vel"]),
                       nb::cast<Values>(state["mass"]), nb::cast<Ids>(state["id"]));
  Clock clock;
  if (state.contains("acc")) {
    b.acceleration = copy_of<Vec3>(nb::cast<Vectors>(state["acc"]), b.size(), "acc");
    b.potential = copy_of<double>(nb::cast<Values>(state["pot"]), b.size(), "pot");
    clock = {nb::cast<std::uint64_t>(state["step"]), nb::cast<double>(state["time"]), true};
  }
  const auto workers = nb::cast<unsigned>(place["workers"]);
  return std::make_unique<HubRank>(p, settings_of(settings), workers, std::move(b), clock);
}

nb::dict hub_state_of(const HubRank& rank) {
  const Bodies& b = rank.simulation().bodies();
  nb::dict d = dict_of(b);
  d["acc"] = array_of(b.acceleration);
  d["pot"] = array_of(b.potential);
  d["step"] = rank.simulation().clock().step;
  d["time"] = rank.simulation().clock().time;
  return d;
}

}  // namespace

void bind_hub(nb::module_& m) {
  nb::class_<HubRank>(m, "HubRank")
      .def("advance", &HubRank::advance)
      .def("diagnostics", [](HubRank& rank, bool direct) { return dict_of(rank.diagnostics(direct)); })
      .def("force_errors",
           [](HubRank& rank, std::size_t samples) { return dict_of(rank.force_errors(samples)); })
      .def("state", &hub_state_of)
      .def("report", [](const HubRank& rank) { return report_of(rank.simulation()); })
      .def("simulated", &HubRank::simulated)
      .def("finish", &HubRank::finish);
  m.def("make_rank", &make_rank);
}

}  // namespace polyloom::nbody
