// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/mpe/sequencer.h"

#include <bit>

namespace polyloom::mpi::mpe {
namespace {

constexpr unsigned kGlobals = kDataWords - 64;

}  // namespace

// Fields of instruction_t, from the highest bit on.
std::vector<Sequencer::Instruction> Sequencer::decode() {
  std::vector<Instruction> text(kProgramWords, Instruction{});
  std::size_t n = 0;
  for (const std::uint64_t word : kProgram) {
    unsigned left = kDenseBits + kSparseBits;
    const auto field = [&](unsigned bits) {
      left -= bits;
      return static_cast<unsigned>(word >> left & ((1u << bits) - 1));
    };
    Instruction& i = text[n++];
    i.cond = static_cast<std::uint8_t>(field(4));
    i.to = static_cast<std::uint16_t>(field(std::bit_width(kProgramWords - 1)));
    const unsigned target = field(6);
    i.op = static_cast<std::uint8_t>(field(4));
    i.a = static_cast<std::uint8_t>(field(5));
    i.from = static_cast<std::uint8_t>(field(2));
    i.b = static_cast<std::uint8_t>(field(5));
    i.part = static_cast<std::uint8_t>(field(2));
    i.access = static_cast<std::uint8_t>(field(3));
    i.by_pointer = field(1) != 0;
    i.offset = static_cast<std::uint8_t>(field(6));
    i.number = static_cast<std::uint16_t>(field(11) << 5 | i.b);
    i.output = target < 32 ? static_cast<Output>(target) : O_NONE;
    i.write = target >= 32 || target == O_FLAGS;
    i.d = target & 31;
  }
  return text;
}

Sequencer::Sequencer()
    : text_([]() -> const std::vector<Instruction>& {
        static const std::vector<Instruction> text = decode();
        return text;
      }()),
      at_(text_.data()),
      data_(kDataWords),
      address_mask_(kDataWords - 1) {}

std::uint32_t Sequencer::step(std::uint32_t input, unsigned outside) {
  const Instruction& i = *at_;
  const std::uint32_t a = registers_[i.a];
  std::uint32_t b = input;
  if (i.from == FROM_REGISTER) b = registers_[i.b];
  if (i.from == FROM_NUMBER) b = i.number;
  if (i.from == FROM_MEMORY) b = loaded_;
  if (i.part == LOW) {
    b &= 0xFFFF;
  } else if (i.part == HIGH) {
    b >>= 16;
  } else if (i.part != WHOLE) {
    b = (b & 0x1FFF) << 3;
  }
  const std::uint64_t sum = std::uint64_t{i.op & 2 ? ~a : a} + (i.op & 1 ? ~b : b) + ((i.op & 3) != 0);
  std::uint32_t result = static_cast<std::uint32_t>(sum);
  switch (i.op) {
    case ADD:
    case SUB:
    case RSUB:
      break;
    case ADDH:
    case SUBH:
    case RSUBH:
      result &= 0xFFFF;
      break;
    case AND:
      result = a & b;
      break;
    case OR:
      result = a | b;
      break;
    case XOR:
      result = a ^ b;
      break;
    case ANDN:
      result = a & ~b;
      break;
    case PACK:
      result = b << 16 | (a & 0xFFFF);
      break;
    case INSLO:
      result = (a & 0xFFFF0000) | (b & 0xFFFF);
      break;
    case SHR8:
      result = b >> 8;
      break;
    default:
      result = b;
  }
  if (i.access != NO_ACCESS) {
    const std::uint32_t address =
        i.by_pointer ? (registers_[kFirstPointer + (i.offset >> 4)] + (i.offset & 15)) & address_mask_
                     : kGlobals + i.offset;
    std::uint32_t& word = data_[address];
    switch (i.access) {
      case LOAD:
        loaded_ = word;
        break;
      case STORE:
        word = result;
        break;
      case STORE_LOW:
        word = (word & 0xFFFF0000) | (result & 0xFFFF);
        break;
      default:
        word = (word & 0xFFFF) | result << 16;
    }
  }
  if (i.write) registers_[i.d] = result;

  bool jump = true;
  switch (i.cond) {
    case NEVER:
      jump = false;
      break;
    case ZERO_RESULT:
      jump = result == 0;
      break;
    case NOT_ZERO:
      jump = result != 0;
      break;
    case NO_BORROW:
      jump = (sum >> 32) != 0;
      break;
    case BORROW:
      jump = (sum >> 32) == 0;
      break;
    case NEGATIVE:
      jump = (result >> 15 & 1) != 0;
      break;
    case NOT_NEGATIVE:
      jump = (result >> 15 & 1) == 0;
      break;
    case CALL:
      calls_[depth_++ & 7] = at_ + 1;
      break;
    case RETURN:
      at_ = calls_[--depth_ & 7];
      return result;
    case CASE:
      at_ = &text_[i.to | (result & 15)];
      return result;
    case NO_COMMAND:
    case RESPONSE_WAITS:
    case NO_WORD:
    case LAST_WORD:
    case WRITER_FULL:
      jump = (outside >> (i.cond - NO_COMMAND) & 1) != 0;
      break;
    default:
      break;
  }
  at_ = jump ? &text_[i.to] : at_ + 1;
  return result;
}

}  // namespace polyloom::mpi::mpe
