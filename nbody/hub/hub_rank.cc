// SPDX-License-Identifier: Apache-2.0
#include "nbody/hub/hub_rank.h"

#include <utility>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

hub::SessionOptions options_of(const HubPlace& place) {
  hub::SessionOptions options;
  options.host.socket = place.socket;
  options.host.client = place.rank;
  options.nodes = {place.rank};
  return options;
}

}  // namespace

HubRank::HubRank(const HubPlace& place, const Settings& settings, unsigned workers, Bodies bodies,
                 Clock clock)
    : session_(options_of(place)),
      exchange_(session_, place.ranks, place.let, place.compute),
      simulation_(settings, exchange_, workers, std::move(bodies), clock) {
  if (session_.nodes() != place.ranks) {
    throw UserError(std::to_string(place.ranks) + " ranks on a cluster of " +
                    std::to_string(session_.nodes()) + " hubs: give every hub a rank");
  }
}

void HubRank::advance(std::uint64_t steps) {
  simulation_.start();
  for (std::uint64_t i = 0; i < steps; ++i) simulation_.step();
  exchange_.settle();
}

Diagnostics HubRank::diagnostics(bool direct) {
  const Diagnostics d = simulation_.diagnostics(direct);
  exchange_.settle();
  return d;
}

ForceErrors HubRank::force_errors(std::size_t samples) {
  const ForceErrors e = simulation_.force_errors(samples);
  exchange_.settle();
  return e;
}

}  // namespace polyloom::nbody
