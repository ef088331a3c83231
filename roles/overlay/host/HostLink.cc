// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/HostLink.h"

#include <config.h>
#include <tinsel-interface.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/error.h"
#include "roles/overlay/host/host_core.h"

namespace overlay = polyloom::overlay;
using overlay::CoreAt;
using polyloom::UserError;

namespace {

constexpr std::size_t kMessageBytes = TinselBytesPerMsg;

CoreAt at(uint32_t x, uint32_t y, uint32_t core) { return {x, y, core}; }

void require_words(const char* call, uint32_t addr, uint64_t bytes) {
  if (addr % 4 == 0 && bytes % 4 == 0) return;
  throw UserError(std::string(call) + ": " + std::to_string(bytes) + " bytes at " + overlay::hex(addr) +
                  ": address and size must be whole words");
}

}  // namespace

// ---- opening and closing

HostLink::HostLink() { open(nullptr, nullptr); }
HostLink::HostLink(uint32_t numBoxesX, uint32_t numBoxesY) {
  const HostLinkParams params(numBoxesX, numBoxesY);
  open(&params, nullptr);
}
HostLink::HostLink(HostLinkParams params) { open(&params, nullptr); }
HostLink::HostLink(overlay::HostBackend* backend) { open(nullptr, backend); }

void HostLink::open(const HostLinkParams* params, overlay::HostBackend* backend) {
  useSendBuffer = false;
  core_ = new overlay::HostLinkCore;
  std::unique_ptr<overlay::HostBackend> own(backend);
  core_->guard([&] {
    overlay::BoxRequest request;
    if (params != nullptr) request = {params->numBoxesX, params->numBoxesY, params->useExtraSendSlot};
    core_->session = overlay::open_session(request, std::move(own));
  });
  const overlay::Session& session = *core_->session;
  const overlay::ClusterFacts& facts = session.core->facts();
  meshXLen = static_cast<int>(session.boards_x);
  meshYLen = static_cast<int>(session.boards_y);
  tilesX = static_cast<int>(facts.tiles_x);
  tilesY = static_cast<int>(facts.tiles_y);
  coresPerTile = static_cast<int>(facts.cores_per_tile);
  threadsPerCore = static_cast<int>(facts.threads_per_core);
  slicesPerBoard = static_cast<int>(facts.slices);
  programmableRouters = facts.programmable_routers;
  debugLink = new DebugLink(core_);
}

HostLink::~HostLink() {
  // Ends the run here, at a simulated time that does not depend on when this process goes away.
  if (!core_->finished && !is_native()) finish();
  delete debugLink;
  delete core_;
}

// ---- messages

bool HostLink::send(uint32_t dest, uint32_t numFlits, void* msg, bool block) {
  return core_->guard([&] {
    core_->hosts().require_thread(dest);  // here, where the program is, not at flush()
    const overlay::Destination to{dest >> TinselLogThreadsPerMailbox,
                                  uint64_t{1} << (dest & (TinselThreadsPerMailbox - 1))};
    return core_->send("HostLink::send", to, numFlits, msg, block, useSendBuffer);
  });
}

bool HostLink::trySend(uint32_t dest, uint32_t numFlits, void* msg) {
  return send(dest, numFlits, msg, false);
}

bool HostLink::keySend(uint32_t key, uint32_t numFlits, void* msg, bool block) {
  return core_->guard([&] {
    core_->require_routers("HostLink::keySend");
    return core_->send("HostLink::keySend", {tinselUseRoutingKey(), key}, numFlits, msg, block,
                       useSendBuffer);
  });
}
void HostLink::takeRoutingTables(const char* user) {
  core_->guard([&] {
    core_->require_routers(user);
    if (core_->routing_tables_of.empty()) core_->routing_tables_of = user;
    if (core_->routing_tables_of == user) return;
    throw UserError(std::string(user) + ": the routing tables of the boards hold keys that " +
                    core_->routing_tables_of +
                    " has written; a program sends by keys of a ProgRouterMesh, or by those of a graph with "
                    "POLITE_PINS auto or distributed, not by both (POLITE_PINS=local needs none)");
  });
}
bool HostLink::keyTrySend(uint32_t key, uint32_t numFlits, void* msg) {
  return keySend(key, numFlits, msg, false);
}

void HostLink::flush() {
  core_->guard([&] { core_->flush(); });
}

