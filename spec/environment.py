# SPDX-License-Identifier: Apache-2.0
"""Every environment variable that a part of the project reads."""

from __future__ import annotations

from spec.rows import Group, Variable

VARIABLES = [
    Group(
        "Of a run",
        "What `polyloom run`, `polyloom-sim` and host programs take where no option says it.",
        [
            Variable("POLYLOOM_ON", "`native`, `sim`, `rtl`", "what the cluster file says", "where programs run"),
            Variable(
                "POLYLOOM_CLUSTER",
                "name of a shipped cluster, or a path",
                "`laptop`, of `polyloom collective` `optweb-8`; a `Communicator` and programs of hubs must have one",
                "the cluster that is simulated, and for which `config.h` of Tinsel programs is made; without effect on "
                "native runs",
            ),
            Variable(
                "POLYLOOM_ENGINE",
                "`serial`, `threads`, `threads:N`, `mpi:N`",
                "`serial`",
                "how many cores of this host simulate; what is simulated is the same",
            ),
            Variable("POLYLOOM_SEED", "number", "0; in unit tests of RTL one for each file", "of all that is drawn"),
            Variable("POLYLOOM_RUN_DIR", "folder", "none", "where the simulator writes the record of its run"),
            Variable("POLYLOOM_MAX_CYCLES", "cycles of the core clock", "no limit", "ends a run, and says who waits"),
            Variable(
                "POLYLOOM_STANDSTILL",
                "simulated time, such as `5 ms`",
                "20 ms, or a million cycles if these are longer",
                "ends a run in which nothing useful has happened for so long, and says who waits",
            ),
            Variable("POLYLOOM_TRACE", "`true`, `false`", "`false`", "adds `trace.json` (Perfetto) to the record"),
            Variable(
                "POLYLOOM_PROFILE",
                "anything",
                "unset",
                "adds `profile.csv`: instructions by address, of overlay boards",
            ),
            Variable(
                "POLYLOOM_WAVE",
                "`NODE,FROM,TO`, several joined by `;`; in unit tests of RTL `1`",
                "none",
                "adds waves of nodes in RTL to the record; a unit test writes `dump.fst` into the folder that it names",
            ),
            Variable("POLYLOOM_PROGRESS", "`off`", "unset", "no line on standard error says how far a long run is"),
            Variable("POLYLOOM_TRACEBACK", "anything", "unset", "a defect of polyloom shows where it arose"),
        ],
    ),
    Group(
        "Of programs",
        "",
        [
            Variable(
                "POLYLOOM_THREADS",
                "number from 1",
                "one for each CPU; of several processes on a host, a share",
                "workers of native runs of vertex programs",
            ),
            Variable(
                "POLYLOOM_PROCESSES",
                "number from 1",
                "1",
                "a native vertex program is one of so many processes that MPI has started, each with a part of the "
                "graph ([many-processes.md](../guides/many-processes.md)); `polyloom run --processes` sets it",
            ),
            Variable(
                "POLYLOOM_SIMD",
                "`portable`, `avx2`, `avx512`",
                "the widest that this CPU has",
                "which instructions the walk over an N-body tree uses",
            ),
            Variable(
                "POLYLOOM_LOAD",
                "`backdoor`",
                "through the host's links",
                "buffers of collectives are the memory of the simulated nodes, loaded in no simulated time",
            ),
            Variable(
                "POLYLOOM_OPERATORS",
                "shared libraries, joined by `:`",
                "none",
                "operators of users, for the simulator and for native runs",
            ),
            Variable(
                "HOSTLINK_BOXES_X", "number from 1", "the whole cluster", "boxes of 3 x 2 boards in a row that are used"
            ),
            Variable("HOSTLINK_BOXES_Y", "number from 1", "the whole cluster", "rows of such boxes that are used"),
            Variable("POLITE_CHATTY", "`1`", "`0`", "the mapper tells what it does"),
        ],
    ),
    Group(
        "Places",
        "",
        [
            Variable(
                "POLYLOOM_HOME",
                "folder",
                "the checkout or installation that the program belongs to",
                "where clusters, headers, RTL and compiled programs are looked for",
            ),
            Variable("POLYLOOM_BUILD", "folder", "`build` in the home", "compiled programs"),
            Variable(
                "POLYLOOM_PYTHON", "path", "`.venv/bin/python` in the home", "the Python that builds models in RTL"
            ),
            Variable("POLYLOOM_TOOLS", "folder", "none", "is searched first for Verilator, Yosys and their like"),
            Variable(
                "POLYLOOM_KERNEL_CACHE",
                "folder",
                "`kernels`",
                "cache of MPI kernels and CPU programs ([files.md](files.md))",
            ),
            Variable("POLYLOOM_RTL_CACHE", "folder", "`rtl`", "cache of models in RTL and of programs that test them"),
            Variable("POLYLOOM_PROGRAM_CACHE", "folder", "`programs`", "cache of users' vertex programs"),
            Variable("POLYLOOM_SYNTH_CACHE", "folder", "`synth`", "cache of counts of synthesis"),
            Variable(
                "POLYLOOM_PROVEN_CACHE", "folder", "`proven`", "cache of proofs and elaborations that have passed"
            ),
            Variable(
                "POLYLOOM_CACHE_BYTES",
                "number, with K, M, G or T",
                "`10G`",
                "above it a cache drops what was not used for longest",
            ),
            Variable("XDG_CACHE_HOME", "folder", "`~/.cache`", "caches lie in its folder `polyloom`"),
            Variable("XDG_RUNTIME_DIR", "folder", "`/tmp`", "sockets between host programs and simulator"),
        ],
    ),
    Group(
        "Of models in RTL",
        "",
        [
            Variable("POLYLOOM_RTL_CXX", "C++ compiler", "Clang if it is there, else GCC", "compiles models in RTL"),
            Variable("POLYLOOM_RTL_OPTIMIZE", "such as `-O1`", "`-O2`", "how they are optimized"),
            Variable("POLYLOOM_RTL_JOBS", "number", "one for each CPU", "compilers at a time"),
            Variable("POLYLOOM_RTL_KEEP", "anything", "unset", "the C++ that Verilator has made is kept"),
        ],
    ),
    Group(
        "Of tests and scripts",
        "",
        [
            Variable("POLYLOOM_TEST_FULL", "`1`", "`0`", "tests take their long forms, and new seeds"),
            Variable("POLYLOOM_PORTABLE", "anything", "unset", "the simulator does without vector instructions"),
            Variable(
                "POLYLOOM_BASE", "commit", "`main`", "with what `make check` compares the tree to know what has changed"
            ),
        ],
    ),
    Group(
        "Between the processes of a run",
        "Set by what starts them. By hand only where a page says so: processes of one's own that share a simulator "
        "([clusters.md](../guides/clusters.md)).",
        [
            Variable("POLYLOOM_SOCKET", "path", "a simulator of its own", "the simulator that a host program joins"),
            Variable("POLYLOOM_CLIENT", "number", "0", "as which of its host programs"),
            Variable("POLYLOOM_SECRET", "128 random bits", "none", "who does not know it is refused by the simulator"),
            Variable(
                "POLYLOOM_RUN_HELD", "folder", "none", "the run's folder, which a parent holds; children add to it"
            ),
            Variable(
                "POLYLOOM_DEVICE", "folder", "the application's own", "what threads of a user's vertex program run"
            ),
            Variable(
                "POLYLOOM_COMPARE_FOLDER", "folder", "none", "where an application writes what `--compare` compares"
            ),
            Variable(
                "POLYLOOM_BACKDOOR_DIR", "folder", "none", "memories of simulated nodes as files, for `POLYLOOM_LOAD`"
            ),
            Variable("POLYLOOM_KERNELS", "path", "none", "which MPI kernel each simulated FPGA runs"),
            Variable("POLYLOOM_MPI_JOB", "path", "none", "who a CPU rank of an MPI program is"),
            Variable("POLYLOOM_RANK_OUTPUT", "socket", "none", "where a rank under Open MPI sends what it prints"),
            Variable("POLYLOOM_RANK_WATCH", "folder", "none", "where it says which call it waits in"),
        ],
    ),
]
