"""The rows of gpu.cu in PyTorch, eager and compiled, and CuPy: gpu_peers.py [rounds [n]]. A line of JSON for each."""

import json
import sys

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
n = int(sys.argv[2]) if len(sys.argv) > 2 else 20000


def say(row, who, times):
    times = sorted(times)
    print(json.dumps({"row": row, "who": who, "device_ms": [times[0], times[len(times) // 2], times[-1]]}), flush=True)


def with_torch():
    import torch

    x = torch.empty(n, n, dtype=torch.float64, device="cuda").normal_(10, 0.1)

    def measure(row, f, who="PyTorch"):
        times = []
        for r in range(rounds + 3):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            f()
            end.record()
            torch.cuda.synchronize()
            if r >= 3:
                times.append(begin.elapsed_time(end))
        say(row, who, times)

    chain = lambda: torch.sqrt(torch.abs((x - 10) / 0.1)) + torch.sin(x)
    rows = {
        "mean over axis 0": lambda: x.mean(0),
        "mean over axis 1": lambda: x.mean(1),
        "mean of all": lambda: x.mean(),
        "max of all": lambda: x.max(),
        "var over axis 0": lambda: x.var(0),
        "argmax over axis 0": lambda: x.argmax(0),
        "mean of sqrt(abs((x - 10) / 0.1)) + sin(x)": lambda: chain().mean(),
        "mean of (x - 10)^2 over axis 0": lambda: ((x - 10) * (x - 10)).mean(0),
        "sqrt(abs((x - 10) / 0.1)) + sin(x)": chain,
        "z-score": lambda: (x - x.mean(0)) / x.std(0),
        "2.5 x + 1": lambda: 2.5 * x + 1,
        "transpose": lambda: x.T.contiguous(),
        "normal(10, 0.1), mean over axis 0": lambda: torch.empty_like(x).normal_(10, 0.1).mean(0),
        "cumsum over axis 0": lambda: x.cumsum(0),
        "cumsum over axis 1": lambda: x.cumsum(1),
    }
    for row, f in rows.items():
        measure(row, f)
    for row in ("mean of sqrt(abs((x - 10) / 0.1)) + sin(x)", "sqrt(abs((x - 10) / 0.1)) + sin(x)", "z-score",
                "mean of (x - 10)^2 over axis 0", "var over axis 0", "mean over axis 0"):
        measure(row, torch.compile(rows[row]), "torch.compile")
    side = n // 20
    blocks = [[x[i:i + side, j:j + side].contiguous() for j in range(0, n, side)] for i in range(0, n, side)]
    measure("mean over axis 0", lambda: torch.cat([sum(b[j].sum(0) for b in blocks) / n for j in range(n // side)]),
            "PyTorch, in blocks")


def with_cupy():
    import cupy

    x = cupy.random.normal(10, 0.1, (n, n))

    def measure(row, f):
        times = []
        for r in range(rounds + 3):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            f()
            end.record()
            end.synchronize()
            if r >= 3:
                times.append(cupy.cuda.get_elapsed_time(begin, end))
        say(row, "CuPy", times)

    measure("mean over axis 0", lambda: x.mean(0))
    measure("mean over axis 1", lambda: x.mean(1))
    measure("mean of all", lambda: x.mean())
    measure("max of all", lambda: x.max())
    measure("var over axis 0", lambda: x.var(0))
    measure("2.5 x + 1", lambda: 2.5 * x + 1)
    measure("cumsum over axis 0", lambda: cupy.cumsum(x, 0))


for peer in (with_torch, with_cupy):
    try:
        peer()
    except Exception as problem:  # a peer that is not there is no reason to lose the others
        print(f"{peer.__name__}: {problem}", file=sys.stderr)
