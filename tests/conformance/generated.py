# SPDX-License-Identifier: Apache-2.0
"""The regular part of the suite: messages by mode, datatypes by constructor, collectives by call. Input: the tables
below. Output: programs; each combination takes its type, communicator, root and ways from lists in turn, so that all of
these meet and no two programs do the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product

from .program import Program

#: MPI's name of a type, its C type.
TYPES = {
    "INT": "int",
    "DOUBLE": "double",
    "SHORT": "short",
    "FLOAT": "float",
    "CHAR": "char",
    "LONG": "long",
    "UNSIGNED": "unsigned",
    "UNSIGNED_CHAR": "unsigned char",
    "LONG_LONG": "long long",
    "UNSIGNED_SHORT": "unsigned short",
    "SIGNED_CHAR": "signed char",
    "UNSIGNED_LONG": "unsigned long",
    "INT8_T": "int8_t",
    "UINT8_T": "uint8_t",
    "INT16_T": "int16_t",
    "UINT16_T": "uint16_t",
    "INT32_T": "int32_t",
    "UINT32_T": "uint32_t",
    "INT64_T": "int64_t",
    "UINT64_T": "uint64_t",
    "C_BOOL": "bool",
    "BYTE": "unsigned char",
}
#: Messages of up to 1,024 bytes are sent without being asked for: 600 are below and above that, by their type.
COUNTS = (0, 1, 7, 600)
#: How `comm` is made, how many ranks the world then has. Each part of a split one has at least two.
COMMS = {
    "world": ("  MPI_Comm comm = MPI_COMM_WORLD;", (2, 3, 5)),
    "split": ("  MPI_Comm comm;\n  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);", (4, 5, 7)),
    "reversed": ("  MPI_Comm comm;\n  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);", (3, 4, 2)),
}
PLACES = """
  int me, n;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
