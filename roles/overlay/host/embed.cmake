# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=file -DOUT=file.inc -P embed.cmake: the bytes of IN as a C initialiser list.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "${bytes}\n")
