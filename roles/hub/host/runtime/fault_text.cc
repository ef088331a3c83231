// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iterator>

#include "polyloom/hub.h"

namespace polyloom::hub {
namespace {

constexpr const char* kCauseTexts[] = {
    "no fault",
    "no port has this address, or it lies outside the window: look at the routing rules",
    "the rules of two ports have this address: rules must not overlap",
    "the port that the rules name has no link",
    "the packet was marked as poisoned by its sender",
    "the rules send it back by the port that it came in: a routing loop",
    "a packet of a wrong kind or length, or across 4 KiB",
    "the hub does not take this here: a register that does not exist or cannot be written, beyond its "
    "memory, a busy "
    "chain, or a read from another node",
    "the queue of proxy descriptors is full (16): wait for flags",
    "the function has no step begun, or no room",
};
constexpr const char* kDmaTexts[] = {
    "no error",
    "its source is not in a memory of the own node",
    "an address lies outside the window",
    "a block has no bytes, or there is no block",
    "a descriptor is not at a multiple of 64, or a flag not of 8",
    "a block crosses the end of the window",
    "more than 65536 descriptors: the chain is a loop",
    "a reserved bit of its control word is set",
    "it is for the function, which has no step begun",
    "the endpoint could not read its source",
};
constexpr const char* kPortTexts[] = {"N", "E", "S", "W", "L", "L"};

template <std::size_t N>
std::string pick(const char* const (&texts)[N], unsigned i) {
  return i < N ? texts[i] : "unknown (" + std::to_string(i) + ")";
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

bool Faults::any() const {
  return cause != Cause::none || chain != DmaError::none || proxy != DmaError::none || function ||
         lost_writes != 0;
}

std::string Faults::text() const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (cause != Cause::none) {
    add("a packet to address " + hex(address) + " that came by port " + pick(kPortTexts, port) +
        " was dropped: " + pick(kCauseTexts, static_cast<unsigned>(cause)));
  }
  if (chain != DmaError::none) {
    add("the DMA chain stopped at the descriptor at " + hex(chain_descriptor) + ": " +
        pick(kDmaTexts, static_cast<unsigned>(chain)));
  }
  if (proxy != DmaError::none) {
    add("a proxy descriptor was not done: " + pick(kDmaTexts, static_cast<unsigned>(proxy)));
  }
  if (function) add("the function's operator reports an error: see its status words");
  if (lost_writes != 0) {
    add(std::to_string(lost_writes) + " writes to memory that this node has not mapped were dropped");
  }
  return text.empty() ? "no fault" : text;
}

}  // namespace polyloom::hub