void HostLink::recvMsg(void* msg, uint32_t numBytes) {
  core_->guard([&] {
    if (numBytes > kMessageBytes) {
      throw UserError("HostLink::recvMsg: " + std::to_string(numBytes) + " bytes: a message has 64");
    }
    core_->hosts().recv(msg, numBytes);
  });
}
void HostLink::recv(void* msg) { recvMsg(msg, kMessageBytes); }
void HostLink::recvMsgs(int numMsgs, int msgSize, void* msgs) {
  core_->guard([&] {
    if (numMsgs >= 0 && msgSize >= 0) return;
    throw UserError("HostLink::recvMsgs: " + std::to_string(numMsgs) + " messages of " +
                    std::to_string(msgSize) + " bytes: neither is less than 0");
  });
  auto* to = static_cast<std::byte*>(msgs);
  for (int i = 0; i < numMsgs; ++i, to += msgSize) recvMsg(to, static_cast<uint32_t>(msgSize));
}
void HostLink::recvBulk(int numMsgs, void* msgs) { recvMsgs(numMsgs, kMessageBytes, msgs); }
bool HostLink::canRecv() {
  return core_->guard([&] { return core_->hosts().can_recv(); });
}

// ---- addresses

uint32_t HostLink::toAddr(uint32_t meshX, uint32_t meshY, uint32_t coreId, uint32_t threadId) {
  // One that is too large for its field would make another thread's address.
  const bool fits = meshX >> TinselMeshXBits == 0 && meshY >> TinselMeshYBits == 0 &&
                    coreId < TinselCoresPerBoard && threadId < TinselThreadsPerCore;
  if (fits) {
    return (((meshY << TinselMeshXBits | meshX) << TinselLogCoresPerBoard | coreId)
            << TinselLogThreadsPerCore) |
           threadId;
  }
  core_->guard([&] {
    throw UserError("HostLink::toAddr(" + std::to_string(meshX) + ", " + std::to_string(meshY) + ", " +
                    std::to_string(coreId) + ", " + std::to_string(threadId) + "): an address has room for " +
                    std::to_string(1 << TinselMeshXBits) + " x " + std::to_string(1 << TinselMeshYBits) +
                    " boards of " + std::to_string(TinselCoresPerBoard) + " cores of " +
                    std::to_string(TinselThreadsPerCore) + " threads");
  });
  return 0;
}
void HostLink::fromAddr(uint32_t addr, uint32_t* meshX, uint32_t* meshY, uint32_t* coreId,
                        uint32_t* threadId) {
  *threadId = addr & (TinselThreadsPerCore - 1);
  *coreId = addr >> TinselLogThreadsPerCore & (TinselCoresPerBoard - 1);
  *meshX = addr >> TinselLogThreadsPerBoard & ((1u << TinselMeshXBits) - 1);
  *meshY = addr >> (TinselLogThreadsPerBoard + TinselMeshXBits) & ((1u << TinselMeshYBits) - 1);
}

// ---- programs

void HostLink::loadAll(const char* code, const char* data) {
  core_->guard([&] { core_->hosts().load_all(code, data); });
}
void HostLink::boot(const char* code, const char* data) {
  loadAll(code, data);
  startAll();
}
void HostLink::startAll() {
  core_->guard([&] { core_->hosts().prepare_all(); });
}
void HostLink::go() {
  core_->guard([&] { core_->hosts().go_all(); });
}
void HostLink::loadInstrsOntoCore(const char* code, uint32_t x, uint32_t y, uint32_t core) {
  core_->guard([&] { core_->hosts().load_code(code, at(x, y, core)); });
}
void HostLink::loadDataViaCore(const char* data, uint32_t x, uint32_t y, uint32_t core) {
  core_->guard([&] { core_->hosts().load_data(data, at(x, y, core)); });
}
void HostLink::startOne(uint32_t x, uint32_t y, uint32_t core, int numThreads) {
  core_->guard([&] { core_->hosts().prepare(at(x, y, core), numThreads); });
}
void HostLink::goOne(uint32_t x, uint32_t y, uint32_t core) {
  core_->guard([&] { core_->hosts().go(at(x, y, core)); });
}

// ---- memory

