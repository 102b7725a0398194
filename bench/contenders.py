"""The arrays and the operations of the table, for every contender on the same memory."""

import ctypes
import mmap
import os
from pathlib import Path

import dask.array as da
import numpy as np

P, I64, INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int


def load(folder, name):
    path = Path(folder) / f"libtable_{name}.so"
    return ctypes.CDLL(str(path)) if path.exists() else None


class Ashlar:
    """One build of the Ashlar side. Arrays are opaque handles."""

    def __init__(self, library, workers):
        self.library = library
        library.table_error.restype = ctypes.c_char_p
        library.table_peak.restype = I64
        library.table_drop.argtypes = [P]
        library.table_workers(workers)

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            raise RuntimeError(self.library.table_error().decode())

    def make(self, name, *arguments):
        out = P()
        self.call(name, *arguments, ctypes.byref(out))
        return out

    def normal(self, n, block):
        return self.make("table_normal", I64(n), I64(block))

    def view(self, x, rows, columns):
        return self.make("table_view", P(x.ctypes.data), I64(x.shape[0]), I64(rows), I64(columns))

    def blocks(self, addresses, n, block):
        return self.make("table_blocks", addresses, I64(n), I64(block))

    def persist(self, handle):
        return self.make("table_persist", handle)

    def npy(self, path, rows, columns):
        return self.make("table_npy", os.fsencode(path), I64(rows), I64(columns))

    def addresses(self, handle, count):
        out = (P * count)()
        self.call("table_block_addresses", handle, out)
        return out

    def drop(self, handle):
        self.library.table_drop(handle)

    def mean(self, handle, axis, length):
        out = np.empty(length)
        self.call("table_mean", handle, INT(-1 if axis is None else axis), P(out.ctypes.data))
        return out[0] if axis is None else out

    def max(self, handle):
        out = ctypes.c_double()
        self.call("table_max", handle, ctypes.byref(out))
        return out.value

    def chain(self, handle):
        out = ctypes.c_double()
        self.call("table_chain", handle, ctypes.byref(out))
        return out.value

    def rows(self, name, handle, count, length):
        out = np.empty((count, length))
        self.call(name, handle, P(out.ctypes.data))
        return out[0] if count == 1 else out

    def mean_of_file(self, path, rows, columns, length):
        handle = self.npy(path, rows, columns)
        try:
            return self.mean(handle, 0, length)
        finally:
            self.drop(handle)


class ByHand:
    def __init__(self, library, threads):
        self.library = library
        self.threads = INT(threads)
        for name in ("read", "read_blocks", "read_mapped", "chain"):
            getattr(library, "hand_" + name).restype = ctypes.c_double

    def read(self, x):
        return self.library.hand_read(P(x.ctypes.data), I64(x.size), self.threads) / x.size

    def read_blocks(self, addresses, length):
        return self.library.hand_read_blocks(addresses, I64(len(addresses)), I64(length), self.threads) / (len(addresses) * length)

    def read_mapped(self, path, offset, n):
        return self.library.hand_read_mapped(os.fsencode(path), I64(offset), I64(n), self.threads) / n

    def chain(self, addresses, length):
        return self.library.hand_chain(addresses, I64(len(addresses)), I64(length), self.threads)

    def var(self, addresses, grid, block):
        out = np.empty(grid * block)
        self.library.hand_var(addresses, I64(grid), I64(block), P(out.ctypes.data), self.threads)
        return out

    def zscore(self, x):
        out = np.empty(x.shape[0])
        if self.library.hand_zscore(P(x.ctypes.data), I64(x.shape[0]), P(out.ctypes.data), self.threads):
            raise MemoryError("no memory for the result")
        return out

    def generate(self, n, block):
        out = np.empty(n)
        self.library.hand_generate(I64(n), I64(block), P(out.ctypes.data), self.threads)
        return out


class Eigen:
    def __init__(self, library):
        self.library = library

    def rows(self, name, x):
        out = np.empty(x.shape[0])
        getattr(self.library, "eigen_" + name)(P(x.ctypes.data), I64(x.shape[0]), P(out.ctypes.data))
        return out

    def scalar(self, name, x):
        return self.rows(name, x)[0]


class Dask:
    def __init__(self, workers):
        self.options = {"scheduler": "threads", "num_workers": workers}

    def compute(self, *lazy):
        results = da.compute(*lazy, **self.options)
        return results[0] if len(results) == 1 else np.stack(results)

    @staticmethod
    def blocks(arrays, grid, block):
        tasks = {("blocks", i, j): arrays[i * grid + j] for i in range(grid) for j in range(grid)}
        return da.Array(tasks, "blocks", chunks=((block,) * grid, (block,) * grid), dtype=np.float64)

    @staticmethod
    def views(x, chunks="auto"):
        """Views of x in blocks, of the size that Dask chooses unless given; da.from_array would hash and copy all of x."""
        rows, columns = da.core.normalize_chunks(chunks, x.shape, dtype=x.dtype)
        at = [np.cumsum((0, *lengths)) for lengths in (rows, columns)]
        tasks = {
            ("views", i, j): x[at[0][i] : at[0][i + 1], at[1][j] : at[1][j + 1]]
            for i in range(len(rows))
            for j in range(len(columns))
        }
        return da.Array(tasks, "views", chunks=(rows, columns), dtype=x.dtype)


def block_views(addresses, block):
    """NumPy arrays over blocks that Ashlar holds."""
    pointer = ctypes.POINTER(ctypes.c_double)
    return [np.ctypeslib.as_array(ctypes.cast(a, pointer), shape=(block, block)) for a in addresses]


def write_npy(path, x):
    """Writes x and leaves the file in the page cache. Returns the offset of its elements."""
    np.save(path, x)
    mapped = np.load(path, mmap_mode="r")
    offset = mapped.offset
    step = mmap.PAGESIZE // 8
    float(mapped.reshape(-1)[::step].sum())
    return offset
