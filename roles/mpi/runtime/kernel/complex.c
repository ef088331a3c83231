/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls for complex numbers: Annex G of C, with the operations of libgcc, so that a rank on
 * a CPU gets the same bits. */

#define ABS(x) __builtin_fabs(x)
#define INF(x) (ABS(x) == __builtin_inf())
#define NAN(x) ((x) != (x))
#define FINITE(x) (ABS(x) < __builtin_inf())

/* With the sign of x: 1 if it is an infinity, 0 if it is finite; 0 if it is no number. */
#define UNIT(type, x) (type) __builtin_copysign(INF(x) ? 1 : 0, x)
#define NUMBER(type, x) (NAN(x) ? (type)__builtin_copysign(0, x) : (x))

/* A product both parts of which are no number, though a factor is an infinity. */
#define PRODUCT(type, a, b, c, d)                                                         \
  type ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                    \
  type x = ac - bd, y = ad + bc;                                                          \
  if (NAN(x) && NAN(y)) {                                                                 \
    int again = 0;                                                                        \
    if (INF(a) || INF(b)) {                                                               \
      a = UNIT(type, a), b = UNIT(type, b), c = NUMBER(type, c), d = NUMBER(type, d);     \
      again = 1;                                                                          \
    }                                                                                     \
    if (INF(c) || INF(d)) {                                                               \
      c = UNIT(type, c), d = UNIT(type, d), a = NUMBER(type, a), b = NUMBER(type, b);     \
      again = 1;                                                                          \
    }                                                                                     \
    if (!again && (INF(ac) || INF(bd) || INF(ad) || INF(bc))) {                           \
      a = NUMBER(type, a), b = NUMBER(type, b), c = NUMBER(type, c), d = NUMBER(type, d); \
      again = 1;                                                                          \
    }                                                                                     \
    if (again) {                                                                          \
      x = (type)__builtin_inf() * (a * c - b * d);                                        \
      y = (type)__builtin_inf() * (a * d + b * c);                                        \
    }                                                                                     \
  }

/* A quotient both parts of which are no number, though it is zero or infinite. */
#define MEND_QUOTIENT(type, x, y, a, b, c, d)                  \
  if (NAN(x) && NAN(y)) {                                      \
    if (c == 0 && d == 0 && (!NAN(a) || !NAN(b))) {            \
      x = (type)__builtin_copysign(__builtin_inf(), c) * a;    \
      y = (type)__builtin_copysign(__builtin_inf(), c) * b;    \
    } else if ((INF(a) || INF(b)) && FINITE(c) && FINITE(d)) { \
      a = UNIT(type, a), b = UNIT(type, b);                    \
      x = (type)__builtin_inf() * (a * c + b * d);             \
      y = (type)__builtin_inf() * (b * c - a * d);             \
    } else if ((INF(c) || INF(d)) && FINITE(a) && FINITE(b)) { \
      c = UNIT(type, c), d = UNIT(type, d);                    \
      x = 0 * (a * c + b * d);                                 \
      y = 0 * (b * c - a * d);                                 \
    }                                                          \
  }

double _Complex __muldc3(double a, double b, double c, double d) {
  PRODUCT(double, a, b, c, d)
  return __builtin_complex(x, y);
}

float _Complex __mulsc3(float a, float b, float c, float d) {
  PRODUCT(float, a, b, c, d)
  return __builtin_complex(x, y);
}

/* Of floats: in double, where nothing overflows. */
float _Complex __divsc3(float a, float b, float c, float d) {
  const double p = a, q = b, r = c, s = d, of = r * r + s * s;
  float x = (float)((p * r + q * s) / of), y = (float)((q * r - p * s) / of);
  MEND_QUOTIENT(float, x, y, a, b, c, d)
  return __builtin_complex(x, y);
}

/* Baudin and Smith, A Robust Complex Division in Scilab, with what libgcc scales before. */
#define LARGE (0x1.fffffffffffffp1023 / 2)
#define SMALL 0x1p-1022
#define SMALL_OF_TWO 0x1p-52
#define SCALE 0x1p52
#define LARGE_OF_TWO (LARGE * SMALL_OF_TWO)

double _Complex __divdc3(double a, double b, double c, double d) {
  const int is_swapped = ABS(c) < ABS(d);
  const double most = is_swapped ? ABS(d) : ABS(c);
  if (most >= LARGE) a /= 2, b /= 2, c /= 2, d /= 2;
  if (most < SMALL_OF_TWO || (ABS(a) < SMALL && ABS(b) < LARGE_OF_TWO && most < LARGE_OF_TWO) ||
      (ABS(b) < SMALL && ABS(a) < LARGE_OF_TWO && most < LARGE_OF_TWO))
    a *= SCALE, b *= SCALE, c *= SCALE, d *= SCALE;
  const double p = is_swapped ? b : a, q = is_swapped ? a : b, r = is_swapped ? d : c, s = is_swapped ? c : d;
  const double ratio = s / r, of = s * ratio + r;
  double x, y;
  if (ABS(ratio) > SMALL) {
    x = (q * ratio + p) / of;
    y = (is_swapped ? p * ratio - q : q - p * ratio) / of;
  } else {
    x = (s * (q / r) + p) / of;
    y = (is_swapped ? s * (p / r) - q : q - s * (p / r)) / of;
  }
  MEND_QUOTIENT(double, x, y, a, b, c, d)
  return __builtin_complex(x, y);
}
