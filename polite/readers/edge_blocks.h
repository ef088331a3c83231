// SPDX-License-Identifier: Apache-2.0
// The plain lines of a list of edges, on all threads.
#pragma once

#include <cstdint>
#include <functional>

#include "polite/graph_data.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// Appends the edges of the lines that follow, "from to" or, if `weighted`, "from to weight", with empty lines and
/// comments of # between, as long as there is nothing else; `largest` grows to the largest id. The next line of the
/// source is then one that is something else, or there is none. `grows` is called after every some ten MB, before
/// memory is taken for more. Returns how many lines were taken. Only of a source that can_seek().
std::uint64_t take_plain_edges(TextSource& source, bool weighted, GraphData& g, std::uint64_t& largest,
                               const std::function<void()>& grows);

}  // namespace polyloom::polite
