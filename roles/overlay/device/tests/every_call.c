// SPDX-License-Identifier: Apache-2.0
// Uses every function of the device API once; compiled as C and as C++ by test_device_build.py.
#include <tinsel.h>

int main(void) {
  uint32_t bx, by, tx, ty, core, thread;
  uint32_t n = tinselId() + tinselCycleCount() + tinselCycleCountU();
  tinselWriteInstr(1024, 0x13);
  tinselCacheFlush();
  tinselFlushLine(1, 2);
  tinselSetLen(TinselMaxFlitsPerMsg - 1);
  tinselSetLen(n & 3);
  if (tinselCanSend()) {
    tinselSend((int)tinselHostId(), tinselSendSlot());
    tinselKeySend(5, tinselSendSlotExtra());
    tinselMulticast(3, 1, 2, tinselSlot(4));
  }
  if (tinselCanRecv()) tinselFree(tinselRecv());
  tinselAlloc(tinselSlot(2));
  tinselWaitUntil(TINSEL_CAN_SEND);
#ifdef __cplusplus
  tinselWaitUntil(TINSEL_CAN_SEND | TINSEL_CAN_RECV);
#endif
  n += (uint32_t)tinselIdle(1);
  n += tinselUartTryPut('x') + tinselUartTryGet();
  tinselCreateThread(1);
  tinselEmit(n);
  n += tinselBridgeId(1, 1) + tinselMyBridgeId() + tinselAccId(0, 0, 1, 1) + tinselUseRoutingKey();
  n += tinselHeapBaseGeneric(n) + tinselHeapBaseSRAMGeneric(n);
  *(volatile uint32_t*)tinselHeapBase() = n;
  *(volatile uint32_t*)tinselHeapBaseSRAM() = n;
  tinselPerfCountReset();
  tinselPerfCountStart();
  tinselPerfCountStop();
  n += tinselMissCount() + tinselHitCount() + tinselWritebackCount() + tinselCPUIdleCount() +
       tinselCPUIdleCountU();
  n += tinselProgRouterSent() + tinselProgRouterSentInterBoard();
  tinselFromAddr(n, &bx, &by, &tx, &ty, &core, &thread);
  n += tinselToAddr(bx, by, tx, ty, core, thread);
  putchar('a');
  puts("b");
  puthex(n);
  printf("%s %x\n", "c", (unsigned)n);
  tinselKillThread();
  return (int)n;
}
