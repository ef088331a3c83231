// SPDX-License-Identifier: Apache-2.0
// Synthetic graphs. Each is a function of its arguments and seed alone, whatever the number of host threads.
#pragma once

#include <cstdint>

#include "polite/graph_data.h"

namespace polyloom::polite {

/// The papers' geometric random graph: vertices on a width x height grid, one a point (the last row may be
/// short); each has `fanout` edges to distinct random others no further than `distance` in x and in y. Throws
/// UserError if a neighbourhood has fewer than `fanout` points. Source: Multicast paper VI.A,
/// docs/sources/tinsel.md, 5.6 (GenGeoGraph2).
GraphData geometric_graph(std::uint32_t width, std::uint32_t height, std::uint32_t distance,
                          std::uint32_t fanout, std::uint64_t seed = 1);
/// The same on a square for `vertices` vertices.
GraphData geometric_square(std::uint32_t vertices, std::uint32_t distance, std::uint32_t fanout,
                           std::uint64_t seed = 1);
/// The same with the smallest distance that suits twice the fanout.
GraphData geometric_graph(std::uint32_t vertices, std::uint32_t fanout, std::uint64_t seed = 1);

/// Kronecker (R-MAT) graph of Graph500: 2^scale vertices, edge_factor * 2^scale directed edges,
/// A = 0.57, B = C = 0.19; vertex numbers are scrambled. Parallel edges and loops occur.
GraphData kronecker_graph(unsigned scale, unsigned edge_factor = 16, std::uint64_t seed = 1);

/// `edges` directed edges with uniformly random ends.
GraphData uniform_graph(std::uint32_t vertices, std::uint64_t edges, std::uint64_t seed = 1);

/// Edges to the right and lower neighbours and back: an undirected width x height grid.
GraphData grid_graph(std::uint32_t width, std::uint32_t height);

/// A periodic width x height x depth box, whose points have edges to all up to 26 around them. Source:
/// Multicast paper VI.A (the regular grid of DPD).
GraphData cube_graph(std::uint32_t width, std::uint32_t height, std::uint32_t depth);

/// Gives every edge an integer weight in [1, most]. Edge i's weight depends on seed and i alone.
void draw_weights(GraphData& graph, std::uint32_t most, std::uint64_t seed = 1);

}  // namespace polyloom::polite
