# SPDX-License-Identifier: Apache-2.0
"""Transcendental functions of kernels: newlib's libm. Input: Debian's package newlib-source; output: an LLVM module.

Newlib is compiled as it is, once; of its functions a kernel has those that its program calls. They are FDLIBM's and
Arm's optimized routines, most of them within 1 ulp of glibc's (tests/test_mpi_math.py).
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from polyloom.base import process
from polyloom.base.cache import KERNELS, digest
from polyloom.hls import frontend, toolchain
from polyloom.transpile import library

PACKAGE = "newlib-source"
MODULE = "newlib.bc"  # of an entry of the cache
ARCHIVES = Path("/usr/src/newlib")
#: Square roots are one operation of a circuit, so e_sqrt.c is not among these.
GLUE = Path(__file__).parent / "newlib.c"
SOURCES = {
    "math": (
        "e_acos e_acosh e_asin e_atan2 e_atanh e_cosh e_fmod e_hypot e_log10 e_rem_pio2 e_remainder e_sinh "
        "er_lgamma e_j0 e_j1 e_jn k_cos k_rem_pio2 k_sin k_tan s_asinh s_atan s_ceil s_cos s_erf s_fabs s_floor "
        "s_frexp s_ldexp s_sin s_tan s_tanh w_j0 w_j1 w_jn wf_j0 wf_j1 wf_jn ef_j0 ef_j1 ef_jn w_acos w_acosh "
        "w_asin w_atan2 w_atanh w_cosh w_fmod w_hypot w_log10 w_remainder w_sinh ef_acos ef_acosh ef_asin "
        "ef_atan2 ef_atanh ef_cosh ef_fmod ef_hypot ef_log10 ef_rem_pio2 ef_remainder ef_sinh erf_lgamma kf_cos "
        "kf_rem_pio2 kf_sin kf_tan sf_asinh sf_atan sf_ceil sf_erf sf_fabs sf_floor sf_frexp sf_ldexp sf_tan "
        "sf_tanh wf_acos wf_acosh wf_asin wf_atan2 wf_atanh wf_cosh wf_fmod wf_hypot wf_log10 wf_remainder "
        "wf_sinh"
    ),
    "common": (
        "exp exp2 exp_data log log2 log2_data log_data math_err math_errf pow pow_log_data s_cbrt s_copysign "
        "s_expm1 s_fdim s_finite s_fpclassify s_ilogb s_llrint s_llround s_log1p s_logb s_lrint s_lround s_modf "
        "s_nearbyint s_nextafter s_remquo s_rint s_round s_scalbln s_scalbn s_trunc sf_cbrt sf_copysign sf_exp "
        "sf_exp2 sf_exp2_data sf_expm1 sf_fdim sf_ilogb sf_llrint sf_llround sf_nextafter sf_remquo sf_scalbln "
        "sf_finite sf_fpclassify sf_log sf_log1p sf_log2 sf_log2_data sf_logb sf_log_data sf_lrint sf_lround "
        "sf_modf sf_nearbyint sf_pow sf_pow_log2_data sf_rint sf_round sf_scalbn sf_trunc cosf sincosf "
        "sincosf_data sinf"
    ),
    "complex": (
        "cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cephes_subr cexp clog cpow cproj csin csinh "
        "csqrt ctan ctanh cabsf cacosf cacoshf cargf casinf casinhf catanf catanhf ccosf ccoshf cephes_subrf "
        "cexpf clogf cpowf cprojf csinf csinhf csqrtf ctanf ctanhf creal crealf cimag cimagf conj conjf"
    ),
}


def archive() -> Path | None:
    """The sources of the newest version that is installed."""
    return max(ARCHIVES.glob("newlib-*.tar.xz"), default=None)


def _own() -> list[Path]:
    """What is compiled with newlib: beside the glue the products of complex numbers, which the compiler calls."""
    return [GLUE, *(file for file in library.sources() if file.stem == "complex")]


def module() -> Path | None:
    """All functions as one module; None if the sources are not installed."""
    sources = archive()
    if sources is None:
        return None
    key = "newlib-" + digest([sources.name, *SOURCES.values(), *_flags(Path()), toolchain.version()], _own())
    return KERNELS.provide(key, MODULE, lambda fresh: _make(sources, fresh))[0] / MODULE


def _flags(root: Path) -> list[str]:
    """Of newlib's own headers; its functions set no errno."""
    places = [f"-isystem{root / 'libc' / 'include'}", f"-I{root / 'libm' / 'common'}", f"-I{root / 'libm' / 'math'}"]
    new = ["-D__OBSOLETE_MATH=0"]  # of two sets of some functions that of Arm
    return [*new, "-D_IEEE_LIBM", "-DWANT_ERRNO=0", "-w", f"-ffile-prefix-map={root}=newlib", *places]


def _make(sources: Path, fresh: Path) -> None:
    with process.scratch("newlib") as folder, tarfile.open(sources) as tar:
        wanted = [m for m in tar.getmembers() if "/newlib/libm/" in m.name or "/newlib/libc/include/" in m.name]
        tar.extractall(folder, [m for m in wanted if m.isfile() and "/." not in m.name])
        (root,) = Path(folder).glob("*/newlib")
        files = [root / "libm" / part / f"{name}.c" for part, names in SOURCES.items() for name in names.split()]

        def compiled(file: Path) -> Path:
            return frontend.compile_unit(file, _flags(root), Path(folder) / f"{file.stem}.ll")

        with ThreadPoolExecutor() as pool:
            toolchain.run("llvm-link", [*pool.map(compiled, [*files, *_own()]), "-o", fresh / MODULE])


def requested(names: Sequence[str]) -> list[str]:
    """Those of ``names`` that newlib has; none if it is not installed: where one is called, kernels' headers say so."""
    library = module() if names else None
    if library is None:
        return []
    has = toolchain.run("llvm-nm", ["--defined-only", "--extern-only", "--format=just-symbols", library]).split()
    return sorted(set(has) & set(names))
