#!/usr/bin/env python3
"""Running sums of 8000 x 8000 doubles: scans.py --build FOLDER [--n 8000] [--block 1000] [--rounds 5] [--threads 2].

Prints a table for bench/README.md: medians and ranges of the rounds in milliseconds, ratios of medians. Ashlar and NumPy
write into memory that is there; Dask makes an array in one piece, as its compute() does.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

AXES = {"axis 0": 0, "axis 1": 1, "flat": None}


def child(o):
    import dask.array as da
    import numpy as np

    x = (np.arange(o.n * o.n, dtype=np.int64) * 7919 % 1000).astype(np.float64).reshape(o.n, o.n)
    out = np.zeros(x.shape)
    chunked = da.from_array(x, chunks=o.block)
    flat = da.from_array(x.reshape(-1), chunks=o.block * o.block)
    result = {}
    for name, axis in AXES.items():
        lazy = flat.cumsum(axis=0) if axis is None else chunked.cumsum(axis=axis)
        to = out.reshape(-1) if axis is None else out
        for who, run in (
            ("NumPy", lambda: np.cumsum(x, axis=axis, out=to)),
            ("Dask", lambda: lazy.compute(scheduler="threads", num_workers=o.threads)),
        ):
            seconds = []
            for k in range(o.rounds if who == "NumPy" else max(1, o.rounds // 2)):
                begin = time.perf_counter()
                got = run()
                seconds.append(time.perf_counter() - begin)
            result[f"{who}, {name}"] = {"last": float(got.reshape(-1)[-1]), "seconds": seconds}
            del got
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench")
    parser.add_argument("--n", type=int, default=8000)
    parser.add_argument("--block", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", action="store_true")
    o = parser.parse_args()
    if o.child:
        return child(o)
    numbers = [str(k) for k in (o.n, o.block, o.rounds, o.threads)]
    run = lambda command: json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    ours = run([f"{o.build}/bench_scans", *numbers])
    options = (f"--{k}={getattr(o, k)}" for k in ("n", "block", "rounds", "threads"))
    theirs = run([sys.executable, __file__, *options, "--child"])
    median = lambda row: statistics.median(row["seconds"])
    span = lambda row: f"{1e3 * median(row):.0f} [{1e3 * min(row['seconds']):.0f}–{1e3 * max(row['seconds']):.0f}]"
    limit = ours["read and write"]
    print("| cumsum | Ashlar, ms | to reading and writing | NumPy | Dask |\n|---|---|---|---|---|")
    for name, row in ours.items():
        cells = []
        for who in ("NumPy", "Dask"):
            other = theirs.get(f"{who}, {name}")
            if other is not None:
                assert abs(other["last"] - row["last"]) <= 1e-9 * abs(row["last"]), f"{who}, {name}: {other['last']}"
            cells.append(f"{span(other)}, x {median(other) / median(row):.1f}" if other else "")
        print(f"| {name} | {span(row)} | {median(row) / median(limit):.2f} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
