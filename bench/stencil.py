#!/usr/bin/env python3
"""Ten steps of the heat equation on 8000 x 8000 doubles, each contender in a process of its own, in turns:
stencil.py --build FOLDER [--n 8000] [--steps 10] [--rounds 3] [--slow-rounds 1] [--threads 2].

Prints a table for bench/README.md: medians and ranges of the rounds, peak anonymous memory with the input, ratios within a
round. Dask gets a function that returns its block without what lies around it (trim=False), which saves it a copy.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

BLOCKS = ((1000, 1000), (250, 1000), (20, 8000))


def next_step(p):
    u = p[1:-1, 1:-1]
    return u + 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)


def child(who, n, steps, rows, columns, threads):
    import numpy as np

    from memory_peak import peak_of

    result = {}

    def work():
        x = (np.arange(n * n, dtype=np.int64) * 7919 % 1000).astype(np.float64).reshape(n, n)
        begin = time.perf_counter()
        if who == "numpy":
            y = x
            for _ in range(steps):
                y = next_step(np.pad(y, 1, mode="edge"))
        else:
            import dask.array as da

            u = da.from_array(x, chunks=(rows, columns))
            for _ in range(steps):
                u = da.map_overlap(next_step, u, depth=1, boundary="nearest", trim=False, dtype=float)
            result["tasks"] = len(u.__dask_graph__())
            y = u.compute(scheduler="threads", num_workers=threads)
        result["seconds"] = time.perf_counter() - begin
        result["values"] = [float(v) for v in (y[0, 0], y[n // 2, n // 3], y[n - 1, n - 2])]

    result["anonymous"] = peak_of(work)
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench")
    parser.add_argument("--n", type=int, default=8000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow-rounds", type=int, default=1, help="rounds of Dask and NumPy")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", nargs=3, metavar=("WHO", "ROWS", "COLUMNS"))
    o = parser.parse_args()
    if o.child:
        return child(o.child[0], o.n, o.steps, int(o.child[1]), int(o.child[2]), o.threads)

    def here(who, rows, columns):
        return [f"{o.build}/bench_stencil", who, *map(str, (o.n, o.steps, rows, columns, o.threads))]

    def there(who, rows, columns):
        numbers = (f"--{k}={v}" for k, v in (("n", o.n), ("steps", o.steps), ("threads", o.threads)))
        return [sys.executable, __file__, *numbers, "--child", who, str(rows), str(columns)]

    contenders = [("by hand, whole rows", here("hand", 0, 0), o.rounds), ("NumPy", there("numpy", 0, 0), o.slow_rounds)]
    for rows, columns in BLOCKS:
        contenders.append((f"Ashlar, {rows} x {columns}", here("ashlar", rows, columns), o.rounds))
        contenders.append((f"Dask, {rows} x {columns}", there("dask", rows, columns), o.slow_rounds))
    done = {name: [] for name, _, _ in contenders}
    for k in range(o.rounds):
        for name, command, rounds in contenders:
            if k < rounds:
                done[name].append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
    first = next(iter(done.values()))[0]["values"]
    for name, runs in done.items():
        for r in runs:
            assert all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(r["values"], first)), f"{name}: {r['values']}, not {first}"
    print("| who, blocks | seconds | peak: MiB, arrays | tasks | time to Ashlar's in the same blocks |\n|---|---|---|---|---|")
    for name, runs in done.items():
        if not runs:
            continue
        s = [r["seconds"] for r in runs]
        peak = max(r["anonymous"] for r in runs)
        same = done.get(name.replace("Dask", "Ashlar")) if name.startswith("Dask") else None
        ratio = f"{statistics.median(b['seconds'] / a['seconds'] for a, b in zip(same, runs)):.1f}" if same else ""
        tasks = runs[0].get("tasks", 0) or ""
        arrays = peak / (8 * o.n * o.n)
        print(f"| {name} | {statistics.median(s):.2f} [{min(s):.2f}–{max(s):.2f}] | {peak / 2**20:.0f}, {arrays:.2f} | {tasks} | {ratio} |")


if __name__ == "__main__":
    main()
