// SPDX-License-Identifier: Apache-2.0
// ProgRouterMesh: tables of the boards' programmable routers, with the members of Tinsel 0.8's class of that
// name (docs/sources/tinsel.md, 3.5 and 5.2). Readable by C++98 compilers.
//
// Records are added to a board's table one after the other; genKey() names all that were added since the last
// one. A message that is sent with that key (tinselKeySend, HostLink::keySend) reaches their receivers, if
// write() has put the tables into the boards' memories.
#ifndef POLYLOOM_PROGROUTERS_H
#define POLYLOOM_PROGROUTERS_H

#include <stdint.h>

class HostLink;

namespace polyloom {
namespace overlay {
class RouterTable;
}  // namespace overlay
}  // namespace polyloom

/// The table of one board. Threads and tiles are the board's own; what is wrong with a record is told by
/// ProgRouterMesh::write.
class ProgRouter {
 public:
  ProgRouter();
  ~ProgRouter();

  /// To thread `threadId` (0 .. 63) of a mailbox; `key` replaces the message's first word.
  void addURM1(uint32_t mboxX, uint32_t mboxY, uint32_t threadId, uint32_t key);
  /// The same; keyLow replaces the first word, keyHigh the second.
  void addURM2(uint32_t mboxX, uint32_t mboxY, uint32_t threadId, uint32_t keyHigh, uint32_t keyLow);
  /// To the next board (direction 0 north, 1 south, 2 east, 3 west), which looks up `key`.
  void addRR(uint32_t dir, uint32_t key);
  /// To the threads of a mailbox that the two halves of a mask name; `key` replaces the low half of the
  /// message's first word.
  void addMRM(uint32_t mboxX, uint32_t mboxY, uint32_t threadsHigh, uint32_t threadsLow, uint16_t key);
  /// After all other records of its key, this board goes on with the key that setIND() gives: at most one a
  /// key. Returns what setIND() takes, as long as the table lives.
  uint8_t* addIND();
  void setIND(uint8_t* ind, uint32_t key);
  /// Key of the records that were added since the last one; without any it has no receivers.
  uint32_t genKey();

 private:
  friend class ProgRouterMesh;
  polyloom::overlay::RouterTable* table_;
  ProgRouter(const ProgRouter&);
  ProgRouter& operator=(const ProgRouter&);
};

class ProgRouterMesh {
 public:
  /// Make it when a HostLink is open: keys then lie in all memory slices of its boards, else in the first.
  ProgRouterMesh(uint32_t numBoardsX, uint32_t numBoardsY);
  ~ProgRouterMesh();

  ProgRouter** table;  ///< of board (x,y): table[y][x]

  /// Writes the tables, behind what a vertex program's globals take. Ends the program with one message if
  /// they do not fit; if a record's tile, thread, board or key does not exist; or if a message could come
  /// back over a link, turn from Y to X, or come to one key of a board again and again.
  void write(HostLink* hostLink);

 private:
  uint32_t boards_x_, boards_y_;
  ProgRouterMesh(const ProgRouterMesh&);
  ProgRouterMesh& operator=(const ProgRouterMesh&);
};

#endif
