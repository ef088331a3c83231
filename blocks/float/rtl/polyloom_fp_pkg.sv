// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_pkg: the two formats of the floating-point units, by their width in bits.
// How:          binary32 and binary64; a unit has a parameter Width, 32 or 64, and takes the field widths from here.
// Source: IEEE 754-2019, table 3.5.   Tests: test_float_rtl.py (with every unit).
package polyloom_fp_pkg;

  function automatic int unsigned exp_bits(int unsigned width);
    return width == 64 ? 11 : 8;
  endfunction

  function automatic int unsigned man_bits(int unsigned width);
    return width == 64 ? 52 : 23;
  endfunction

endpackage
