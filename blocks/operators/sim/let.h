// SPDX-License-Identifier: Apache-2.0
// Let: prunes the tree that comes by input 0 to the locally essential tree of each output's target, in one
// pass (rtl/polyloom_op_let.sv; records, target and test: make_let.h).
// Stream in: for each used output, in ascending order, one beat that is its target; then the records, packed
//   (24 bytes, 4 in 3 beats) or padded (32 bytes, one a beat). `last` ends it; it may stand on the last
//   target (an empty tree). Streams may follow each other; the next one's targets wait until the pipe is
//   empty.
// Stream out: the records of the LET in the same packing; only the last beat has `last` and may be short, and
//   it has no bytes if there is no record. Bytes that do not count are zero.
// Configuration: LetSetup::word(), the same on all used outputs; mask: input 0.
// Status: [0] errors, [1] records that came, [2 + o] records that left by output o.
// Errors: tree: a stream that ends in the middle of targets, of a record or before children that were named;
//   a range of children that does not begin where the one before it ended (not breadth-first); more than 2^26
//   records. depth: more than open_depth opened nodes wait for their children. The data are wrong then; the
//   stream ends as it should.
// Latency: geometry + 5 cycles from the beat that completes the only record to the beat with it.
// Throughput: one record a cycle; a stalled output stalls all. Paper's issue rule: a record enters the
//   geometry pipe only when its parent has left it. Exact counts: README.md, "LET", tested in
//   let_cycles_test.cc.
// Tests: let_test.cc, let_cycles_test.cc, let_rtl_test.cc.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "blocks/operators/sim/make_let.h"
#include "blocks/operators/sim/operator.h"

namespace polyloom::blocks::operators {

/// What the host chooses for a step.
struct LetSetup {
  bool padded = false;        ///< records of 32 bytes
  bool bias_zero = false;     ///< count field: children, not children - 1
  bool parent_first = false;  ///< the paper's issue rule
  constexpr std::uint64_t word() const {
    return unsigned{padded} | unsigned{bias_zero} << 1 | unsigned{parent_first} << 2;
  }
};

class Let : public Operator {
 public:
  static constexpr unsigned kGeometry = 24;  ///< cycles of the arithmetic
  static constexpr unsigned kOutDepth = 16;  ///< beats of an output's buffer
  /// geometry: cycles of the pipe, 0 or from kGeometry on; open_depth: at least 4.
  Let(unsigned inputs, unsigned outputs, unsigned geometry, unsigned open_depth);

 protected:
  bool advance() override;
  void configure(std::span<const Config> configs) override;
  void drop() override;
  bool busy() const override;
  void digest_inner(fabric::Digest& digest) const override;

 private:
  static constexpr unsigned kPairs = 3;  ///< of words, in a record
  using Pair = std::array<std::uint32_t, 2>;
  /// What goes through the geometry pipe.
  struct Token {
    bool valid = false, last = false;
    NodeRecord node;
    std::uint64_t far = 0;  ///< outputs that need not open it
  };
  struct Range {
    std::uint32_t first, count;
  };
  struct Lane {
    LetTarget target;
    std::deque<Range> opened;
    std::uint32_t left = 0;            ///< records still to come of the range that is being taken
    std::uint32_t id = 0, next = 1;    ///< of the next record out; of the next child out
    bool valid = false, last = false;  ///< resolved
    NodeRecord node;
    std::array<Pair, 8> pairs;  ///< packer
    unsigned fill = 0;
    bool final = false;
  };
  void unpack(Token& token);
  void take_target();
  void take_records();
  void issue(Token& token, bool record);
  void resolve(const Token& token);
  void resolve_lane(Lane& lane, unsigned o, const Token& token, std::uint32_t kids);
  void pack(Lane& lane, unsigned o);

  unsigned open_depth_;
  std::vector<Lane> lanes_;
  std::vector<Token> pipe_;
  unsigned at_ = 0, flight_ = 0;  ///< place of the token that leaves; tokens in the pipe
  LetSetup setup_;
  std::uint64_t on_ = 0, targets_ = 0;  ///< outputs used; those whose target has not come
  bool moving_ = true;                  ///< all output buffers have room
  bool open_ = false, ending_ = false;  ///< a stream has begun; its last beat was taken
  std::array<Pair, 6> pairs_;           ///< unpacker
  unsigned fill_ = 0;
  std::uint32_t id_in_ = 0;           ///< of the next record that enters the pipe
  std::uint32_t id_ = 0, known_ = 1;  ///< of the next one that leaves it; records whose parent has left it
};

}  // namespace polyloom::blocks::operators
