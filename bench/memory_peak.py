"""Anonymous memory that one reduction takes, in a process of its own: memory_peak.py FOLDER KIND N BLOCK WORKERS [FILE].

Sampled is RssAnon of /proc/self/status, so pages of a mapped file do not count; printed is what the reduction adds to
the idle process, and the peak of Ashlar's own counter.
"""

import json
import subprocess
import sys
import threading

KINDS = ("ashlar generated", "ashlar mapped", "dask generated", "dask mapped")


def rss_anon():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no RssAnon")


def peak_of(run):
    before = rss_anon()
    highest = [before]
    stop = threading.Event()

    def watch():
        while not stop.wait(0.0005):
            highest[0] = max(highest[0], rss_anon())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        run()
    finally:
        stop.set()
        watcher.join()
    return max(highest[0], rss_anon()) - before


def child(folder, kind, n, block, workers, path=None):
    from contenders import Ashlar, Dask, load

    n, block, workers = int(n), int(block), int(workers)
    if kind.startswith("ashlar"):
        ashlar = Ashlar(load(folder, "native"), workers)

        def run():
            if path is None:
                ashlar.mean(ashlar.normal(n, block), 0, n)
            else:
                ashlar.mean_of_file(path, block, block, n)

        return {"peak": peak_of(run), "counter": ashlar.library.table_peak()}
    import dask.array as da
    import numpy as np

    dask = Dask(workers)
    if path is None:
        lazy = da.random.default_rng(1).normal(10, 0.1, (n, n), chunks=block).mean(axis=0)
    else:
        lazy = dask.views(np.load(path, mmap_mode="r"), block).mean(axis=0)
    return {"peak": peak_of(lambda: dask.compute(lazy))}


def measure(folder, kind, n, block, workers, path=None):
    command = [sys.executable, __file__, str(folder), kind, str(n), str(block), str(workers)]
    done = subprocess.run(command + ([path] if path else []), stdout=subprocess.PIPE, text=True, check=True)
    return {"kind": kind, "n": n, "allowed": (64 << 20) + 3 * workers * block * block * 8, **json.loads(done.stdout)}


if __name__ == "__main__":
    print(json.dumps(child(*sys.argv[1:])))
