// SPDX-License-Identifier: Apache-2.0
// Covers: rows under new numbers (arranged.h) are the graph's edges, by receiver in the order of senders' places and by
// sender in that of addition, with hubs or without, of mutual graphs too; places do not depend on threads. Leaves out:
// tiles (tiles_test.cc), speed.
#include "polite/native/arranged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>

#include "polite/graph_store.h"

namespace polyloom::polite {
namespace {

constexpr std::uint32_t kVertices = 40000;  // a last block that is not full

struct Case {
  std::size_t edges;
  bool both_ways;
  std::uint32_t hubs;  ///< every other edge leaves from one of so many; 0: none does
};

std::vector<Edge> random_edges(const Case& c) {
  std::mt19937 draw(static_cast<unsigned>(c.edges + c.hubs));
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < c.edges; ++i) {
    const std::uint32_t senders = c.hubs != 0 && i % 2 == 0 ? c.hubs : kVertices;
    edges.push_back(
        {static_cast<std::uint32_t>(draw() % senders), static_cast<std::uint32_t>(draw() % kVertices)});
  }
  return edges;
}

NativeGraph view_of(GraphStore& store) {
  NativeGraph view;
  view.num_vertices = kVertices;
  view.num_edges = store.edges();
  view.label_bytes = store.label_bytes();
  view.mutual = store.is_mutual();
  view.store = &store;
  return view;
}

using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< owner, the other end, label

TEST(Arranged, RowsAreTheEdgesUnderNewNumbers) {
  for (const Case c :
       {Case{200000, false, 0}, Case{200000, false, 50}, Case{300000, true, 700}, Case{3000, false, 0}}) {
    for (const std::size_t bytes : {std::size_t{0}, sizeof(std::uint32_t)}) {
      SCOPED_TRACE(testing::Message() << c.edges << " " << c.both_ways << " " << c.hubs << " " << bytes);
      const std::vector<Edge> edges = random_edges(c);
      std::vector<std::uint32_t> labels(edges.size());
      for (std::size_t e = 0; e < edges.size(); ++e)
        labels[e] = bytes == 0 ? 0 : static_cast<std::uint32_t>(e);
      GraphStore store(1, bytes);
      store.add_vertices(kVertices);
      store.view_edges(edges, 0, labels.data(), c.both_ways);
      store.finish();
      const NativeGraph view = view_of(store);
      std::vector<std::uint32_t> first_places;
      for (const unsigned workers : {1u, 3u}) {
        fabric::Pool pool(workers);
        Arranged arranged(view, true, true, 0, pool);
        arranged.make_out_edges(pool);
        std::vector<std::uint32_t> place(kVertices, kVertices), places;
        for (std::uint32_t p = 0; p < kVertices; ++p) {
          places.push_back(arranged.vertex(p));
          ASSERT_EQ(place.at(places.back()), kVertices);  // no vertex stands twice
          place[places.back()] = p;
        }
        if (workers == 1) first_places = places;
        EXPECT_TRUE(places == first_places);
        std::vector<Row> out, in, found_out, found_in;
        for (std::size_t e = 0; e < edges.size(); ++e) {
          out.emplace_back(place[edges[e].from], place[edges[e].to], labels[e]);
          in.emplace_back(place[edges[e].to], place[edges[e].from], labels[e]);
        }
        if (c.both_ways) {
          const std::vector<Row> forth = out;
          out.insert(out.end(), in.begin(), in.end());
          in.insert(in.end(), forth.begin(), forth.end());
        }
        const auto label = [&](const std::byte* all, std::uint64_t e) {
          std::uint32_t one = 0;
          if (bytes != 0) std::memcpy(&one, all + e * bytes, bytes);
          return one;
        };
        for (std::uint32_t p = 0; p < kVertices; ++p) {
          for (std::uint64_t e = arranged.out().begin[p]; e < arranged.out().begin[p + 1]; ++e)
            found_out.emplace_back(p, arranged.out().target[e], label(arranged.out().label, e));
          for (std::uint64_t e = arranged.in().begin[p]; e < arranged.in().begin[p + 1]; ++e)
            found_in.emplace_back(p, arranged.in().source[e], label(arranged.in().label, e));
        }
        std::ranges::stable_sort(in, {},
                                 [](const Row& r) { return std::pair(std::get<0>(r), std::get<1>(r)); });
        EXPECT_TRUE(found_in == in);
        std::ranges::stable_sort(out, {}, [](const Row& r) { return std::get<0>(r); });
        if (c.both_ways && bytes == 0) {  // in any order: no message tells
          std::ranges::sort(out);
          std::ranges::sort(found_out);
        }
        EXPECT_TRUE(found_out == out);
      }
    }
  }
}

}  // namespace
}  // namespace polyloom::polite
