#!/usr/bin/env python3
"""Expressions over whole arrays beside NumPy, numexpr and, where bench_expressions was built with it, xtensor:
expressions.py --build FOLDER [--n 10000] [--rounds 3] [--threads 2].

A process for each contender, one after the other in each round; prints a table for bench/README.md.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

CASES = {
    "chain": "mean of sqrt(abs((x - 10) / 0.1)) + sin(x)",
    "sum0": "sum over axis 0",
    "stored": "2.5 x + y² - x / y, stored",
}
WHO = ("ashlar", "numpy", "numexpr", "xtensor")


def child(who, case, n, threads):
    import numexpr
    import numpy as np

    numexpr.set_num_threads(threads)
    i = np.arange(n, dtype=np.int64)
    x = 10 + ((i[:, None] * 7919 + i[None, :] * 104729) % 1000) / 5000
    y = x + 1
    out = np.empty_like(x)
    names = {"x": x, "y": y}
    work = {
        ("numpy", "chain"): lambda: (np.sqrt(np.abs((x - 10) / 0.1)) + np.sin(x)).mean(),
        ("numpy", "sum0"): lambda: x.sum(axis=0)[n // 3],
        ("numpy", "stored"): lambda: np.add(2.5 * x + y * y, -(x / y), out=out)[n - 1, n // 3],
        ("numexpr", "chain"): lambda: numexpr.evaluate("sum(sqrt(abs((x - 10) / 0.1)) + sin(x))", names) / x.size,
        ("numexpr", "sum0"): lambda: numexpr.evaluate("sum(x, axis=0)", names)[n // 3],
        ("numexpr", "stored"): lambda: numexpr.evaluate("2.5 * x + y * y - x / y", names, out=out)[n - 1, n // 3],
    }[who, case]
    work()
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        value = float(work())
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "value": value}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/bench/bench")
    parser.add_argument("--n", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", nargs=2, metavar=("WHO", "CASE"))
    o = parser.parse_args()
    if o.child:
        return child(*o.child, o.n, o.threads)
    print("| what | Ashlar | NumPy | numexpr | xtensor | NumPy / Ashlar | numexpr / Ashlar | xtensor / Ashlar |")
    print("|---|---|---|---|---|---|---|---|")
    for case, what in CASES.items():
        runs = {who: [] for who in WHO}
        values = {}
        for _ in range(o.rounds):
            for who in WHO:
                if who in ("ashlar", "xtensor"):
                    command = [f"{o.build}/bench_expressions", who, case, str(o.n), str(o.threads), "3"]
                else:
                    command = [sys.executable, __file__, f"--n={o.n}", f"--threads={o.threads}", "--child", who, case]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
                if done.returncode == 3:  # built without it
                    continue
                done.check_returncode()
                result = json.loads(done.stdout)
                runs[who].append(statistics.median(result["seconds"]))
                values[who] = result["value"]
        for who, value in values.items():
            assert abs(value - values["ashlar"]) <= 1e-9 * abs(value), f"{case}: {who} has {value}, not {values['ashlar']}"

        def beside(who):
            ratio = sorted(b / a for a, b in zip(runs["ashlar"], runs[who]))
            return f"{statistics.median(ratio):.1f} [{ratio[0]:.1f}–{ratio[-1]:.1f}]" if ratio else ""

        seconds = " | ".join(f"{statistics.median(runs[who]):.3f}" if runs[who] else "" for who in WHO)
        print(f"| {what} | {seconds} | {beside('numpy')} | {beside('numexpr')} | {beside('xtensor')} |", flush=True)


if __name__ == "__main__":
    main()
