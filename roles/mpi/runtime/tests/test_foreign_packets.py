# SPDX-License-Identifier: Apache-2.0
# Covers: packets that come from elsewhere than the table says never reach a program of CPU ranks; tables that are
#         wrong end the job with an error that says so.
# Leaves out: FPGA ranks (roles/mpi/tests/test_polyloom_mpe.py).
from __future__ import annotations

import random
import socket
import struct
import threading
from typing import Any

import mpi_job
import pytest

PROGRAMS = mpi_job.BUILD / "tests" / "mpi"
EAGER, RTS, CTS, RESUME, DATA, DONE, ACK = range(1, 8)

pytestmark = pytest.mark.skipif(not (PROGRAMS / "messages").exists(), reason="the C++ build makes these programs")


def packet(job: int, kind: int, source: int, target: int, seq: int, tag: int, comm: int, payload: bytes) -> bytes:
    """A datagram of PROTOCOL.md that acknowledges much."""
    head = struct.pack("<IBBHHHH", job, kind, 0, source, target, seq, seq + 1)
    return head + struct.pack("<IHHII", tag & 0xFFFFFFFF, comm, seq + 1, len(payload), 0) + payload


def flood(job: dict[str, Any], stop: threading.Event, sent: list[int]) -> None:
    """Send every rank what it might take for a message, until the event."""
    rng = random.Random(1)
    size = job["size"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        while not stop.wait(0.0002):
            target = rng.randrange(size)
            number = rng.choice([job["job"], job["job"], job["job"] + 1, 0])
            kind = rng.choice([EAGER, EAGER, RTS, CTS, RESUME, DATA, DONE, ACK])
            comm, tag = rng.choice([(0, rng.randrange(8)), (0xFFFF, rng.randrange(1, 8))])
            payload = b"evil" * rng.choice([0, 1, 2, 16])
            data = packet(number, kind, rng.randrange(size + 2), target, rng.randrange(3), tag, comm, payload)
            data = data[: rng.choice([len(data), len(data), rng.randrange(len(data))])]
            stranger.sendto(data, (job["table"][target]["ip"], job["table"][target]["port"]))
            sent[0] += 1


def test_packets_from_outside_never_reach_a_program() -> None:
    quiet = mpi_job.run(PROGRAMS / "messages", 3)
    job = mpi_job.job_of(3, {})
    stop, sent = threading.Event(), [0]
    stranger = threading.Thread(target=flood, args=(job, stop, sent))
    stranger.start()
    try:
        for _ in range(3):
            ours = mpi_job.run(PROGRAMS / "messages", 3, table=job["table"], job=job["job"])
            assert (ours.manager_code, ours.codes, ours.stdout) == (0, [0, 0, 0], quiet.stdout)
    finally:
        stop.set()
        stranger.join()
    assert sent[0] > 100


def table_of(size: int) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = mpi_job.job_of(size, {})["table"]
    return table


def test_a_rank_that_is_not_where_the_table_says_is_named() -> None:
    """Rank 0 looks for rank 1 at a port where no one is; then it takes rank 2's address for rank 1's."""
    table = table_of(5)
    absent = [*table]
    absent[1] = table.pop()
    del absent[-1]
    swapped = [table[0], table[2], table[1], *table[3:]]
    for wrong in (absent, swapped):
        ours = mpi_job.run(
            PROGRAMS / "fatal", 4, "circle", table=table, own={0: {"table": wrong, "retries": 4}}, timeout=30
        )
        text = "rank 0: MPI_Ssend: the other rank does not respond (rank 1, tag 3, MPI_COMM_WORLD)"
        assert text in ours.event("abort")["text"]
        assert ours.manager_code == 1 and ours.codes[0] != 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop(), "table has 2 entries; right: size + 1 = 3, the manager last"),
        (lambda t: t[1].update(t[0]), "table: entries 0 and 1 have the same ip and port"),
        (lambda t: t[1].update(ip="10.80.1"), 'ip = "10.80.1"; right: four numbers'),
        (lambda t: t[1].update(port=0), "port = 0; allowed: 1 to 65535"),
    ],
)
def test_a_table_that_cannot_be_right_is_refused(change: Any, message: str) -> None:
    wrong = table_of(2)
    change(wrong)
    ours = mpi_job.run(PROGRAMS / "messages", 2, own={0: {"table": wrong}}, timeout=30)
    assert ours.codes[0] == 1 and message in ours.stderr[0], ours.stderr
