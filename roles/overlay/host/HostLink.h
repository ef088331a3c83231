// SPDX-License-Identifier: Apache-2.0
// HostLink: a host program's connection to a cluster of overlay boards, with the members of Tinsel 0.8's
// class of that name (docs/sources/tinsel.md, 4), so existing host programs compile unchanged.
// Readable by C++98 compilers.
//
// What stands behind it is chosen by the environment: POLYLOOM_CLUSTER names the cluster (laptop),
// POLYLOOM_ON its fidelity (sim, rtl, or native: no cluster at all). Any failure prints one message that
// begins with "polyloom: " and ends the program with status 1. Not thread safe.
#ifndef POLYLOOM_HOSTLINK_H
#define POLYLOOM_HOSTLINK_H

#include <config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <string>

#include "DebugLink.h"

namespace polyloom {
namespace overlay {
class HostLinkCore;
class HostBackend;
class NativeProgram;
}  // namespace overlay
}  // namespace polyloom

/// What a HostLink is opened with. A box is 3 x 2 boards (TinselMeshXLenWithinBox, TinselMeshYLenWithinBox);
/// a cluster whose mesh is no multiple of that ends in smaller boxes.
struct HostLinkParams {
  uint32_t numBoxesX;
  uint32_t numBoxesY;
  bool useExtraSendSlot;        ///< must agree with the cluster file's [overlay] extra_send_slot
  int max_connection_attempts;  ///< kept for source compatibility; a cluster responds at the first or never

  HostLinkParams(uint32_t boxesX = 1, uint32_t boxesY = 1, bool extraSendSlot = false, int attempts = 5)
      : numBoxesX(boxesX),
        numBoxesY(boxesY),
        useExtraSendSlot(extraSendSlot),
        max_connection_attempts(attempts) {}
};

/// Seconds of simulated time that a run has spent in each of its phases (README.md of this folder says what
/// each is); wall time when native, where nothing is loaded or started.
struct HostLinkPhases {
  double load, start, compute, collect;
};

class HostLink {
 public:
  /// Boards in use, x and y.
  int meshXLen;
  int meshYLen;

  /// When true, send() and keySend() must block, and messages leave together at flush() or when 8192 flits
  /// wait.
  bool useSendBuffer;

  /// The console of every thread, byte by byte.
  DebugLink* debugLink;

  /// Takes as many boxes as HOSTLINK_BOXES_X and HOSTLINK_BOXES_Y say; where unset, the whole cluster.
  HostLink();
  HostLink(uint32_t numBoxesX, uint32_t numBoxesY);
  explicit HostLink(HostLinkParams params);
  /// Leaves the cluster: a simulator that this HostLink started ends and writes its run record.
  ~HostLink();

  // Messages. Lengths in flits of 16 bytes (1..4); what the host receives is always padded to 64 bytes.

  /// Sends numFlits*16 bytes of `msg` to a thread. Returns false only if `block` is false and there is no
  /// room.
  bool send(uint32_t dest, uint32_t numFlits, void* msg, bool block = true);
  bool trySend(uint32_t dest, uint32_t numFlits, void* msg);
  /// Sends to a routing key, looked up by the router of board (0,0).
  bool keySend(uint32_t key, uint32_t numFlits, void* msg, bool block = true);
  bool keyTrySend(uint32_t key, uint32_t numFlits, void* msg);
  void flush();

  /// Waits for a message: 64 bytes, or its first numBytes.
  void recv(void* msg);
  void recvMsg(void* msg, uint32_t numBytes);
  /// Waits for numMsgs messages: 64 bytes each, or packed to their first msgSize.
  void recvBulk(int numMsgs, void* msgs);
  void recvMsgs(int numMsgs, int msgSize, void* msgs);
  /// True if a message is here now. Costs simulated time, so polling makes progress.
  bool canRecv();

  // Addresses. `coreId` is board-local: 4 * (4 * tileY + tileX) + core, also where a board has fewer tiles.
  uint32_t toAddr(uint32_t meshX, uint32_t meshY, uint32_t coreId, uint32_t threadId);
  void fromAddr(uint32_t addr, uint32_t* meshX, uint32_t* meshY, uint32_t* coreId, uint32_t* threadId);

