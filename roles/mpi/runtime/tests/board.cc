// SPDX-License-Identifier: Apache-2.0
// A kernel compiled for this machine, with a software engine and the management registers of a node: what an
// FPGA rank is to the others, by UDP. For tests of the kernel's C library and of the manager. Usage: NAME IP
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "roles/mpi/runtime/cpu/station.h"
#include "roles/mpi/runtime/engine/commands.h"

extern "C" {
void polyloom_kernel(void);
void __polyloom_push(unsigned port, std::uint64_t word);
std::uint64_t __polyloom_pop(unsigned port);
std::uint64_t __polyloom_cycle(void);
std::uint32_t __polyloom_rank(void);
void __polyloom_halt(void);
}

namespace polyloom::mpi {
namespace {

constexpr Time kMillisecond = 1'000'000'000, kCycle = 6400;
constexpr std::uintptr_t kHeap = 0x80000000, kHeapBytes = 0x10000000, kStackBytes = 1 << 20;

struct Board {
  int management = -1;
  std::map<std::uint32_t, std::uint64_t> registers{{0x000, 0x504C4D50'00000001},
                                                   {0x008, 64 | 64 << 16 | 0x100000ull << 32}};
  Job job;
  std::unique_ptr<Station> station;
  std::unique_ptr<Commands> commands;
  std::uint64_t words[3] = {}, response[2] = {};
  unsigned pushed = 0, popped = 0;
  bool started = false, stopped = false, done = false;
};

Board board;

void refresh() {
  const std::uint64_t* waiting = board.commands ? board.commands->waiting() : nullptr;
  for (unsigned i = 0; i < 3; ++i) board.registers[0x020 + i] = waiting ? waiting[i] : 0;
  board.registers[0x002] = (board.started ? 1 : 0) | (board.done ? 2 : 0) | (waiting ? 4 : 0);
  board.registers[0x023] = waiting ? static_cast<std::uint64_t>(board.commands->since() / kCycle) : 0;
  if (!board.station) return;
  const Counters& c = board.station->engine().counters();
  const std::uint64_t values[] = {c.packets_in,         c.packets_out, 0, 0, c.not_in_order, c.envelopes_sent,
                                  c.envelopes_accepted, c.sent_again,  0, 0, c.bytes_in,     c.bytes_out};
  for (unsigned i = 0; i < 12; ++i) board.registers[0x010 + i] = values[i];
}

void write_register(std::uint32_t number, std::uint64_t value) {
  if (number == 0x001) {
    board.started |= (value & 1) != 0;
    board.stopped |= (value & 2) != 0 && board.started;
  } else {
    board.registers[number] = value;
  }
}

// Responds to one request, if there is one within that many milliseconds.
void serve(int milliseconds) {
  pollfd wait{board.management, POLLIN, 0};
  if (::poll(&wait, 1, milliseconds) <= 0) return;
  std::vector<std::byte> bytes(2048);
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const ssize_t n = ::recvfrom(board.management, bytes.data(), bytes.size(), 0,
                               reinterpret_cast<sockaddr*>(&from), &length);
  const auto request = read_management(Bytes(bytes).first(static_cast<std::size_t>(std::max<ssize_t>(n, 0))));
  if (!request) return;
  refresh();
  Management response = *request;
  response.values.clear();
  for (unsigned i = 0; i < request->count; ++i) {
    if (request->op == ManagementOp::write) write_register(request->first + i, request->values[i]);
    if (request->op == ManagementOp::read) response.values.push_back(board.registers[request->first + i]);
  }
  response.op = request->op == ManagementOp::write ? ManagementOp::written : ManagementOp::data;
  const auto out = write_management(response);
  ::sendto(board.management, out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&from), length);
  if (board.stopped) std::_Exit(0);
}

void configure() {
  auto& r = board.registers;
  Config& c = board.job.config;
  c.job = static_cast<std::uint32_t>(r[0x003]);
  c.rank = static_cast<std::uint16_t>(r[0x004]);
  c.size = static_cast<std::uint16_t>(r[0x004] >> 16);
  c.eager_bytes = static_cast<std::uint16_t>(r[0x005]);
  c.credits = static_cast<std::uint16_t>(r[0x005] >> 16);
  c.most_envelopes = static_cast<std::uint16_t>(r[0x005] >> 32);
  c.retransmission = static_cast<Time>(r[0x006] & 0xFFFFFFFF) * kCycle;
  c.ack_delay = static_cast<Time>(r[0x006] >> 32) * kCycle;
  c.window = static_cast<std::uint32_t>(r[0x007]);
  c.retries = static_cast<std::uint16_t>(r[0x007] >> 32);
  c.requests = 64;
  c.places = 0;
  for (std::uint32_t i = 0; i <= c.size; ++i) {
    const std::uint64_t address = r[0x101 + 2 * i];
    board.job.table.push_back(
        {r[0x100 + 2 * i], static_cast<std::uint32_t>(address), static_cast<std::uint16_t>(address >> 32)});
  }
  board.station = std::make_unique<Station>(board.job, make_udp(board.job, c.rank));
  board.commands = std::make_unique<Commands>(board.station->engine());
}

void* run_kernel(void*) {
  polyloom_kernel();
  return nullptr;
}

void* low_memory(std::uintptr_t at, std::size_t bytes, int flags) {
  void* memory = ::mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory == MAP_FAILED) std::perror("mmap"), std::exit(1);
  return memory;
}

int run(const char* ip) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kManagementPort);
  address.sin_addr.s_addr = htonl(parse_ip(ip));
  board.management = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (::bind(board.management, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror(ip);
    return 1;
  }
  while (!board.started) serve(1000);
  configure();
  // Addresses of a kernel have 32 bits.
  low_memory(kHeap, kHeapBytes, MAP_FIXED);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, low_memory(0, kStackBytes, MAP_32BIT), kStackBytes);
  pthread_create(&thread, &attributes, run_kernel, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}

}  // namespace
}  // namespace polyloom::mpi

using namespace polyloom::mpi;

void __polyloom_push(unsigned, std::uint64_t word) {
  board.words[board.pushed++] = word;
  if (board.pushed < 3) return;
  board.pushed = board.popped = 0;
  board.commands->begin(board.words, board.station->now());
  if ((board.words[0] & 0xFF) == POLYLOOM_TEST || (board.words[0] & 0xFF) == POLYLOOM_IPROBE)
    board.station->pump(0);
  while (!board.commands->response(board.response)) {
    board.station->pump(board.station->now() + kMillisecond);
    serve(0);
  }
  board.station->transport().flush();
}

std::uint64_t __polyloom_pop(unsigned) { return board.response[board.popped++]; }
std::uint64_t __polyloom_cycle(void) { return static_cast<std::uint64_t>(board.station->now() / kCycle); }
std::uint32_t __polyloom_rank(void) { return board.job.config.rank; }

// The engine goes on: what was sent must arrive.
void __polyloom_halt(void) {
  board.done = true;
  for (;;) {
    board.station->pump(board.station->now() + kMillisecond);
    serve(0);
  }
}

int main(int argc, char** argv) { return argc == 2 ? run(argv[1]) : 2; }
