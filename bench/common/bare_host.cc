// SPDX-License-Identifier: Apache-2.0
// Host program of bare-metal benchmarks: boots a device program, takes N four-word reports, prints them as
// JSON. Usage: bench_bare DEVICE_FOLDER REPORTS
#include <HostLink.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_bare DEVICE_FOLDER REPORTS\n");
    return 2;
  }
  const std::string folder = argv[1];
  const int reports = std::atoi(argv[2]);
  HostLink link;
  link.boot((folder + "/code.v").c_str(), (folder + "/data.v").c_str());
  link.go();
  std::printf("[");
  for (int i = 0; i < reports; ++i) {
    uint32_t words[4];
    link.recvMsg(words, sizeof words);
    std::printf("%s[%u, %u, %u, %u]", i == 0 ? "" : ", ", words[0], words[1], words[2], words[3]);
  }
  std::printf("]\n");
  return 0;
}
