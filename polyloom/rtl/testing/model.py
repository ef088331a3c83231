# SPDX-License-Identifier: Apache-2.0
"""A Verilated object of node_build, driven from Python through its C ABI (blocks/verilated/shim/abi.h).

For tests of objects as such; modules are tested with cocotb (bench.py).
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from polyloom.base.errors import UserError

_HANDLE = ctypes.c_void_p


class _Port(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("bits", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("is_input", ctypes.c_uint32),
    ]


class _Api(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32),
        ("traced", ctypes.c_uint32),
        ("top", ctypes.c_char_p),
        ("parameters", ctypes.c_char_p),
        ("port_count", ctypes.c_uint32),
        ("ports", ctypes.POINTER(_Port)),
        ("create", ctypes.CFUNCTYPE(_HANDLE, ctypes.c_uint64)),
        ("destroy", ctypes.CFUNCTYPE(None, _HANDLE)),
        ("port", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_uint8), _HANDLE, ctypes.c_uint32)),
        ("settle", ctypes.CFUNCTYPE(ctypes.c_int, _HANDLE)),
        ("step", ctypes.CFUNCTYPE(ctypes.c_int, _HANDLE)),
        ("error", ctypes.CFUNCTYPE(ctypes.c_char_p, _HANDLE)),
        ("trace_open", ctypes.CFUNCTYPE(ctypes.c_int, _HANDLE, ctypes.c_char_p)),
        ("trace_dump", ctypes.CFUNCTYPE(ctypes.c_int, _HANDLE, ctypes.c_uint64)),
        ("trace_close", ctypes.CFUNCTYPE(None, _HANDLE)),
    ]


class Model:
    """One instance, in reset; ports are read and written as numbers."""

    def __init__(self, path: Path | str, seed: int = 1) -> None:
        library = ctypes.CDLL(str(path))
        library.polyloom_rtl_abi.restype = ctypes.POINTER(_Api)
        self._api = library.polyloom_rtl_abi().contents
        self._handle = self._api.create(seed)
        ports = [self._api.ports[i] for i in range(self._api.port_count)]
        self._ports = {p.name.decode(): (self._api.port(self._handle, i), p.bytes) for i, p in enumerate(ports)}
        #: Bits of each input but clock and reset; of each output.
        self.inputs = {p.name.decode(): p.bits for p in ports if p.is_input and p.name not in (b"clk_i", b"rst_ni")}
        self.outputs = {p.name.decode(): p.bits for p in ports if not p.is_input}
        for name in self.inputs:
            self.set(name, 0)
        self.set("rst_ni", 1)
        self.settle()
        self.set("rst_ni", 0)  # an edge, that what is reset by it is reset
        self.settle()

    @property
    def parameters(self) -> str:
        """K=V of the top, with spaces between."""
        return str(self._api.parameters.decode())

    def set(self, name: str, value: int) -> None:
        """Write an input; it is taken by the next settle() or step()."""
        place, size = self._ports[name]
        for i, byte in enumerate(value.to_bytes(size, "little")):
            place[i] = byte

    def get(self, name: str) -> int:
        """Read a port."""
        place, size = self._ports[name]
        return int.from_bytes(bytes(place[:size]), "little")

    def settle(self) -> None:
        """Let the outputs follow the inputs, with the clock low. UserError if the design stops."""
        self._check(self._api.settle(self._handle))

    def step(self) -> None:
        """A rising edge. UserError if the design stops."""
        self._check(self._api.step(self._handle))

    def reset(self, cycles: int = 4) -> None:
        """Hold reset for some cycles, then leave it."""
        self.set("rst_ni", 0)
        for _ in range(cycles):
            self.settle()
            self.step()
        self.set("rst_ni", 1)

    def trace_open(self, path: Path) -> None:
        """Begin a wave file (FST). UserError if the object was built without waves."""
        self._check(self._api.trace_open(self._handle, str(path).encode()))

    def trace_dump(self, picoseconds: int) -> None:
        """The present values are those of this time, which must grow."""
        self._check(self._api.trace_dump(self._handle, picoseconds))

    def trace_close(self) -> None:
        """The wave file is whole."""
        self._api.trace_close(self._handle)

    def close(self) -> None:
        """Take the instance down."""
        self._api.destroy(self._handle)

    def _check(self, status: int) -> None:
        if status != 0:
            raise UserError(self._api.error(self._handle).decode())
