# SPDX-License-Identifier: Apache-2.0
"""Programs of one's own from Python: copies, exchanges, operators, long programs, faults. Expected: NumPy.

Leaves out: timing of single steps (the model's tests), RTL nodes.
"""

from __future__ import annotations

import numpy as np
import pytest

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p


@pytest.fixture(scope="module")
def comm() -> Communicator:
    return Communicator("optweb-8", on="sim")


def idle(comm: Communicator) -> list[list[p.Instruction]]:
    return [[p.end()] for _ in range(comm.size)]


def test_copy_and_strides(comm: Communicator) -> None:
    data = np.arange(4096, dtype=np.uint8)
    src, dst = comm.allocate(3, 0, 4096, "first"), comm.allocate(3, 2, 2048, "second")
    assert (src.rank, src.channel, dst.channel) == (3, 0, 2)
    assert src.offset < comm.channel_bytes // 2 <= dst.offset
    comm.store(src, data)
    programs = idle(comm)
    programs[3] = [p.read(0, src.offset, 64, 32, 128), p.write(2, p.from_read(0), dst.offset, 2048), p.go(1), p.end()]
    runs = comm.run_programs(programs)
    assert np.array_equal(comm.load(dst), data.reshape(32, 128)[:, :64].reshape(-1))
    assert 64 < runs[3].marks[1] - runs[3].marks[0] < 200  # 64 beats, latencies, go
    assert np.array_equal(comm.load(dst, np.uint16, 8, at=16), data.reshape(32, 128)[0, 16:32].view(np.uint16))


@pytest.mark.parametrize("eager", [False, True])
def test_exchange(comm: Communicator, eager: bool) -> None:
    rng = np.random.default_rng(1)
    sent = [rng.integers(0, 256, 1000, np.uint8) for _ in range(2)]
    src = [comm.allocate(r, 1, 1000, "first") for r in range(2)]
    dst = [comm.allocate(r, 1, 1000, "second") for r in range(2)]
    programs = idle(comm)
    for r in range(2):
        comm.store(src[r], sent[r])
        lane = comm.lanes_to(r, 1 - r)[0]
        programs[r] = [
            p.read(1, src[r].offset, 1000),
            p.send(lane, p.from_read(1), eager=eager, signature=7),
            p.take(lane, eager=eager, signature=7),
            p.write(1, p.from_lane(lane), dst[r].offset, 1000),
            p.go(1),
            p.end(),
        ]
    comm.run_programs(programs, start_order=list(range(7, -1, -1)))
    for r in range(2):
        assert np.array_equal(comm.load(dst[r]), sent[1 - r])


def test_long_program_is_loaded_in_parts(comm: Communicator) -> None:
    steps = 700  # of 3 or 2 instructions; the node holds 1024
    src, dst = comm.allocate(0, 0, 32 * steps, "first"), comm.allocate(1, 0, 32 * steps, "second")
    data = np.random.default_rng(2).integers(0, 256, 32 * steps, np.uint8)
    comm.store(src, data)
    out, back = comm.lanes_to(0, 1)[0], comm.lanes_to(1, 0)[0]
    programs = idle(comm)
    programs[0] = [
        i for k in range(steps) for i in (p.read(0, src.offset + 32 * k, 32), p.send(out, p.from_read(0)), p.go())
    ] + [p.end()]
    programs[1] = [
        i for k in range(steps) for i in (p.take(back), p.write(0, p.from_lane(back), dst.offset + 32 * k, 32), p.go())
    ] + [p.end()]
    comm.run_programs(programs)
    assert np.array_equal(comm.load(dst), data)


def test_partition_with_histogram(comm: Communicator) -> None:
    """Keys of two channels leave by their top three bits; counts come from the operator's status."""
    rng = np.random.default_rng(3)
    keys = [rng.integers(0, 1 << 32, 4096, dtype=np.uint32) for _ in range(2)]
    src = [comm.allocate(5, c, 4 * 4096, "first") for c in range(2)]
    dst = [comm.allocate(5, c, 8 * 4096, "second") for c in range(8)]
    word = 29 | 3 << 8
    programs = idle(comm)
    program = []
    for c in range(2):
        comm.store(src[c], keys[c])
        program += [p.read(c, src[c].offset, 4 * 4096), p.feed(c, p.from_read(c))]
    for o in range(8):
        program += [
            p.config(o, p.PARTITION, word, 0b11),
            p.write(o, p.from_operator(o), dst[o].offset, 8 * 4096, open_end=True),
        ]
    programs[5] = [*program, p.go(1), p.end()]
    run = comm.run_programs(programs, status=range(10))[5]
    assert run.status[0] & 0xFF == 0
    for words in (range(2, 6, 2), range(5, 1, -1), [9, 2, 2], range(3, 3)):  # counts of runs of the same programs
        again = comm.run_programs(programs, status=words)[5]
        assert again.status == [run.status[word] for word in words]
    everything = np.concatenate(keys)
    for o in range(8):
        want = everything[everything >> 29 == o]
        assert run.status[2 + o] == want.size
        assert np.array_equal(np.sort(comm.load(dst[o], np.uint32, want.size)), np.sort(want))


def test_faults_are_named(comm: Communicator) -> None:
    programs = idle(comm)
    programs[2] = [p.read(99, 0, 32), p.go(), p.end()]
    with pytest.raises(CollectiveError, match="rank 2 was given an instruction that it cannot execute"):
        comm.run_programs(programs)
    lane, back = comm.lanes_to(0, 1)[0], comm.lanes_to(1, 0)[0]
    programs = idle(comm)
    programs[0] = [p.read(0, 0, 64), p.send(lane, p.from_read(0), signature=1), p.go(), p.end()]
    programs[1] = [p.take(back, signature=2), p.write(0, p.from_lane(back), 0, 64), p.go(), p.end()]
    with pytest.raises(CollectiveError, match="rank 1 got a block of another operation from rank 0"):
        comm.run_programs(programs)
    comm.barrier()  # nothing is left behind
    with pytest.raises(CollectiveError, match="7 programs for 8 ranks"):
        comm.run_programs(programs[1:])
    with pytest.raises(CollectiveError, match="does not finish with end"):
        comm.run_programs([[p.go()]] * 8)
