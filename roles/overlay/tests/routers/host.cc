// SPDX-License-Identifier: Apache-2.0
// Writes tables as they are told, byte by byte, lets threads send by keys, and prints what every thread has
// heard. Usage: router_host DEVICE_FOLDER < script
//   table X Y SLICE ADDRESS HEX        bytes of a slice's memory
//   send X Y CORE THREAD ROUND KEY FIRST SECOND THIRD
//   host KEY FIRST SECOND THIRD        the host sends, in round 0
// Output: "X Y CORE THREAD ROUND FIRST SECOND THIRD", a line a message. All numbers hexadecimal. Behind them
// "cycles N", decimal, from the end of round 0 to the end of all, on the first board's first core.
#include <HostLink.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "roles/overlay/tests/routers/lists.h"

namespace {

struct Thread {
  unsigned x, y, core, thread;
  auto operator<=>(const Thread&) const = default;
};

std::uint32_t sram_of(HostLink& link, const Thread& t) {
  return 0x00800000u + link.toAddr(t.x, t.y, t.core, t.thread) % 512 * 0x8000;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  HostLink link;
  std::map<Thread, List> lists;
  for (int y = 0; y < link.meshYLen; ++y) {
    for (int x = 0; x < link.meshXLen; ++x) {
      for (int tile = 0; tile < link.tilesX * link.tilesY; ++tile) {
        // Cores count by tiles of a 4 x 4 board.
        const int first = 4 * (tile / link.tilesX * 4 + tile % link.tilesX);
        for (int core = first; core < first + link.coresPerTile; ++core) {
          for (int thread = 0; thread < link.threadsPerCore; ++thread)
            lists[{unsigned(x), unsigned(y), unsigned(core), unsigned(thread)}] = {};
        }
      }
    }
  }
  struct FromHost {
    uint32_t key;
    uint32_t words[16];
  };
  std::vector<FromHost> from_host;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what, hex;
    in >> what >> std::hex;
    if (what == "table") {
      unsigned x, y, slice;
      uint32_t address;
      in >> x >> y >> slice >> address >> hex;
      std::vector<std::uint8_t> bytes;
      for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
      link.dmaWrite(x, y, slice, address, bytes.data(), bytes.size());
    } else if (what == "send") {
      Thread t;
      ToSend send;
      in >> t.x >> t.y >> t.core >> t.thread >> send.round >> send.key >> send.first >> send.second >>
          send.third;
      List& list = lists.at(t);
      list.to_send[list.num_to_send++] = send;
    } else if (what == "host") {
      FromHost m{};
      in >> m.key >> m.words[0] >> m.words[1] >> m.words[2];
      for (unsigned i = 3; i < 16; ++i) m.words[i] = m.words[2] + i;
      from_host.push_back(m);
    }
  }
  for (const auto& [t, list] : lists) {
    link.dmaWrite(t.x, t.y, link.sliceOfCore(t.core), sram_of(link, t), &list,
                  offsetof(List, to_send) + list.num_to_send * sizeof(ToSend));
  }
  link.boot((folder + "/code.v").c_str(), (folder + "/data.v").c_str());
  link.go();
  for (FromHost& m : from_host) link.keySend(m.key, (m.words[2] & 3) + 1, m.words);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    uint32_t words[4];
    link.recvMsg(words, sizeof words);
  }
  static List list;
  uint32_t cycles = 0;
  for (const auto& [t, unused] : lists) {
    const unsigned slice = link.sliceOfCore(t.core);
    link.dmaRead(t.x, t.y, slice, sram_of(link, t), &list, offsetof(List, to_send));
    if (t == lists.begin()->first) cycles = list.cycles;
    if (list.num_heard > MOST_HEARD) return std::fprintf(stderr, "a thread hears too much\n"), 1;
    if (list.num_heard != 0)
      link.dmaRead(t.x, t.y, slice, sram_of(link, t) + offsetof(List, heard), list.heard,
                   list.num_heard * sizeof(Heard));
    for (unsigned i = 0; i < list.num_heard; ++i) {
      const Heard& h = list.heard[i];
      std::printf("%x %x %x %x %x %x %x %x\n", t.x, t.y, t.core, t.thread, h.round, h.first, h.second,
                  h.third);
    }
  }
  std::printf("cycles %u\n", cycles);
  return 0;
}