"""


def communicator(name: str, turn: int) -> tuple[str, int]:
    """C that declares comm, me and n, and the ranks of the world."""
    text, ranks = COMMS[name]
    return text + PLACES, ranks[turn % len(ranks)]


def shown(what: str, values: str, count: str) -> str:
    """C that prints ``values``, whatever arithmetic type they have."""
    return (
        f"  static int shown_{what}[5000];\n  for (int i = 0; i < {count}; i++) shown_{what}[i] = (int){values}[i];\n"
        f'  show("{what}", shown_{what}, {count});\n'
    )


# --- Chapter 3: a message round a ring ---

SENDS = {
    "send": "MPI_Send(out, {n}, {t}, next, 5, comm);",
    "ssend": "MPI_Ssend(out, {n}, {t}, next, 5, comm);",
    "rsend": "MPI_Rsend(out, {n}, {t}, next, 5, comm);",
    "bsend": "MPI_Bsend(out, {n}, {t}, next, 5, comm);",
    "isend": "MPI_Isend(out, {n}, {t}, next, 5, comm, &s);",
    "issend": "MPI_Issend(out, {n}, {t}, next, 5, comm, &s);",
    "irsend": "MPI_Irsend(out, {n}, {t}, next, 5, comm, &s);",
    "ibsend": "MPI_Ibsend(out, {n}, {t}, next, 5, comm, &s);",
    "send_init": "MPI_Start(&s);",
    "ssend_init": "MPI_Start(&s);",
    "rsend_init": "MPI_Start(&s);",
}
#: Before and after the send. A ready send's receive is there before.
RECEIVES = {
    "irecv": ("MPI_Irecv(in, {n}, {t}, before, 5, comm, &r);", "MPI_Wait(&r, &status);"),
    "recv_init": (
        "MPI_Recv_init(in, {n}, {t}, before, 5, comm, &r);\n  MPI_Start(&r);",
        "MPI_Wait(&r, &status);\n  MPI_Request_free(&r);",
    ),
    "any": ("MPI_Irecv(in, {n}, {t}, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r);", "MPI_Wait(&r, &status);"),
    "test": ("MPI_Irecv(in, {n}, {t}, before, 5, comm, &r);", "while (!done) MPI_Test(&r, &done, &status);"),
    "recv": ("", "MPI_Recv(in, {n}, {t}, before, 5, comm, &status);"),
    "probe": (
        "",
        "MPI_Probe(before, 5, comm, &status);\n  MPI_Recv(in, {n}, {t}, before, status.MPI_TAG, comm, &status);",
    ),
    "mprobe": (
        "",
        "MPI_Mprobe(MPI_ANY_SOURCE, 5, comm, &m, &status);\n  MPI_Mrecv(in, {n}, {t}, &m, &status);",
    ),
}


def messages() -> Iterator[Program]:
    """Chapter 3: each mode and count, by a receive of one kind."""
    types, comms = cycle(TYPES), cycle(COMMS)
    posted, blocking = cycle(list(RECEIVES)[:4]), cycle(RECEIVES)
    for turn, (mode, count) in enumerate(product(SENDS, COUNTS)):
        name, way = next(types), next(comms)
        # A blocking synchronous send needs the receive of another rank; a ready one a receive that is there.
        receive = (
            next(posted) if mode in {"ssend", "rsend", "irsend", "rsend_init"} or mode == "send" else next(blocking)
        )
        comm, ranks = communicator(way, turn)
        c, t = TYPES[name], f"MPI_{name}"
        words = {"n": count, "t": t}
        before, after = (text.format(**words) for text in RECEIVES[receive])
        lines = [
            f"  static {c} out[{count + 1}], in[{count + 1}];",
            "  const int next = (me + 1) % n, before = (me + n - 1) % n;",
            "  MPI_Status status;",
        ]
        if receive not in {"recv", "probe", "mprobe"}:
            lines.append("  MPI_Request r;")
        if receive == "test":
            lines.append("  int done = 0;")
        if receive == "mprobe":
            lines.append("  MPI_Message m;")
        is_request = mode[0] == "i" or mode.endswith("_init")
        if is_request:
            lines.append("  MPI_Request s;")
        value = "(me + i) % 2" if c == "bool" else "me * 9 + i % 50"
        lines.append(f"  for (int i = 0; i <= {count}; i++) out[i] = ({c})({value}), in[i] = 1;")
        if "bsend" in mode:
            lines += [
                f"  static char room[{count} * sizeof({c}) + MPI_BSEND_OVERHEAD];",
                "  MPI_Buffer_attach(room, sizeof room);",
            ]
        if mode.endswith("_init"):
            call = mode.capitalize()
            lines.append(f"  MPI_{call}(out, {count}, {t}, next, 5, comm, &s);")
        lines += [f"  {before}" if before else "", "  MPI_Barrier(comm);" if "rsend" in mode else ""]
        lines += [f"  {SENDS[mode].format(**words)}", f"  {after}"]
        if is_request:
            lines.append("  MPI_Wait(&s, MPI_STATUS_IGNORE);")
        if mode.endswith("_init"):
            lines.append("  MPI_Request_free(&s);")
        if "bsend" in mode:
            lines += ["  void *back;", "  int bytes;", "  MPI_Buffer_detach(&back, &bytes);"]
        lines += [
            "  int got;",
            f"  MPI_Get_count(&status, {t}, &got);",
            '  printf("rank %d: %d from %d, tag %d\\n", rank, got, status.MPI_SOURCE, status.MPI_TAG);',
            shown("in", "in", str(count + 1)),
        ]
        body = comm + "\n".join(line for line in lines if line)
        yield Program(f"ch3/{mode}_{count}_{receive}_{name.lower()}_{way}", ranks, "", body)


# --- Chapter 4: a datatype and a way to use it ---

#: Of an array of a basic type B with elements of type T.
CONSTRUCTORS = {
    "contiguous": "MPI_Type_contiguous(6, B, &type);",
    "vector": "MPI_Type_vector(3, 2, 5, B, &type);",
    "vector_dense": "MPI_Type_vector(3, 4, 4, B, &type);",
    "hvector": "MPI_Type_create_hvector(3, 1, 4 * sizeof(T), B, &type);",
    "indexed": "MPI_Type_indexed(3, (int[]){2, 0, 3}, (int[]){9, 4, 1}, B, &type);",
    "hindexed": "MPI_Type_create_hindexed(2, (int[]){1, 4}, (MPI_Aint[]){8 * sizeof(T), 2 * sizeof(T)}, B, &type);",
    "indexed_block": "MPI_Type_create_indexed_block(3, 2, (int[]){0, 3, 9}, B, &type);",
    "hindexed_block": "MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){6 * sizeof(T), 0}, B, &type);",
    "struct": (
        "MPI_Aint places[2] = {sizeof(T), 7 * sizeof(T)};\n"
        "  MPI_Type_create_struct(2, (int[]){2, 3}, places, (MPI_Datatype[]){B, B}, &type);"
    ),
    "subarray": ("MPI_Type_create_subarray(2, (int[]){3, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, B, &type);"),
    "subarray_fortran": (
        "int all[3] = {3, 2, 2}, part[3] = {2, 1, 2}, from[3] = {1, 1, 0};\n"
        "  MPI_Type_create_subarray(3, all, part, from, MPI_ORDER_FORTRAN, B, &type);"
    ),
    "resized": (
        "MPI_Datatype column;\n  MPI_Type_vector(3, 1, 4, B, &column);\n"
        "  MPI_Type_create_resized(column, 0, sizeof(T), &type);\n  MPI_Type_free(&column);"
    ),
    "dup": (
        "MPI_Datatype first;\n  MPI_Type_vector(2, 3, 4, B, &first);\n  MPI_Type_dup(first, &type);\n"
        "  MPI_Type_free(&first);"
    ),
    "nested": (
        "MPI_Datatype pair;\n  MPI_Type_vector(2, 1, 2, B, &pair);\n  MPI_Type_vector(2, 2, 3, pair, &type);\n"
        "  MPI_Type_free(&pair);"
    ),
}
#: How two elements of the type get from `out` to `in`; what is printed of it is the whole of `in`.
USES = {
    "both_sides": "MPI_Sendrecv(out, 2, type, next, 1, in, 2, type, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "to_dense": "MPI_Sendrecv(out, 2, type, next, 1, in, elements, B, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "from_dense": "MPI_Sendrecv(out, elements, B, next, 1, in, 2, type, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "pack": (
        "char packed[600];\n  int at = 0, end = 0;\n"
        "  MPI_Pack(out, 2, type, packed, sizeof packed, &at, MPI_COMM_WORLD);\n"
        "  MPI_Unpack(packed, at, &end, in, 2, type, MPI_COMM_WORLD);\n"
        '  printf("rank %d: %d\\n", rank, at == end && at >= bytes);'
    ),
    "bcast": (
        "if (rank == 1)\n    for (int i = 0; i < MANY; i++) in[i] = out[i];\n"
        "  MPI_Bcast(in, 2, type, 1, MPI_COMM_WORLD);"
    ),
    "gather": "MPI_Gather(out, 1, type, in, 1, type, 0, MPI_COMM_WORLD);",
    "allgather": "MPI_Allgather(out, 1, type, in, 1, type, MPI_COMM_WORLD);",
    "nonblocking": (
        "MPI_Request r[2];\n  MPI_Irecv(in, 2, type, before, 1, MPI_COMM_WORLD, &r[0]);\n"
        "  MPI_Isend(out, 2, type, next, 1, MPI_COMM_WORLD, &r[1]);\n  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);"
    ),
    "replace": (
        "for (int i = 0; i < MANY; i++) in[i] = out[i];\n"
        "  MPI_Sendrecv_replace(in, 2, type, next, 1, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
    ),
    "alltoall": "MPI_Alltoall(out, 1, type, in, 1, type, MPI_COMM_WORLD);",
    "scatter": "MPI_Scatter(out, 1, type, in, 1, type, 1, MPI_COMM_WORLD);",
    "questions": (
        "MPI_Aint lower, extent, true_lower, true_extent;\n  MPI_Type_get_extent(type, &lower, &extent);\n"
        "  MPI_Type_get_true_extent(type, &true_lower, &true_extent);\n"
        '  printf("rank %d: %d %d %d %d\\n", rank, (int)lower, (int)extent, (int)true_lower, (int)true_extent);\n'
        "  MPI_Status status;\n  int whole, parts;\n"
        "  MPI_Sendrecv(out, elements - 1, B, next, 1, in, 2, type, before, 1, MPI_COMM_WORLD, &status);\n"
        "  MPI_Get_count(&status, type, &whole);\n  MPI_Get_elements(&status, type, &parts);\n"
        '  printf("rank %d: undefined %d, %d elements\\n", rank, whole == MPI_UNDEFINED, parts);'
    ),
}
BASES = ("INT", "DOUBLE", "SHORT", "CHAR", "FLOAT", "LONG")


def datatypes() -> Iterator[Program]:
    """Chapter 4: each constructor, by three uses."""
    bases = cycle(BASES)
    names = list(USES)
    for turn, (constructor, c) in enumerate(CONSTRUCTORS.items()):
        for part in range(3):
            use, base = names[(turn + 5 * part) % len(names)], next(bases)
            lines = [
                f"  static {TYPES[base]} out[MANY], in[MANY];",
                "  const int next = (rank + 1) % size, before = (rank + size - 1) % size;",
                "  MPI_Datatype type;",
                "  int bytes;",
                f"  {c}",
                "  MPI_Type_commit(&type);",
                "  MPI_Type_size(type, &bytes);",
                "  const int elements = 2 * bytes / (int)sizeof(T);",
                "  for (int i = 0; i < MANY; i++) out[i] = (T)(rank * 31 + i), in[i] = 0;",
                f"  {USES[use]}",
                "  MPI_Type_free(&type);",
                '  printf("rank %d: %d bytes, %d, null %d\\n", rank, bytes, elements, type == MPI_DATATYPE_NULL);',
                shown("in", "in", "MANY"),
            ]
            top = f"#define T {TYPES[base]}\n#define B MPI_{base}\nenum {{ MANY = 80 }};"
            yield Program(f"ch4/{constructor}_{use}_{base.lower()}", (2, 3, 4)[part], top, "\n".join(lines))


# --- Chapter 5: reductions ---

#: Types and values of each operator: exact in any order. `i` is the place, `me` the rank.
OPERATORS = {
    "SUM": ("me + i % 10", ("INT8_T", "DOUBLE", "UINT16_T", "INT64_T", "FLOAT", "UNSIGNED")),
    "PROD": ("(me + i) % 2 + 1", ("INT", "DOUBLE", "UNSIGNED_LONG", "FLOAT", "INT16_T", "LONG_LONG")),
    "MIN": ("(me * 7 + i * 11) % 23 + 1", ("DOUBLE", "INT8_T", "UNSIGNED_SHORT", "LONG", "FLOAT", "UINT8_T")),
    "MAX": ("(me * 7 + i * 11) % 23 + 1", ("SHORT", "UNSIGNED_CHAR", "FLOAT", "UINT64_T", "DOUBLE", "SIGNED_CHAR")),
    "LAND": ("(me + i) % 5 != 0", ("INT", "C_BOOL", "INT8_T", "UINT64_T", "SHORT", "UNSIGNED")),
    "LOR": ("(me * i) % 4 == 1", ("C_BOOL", "LONG", "UNSIGNED_CHAR", "INT", "UINT16_T", "C_BOOL")),
    "LXOR": ("(me + i) % 3", ("UINT32_T", "C_BOOL", "INT", "SHORT", "LONG_LONG", "INT8_T")),
    "BAND": ("112 | ((me * 5 + i) & 15)", ("BYTE", "INT", "UINT64_T", "UNSIGNED_SHORT", "INT8_T", "LONG")),
    "BOR": ("1 << (me + i) % 7", ("UNSIGNED", "BYTE", "INT64_T", "SHORT", "UINT8_T", "INT")),
    "BXOR": ("(me * 37 + i * 5) & 127", ("INT32_T", "UNSIGNED_LONG", "BYTE", "INT16_T", "UNSIGNED_CHAR", "INT")),
}
PAIRS = {"2INT": "int", "FLOAT_INT": "float", "DOUBLE_INT": "double", "LONG_INT": "long", "SHORT_INT": "short"}
REDUCTIONS = ("allreduce", "reduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block")


def reduction(call: str, op: str, count: int, turn: int, in_place: bool) -> tuple[str, str, str]:
    """C that fills `in` (or `out`), the call, and C that says how many elements of `out` this rank may look at."""
    from_all = "MPI_IN_PLACE" if in_place else "in"
    total, have = str(count), str(count)
    if call == "reduce":
        has_root = f"const int root = {turn} % n;"
        source = "me == root ? MPI_IN_PLACE : in" if in_place else "in"
        return has_root, f"MPI_Reduce({source}, out, {total}, T, {op}, root, comm);", f"me == root ? {have} : 0"
    if call == "reduce_scatter":
        setup = f"int counts[8];\n  for (int i = 0; i < n; i++) counts[i] = {count} > 0 ? ({count} + i) % 7 : 0;"
        return setup, f"MPI_Reduce_scatter({from_all}, out, counts, T, {op}, comm);", "counts[me]"
    name = call.capitalize()
    call_text = f"MPI_{name}({from_all}, out, {total}, T, {op}, comm);"
    return "", call_text, f"me == 0 ? 0 : {have}" if call == "exscan" else have


def reductions() -> Iterator[Program]:
    """Chapter 5: each reduction and operator."""
    counts, comms = cycle((7, 1, 600, 3, 40, 0, 300)), cycle(COMMS)
    for turn, (number, op) in enumerate(product(range(len(REDUCTIONS)), OPERATORS)):
        call, count, way = REDUCTIONS[number], next(counts), next(comms)
        value, types = OPERATORS[op]
        base = types[number]
        in_place = turn % 3 == 1
        comm, ranks = communicator(way, turn)
        setup, c, have = reduction(call, f"MPI_{op}", count, turn, in_place)
        body = comm + "\n".join(
            [
                f"  {setup}" if setup else "",
                f"  static {TYPES[base]} in[ROOM], out[ROOM];",
                f"  for (int i = 0; i < ROOM; i++) in[i] = out[i] = ({TYPES[base]})({value});",
                f"  {c}",
                f"  const int have = {have};",
                shown("out", "out", "have"),
            ]
        )
        top = f"#define T MPI_{base}\nenum {{ ROOM = {max(count, 7) * 7} }};"
        kind = "in_place_" if in_place else ""
        yield Program(f"ch5/{call}_{kind}{op.lower()}_{count}_{base.lower()}_{way}", ranks, top, body)
    for turn, call in enumerate(REDUCTIONS):
        op, pair = ("MINLOC", "MAXLOC")[turn % 2], list(PAIRS)[turn % 5]
        way = list(COMMS)[turn % 3]
        comm, ranks = communicator(way, turn)
        setup, c, have = reduction(call, f"MPI_{op}", 9, turn, in_place=False)
        body = comm + "\n".join(
            [
                f"  {setup}" if setup else "",
                f"  static struct {{ {PAIRS[pair]} value; int index; }} in[63], out[63];",
                "  for (int i = 0; i < 63; i++) in[i].value = (me * 5 + i * 3) % 4, in[i].index = me * 10 + i;",
                f"  {c}",
                f"  const int have = {have};",
                "  static int value[63], index[63];",
                "  for (int i = 0; i < have; i++) value[i] = (int)out[i].value, index[i] = out[i].index;",
                '  show("value", value, have);',
                '  show("index", index, have);',
            ]
        )
        yield Program(f"ch5/{call}_{op.lower()}_{pair.lower()}_{way}", ranks, f"#define T MPI_{pair}", body)


# --- Chapter 5: moving data ---

#: The call, whether `out` is given in place, and which elements of `in` this rank may look at. Lists: `counts` of
#: blocks with gaps between them, in the order of the ranks from the last one (`places`).
MOVES = {
    "bcast": ("MPI_Bcast(in, N, T, root, comm);", "", "N"),
    "scatter": ("MPI_Scatter(out, N, T, {in}, N, T, root, comm);", "root", "me == root && {in_place} ? 0 : N"),
    "gather": ("MPI_Gather({out}, N, T, in, N, T, root, comm);", "root", "me == root ? N * n : 0"),
    "allgather": ("MPI_Allgather({out}, N, T, in, N, T, comm);", "all", "N * n"),
    "alltoall": ("MPI_Alltoall({out}, N, T, in, N, T, comm);", "all", "N * n"),
    "scatterv": (
        "MPI_Scatterv(out, counts, places, T, {in}, counts[me], T, root, comm);",
        "root",
        "me == root && {in_place} ? 0 : counts[me]",
    ),
    "gatherv": (
        "MPI_Gatherv({out}, counts[me], T, in, counts, places, T, root, comm);",
        "root",
        "me == root ? ROOM : 0",
    ),
    "allgatherv": ("MPI_Allgatherv({out}, counts[me], T, in, counts, places, T, comm);", "all", "ROOM"),
    "alltoallv": ("MPI_Alltoallv({out}, sends, places, T, in, takes, places, T, comm);", "all", "ROOM"),
    "alltoallw": ("MPI_Alltoallw({out}, sends, bytes, types, in, takes, bytes, types, comm);", "all", "ROOM"),
}
LISTS = """  int counts[8], places[8], sends[8], takes[8], bytes[8];
  MPI_Datatype types[8];
  for (int i = 0; i < n; i++) {
    counts[i] = N == 0 ? 0 : N + i;
    places[i] = (n - 1 - i) * (N + 9);
    sends[i] = N == 0 ? 0 : N + {sends};
    takes[i] = N == 0 ? 0 : N + {takes};
    bytes[i] = places[i] * (int)sizeof out[0];
    types[i] = T;
  }"""


def moves() -> Iterator[Program]:
    """Chapter 5: each movement of data and count."""
    types, comms = cycle(TYPES), cycle(COMMS)
    for turn, (call, count) in enumerate(product(MOVES, COUNTS)):
        base, way = next(types), next(comms)
        text, place, have = MOVES[call]
        in_place = bool(place) and turn % 2 == 1
        comm, ranks = communicator(way, turn)
        own = {"out": "out", "in": "in", "in_place": str(int(in_place))}
        if in_place and place == "all":
            own["out"] = "MPI_IN_PLACE"
        elif in_place:
            own["out"], own["in"] = (f"me == root ? MPI_IN_PLACE : (void *){b}" for b in ("out", "in"))
        c = TYPES[base]
        value = "(me + i) % 2" if c == "bool" else "me * 13 + i % 50"
        # In place, what goes from one rank to another is as long as what comes back.
        lists = LISTS.replace("{sends}", "(me + i) % 8" if in_place else "(me * 3 + i) % 8")
        lists = lists.replace("{takes}", "(me + i) % 8" if in_place else "(i * 3 + me) % 8")
        body = comm + "\n".join(
            [
                f"  const int root = {turn + 1} % n;" if "root" in text or place == "root" else "",
                f"  static {c} out[ROOM], in[ROOM];",
                lists if call.endswith(("v", "w")) else "",
                f"  for (int i = 0; i < ROOM; i++) out[i] = ({c})({value}), in[i] = ({c})({value} + 1);",
                f"  {text.format(**own)}",
                f"  const int have = {have.format(**own)};",
                shown("in", "in", "have"),
            ]
        )
        top = f"#define T MPI_{base}\nenum {{ N = {count}, ROOM = 7 * (N + 9) }};"
        kind = "in_place_" if in_place else ""
        yield Program(f"ch5/{call}_{kind}{count}_{base.lower()}_{way}", ranks, top, body)


def programs() -> Iterator[Program]:
    """All of this file."""
    for part in (messages, datatypes, reductions, moves):
        yield from part()
