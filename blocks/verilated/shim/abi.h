/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI of a Verilated FPGA: what a shared object made by `python -m polyloom.rtl.node_build` exports.
 *
 * One symbol, polyloom_rtl_abi(), returns a table of functions; everything else in the object is hidden. A
 * handle is one instance of the design. Handles are independent; each is used by one thread at a time.
 *
 * Ports are the top's packed ports, flat: bit i of a port is bit i % 8 of byte i / 8 of its storage (so an
 * array [L-1:0][W-1:0] with W a multiple of 8 has element l from byte l * W / 8 on). Writers keep the bits
 * above `bits` zero. The clock is not written: step() moves it.
 *
 * One clock cycle: write the inputs; settle(); read the outputs, which are those before the edge; step(): the
 * edge. After step() outputs are undefined until the next settle().
 */
#ifndef POLYLOOM_BLOCKS_VERILATED_SHIM_ABI_H
#define POLYLOOM_BLOCKS_VERILATED_SHIM_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POLYLOOM_RTL_ABI_VERSION 1u
#define POLYLOOM_RTL_ABI_SYMBOL "polyloom_rtl_abi"

typedef struct polyloom_rtl_port {
  const char* name;
  uint32_t bits;
  uint32_t bytes;    /* of its storage, a few more than bits need */
  uint32_t is_input; /* 1 input, 0 output */
} polyloom_rtl_port;

/* Functions that return int: 0 good, else error() says why: an assertion, $fatal or $finish of the design, or
 * a file that cannot be written. After a failed settle() or step() only error() and destroy() may be called.
 */
typedef struct polyloom_rtl_api {
  uint32_t version; /* POLYLOOM_RTL_ABI_VERSION; the fields below are those of this version */
  uint32_t traced;  /* 1: trace_...() work */
  const char* top;
  const char* parameters; /* "Lanes=2 LaneWidth=256", in order of name */
  uint32_t port_count;
  const polyloom_rtl_port* ports;

  /* A new instance; registers without reset start at values drawn from `seed`. Null: out of memory. */
  void* (*create)(uint64_t seed);
  void (*destroy)(void* handle);
  /* Storage of port i: valid as long as the handle. */
  uint8_t* (*port)(void* handle, uint32_t i);
  int (*settle)(void* handle);
  int (*step)(void* handle);
  const char* (*error)(void* handle);

  /* Waves (FST). Opened once; dump() writes the present values at `picoseconds`, which must grow. */
  int (*trace_open)(void* handle, const char* path);
  int (*trace_dump)(void* handle, uint64_t picoseconds);
  void (*trace_close)(void* handle);
} polyloom_rtl_api;

const polyloom_rtl_api* polyloom_rtl_abi(void);

#ifdef __cplusplus
}
#endif

#endif
