// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fabric/error.h"
#include "nbody/run/bytes.h"
#include "nbody/run/orb.h"

namespace polyloom::nbody {
namespace {

/// Positions that decide on the domains, of all ranks together.
constexpr std::size_t kSamples = 4096;

struct Packed {
  Vec3 position, velocity, acceleration;
  double mass, potential;
  std::uint64_t id;
};

Packed packed(const Bodies& b, std::size_t i) {
  return {b.position[i], b.velocity[i], b.acceleration[i], b.mass[i], b.potential[i], b.id[i]};
}

void append(Bodies& b, const Packed& p) {
  b.position.push_back(p.position);
  b.velocity.push_back(p.velocity);
  b.acceleration.push_back(p.acceleration);
  b.mass.push_back(p.mass);
  b.potential.push_back(p.potential);
  b.id.push_back(p.id);
}

double strongest_of(std::span<const Vec3> accelerations) {
  double most = 0;
  for (const Vec3& a : accelerations) most = std::max(most, dot(a, a));
  return std::sqrt(most);
}

void need(bool right, const std::string& what) {
  if (!right) throw UserError(what);
}

}  // namespace

void check_settings(const Settings& s) {
  check_mac(s.mac);
  need(s.eps >= 0 && std::isfinite(s.eps), "eps " + std::to_string(s.eps) + ": must be 0 or above");
  need(s.gravity > 0 && std::isfinite(s.gravity), "G " + std::to_string(s.gravity) + ": must be above 0");
  need(s.dt > 0 && std::isfinite(s.dt), "dt " + std::to_string(s.dt) + ": must be above 0");
  need(s.leaf >= 1 && s.leaf <= 8, "leaf " + std::to_string(s.leaf) + ": must be 1 to 8");
  need(s.group >= 1 && s.group <= kMaxGroup, "group " + std::to_string(s.group) + ": must be 1 to 64");
  need(s.rebalance >= 1, "rebalance 0: must be 1 or above");
}

Simulation::Simulation(const Settings& settings, Exchange& exchange, unsigned workers, Bodies bodies,
                       Clock clock)
    : settings_(settings), exchange_(exchange), pool_(workers), domain_(settings, pool_), clock_(clock) {
  check_settings(settings);
  // Steps of this dt so far count from 0, so that a run that was interrupted has the times of one that was
  // not.
  if (clock.time != static_cast<double>(clock.step) * settings.dt) first_ = clock;
  check_bodies(bodies.position, bodies.velocity, bodies.mass);
  need(!settings.quadrupole || exchange.size() == 1 || exchange.carries_second(),
       "second moments do not travel this way: use monopoles");
  domain_.bodies = std::move(bodies);
}

void Simulation::lap(Phase phase) {
  const double simulated = exchange_.simulated(), waited = exchange_.waited();
  phases_.lap(phase, waited - std::exchange(waited_, waited),
              simulated - std::exchange(simulated_, simulated));
}

void Simulation::start() {
  simulated_ = exchange_.simulated();
  waited_ = exchange_.waited();
  phases_.skip();
  waited_ = exchange_.waited();
  if (clock_.forces_known) return;
  decompose();
  evaluate();
}

void Simulation::step() {
  start();
  kick(0.5 * settings_.dt);
  drift(settings_.dt);
  ++clock_.step;
  clock_.time = first_.time + static_cast<double>(clock_.step - first_.step) * settings_.dt;
  if (clock_.step % settings_.rebalance == 0) decompose();
  evaluate();
  kick(0.5 * settings_.dt);
}

void Simulation::kick(double dt) {
  Bodies& b = domain_.bodies;
  for (std::size_t i = 0; i < b.size(); ++i) b.velocity[i] = b.velocity[i] + dt * b.acceleration[i];
  lap(Phase::kMove);
}

void Simulation::drift(double dt) {
  Bodies& b = domain_.bodies;
  for (std::size_t i = 0; i < b.size(); ++i) b.position[i] = b.position[i] + dt * b.velocity[i];
  check_positions(b.position, b.id, clock_.step + 1);
  lap(Phase::kMove);
}

void Simulation::decompose() {
  const unsigned ranks = exchange_.size();
  if (ranks == 1) return;
  Bodies& b = domain_.bodies;
  const auto extents = gather(exchange_, extent_of(b.position, b.mass));
  std::size_t all = 0;
  for (const Extent& e : extents) all += e.count;
  std::vector<Vec3> samples;
  const std::size_t stride = std::max<std::size_t>(1, all / kSamples);
  for (std::size_t i = stride / 2; i < b.size(); i += stride) samples.push_back(b.position[i]);
  const Frame frame = make_frame(extents);
  const Bisection cuts(gather_all<Vec3>(exchange_, samples), ranks, frame.length / Frame::kLattice);
  std::vector<std::vector<Packed>> leaving(ranks);
  std::vector<std::uint32_t> staying;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (const unsigned owner = cuts.owner(b.position[i]); owner == exchange_.rank()) {
      staying.push_back(static_cast<std::uint32_t>(i));
    } else {
      leaving[owner].push_back(packed(b, i));
    }
  }
  std::vector<Bytes> parts;
  for (const auto& part : leaving) parts.push_back(bytes_of<Packed>(part));
  if (staying.size() < b.size()) b.arrange(staying);
  for (const Bytes& part : exchange_.all_to_all(std::move(parts))) {
    for (const Packed& p : values_of<Packed>(part)) append(b, p);
  }
  lap(Phase::kDecompose);
}

void Simulation::evaluate() {
  const Bodies& b = domain_.bodies;
  Extent mine = extent_of(b.position, b.mass);
  if (exchange_.size() > 1 && clock_.forces_known) mine.strongest = strongest_of(b.acceleration);
  const auto extents = gather(exchange_, mine);
  double strongest = 0;
  for (const Extent& e : extents) strongest = std::max(strongest, e.strongest);
  domain_.sort(make_frame(extents), clock_.forces_known, strongest);
  lap(Phase::kKeys);
  const std::size_t nodes = domain_.make_tree();
  lap(Phase::kMakeTree);
  domain_.summarize(exchange_.tree_memory(nodes));
  lap(Phase::kCalcMac);
  std::vector<TreeView> others;
  stats_ = {b.size(), nodes, 0, 0, {}};
  if (exchange_.size() > 1) {
    const auto summaries = gather(exchange_, domain_.summary());
    for (const Summary& peer : summaries) stats_.full_nodes += peer.nodes;
    stats_.full_nodes -= nodes;
    others = exchange_.exchange_lets(domain_.tree(), summaries);
    for (const TreeView& other : others) stats_.let_nodes += other.nodes.size();
    lap(Phase::kLet);
  }
  domain_.walk(others);
  stats_.walk = domain_.stats();
  clock_.forces_known = true;
  lap(Phase::kWalk);
}

Diagnostics Simulation::diagnostics(bool direct) {
  return diagnose(exchange_, pool_, domain_.bodies, settings_, direct);
}

ForceErrors Simulation::force_errors(std::size_t samples) {
  return measure_forces(exchange_, pool_, domain_.bodies, settings_, samples);
}

}  // namespace polyloom::nbody
