#!/usr/bin/env python3
"""Rechunk, transposes, shifted views and scans beside NumPy, Dask and a plain copy:
movement.py --build FOLDER [--n 16000] [--rounds 3] [--slow-rounds 1] [--threads 2] [--only REGEX].

A process for each contender, one after the other in each round; prints a table for bench/README.md. Limits are copies of
the array in the same process and round: by memcpy, and by a loop that reads, adds 1 and writes.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time

CASES = {
    "rechunk": "(1000, n) to (n, 1000)",
    "transpose": "transpose of blocks of 1000²",
    "plus_transposed": "sum of x + x.T, strips of 1000 rows",
    "shifted": "sum of x[1:, 1:] - x[:-1, :-1], blocks of n/10",
    "cumsum0": "cumsum over axis 0",
    "cumsum1": "cumsum over axis 1",
}


def child(who, case, n, threads):
    import numpy as np

    i = np.arange(n, dtype=np.int64)
    x = ((i[:, None] * 7919 + i[None, :] * 104729) % 1000).astype(np.float64)
    cuts = {"rechunk": (1000, n), "plus_transposed": (1000, n), "shifted": (n // 10, n // 10)}.get(case, (1000, 1000))
    tasks = 0
    if who == "numpy":
        out = np.zeros_like(x)

        def run():
            if case == "rechunk":
                parts = [x[k : k + 1000] for k in range(0, n, 1000)]
                return [np.concatenate([p[:, k : k + 1000] for p in parts]) for k in range(0, n, 1000)][0][n - 1, 0]
            if case == "transpose":
                np.copyto(out, x.T)
                return out[n - 1, n // 3]
            if case == "plus_transposed":
                return (x + x.T).sum()
            if case == "shifted":
                return (x[1:, 1:] - x[:-1, :-1]).sum()
            return np.cumsum(x, axis=0 if case == "cumsum0" else 1, out=out)[n - 1, n // 3]

    else:
        import dask
        import dask.array as da

        u = da.from_array(x, chunks=cuts, name=False).persist(scheduler="threads", num_workers=threads)
        del x
        if case == "rechunk":
            y = u.rechunk((n, 1000))
        elif case == "transpose":
            y = u.T.map_blocks(np.ascontiguousarray)
        elif case == "plus_transposed":
            y = (u + u.T).sum()
        elif case == "shifted":
            y = (u[1:, 1:] - u[:-1, :-1]).sum()
        else:
            y = da.cumsum(u, axis=0 if case == "cumsum0" else 1)
        tasks = len(y.__dask_graph__()) - u.npartitions

        def run():
            with dask.config.set(scheduler="threads", num_workers=threads):
                if y.ndim == 0:
                    return y.compute()
                kept = y.persist()
                return kept.blocks[-1, 0].compute()[-1, 0] if case == "rechunk" else kept[n - 1, n // 3].compute()

    begin = time.perf_counter()
    value = float(run())
    print(json.dumps({"seconds": [time.perf_counter() - begin], "value": value, "tasks": tasks}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench")
    parser.add_argument("--n", type=int, default=16000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow-rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default=".")
    parser.add_argument("--child", nargs=2, metavar=("WHO", "CASE"))
    o = parser.parse_args()
    if o.child:
        return child(*o.child, o.n, o.threads)

    def output(command):
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)

    print("| what | memcpy | loop | Ashlar | NumPy | Dask | to memcpy | to the loop | NumPy / Ashlar | Dask / Ashlar | tasks, Dask's |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for case, what in CASES.items():
        if not re.search(o.only, case):
            continue
        runs = {"ashlar": [], "numpy": [], "dask": []}
        for k in range(o.rounds):
            runs["ashlar"].append(output([f"{o.build}/bench_movement", case, str(o.n), str(o.threads), "3"]))
            for who in ("numpy", "dask") if k < o.slow_rounds else ():
                numbers = (f"--n={o.n}", f"--threads={o.threads}")
                runs[who].append(output([sys.executable, __file__, *numbers, "--child", who, case]))
        for who in ("numpy", "dask"):  # a rechunked array is looked at in another place
            for r in runs[who]:
                assert case == "rechunk" or abs(r["value"] - runs["ashlar"][0]["value"]) <= 1e-9 * abs(r["value"]) + 1e-6, (
                    f"{case}: {who} has {r['value']}, not {runs['ashlar'][0]['value']}"
                )
        seconds = {who: [statistics.median(r["seconds"]) for r in list_] for who, list_ in runs.items()}
        limit = [statistics.median(r["limit"]) for r in runs["ashlar"]]
        loop = [statistics.median(r["loop"]) for r in runs["ashlar"]]

        def beside(who):
            return f"{statistics.median(b / a for a, b in zip(seconds['ashlar'], seconds[who])):.1f}" if seconds[who] else ""

        def to(limits):
            ratio = sorted(s / c for s, c in zip(seconds["ashlar"], limits))
            return f"{statistics.median(ratio):.2f} [{ratio[0]:.2f}–{ratio[-1]:.2f}]"

        def shown(list_):
            return f"{statistics.median(list_):.3f}" if list_ else ""

        print(
            f"| {what} | {shown(limit)} | {shown(loop)} | {shown(seconds['ashlar'])} | {shown(seconds['numpy'])} | {shown(seconds['dask'])} | "
            f"{to(limit)} | {to(loop)} | {beside('numpy')} | {beside('dask')} | "
            f"{runs['ashlar'][0]['tasks']}, {runs['dask'][0]['tasks'] if runs['dask'] else ''} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