uint32_t HostLink::sliceOfCore(uint32_t coreId) const {
  return core_->guard([&] { return overlay::slice_of_core(core_->hosts().facts(), coreId); });
}
void HostLink::setAddr(uint32_t x, uint32_t y, uint32_t core, uint32_t addr) {
  core_->guard([&] { core_->hosts().require_core(at(x, y, core), 0); });
  core_->store_address[toAddr(x, y, core, 0)] = addr;
}
void HostLink::store(uint32_t x, uint32_t y, uint32_t core, uint32_t numWords, uint32_t* data) {
  core_->guard([&] {
    core_->hosts().require_core(at(x, y, core), 0);
    uint32_t& addr = core_->store_address[toAddr(x, y, core, 0)];
    const std::uint64_t bytes = std::uint64_t{4} * numWords;
    require_words("HostLink::store", addr, bytes);
    core_->hosts().write("HostLink::store", {x, y, sliceOfCore(core)}, addr, data, bytes);
    addr += static_cast<uint32_t>(bytes);
  });
}
void HostLink::dmaWrite(uint32_t x, uint32_t y, uint32_t slice, uint32_t addr, const void* data,
                        uint64_t bytes) {
  core_->guard([&] {
    require_words("HostLink::dmaWrite", addr, bytes);
    core_->hosts().write("HostLink::dmaWrite", {x, y, slice}, addr, data, bytes);
  });
}
void HostLink::dmaRead(uint32_t x, uint32_t y, uint32_t slice, uint32_t addr, void* data, uint64_t bytes) {
  core_->guard([&] {
    require_words("HostLink::dmaRead", addr, bytes);
    core_->hosts().read("HostLink::dmaRead", {x, y, slice}, addr, data, bytes);
  });
}

// ---- console

bool HostLink::pollStdOut() { return pollStdOut(stdout); }
bool HostLink::pollStdOut(FILE* outFile) {
  uint32_t lines = 0;
  return pollStdOut(outFile, &lines);
}
bool HostLink::pollStdOut(FILE* outFile, uint32_t* lineCount) {
  return core_->guard([&] {
    overlay::ConsoleByte byte;
    bool any = false;
    while (core_->hosts().console(byte)) {
      any = true;
      *lineCount += core_->session->lines.add(byte, outFile);
    }
    if (any) std::fflush(outFile);
    return any;
  });
}
void HostLink::dumpStdOut() { dumpStdOut(stdout); }
void HostLink::dumpStdOut(FILE* outFile) {
  core_->guard([&] {
    do {
      pollStdOut(outFile);
    } while (core_->hosts().wait_console());
    core_->session->lines.flush(outFile);
    std::fflush(outFile);
    core_->session.reset();
  });
  std::exit(0);
}
void HostLink::dumpStdOut(FILE* outFile, uint32_t lineCount) {
  core_->guard([&] {
    uint32_t lines = 0;
    overlay::ConsoleByte byte;
    while (lines < lineCount) {
      while (lines < lineCount && core_->hosts().console(byte))
        lines += core_->session->lines.add(byte, outFile);
      if (lines < lineCount && !core_->hosts().wait_console()) {
        throw UserError("HostLink::dumpStdOut: waits for " + std::to_string(lineCount) +
                        " console lines, got " + std::to_string(lines) +
                        ", and nothing can happen any more on the cluster");
      }
    }
    std::fflush(outFile);
  });
}

bool HostLink::powerOnSelfTest() {
  return core_->guard([&] {
    if (core_->hosts().is_native()) return true;
    bool ok = true;
    for (int y = 0; y < meshYLen; ++y) {
      for (int x = 0; x < meshXLen; ++x) {
        for (int slice = 0; slice < slicesPerBoard; ++slice) {
          for (const uint32_t sram : {TinselSRAMBase, TinselSRAMBase + TinselBytesPerSRAM}) {
            uint32_t kept = 0, seen = 0, probe = 0x600d600du ^ sram;
            dmaRead(x, y, slice, sram, &kept, 4);
            dmaWrite(x, y, slice, sram, &probe, 4);
            dmaRead(x, y, slice, sram, &seen, 4);
            dmaWrite(x, y, slice, sram, &kept, 4);
            ok = ok && seen == probe;
          }
        }
      }
    }
    return ok;
  });
}

// ---- beyond Tinsel

bool HostLink::is_native() const { return core_->hosts().is_native(); }
void HostLink::attach_native(overlay::NativeProgram* program) {
  core_->guard([&] { core_->hosts().attach(program); });
}
double HostLink::simulatedSeconds() { return core_->hosts().seconds(); }
HostLinkPhases HostLink::phases() {
  HostLinkPhases lengths = {0, 0, 0, 0};
  for (const auto& [name, seconds] : core_->hosts().phases()) {
    if (name == "load") lengths.load = seconds;
    if (name == "start") lengths.start = seconds;
    if (name == "compute") lengths.compute = seconds;
    if (name == "collect") lengths.collect = seconds;
  }
  return lengths;
}
void HostLink::computeGoesOnAt(uint16_t key) { core_->hosts().compute_goes_on_at(key); }
std::string HostLink::finish() {
  core_->finished = true;
  return core_->guard([&] { return core_->hosts().finish(); });
}
