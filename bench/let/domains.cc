// SPDX-License-Identifier: Apache-2.0
#include "bench/let/domains.h"

#include "nbody/problems/problems.h"
#include "nbody/run/domain.h"
#include "nbody/run/local_run.h"

namespace polyloom::bench {

using nbody::Bodies;

std::vector<DomainTree> plummer_domains(std::size_t count, unsigned domains,
                                        const nbody::Settings& settings) {
  nbody::LocalRun run(settings, domains, nbody::LetMode::kHost, 0, nbody::make_problem("plummer", count, 1),
                      {}, {});
  run.start();
  std::vector<std::uint32_t> owner;
  const Bodies all = run.bodies(owner);
  std::vector<std::vector<std::uint32_t>> own(domains);
  for (std::uint32_t i = 0; i < owner.size(); ++i) own[owner[i]].push_back(i);
  std::vector<Bodies> parts;
  std::vector<nbody::Extent> extents;
  for (const auto& mine : own) {
    parts.push_back(all);
    parts.back().arrange(mine);
    extents.push_back(nbody::extent_of(parts.back().position, parts.back().mass));
  }
  const nbody::Frame frame = nbody::make_frame(extents);
  fabric::Pool pool(1);
  std::vector<DomainTree> trees;
  for (Bodies& part : parts) {
    nbody::Domain domain(settings, pool);
    domain.bodies = std::move(part);
    domain.sort(frame, true);
    trees.push_back({std::vector<nbody::NodeRecord>(domain.make_tree()), {}});
    domain.summarize(trees.back().nodes);
    trees.back().summary = domain.summary();
  }
  return trees;
}

}  // namespace polyloom::bench
