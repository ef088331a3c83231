/* SPDX-License-Identifier: Apache-2.0 */
/* What newlib's libm asks for: square roots, which are one operation of a circuit, exponentials by their own
 * names, and what depends on newlib's threads. */
double exp(double x);
float expf(float x);
double log(double x);
float logf(float x);
double __ieee754_lgamma_r(double x, int* sign);
float __ieee754_lgammaf_r(float x, int* sign);

double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
float sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
double __ieee754_sqrt(double x) { return __builtin_elementwise_sqrt(x); }
float __ieee754_sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
double __ieee754_exp(double x) { return exp(x); }
float __ieee754_expf(float x) { return expf(x); }
double __ieee754_log(double x) { return log(x); }
float __ieee754_logf(float x) { return logf(x); }

static int sign_of_gamma, number_of_error;
double lgamma(double x) { return __ieee754_lgamma_r(x, &sign_of_gamma); }
double lgamma_r(double x, int* sign) { return __ieee754_lgamma_r(x, sign); }
float lgammaf(float x) { return __ieee754_lgammaf_r(x, &sign_of_gamma); }
int* __errno(void) { return &number_of_error; }
