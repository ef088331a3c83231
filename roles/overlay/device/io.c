// SPDX-License-Identifier: Apache-2.0
// Console output over the UART registers.
#include <io.h>
#include <stdarg.h>
#include <tinsel.h>

int putchar(int c) {
  while (tinselUartTryPut((uint8_t)c) == 0) {
  }
  return c;
}

int puts(const char* s) {
  int n = 0;
  for (; s[n] != 0; n++) putchar(s[n]);
  return n;
}

int puthex(unsigned x) {
  for (int shift = 28; shift >= 0; shift -= 4) {
    const unsigned nibble = (x >> shift) & 15;
    putchar((int)(nibble > 9 ? 'a' - 10 + nibble : '0' + nibble));
  }
  return 8;
}

static int put_decimal(unsigned x) {
  char digits[10];
  int n = 0;
  do {
    digits[n++] = (char)('0' + x % 10);
    x /= 10;
  } while (x != 0);
  for (int i = n; i > 0; i--) putchar(digits[i - 1]);
  return n;
}

int printf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  int n = 0;
  for (const char* p = format; *p != 0; p++) {
    if (*p != '%') {
      putchar(*p);
      n++;
      continue;
    }
    p++;
    if (*p == 's') {
      n += puts(va_arg(args, const char*));
    } else if (*p == 'x') {
      n += puthex(va_arg(args, unsigned));
    } else if (*p == 'u') {
      n += put_decimal(va_arg(args, unsigned));
    } else if (*p == 'd') {
      const int x = va_arg(args, int);
      if (x < 0) {
        putchar('-');
        n++;
      }
      n += put_decimal(x < 0 ? 0u - (unsigned)x : (unsigned)x);
    } else if (*p == 'c') {
      putchar(va_arg(args, int));
      n++;
    } else {
      putchar('%');
      n++;
      if (*p == 0) break;
      if (*p != '%') {
        putchar(*p);
        n++;
      }
    }
  }
  va_end(args);
  return n;
}
