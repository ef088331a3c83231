// SPDX-License-Identifier: Apache-2.0
// An operator of one's own for the hubs of a simulated cluster: every 32-bit word times the step's
// configuration word. From the root of a checkout:
//
//   c++ -std=c++20 -O2 -shared -fPIC -ffp-contract=off -I . examples/hub_operator/scale_by.cc -o scale_by.so
//   POLYLOOM_OPERATORS=$PWD/scale_by.so build/bin/hub_operator examples/hub_operator/scale_by.toml 3
#include "blocks/operators/sim/operator.h"

namespace {

using namespace polyloom::blocks::operators;

class ScaleBy : public Operator {
 public:
  ScaleBy(unsigned inputs, unsigned outputs) : Operator(inputs, outputs, 2, 2) {}

 protected:
  /// One clock: a beat of input 0 to all outputs in use, if there is room at all of them.
  bool advance() override {
    if ((in_valid() & 1) == 0 || (used_ & ~out_room()) != 0) return false;
    for (unsigned o = 0; o < outputs(); ++o) {
      if ((used_ >> o & 1) == 0) continue;
      Beat& beat = emit(o);
      beat = in(0);
      for (std::uint32_t& word : beat.word) word *= factor_;
    }
    take(1);
    return false;  // nothing moves inside
  }
  void configure(std::span<const Config> configs) override {
    drop();
    for (unsigned o = 0; o < configs.size(); ++o) {
      if (!configs[o].valid) continue;
      used_ |= std::uint64_t{1} << o;
      factor_ = static_cast<std::uint32_t>(configs[o].word);
    }
  }
  void drop() override { used_ = 0; }
  bool busy() const override { return false; }

 private:
  std::uint64_t used_ = 0;  ///< outputs of this step
  std::uint32_t factor_ = 1;
};

}  // namespace

/// What a program calls that is told of this library by POLYLOOM_OPERATORS. Numbers from 16 on are free.
extern "C" void polyloom_add_operators(Registry& registry) {
  registry.add(Kind{16}, "scale_by",
               [](const SlotParams& slot) { return std::make_unique<ScaleBy>(slot.inputs, slot.outputs); });
}
