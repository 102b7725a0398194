#!/usr/bin/env python3
"""Hard workloads, each in a process of its own, Ashlar free and within a limit beside Dask's threads:
workloads.py --build FOLDER [--sizes 1,4] [--limit 256] [--rounds 3] [--dask-rounds 1].

Prints a table for bench/README.md: medians of the rounds, peak anonymous memory beyond the idle process.
"""

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time

NAMES = ("basic_sum", "quadratic_means", "residual", "residual_of_kept", "tiny_tasks")


def dask_child(name, gib, threads):
    import dask
    import dask.array as da

    from memory_peak import peak_of

    def work():
        rng = da.random.default_rng(7)
        if name == "quadratic_means":
            shape, blocks = (512 * gib, 256, 512), (8, 256, 512)
            u, v = rng.random(shape, chunks=blocks), rng.random(shape, chunks=blocks)
            results = (u * u).mean(axis=0), (v * v).mean(axis=0), (u * v).mean(axis=0)
        else:
            x = rng.random((8192, 16384 * gib), chunks=1024)
            if name == "basic_sum":
                results = (x.sum(axis=1),)
            elif name == "residual":
                results = ((x - x.mean(axis=0)).sum(),)
            else:
                y = da.sqrt(x)
                results = ((y - y.mean()).sum(),)
        dask.compute(*results, scheduler="threads", num_workers=threads)

    begin = time.perf_counter()
    peak = peak_of(work)
    print(json.dumps({"seconds": time.perf_counter() - begin, "anonymous": peak}))


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench")
    parser.add_argument("--sizes", default="1,4", help="GiB of input")
    parser.add_argument("--limit", type=int, default=256, help="MiB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dask-rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dask-child", nargs=2, metavar=("NAME", "GIB"))
    options = parser.parse_args()
    if options.dask_child:
        return dask_child(options.dask_child[0], int(options.dask_child[1]), options.threads)

    mib = 2.0**20
    print(f"| input | free: s, MiB | limit {options.limit} MiB: s, MiB, predicted MiB, blocks spilled | limit / free | Dask: s, MiB |")
    print("|---|---|---|---|---|")
    for name in NAMES:
        for gib in ([1] if name == "tiny_tasks" else map(int, options.sizes.split(","))):
            free, within, dask = [], [], []
            for k in range(options.rounds):
                for limit, to in ((0, free), (options.limit, within)):
                    to.append(run([f"{options.build}/bench_workloads", name, str(gib), str(limit), str(options.threads)]))
                if k < options.dask_rounds and name != "tiny_tasks":
                    dask.append(run([sys.executable, __file__, "--dask-child", name, str(gib), "--threads", str(options.threads)]))
            if None in free or None in within:
                print(f"| {name}, {gib} GiB | failed | | | |")
                continue
            assert len({r["value"] for r in free + within}) == 1, f"{name}: the limit changed the result"
            s = [statistics.median(r["seconds"] for r in rows) for rows in (free, within)]
            ratio = statistics.median(b["seconds"] / a["seconds"] for a, b in zip(free, within))
            peak = [max(r["anonymous"] for r in rows) / mib for rows in (free, within)]
            predicted, spills = within[0]["predicted"] / mib, within[0]["spills"]
            size = f"{free[0]['tasks']} tasks" if name == "tiny_tasks" else f"{gib} GiB"
            if not dask:
                beside = ""
            elif None in dask:
                beside = "failed"
            else:
                beside = f"{statistics.median(r['seconds'] for r in dask):.2f}, {max(r['anonymous'] for r in dask) / mib:.0f}"
            print(f"| {name}, {size} | {s[0]:.2f}, {peak[0]:.0f} | {s[1]:.2f}, {peak[1]:.0f}, {predicted:.0f}, {spills} | {ratio:.2f} | {beside} |", flush=True)


if __name__ == "__main__":
    main()
