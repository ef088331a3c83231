/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that call themselves, once, twice, in their arguments and in a circle; variables of each
 * activation, also those whose address goes down. */
/* words: 0 / 1 / 7 / 40 / 100 */
#include "intrinsics.h"

static long counted;
static int values[100];

static long fibonacci(int n) {
  counted++;
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned tree(unsigned n, unsigned x) {
  if (n < 2) return x;
  const unsigned left = tree(n - 1, x * 2), right = tree(n - 2, x + 1);
  return (left * 3) ^ right;
}

static unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int odd(unsigned n, long* seen);
static short even(unsigned n, long* seen) {
  *seen += 3;
  return n == 0 ? 1 : (short)(odd(n - 1, seen) * 5 % 4);
}
static int odd(unsigned n, long* seen) {
  *seen ^= n;
  return n == 0 ? 0 : even(n - 1, seen);
}

static void sort(int* v, int n) {
  int i = 0, j = n - 1;
  if (n < 2) return;
  const int middle = v[n / 2];
  while (i <= j) {
    while (v[i] < middle) i++;
    while (v[j] > middle) j--;
    if (i <= j) {
      const int other = v[i];
      v[i++] = v[j];
      v[j--] = other;
    }
  }
  sort(v, j + 1);
  sort(v + i, n - i);
}

/* Each activation has a table of its own, which the next one reads. */
static double descend(int n, const double* above) {
  double table[3] = {n * 0.5, above[0] + 1, above[1] * 2};
  double sum = above[2];
  for (int i = 0; i < (n & 1) + 1 && n > 0; i++) sum += descend(n - 1 - i, table) + table[i];
  return sum + table[2];
}

void polyloom_kernel(void) {
  const unsigned n = (unsigned)__polyloom_pop(0);
  const double top[3] = {1, 2, 3};
  long seen = n;
  __polyloom_push(0, (unsigned long)fibonacci((int)(n % 11)));
  __polyloom_push(0, tree(n % 9, n));
  __polyloom_push(0, ackermann(n % 3, n % 5));
  __polyloom_push(0, (unsigned)even(n, &seen) + (unsigned long)odd(n / 2, &seen) * 10);
  for (int i = 0; i < 100; i++) values[i] = (int)((unsigned)i * 7919u * (n + 1) % 101);
  sort(values, (int)n);
  for (int i = 0; i < 100; i += 9) __polyloom_push(0, (unsigned)values[i]);
  __polyloom_push(0, (unsigned long)(long)(descend((int)(n % 6), top) * 8));
  __polyloom_push(0, (unsigned long)(seen + counted));
}
