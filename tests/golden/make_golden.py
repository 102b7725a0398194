"""Writes inputs and NumPy's results of reductions of them: make_golden.py FOLDER.

INPUT.npy is an input; INPUT.OPERATION.AXIS.npy, with AXIS a number or "all", what NumPy gives. float32 is reduced in
float64 and rounded once, as Ashlar does; all else is NumPy's default.
"""
import os
import sys

import numpy as np

OPERATIONS = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero")


def inputs():
    random = np.random.default_rng(20240607)
    doubles = random.normal(10, 0.1, (130, 77))
    yield "float64", doubles
    yield "float64_3d", random.uniform(-1, 1, (17, 40, 9))
    yield "float64_long", random.normal(0, 1, (3, 5000))
    yield "float64_columns", np.asfortranarray(random.normal(-3, 2, (70, 50)))
    yield "float64_offset", 1e9 + random.uniform(-1, 1, (100, 40))
    special = random.normal(0, 1, (40, 30))
    special[random.integers(0, 40, 9), random.integers(0, 30, 9)] = np.nan
    special[3, 4], special[5, 6] = np.inf, -np.inf
    yield "float64_special", special
    yield "float32", random.normal(10, 0.1, (99, 65)).astype(np.float32)
    yield "int32", random.integers(-50, 50, (60, 41), dtype=np.int32)
    yield "int64", random.integers(-(2**62), 2**62, (33, 20), dtype=np.int64)
    yield "uint8", random.integers(0, 256, (77, 130), dtype=np.uint8)
    yield "bool", random.integers(0, 9, (50, 60)) > 0
    yield "complex128", random.normal(0, 1, (40, 30)) + 1j * random.normal(0, 1, (40, 30))


def reduce(values, operation, axis):
    if operation == "count_nonzero":
        return np.asarray(np.count_nonzero(values, axis=axis))
    if values.dtype == np.float32 and operation in ("sum", "prod", "mean", "var", "std"):
        return np.asarray(getattr(np, operation)(values, axis=axis, dtype=np.float64)).astype(np.float32)
    return np.asarray(getattr(np, operation)(values, axis=axis))


def main():
    folder = sys.argv[1]
    np.seterr(all="ignore")
    for name, values in inputs():
        np.save(os.path.join(folder, name + ".npy"), values)
        for operation in OPERATIONS:
            if np.iscomplexobj(values) and operation in ("min", "max", "argmin", "argmax"):
                continue
            for axis in (None, *range(values.ndim)):
                text = "all" if axis is None else str(axis)
                np.save(os.path.join(folder, f"{name}.{operation}.{text}.npy"), reduce(values, operation, axis))


if __name__ == "__main__":
    main()
