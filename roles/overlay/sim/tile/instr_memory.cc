// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/instr_memory.h"

#include <string>

#include "fabric/error.h"

namespace polyloom::overlay {

InstrMemory::InstrMemory(std::uint32_t words) : words_(words), uops_(words + 1), handlers_(words) {
  constexpr std::uint32_t kMaxWords = 65536;
  if (words == 0 || words > kMaxWords) {
    throw UserError("overlay: instr_words is " + std::to_string(words) + "; it may be 1.." +
                    std::to_string(kMaxWords));
  }
  for (std::uint32_t i = 0; i < words; ++i) predecode(i);
  uops_[words] = {end_handler(), Inst{}};
}

void InstrMemory::write(std::uint32_t index, std::uint32_t word) {
  if (index >= size() || words_[index] == word) return;
  words_[index] = word;
  predecode(index);
}

void InstrMemory::predecode(std::uint32_t index) {
  Inst inst = decode(words_[index]);
  const Handler handler = handler_for(inst, index, size());
  if (inst.op == Op::auipc)
    inst.imm = static_cast<std::int32_t>(static_cast<std::uint32_t>(inst.imm) + 4 * index);
  const Handler first = !counts_.empty()    ? counting_handler()
                        : is_checked(index) ? checking_handler()
                                            : handler;
  uops_[index] = {first, inst};
  handlers_[index] = handler;
}

void InstrMemory::enable_profile() {
  if (!counts_.empty()) return;
  counts_.resize(words_.size());
  for (std::uint32_t i = 0; i < size(); ++i) predecode(i);
}

}  // namespace polyloom::overlay
