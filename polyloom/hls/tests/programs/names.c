/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C that are keywords or signals in SystemVerilog, that become the same there, or that it has not.
 */
/* words: 5 3 / 9 -4 / 60 7 */
#include "intrinsics.h"

#define LONG(n) \
  goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_##n

struct cell {
  long z, a, a_q, a_q2, a_from_q, reg;
};
static struct cell wire[8];
static long module[8], module_0_a_en[8], m_module[8], state_q[4], gr\u00f6\u00dfe[8], gr\u00d6\u00dfe[8],
    x__DOT__y[4];
static long verilator[5], LONG(1)[8], LONG(2)[8];

__attribute__((noinline)) static long logic(long link, long result_q) {
  for (long i = 0; i < link; i++) {
    module[i & 7] += result_q;
    module_0_a_en[(i + 1) & 7] ^= module[i & 7] + i;
    m_module[i & 3] -= module_0_a_en[i & 7];
  }
  return m_module[link & 3] + module_0_a_en[1];
}

__attribute__((noinline)) static long logic_link(long clk_i, long logic_result) {
  long advance = 0;
  for (long i = 0; i < clk_i; i++) {
    gr\u00f6\u00dfe[i & 7] += logic_result + gr\u00d6\u00dfe[(i * clk_i) & 7];
    gr\u00d6\u00dfe[(i + clk_i) & 7] -= gr\u00f6\u00dfe[(i + 3) & 7];
    if ((advance += gr\u00d6\u00dfe[i & 7] & 1023) > 9000) goto done;
    state_q[i & 3] += advance;
  }
done:
  x__DOT__y[clk_i & 3] += advance;
verilator:
  verilator[advance & 3] += x__DOT__y[clk_i & 3];
  if ((advance >>= 1) > 3) goto verilator;
  return verilator[clk_i & 3] + state_q[2];
}

void polyloom_kernel(void) {
  const long n = (long)__polyloom_pop(0), w = (long)__polyloom_pop(0);
  struct cell* c = &wire[n & 7];
  c->a += n * w;
  c->a_q = w;
  __polyloom_push(1, (uint64_t)c->a);
  c->a *= n;
  c->a_q += n;
  __polyloom_push(1, (uint64_t)c->a_q);
  c->a_q2 += c->a_q * c->a;
  c->a_from_q = c->a_q2 - c->a;
  __polyloom_push(1, (uint64_t)(c->a_q2 ^ c->a_from_q) + (uint64_t)c->a);
  const long begin = logic(n, w), end = logic(n + 2, w - begin);
  const long always = logic_link(n, begin), dma_chosen = logic_link(n + 1, end);
  for (long i = 0; i < 8; i++) {
    LONG(1)[i] += begin * i + LONG(2)[(i + n) & 7];
    LONG(2)[(i * n) & 7] += end - LONG(1)[(i + 1) & 7];
  }
  for (long i = 0; i < 8; i++) __polyloom_push(1, (uint64_t)(LONG(1)[i] ^ LONG(2)[i]));
  __polyloom_push(1, (uint64_t)always);
  __polyloom_push(1, (uint64_t)dma_chosen);
}
