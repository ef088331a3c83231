// SPDX-License-Identifier: Apache-2.0
// One measurement of bench/let: bench_let generation | shares | host | push | copy | exchange [--quick].
// Prints JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/let/domains.h"
#include "bench/let/hub_runs.h"
#include "bench/let/operator_run.h"
#include "fabric/guarded.h"
#include "fabric/json_text.h"
#include "nbody/tree/let.h"

namespace polyloom::bench {
namespace {

using blocks::operators::LetSetup;
using nlohmann::json;

constexpr unsigned kPaperGeometry = 136;  // cycles of the published MAC module
constexpr std::size_t kPaperBodies = 4096;
constexpr unsigned kPaperDomains = 2, kPaperLeaf = 8;

/// `leaf`: our default, or 8 as in the trees of the paper's author.
nbody::Settings settings_of(nbody::Criterion criterion, double parameter, nbody::TargetShape shape,
                            unsigned leaf) {
  nbody::Settings s;
  s.eps = 0.01;
  s.leaf = leaf;
  s.mac.criterion = criterion;
  (criterion == nbody::Criterion::kAcceleration ? s.mac.delta : s.mac.theta) = parameter;
  s.target = shape;
  return s;
}

/// The paper's case as we read it: 4,096 bodies over two accelerators.
std::vector<DomainTree> paper_case() {
  return plummer_domains(kPaperBodies, kPaperDomains,
                         settings_of(nbody::Criterion::kAngle, 0.7, nbody::TargetShape::kBox, kPaperLeaf));
}

json run_generation() {
  const auto trees = paper_case();
  const auto& tree = trees[0].nodes;
  const nbody::Target target = trees[1].summary.target;
  const LetSetup paper{.padded = true, .parent_first = true};
  json out{{"nodes", tree.size()}, {"bodies", kPaperBodies / kPaperDomains}};
  out["paper"] = run_operator(tree, {&target, 1}, paper, 2, kPaperGeometry).cycles;
  out["same_feed"] = run_operator(tree, {&target, 1}, LetSetup{}, 2, 0).cycles;
  const OperatorRun full = run_operator(tree, {&target, 1}, LetSetup{}, 1, 0);
  out["full_feed"] = full.cycles;
  out["kept"] = full.lets[0].size();
  const std::vector<nbody::Target> seven(7, target);
  out["full_feed_7"] = run_operator(tree, seven, LetSetup{}, 1, 0).cycles;
  return out;
}

json run_shares(unsigned leaf, bool quick) {
  const std::size_t count = quick ? 8192 : 65536;
  json out{{"bodies", count}, {"domains", 8}};
  for (const auto& [name, criterion, parameter] :
       {std::tuple{"acceleration 2^-8", nbody::Criterion::kAcceleration, 1.0 / 256},
        std::tuple{"b/s < 0.7", nbody::Criterion::kAngle, 0.7}}) {
    for (const auto& [shape_name, shape] :
         {std::pair{"box", nbody::TargetShape::kBox}, std::pair{"sphere", nbody::TargetShape::kSphere}}) {
      const auto trees = plummer_domains(count, 8, settings_of(criterion, parameter, shape, leaf));
      std::uint64_t kept = 0, all = 0;
      for (const DomainTree& from : trees) {
        for (const DomainTree& to : trees) {
          if (&from == &to) continue;
          nbody::Let let;
          nbody::make_let({from.nodes, {}}, to.summary.target, let);
          kept += let.count;
          all += from.nodes.size();
        }
      }
      out["shares"][name][shape_name] = static_cast<double>(kept) / static_cast<double>(all);
      out["nodes"] = all / 56;
    }
  }
  return out;
}

json run_host() {
  const auto trees = paper_case();
  nbody::Let let;
  std::vector<double> us;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    nbody::make_let({trees[0].nodes, {}}, trees[1].summary.target, let);
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(us.begin(), us.end());
  return {{"nodes", trees[0].nodes.size()},
          {"kept", let.count},
          {"median_us", us[us.size() / 2]},
          {"least_us", us[0]}};
}

json of(const HubRun& run) {
  return {{"seconds", run.seconds}, {"bytes", run.bytes}, {"pairs", run.pairs}, {"equal", run.equal}};
}

json run_push(bool padded) {
  const auto trees = paper_case();
  hub::Session session;
  json out = of(push_to_neighbour(session, trees[0], trees[1].summary.target, padded));
  session.finish();
  return out;
}

json run_copy(const std::string& bytes, bool neighbour) {
  hub::Session session;
  const double seconds =
      copy_seconds(session, std::stoull(bytes), neighbour ? CopyTo::kNeighbour : CopyTo::kOwnHost);
  session.finish();
  return {{"seconds", seconds}};
}

/// `what`: trees, angle, acceleration.
json run_exchange(const std::string& what, unsigned leaf, bool quick) {
  const auto criterion = what == "acceleration" ? nbody::Criterion::kAcceleration : nbody::Criterion::kAngle;
  const auto settings =
      settings_of(criterion, what == "acceleration" ? 1.0 / 256 : 0.7, nbody::TargetShape::kBox, leaf);
  hub::Session session;
  const auto trees = plummer_domains(quick ? 8192 : 65536, session.nodes(), settings);
  json out = of(exchange_all(session, trees, what == "trees" ? Exchange::kTrees : Exchange::kLets));
  std::size_t nodes = 0;
  for (const DomainTree& tree : trees) nodes += tree.nodes.size();
  out["nodes"] = nodes / trees.size();
  session.finish();
  return out;
}

int run(const std::vector<std::string>& words) {
  const bool quick = std::find(words.begin(), words.end(), "--quick") != words.end();
  const bool paper_leaf = std::find(words.begin(), words.end(), "--leaf8") != words.end();
  const unsigned leaf = paper_leaf ? kPaperLeaf : nbody::Settings{}.leaf;
  const std::string what = words.empty() ? "" : words[0];
  json out;
  if (what == "generation") out = run_generation();
  if (what == "shares") out = run_shares(leaf, quick);
  if (what == "host") out = run_host();
  if (what == "push") out = run_push(words.size() > 1 && words[1] == "padded");
  if (what == "copy" && words.size() > 2) out = run_copy(words[1], words[2] == "neighbour");
  if (what == "exchange" && words.size() > 1) out = run_exchange(words[1], leaf, quick);
  if (out.is_null()) {
    std::cerr << "bench_let generation | shares | host | push [padded] | exchange trees|angle|acceleration, "
                 "[--leaf8] [--quick]\n";
    return 2;
  }
  std::cout << json_text(out) << "\n";
  return 0;
}

}  // namespace
}  // namespace polyloom::bench

int main(int argc, char** argv) {
  return polyloom::guarded([&] { return polyloom::bench::run({argv + 1, argv + argc}); });
}
