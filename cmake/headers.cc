// SPDX-License-Identifier: Apache-2.0
// Nothing: its targets compile the headers that the product's and the tests' sources share (polyloom.cmake).