  // Programs: files are Verilog hex as objcopy writes it. Nothing is loaded under a core that has been
  // started: one program a process.

  /// Loads code onto every core and data into every memory, and prepares all threads; they run from go() on.
  void boot(const char* codeFilename, const char* dataFilename);
  void loadAll(const char* codeFilename, const char* dataFilename);
  void startAll();
  void go();
  void loadInstrsOntoCore(const char* codeFilename, uint32_t meshX, uint32_t meshY, uint32_t coreId);
  void loadDataViaCore(const char* dataFilename, uint32_t meshX, uint32_t meshY, uint32_t coreId);
  void startOne(uint32_t meshX, uint32_t meshY, uint32_t coreId, int numThreads);
  void goOne(uint32_t meshX, uint32_t meshY, uint32_t coreId);

  // Remote memory, as the given core sees it.
  void setAddr(uint32_t meshX, uint32_t meshY, uint32_t coreId, uint32_t addr);
  void store(uint32_t meshX, uint32_t meshY, uint32_t coreId, uint32_t numWords, uint32_t* data);

  // Console: lines "x:y:core:thread: text".

  /// Prints the lines that are complete; false if there was nothing.
  bool pollStdOut();
  bool pollStdOut(FILE* outFile);
  bool pollStdOut(FILE* outFile, uint32_t* lineCount);
  /// Prints lines for ever. When nothing can happen any more, the program ends with status 0.
  void dumpStdOut();
  void dumpStdOut(FILE* outFile);
  /// Prints lines until lineCount of them have come.
  void dumpStdOut(FILE* outFile, uint32_t lineCount);

  bool powerOnSelfTest();

  // Beyond Tinsel.

  /// Tests and other engines bring their own backend (roles/overlay/host/backend.h); takes ownership.
  explicit HostLink(polyloom::overlay::HostBackend* backend);
  /// True if no cluster stands behind this link: only an attached native program can run.
  bool is_native() const;
  /// With is_native(): the program that go() runs (roles/overlay/host/native_program.h). Not owned.
  void attach_native(polyloom::overlay::NativeProgram* program);
  /// Shape of a board: tiles, cores of a tile, threads of a core, and memory slices that its tiles are
  /// divided over.
  int tilesX, tilesY, coresPerTile, threadsPerCore, slicesPerBoard;
  /// Whether its router looks up keys (keySend, ProgRouters.h).
  bool programmableRouters;
  /// Which memory slice of its board the threads of a board-local core use.
  uint32_t sliceOfCore(uint32_t coreId) const;
  /// The boards' routing tables are `user`'s ("PGraph::write"): ends the program with one message if they are
  /// another's, or if the boards have no programmable routers.
  void takeRoutingTables(const char* user);
  /// Writes (reads) memory of one slice through the shell's DMA. Addresses are those that a thread of that
  /// slice uses; whole words. A write is in memory before anything that is sent, started or read after it.
  /// Threads that run do not see it in lines that their caches hold.
  void dmaWrite(uint32_t meshX, uint32_t meshY, uint32_t slice, uint32_t addr, const void* data,
                uint64_t numBytes);
  void dmaRead(uint32_t meshX, uint32_t meshY, uint32_t slice, uint32_t addr, void* data, uint64_t numBytes);
  /// Simulated time since the start, in seconds (wall time since go() when native).
  double simulatedSeconds();
  /// Lengths of the phases so far. The program's own time is `compute`: from when its threads run until the
  /// first message reaches the host.
  HostLinkPhases phases();
  /// Beyond Tinsel: messages whose first 16 bits are `key` come while the program computes; they do not end
  /// that phase.
  void computeGoesOnAt(uint16_t key);
  /// Ends the run now and returns its result as JSON text ({"run_dir", "end_ps", "digest" ...}; "{}" when
  /// native). Only the destructor may follow. The destructor ends it too.
  std::string finish();

 private:
  friend class ProgRouterMesh;
  polyloom::overlay::HostLinkCore* core_;
  void open(const HostLinkParams* params, polyloom::overlay::HostBackend* backend);
  HostLink(const HostLink&);
  HostLink& operator=(const HostLink&);
};

#endif
