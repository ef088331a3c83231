// SPDX-License-Identifier: Apache-2.0
// Steps to instructions: what each node must be told of the streams that touch it.
#include <algorithm>
#include <bit>

#include "roles/collective/host/schedule/pack.h"

namespace polyloom::collective {
namespace {

using Programs = std::vector<std::vector<Instruction>>;

Instruction with_pattern(Op op, const Pattern& p, std::uint8_t source) {
  Instruction i;
  i.op = op;
  i.index = static_cast<std::uint8_t>(p.channel);
  i.source = source;
  i.run_bytes = p.run_bytes;
  i.base = p.base;
  i.stride = p.stride;
  i.runs = p.runs;
  return i;
}

Instruction plain(Op op, int index, std::uint8_t source, std::uint8_t flags, std::uint32_t extra) {
  Instruction i;
  i.op = op;
  i.index = static_cast<std::uint8_t>(index);
  i.source = source;
  i.flags = flags;
  i.extra = extra;
  return i;
}

class Emitter {
 public:
  Emitter(Programs& out, std::uint32_t signature) : out_(out), signature_(signature) {}

  void stream(const Stream& s) {
    const std::uint8_t flags = static_cast<std::uint8_t>(s.bytes == 0 ? kPulseOnly : s.eager ? kEager : 0);
    std::uint8_t origin = kFromNone;
    if (s.output >= 0) {
      origin = static_cast<std::uint8_t>(kFromOperator + s.output);
    } else if (s.bytes > 0) {
      origin = static_cast<std::uint8_t>(kFromRead + s.read.channel);
      to(s.rank).push_back(with_pattern(Op::read, s.read, kFromNone));
    }
    for (const Hop& hop : s.hops) {
      const std::uint32_t extra = signature_ ^ static_cast<std::uint32_t>(s.bytes * 0x9e3779b1u);
      to(hop.from).push_back(plain(Op::send, hop.tx, source_at(s, hop.from, origin), flags, extra));
      to(hop.to).push_back(plain(Op::take, hop.rx, kFromNone, flags, extra));
    }
    for (const Write& w : s.writes) {
      to(w.rank).push_back(with_pattern(Op::write, w.pattern, source_at(s, w.rank, origin)));
    }
    for (const Feed& f : s.feeds) {
      to(f.rank).push_back(plain(Op::feed, static_cast<int>(f.input), source_at(s, f.rank, origin), 0, 0));
    }
  }

  void use(const OperatorUse& u) {
    Instruction i = plain(Op::config, static_cast<int>(u.output), kFromNone, 0,
                          static_cast<std::uint32_t>(OperatorKind::reduce));
    i.base = operator_word(u.combine);
    i.stride = static_cast<std::int64_t>(u.inputs);
    to(u.rank).push_back(i);
  }

 private:
  std::vector<Instruction>& to(int rank) { return out_[static_cast<std::size_t>(rank)]; }

  /// What the stream is called where it passes `rank`: the lane it came in by, or where it began.
  static std::uint8_t source_at(const Stream& s, int rank, std::uint8_t origin) {
    if (rank == s.rank || s.bytes == 0) return origin;
    const auto hop = std::find_if(s.hops.begin(), s.hops.end(), [&](const Hop& h) { return h.to == rank; });
    return static_cast<std::uint8_t>(kFromLane + hop->rx);
  }

  Programs& out_;
  std::uint32_t signature_;
};

}  // namespace

std::uint64_t operator_word(const Combine& c) {
  std::uint32_t factor = 0;
  if (c.op == ReduceOp::average) {
    factor = c.type == DataType::fp32 ? std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(c.divisor))
                                      : c.divisor;
  }
  return static_cast<std::uint64_t>(c.op) | static_cast<std::uint64_t>(c.type) << 8 |
         std::uint64_t{factor} << 32;
}

Programs programs(const Schedule& schedule, int ranks, const ProgramOptions& options) {
  Programs result(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> last_go(result.size(), SIZE_MAX);
  for (const Step& step : schedule.steps) {
    std::vector<std::size_t> before;
    for (const auto& program : result) before.push_back(program.size());
    Emitter emitter(result, options.signature);
    for (const Stream& s : step.streams) emitter.stream(s);
    for (const OperatorUse& u : step.operators) emitter.use(u);
    for (std::size_t r = 0; r < result.size(); ++r) {
      if (result[r].size() == before[r]) continue;
      last_go[r] = result[r].size();
      result[r].push_back(plain(Op::go, 0xff, kFromNone, step.together[r] ? kTogether : 0, 0));
    }
  }
  for (std::size_t r = 0; r < result.size(); ++r) {
    if (options.last_mark != 0xff) {
      // A rank without a part in the operation marks an empty step, so that every rank has its time.
      if (last_go[r] == SIZE_MAX) {
        last_go[r] = result[r].size();
        result[r].push_back(plain(Op::go, 0xff, kFromNone, 0, 0));
      }
      result[r][last_go[r]].index = options.last_mark;
    }
    if (options.end) result[r].push_back(plain(Op::end, 0, kFromNone, 0, 0));
  }
  return result;
}

}  // namespace polyloom::collective
