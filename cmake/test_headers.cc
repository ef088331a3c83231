// SPDX-License-Identifier: Apache-2.0
// Nothing: its target compiles the headers that tests share (polyloom.cmake).
