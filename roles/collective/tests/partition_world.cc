// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/tests/partition_world.h"

#include <algorithm>
#include <cstring>

namespace polyloom::collective::test {
namespace {

constexpr std::uint32_t kEmpty = 0xffffffff;  // stands where nothing was written; no key is this
constexpr unsigned kMostBeats = 18;           // a channel: three nodes' keys fit into one area
constexpr std::uint32_t kValueMask = 0x5a5a5a5a;

}  // namespace

PartitionWorld::PartitionWorld(unsigned seed, int nodes, unsigned partitions)
    : programs(at(nodes)),
      before(at(nodes)),
      status(at(nodes)),
      rng_(seed),
      nodes_(nodes),
      partitions_(partitions) {
  for (auto& node : before) {
    for (unsigned c = 0; c < kPorts; ++c) node.emplace_back(kBytes, std::uint8_t{0xff});
  }
  eager_ = below(3) == 0 ? unsigned{kEager} : 0u;
  while (step_ < kSteps) make_step();
  for (auto& program : programs) program.push_back(end());
}

void PartitionWorld::make_step() {
  code_.assign(at(nodes_), {});
  for (auto& known : status) known.clear();
  unsigned kind = below(partitions_ == 2 ? 9 : 6);
  if (kind == 5 && step_ + 2 > kSteps) kind = 1;
  kinds += static_cast<char>('0' + kind);
  switch (kind) {
    case 2:
      exchange(false);
      break;
    case 3:
      received();
      break;
    case 5:
      recorded();
      return;
    case 6:
      exchange(true);
      break;
    default:
      for (int n = 0; n < nodes_; ++n) {
        if (kind == 0) histogram(n);
        if (kind == 1) local(n);
        if (kind == 4) passed(n);
        if (kind == 7) chained(n);
        if (kind == 8) side_by_side(n);
      }
  }
  close(below(3) == 0 ? unsigned{kTogether} : 0u);
}

/// Ends the step on all nodes.
void PartitionWorld::close(unsigned flags) {
  for (int n = 0; n < nodes_; ++n) {
    auto& mine = code_[at(n)];
    std::shuffle(mine.begin(), mine.end(), rng_);
    programs[at(n)].insert(programs[at(n)].end(), mine.begin(), mine.end());
    programs[at(n)].push_back(go(step_, flags));
    mine.clear();
  }
  ++step_;
}

PartitionWorld::Deal PartitionWorld::make_deal(bool pair, std::vector<unsigned> used) {
  Deal d;
  d.used = std::move(used);
  d.setup.shift = below(2) ? 0 : below(32);
  d.setup.bits = below(7);
  d.setup.pair = pair;
  const unsigned shift = d.setup.shift, bits = d.setup.bits, route_bits = std::min(bits, 5u);
  const auto route = [=](std::uint32_t key) { return key >> shift & ((1u << bits) - 1); };
  if (d.used.size() == kPorts && below(2) == 0) {  // the default: the top two bits of the number
    d.target = [=](std::uint32_t key) {
      return static_cast<int>(bits > 2 ? route(key) >> (bits - 2) : route(key));
    };
    return d;
  }
  std::array<int, 32> only{};
  for (unsigned r = 0; r < 1u << route_bits; ++r) {
    const unsigned o = d.used[below(static_cast<unsigned>(d.used.size()))];
    only[r] = static_cast<int>(o);
    d.routes[o] |= 1u << r;
    if (below(5) != 0) continue;
    for (const unsigned other : d.used) d.routes[other] |= 1u << r;
    if (d.used.size() > 1) only[r] = -1;
  }
  d.target = [=](std::uint32_t key) { return only[bits == 6 ? route(key) >> 1 : route(key)]; };
  return d;
}

PartitionWorld::Words PartitionWorld::make_keys(bool pair, unsigned most) {
  unsigned count = below(4) == 0 ? 8 * (1 + below(most)) : 1 + below(8 * most);
  if (pair) count = (count + 1) / 2 * 2;
  const unsigned shape = below(4);
  Words words(count);
  for (std::uint32_t& word : words) {
    const auto any = static_cast<std::uint32_t>(rng_());
    word = shape == 0 ? 0x12345678 : shape == 1 && below(2) ? 0x7fffffff : shape == 2 ? any % 5 : any;
    if (word == kEmpty || word == ~kValueMask) word = 0;
  }
  return words;
}

void PartitionWorld::load(int node, unsigned channel, const Words& words) {
  std::memcpy(before[at(node)][channel].data() + area(false), words.data(), 4 * words.size());
  auto bytes = static_cast<std::uint32_t>(4 * words.size());
  Pattern p{area(false), bytes, 1, 0};
  if (bytes % (2 * kBeatBytes) == 0 && below(2)) p = {area(false), bytes / 2, 2, bytes / 2};
  code_[at(node)].push_back(read(channel, p));
}

/// `used` outputs of a partition take `inputs` of it.
void PartitionWorld::configure(int node, const Deal& deal, unsigned partition, std::uint64_t inputs) {
  for (const unsigned o : deal.used) {
    code_[at(node)].push_back(config(kPorts * partition + o, OperatorKind::partition,
                                     deal.setup.word(deal.routes[o]), inputs << kPorts * partition));
  }
}

/// What comes from `source` is what `deal` sends to its `output`; it is written, however long it is.
void PartitionWorld::store(int node, unsigned channel, unsigned source, int output, const Deal& deal) {
  const auto room = static_cast<std::uint32_t>(kArea);
  code_[at(node)].push_back(write(channel, {area(true), room, 1, 0}, source, kOpenEnd));
  areas_.push_back({step_, node, channel, output, deal.target, deal.setup.pair, mask_});
}

/// Keys from the first `channels` channels to the inputs from `first_input` on. The mask of a partition's
/// inputs.
std::uint64_t PartitionWorld::read_all(int node, unsigned channels, unsigned first_input, bool pair) {
  for (unsigned c = 0; c < channels; ++c) {
    const Words keys = make_keys(pair, kMostBeats);
    load(node, c, keys);
    code_[at(node)].push_back(feed(first_input + c, kFromRead + c));
    sent_[step_].insert(sent_[step_].end(), keys.begin(), keys.end());
  }
  return (1u << channels) - 1;
}

/// Nothing leaves; the status tells how many keys of each kind there are.
void PartitionWorld::histogram(int node) {
  Deal d = make_deal(below(3) == 0, {0, 1, 2, 3});
  d.setup.silent = true;
  d.setup.bits = 3 + below(4);
  d.routes = {};
  const unsigned partition = below(partitions_);
  const std::size_t first = sent_[step_].size();
  configure(node, d, partition, read_all(node, 1 + below(kPorts), kPorts * partition, d.setup.pair));
  Words& all = sent_[step_];
  for (unsigned b = 0; b < 8; ++b) status[at(node)][kStatus * partition + 2 + b] = 0;
  for (std::size_t k = first; k < all.size(); k += d.setup.pair ? 2 : 1) {
    const unsigned bucket = all[k] >> d.setup.shift & ((1u << d.setup.bits) - 1);
    if (bucket < 8) ++status[at(node)][kStatus * partition + 2 + bucket];
  }
  all.resize(first);
}

void PartitionWorld::local(int node) {
  std::vector<unsigned> used;
  for (unsigned o = 0; o < kPorts; ++o) {
    if (below(4) != 0) used.push_back(o);
  }
  if (used.empty()) used = {2};
  const Deal d = make_deal(below(3) == 0, used);
  const unsigned partition = below(partitions_);
  configure(node, d, partition, read_all(node, 1 + below(kPorts), kPorts * partition, d.setup.pair));
  for (const unsigned o : used) {
    store(node, o, kFromOperator + kPorts * partition + o, static_cast<int>(o), d);
  }
}

/// Keys are remembered in one step, values follow them in the next one.
void PartitionWorld::recorded() {
  struct Plan {
    Deal deal;
    unsigned partition, channels;
    std::vector<Words> keys;
  };
  std::vector<Plan> plans;
  for (int n = 0; n < nodes_; ++n) {
    Plan p{make_deal(false, {0, 1, 2, 3}), below(partitions_), 1 + below(kPorts), {}};
    p.deal.setup.record = true;
    p.deal.setup.silent = below(2) == 0;
    for (unsigned c = 0; c < p.channels; ++c) p.keys.push_back(make_keys(false, kMostBeats));
    plans.push_back(p);
  }
  for (const bool values : {false, true}) {
    mask_ = values ? kValueMask : 0;
    for (int n = 0; n < nodes_; ++n) {
      Plan& p = plans[at(n)];
      if (values) {
        p.deal.setup.silent = p.deal.setup.record = false;
        p.deal.setup.steer = true;
      }
      for (unsigned c = 0; c < p.channels; ++c) {
        Words words = p.keys[c];
        for (std::uint32_t& word : words) word ^= mask_;
        load(n, c, words);
        code_[at(n)].push_back(feed(kPorts * p.partition + c, kFromRead + c));
        if (!p.deal.setup.silent) sent_[step_].insert(sent_[step_].end(), words.begin(), words.end());
      }
      configure(n, p.deal, p.partition, (1u << p.channels) - 1);
      for (unsigned o = 0; o < kPorts && !p.deal.setup.silent; ++o) {
        store(n, o, kFromOperator + kPorts * p.partition + o, static_cast<int>(o), p.deal);
      }
    }
    close();
  }
  mask_ = 0;
}

/// Output m of each node goes to node m; there it is written, or (fused) dealt again by the second partition.
void PartitionWorld::exchange(bool fused) {
  const bool pair = below(3) == 0;
  std::vector<unsigned> used(at(nodes_));
  for (unsigned m = 0; m < used.size(); ++m) used[m] = m;
  if (!fused) used = {0, 1, 2, 3};
  std::vector<Deal> out, in;
  for (int n = 0; n < nodes_; ++n) {
    out.push_back(make_deal(pair, used));
    in.push_back(make_deal(pair, {0, 1, 2, 3}));
    configure(n, out.back(), 0, read_all(n, 1 + below(kPorts), 0, pair));
  }
  for (int n = 0; n < nodes_; ++n) {
    auto& mine = code_[at(n)];
    const auto arrives = [&](unsigned place, unsigned source, int from) {
      if (fused) {
        mine.push_back(feed(kPorts + place, source));
      } else {
        store(n, place, source, n, out[at(from)]);
      }
    };
    arrives(0, kFromOperator + static_cast<unsigned>(n), n);
    unsigned lane = 0;  // of full_mesh
    for (int peer = 0; peer < nodes_; ++peer) {
      if (peer == n) continue;
      const auto signature = static_cast<std::uint32_t>(step_);
      mine.push_back(send(lane, kFromOperator + static_cast<unsigned>(peer), eager_, signature));
      mine.push_back(take(lane, eager_, signature));
      arrives(1 + lane, kFromLane + lane, peer);
      ++lane;
    }
    if (fused) {
      configure(n, in[at(n)], 1, (1u << (1 + lane)) - 1);
      for (unsigned o = 0; o < kPorts; ++o) {
        store(n, o, kFromOperator + kPorts + o, static_cast<int>(o), in[at(n)]);
      }
    } else {
      for (unsigned o = static_cast<unsigned>(nodes_); o < kPorts; ++o) {
        store(n, o, kFromOperator + o, static_cast<int>(o), out[at(n)]);
      }
    }
  }
}

/// What lanes bring, and keys of the node's own, are dealt where they come in.
void PartitionWorld::received() {
  const bool pair = below(3) == 0;
  for (int n = 0; n < nodes_; ++n) {
    const Deal d = make_deal(pair, {0, 1, 2, 3});
    const unsigned partition = below(partitions_), first = kPorts * partition;
    auto& mine = code_[at(n)];
    for (unsigned c = 0; c < at(nodes_); ++c) {
      const Words keys = make_keys(pair, kMostBeats);
      load(n, c, keys);
      sent_[step_].insert(sent_[step_].end(), keys.begin(), keys.end());
      if (c == 0) {
        mine.push_back(feed(first, kFromRead));
      } else {
        mine.push_back(send(c - 1, kFromRead + c, eager_, step_));
        mine.push_back(take(c - 1, eager_, step_));
        mine.push_back(feed(first + c, kFromLane + c - 1));
      }
    }
    configure(n, d, partition, (1u << nodes_) - 1);
    for (unsigned o = 0; o < kPorts; ++o) store(n, o, kFromOperator + first + o, static_cast<int>(o), d);
  }
}

/// All that the first deals out is dealt again by the second; one output is kept, too.
void PartitionWorld::chained(int node) {
  const bool pair = below(3) == 0;
  const Deal first = make_deal(pair, {0, 1, 2, 3}), second = make_deal(pair, {0, 1, 2});
  configure(node, first, 0, read_all(node, 1 + below(kPorts), 0, pair));
  for (unsigned o = 0; o < kPorts; ++o) code_[at(node)].push_back(feed(kPorts + 3 - o, kFromOperator + o));
  configure(node, second, 1, 15);
  for (unsigned o = 0; o < 3; ++o) store(node, o, kFromOperator + kPorts + o, static_cast<int>(o), second);
  if (below(2)) return;
  // The copy is not among the keys that are counted: only where it came from is known.
  const auto room = static_cast<std::uint32_t>(kArea);
  code_[at(node)].push_back(write(3, {area(true), room, 1, 0}, kFromOperator + 1, kOpenEnd));
}

/// Both at work on streams of their own.
void PartitionWorld::side_by_side(int node) {
  for (unsigned p = 0; p < 2; ++p) {
    const Deal d = make_deal(below(3) == 0, {2 * p, 2 * p + 1});
    for (unsigned c = 2 * p; c < 2 * p + 2; ++c) {
      const Words keys = make_keys(d.setup.pair, kMostBeats);
      load(node, c, keys);
      sent_[step_].insert(sent_[step_].end(), keys.begin(), keys.end());
      code_[at(node)].push_back(feed(kPorts * p + c, kFromRead + c));
      store(node, c, kFromOperator + kPorts * p + c, static_cast<int>(c), d);
    }
    configure(node, d, p, 3u << 2 * p);
  }
}

/// Another kind of operator between steps of partition.
void PartitionWorld::passed(int node) {
  const Words keys = make_keys(false, kMostBeats);
  load(node, 1, keys);
  sent_[step_].insert(sent_[step_].end(), keys.begin(), keys.end());
  Deal d;
  d.target = [](std::uint32_t) { return -1; };
  code_[at(node)].push_back(feed(2, kFromRead + 1));
  code_[at(node)].push_back(config(3, OperatorKind::pass, 0, 4));
  store(node, 0, kFromOperator + 3, -1, d);
}

std::string PartitionWorld::wrong(const std::vector<std::vector<Bytes>>& after) const {
  std::map<unsigned, Words> found;
  for (const Area& a : areas_) {
    const std::string where = "step " + std::to_string(a.step) + " of " + kinds + ", node " +
                              std::to_string(a.node) + ", channel " + std::to_string(a.channel) + ": ";
    Words words(kArea / 4);
    std::memcpy(words.data(), after[at(a.node)][a.channel].data() + kHalf + a.step * kArea, kArea);
    const auto end = std::find(words.begin(), words.end(), kEmpty);
    if (std::any_of(end, words.end(), [](std::uint32_t w) { return w != kEmpty; })) return where + "a gap";
    for (auto word = words.begin(); word < end; word += a.pair ? 2 : 1) {
      const int output = a.target(*word ^ a.mask);
      if (output >= 0 && output != a.output) {
        return where + "key " + std::to_string(*word) + " belongs to output " + std::to_string(output);
      }
    }
    found[a.step].insert(found[a.step].end(), words.begin(), end);
  }
  for (unsigned s = 0; s < kSteps; ++s) {
    Words got = found[s], want = sent_.count(s) ? sent_.at(s) : Words{};
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    if (got != want) {
      return "step " + std::to_string(s) + " of " + kinds + ": " + std::to_string(want.size()) +
             " words were sent, " + std::to_string(got.size()) + " or others came";
    }
  }
  return {};
}

}  // namespace polyloom::collective::test
