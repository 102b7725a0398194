#!/usr/bin/env python3
"""Measures Ashlar against NumPy, Dask, Eigen and loops by hand: `make bench`.

All contenders work on the same memory in this one process and take turns in rounds, so that a slow moment of the machine
meets all of them; what counts are ratios within a round. Writes bench/results/ and the table in bench/README.md.
"""

import argparse
import datetime
import importlib.metadata
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench", help="folder with the libtable_*.so")
    parser.add_argument("--n", type=int, default=20000, help="the array is n x n; smaller when memory is short")
    parser.add_argument("--block", type=int, default=0, help="edge of a block (1000, or n / 8 for a small n)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--slow-rounds", type=int, default=3, help="rounds of contenders that need seconds; 0 leaves them out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of row titles")
    parser.add_argument("--scratch", default="", help="folder for the .npy file; the build folder when left out")
    parser.add_argument("--no-compile", action="store_true", help="leave the compile times out")
    parser.add_argument("--no-write", action="store_true", help="print only")
    return parser.parse_args()


def available_bytes():
    with open("/proc/meminfo") as meminfo:
        return next(int(line.split()[1]) * 1024 for line in meminfo if line.startswith("MemAvailable:"))


def fitting(n):
    """The array, its blocks, and NumPy's temporaries and results: five arrays, and a fifth for others."""
    room = available_bytes() * 0.8 / 5
    if n * n * 8 <= room:
        return n
    smaller = max(2000, int((room / 8) ** 0.5) // 2000 * 2000)
    print(f"memory is short: the array is {smaller} x {smaller} instead of {n} x {n}", flush=True)
    return smaller


def compiler_of(build):
    for folder in (Path(build), *Path(build).parents):
        cache = folder / "CMakeCache.txt"
        if cache.exists():
            return re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M)[1]
    return "g++"


def processor():
    text = Path("/proc/cpuinfo").read_text()
    field = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in text.splitlines())}
    flags = field.get("flags", "").split()
    vectors = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    name = field.get("model name", "unknown")
    return f"{name}, family {field.get('cpu family')} model {field.get('model')}, {vectors}, {os.cpu_count()} cores"


def library_version(header, name):
    for folder in ("/usr/include", "/usr/local/include"):
        path = Path(folder) / header
        if path.exists():
            return ".".join(re.search(rf"#define {part}\s+(\d+)", path.read_text())[1] for part in name)
    return "unknown"


def facts(options, n, block, compiler):
    first_line = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return {
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "compiler": first_line,
        "libraries": "oneTBB "
        + library_version("oneapi/tbb/version.h", ("TBB_VERSION_MAJOR", "TBB_VERSION_MINOR"))
        + ", Eigen "
        + library_version(
            "eigen3/Eigen/src/Core/util/Macros.h", ("EIGEN_WORLD_VERSION", "EIGEN_MAJOR_VERSION", "EIGEN_MINOR_VERSION")
        )
        + ", "
        + os.confstr("CS_GNU_LIBC_VERSION"),
        "peers": f"Python {sys.version.split()[0]}, "
        + ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("numpy", "dask")),
        "array": f"{n} x {n} doubles, {n * n * 8 / 1e9:.1f} GB, blocks of {block}²",
        "threads": options.threads,
        "rounds": f"{options.rounds} (those that need seconds: {options.slow_rounds})",
        "command": "make bench"
        + (f' BENCH_ARGS="{" ".join(extra)}"' if (extra := [a for a in sys.argv[1:] if a != "--build" and a != options.build]) else ""),
    }


def main():
    options = arguments()
    try:
        import dask  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as e:
        raise SystemExit(f"{e}: the benchmarks compare with NumPy and Dask; `make bench` installs them") from None
    import compile_time
    import memory_peak
    import report
    from contenders import Ashlar, ByHand, Dask, Eigen, load
    from measure import measure
    from rows import Table

    native, hand = load(options.build, "native"), load(options.build, "by_hand")
    if native is None or hand is None:
        raise SystemExit(f"{options.build} has no libtable_native.so and libtable_by_hand.so; build the preset bench")
    plain, eigen = load(options.build, "plain"), load(options.build, "eigen")

    n = fitting(options.n)
    block = options.block or min(1000, n // 8)
    block = max(40, block // 40 * 40)
    n = n // block * block
    compiler = compiler_of(options.build)
    known = facts(options, n, block, compiler)
    for name, value in known.items():
        print(f"{name}: {value}")
    sys.stdout.flush()

    start = time.monotonic()
    scratch = options.scratch or options.build
    table = Table(
        n,
        block,
        Ashlar(native, options.threads),
        Ashlar(plain, options.threads) if plain else None,
        ByHand(hand, options.threads),
        Eigen(eigen) if eigen else None,
        Dask(options.threads),
        scratch,
    )
    rows, peaks, compiles = [], [], []
    wanted = re.compile(options.only)

    def peak(kind, size, path=None):
        peaks.append(memory_peak.measure(options.build, kind, size, block, options.threads, path))
        p = peaks[-1]
        print(f"{kind}, {size}²: {p['peak'] / 2**20:.0f} MiB, counter {p.get('counter', 0) / 2**20:.1f} MiB", flush=True)

    if shutil.disk_usage(scratch).free < 2 * n * n * 8:
        print(f"disk is short: no .npy file of {n * n * 8 / 1e9:.1f} GB")
        table.file = lambda: ()
    for row in table.all():
        if wanted.search(row.title):
            measure(row, options.rounds, options.slow_rounds)
            rows.append(row)
            print(f"\n{row.title} ({time.monotonic() - start:.0f} s)")
            for c in row.contenders:
                print(f"  {c.name:30s} {report.seconds(c):24s} processor {statistics.median(c.cpu):.3f}")
            for g in row.gates:
                print(f"  {g.one} / {g.other}: {report.times(g.ratios)}, gate {g.limit}")
            sys.stdout.flush()
        if "npy" in row.title and not options.only:
            for kind in ("ashlar mapped", "dask mapped"):
                peak(kind, n, os.path.join(scratch, "bench.npy"))
    del table
    if not options.only:
        for kind, size in (("ashlar generated", n), ("ashlar generated", 2 * n), ("dask generated", n)):
            peak(kind, size)
    if not options.no_compile and not options.only:
        for row in compile_time.rows(compiler, HERE.parent / "include", 5):
            compiles.append(row)
            print(f"\n{row.title}")
            for c in row.contenders:
                print(f"  {c.name:30s} {report.seconds(c)}")
            for g in row.gates:
                print(f"  {g.one} / {g.other}: {report.times(g.ratios)}, gate {g.limit}", flush=True)
    if not options.no_write:
        report.write(HERE, known, rows, peaks, compiles)
    missed = [f"{r.title}: {g.ratio:.2f} instead of {g.limit}" for r in rows + compiles for g in r.gates if g.ratio > g.limit]
    missed += [f"memory, {p['kind']}: {p['peak'] / 2**20:.0f} MiB instead of {p['allowed'] / 2**20:.0f} MiB"
               for p in peaks if "counter" in p and p["peak"] > p["allowed"]]
    print(f"\n{time.monotonic() - start:.0f} s; gates missed: " + ("; ".join(missed) or "none"))


if __name__ == "__main__":
    main()
