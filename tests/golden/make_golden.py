"""Writes inputs and NumPy's results of reductions and of element-wise functions of them: make_golden.py FOLDER.

INPUT.npy is an input; INPUT.OPERATION.AXIS.npy, with AXIS a number or "all", what NumPy gives. float32 is reduced in
float64 and rounded once, as Ashlar does; all else is NumPy's default. elementwise.x.npy, .y.npy, .i.npy and .j.npy are
inputs, floating-point numbers with special ones and integers; elementwise.FUNCTION.npy what NumPy gives.
"""
import os
import sys

import numpy as np

OPERATIONS = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero")


NAN_OPERATIONS = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanargmin", "nanargmax")
OF_X = (
    "arcsin arccos arctan sinh cosh arcsinh arccosh arctanh cbrt exp2 log2 log10 trunc fix rint fabs reciprocal signbit "
    "spacing isposinf isneginf isinf deg2rad rad2deg nan_to_num angle square sign"
).split()
OF_X_AND_Y = (
    "fmin fmax fmod remainder floor_divide copysign nextafter logaddexp logaddexp2 arctan2 hypot isclose power"
).split()
OF_I = "invert sign absolute square fabs trunc arctan signbit".split()
OF_I_AND_J = (
    "bitwise_and bitwise_or bitwise_xor left_shift right_shift fmod remainder floor_divide fmin fmax float_power copysign"
).split()


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


def elementwise():
    random = np.random.default_rng(20250311)
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e308, -1e308, 0.3]
    x = np.concatenate([np.repeat(special, 16), random.normal(0, 3, 500), random.uniform(-1, 1, 300)])
    y = np.concatenate([np.tile(special, 16), random.normal(0, 2, 500), np.round(random.uniform(-3, 3, 300))])
    i = np.concatenate([[-(2**31), 2**31 - 1, 0, -1, 1, -7, 7, 100], random.integers(-1000, 1000, 500)]).astype(np.int32)
    j = np.concatenate([[-1, 31, 0, 32, 33, 2, -2, 1000], random.integers(-40, 40, 500)]).astype(np.int32)
    yield from {"x": x, "y": y, "i": i, "j": j}.items()
    for name in OF_X:
        yield name, getattr(np, name)(x)
    for name in OF_X_AND_Y:
        yield name, getattr(np, name)(x, y)
    for name in OF_I:
        yield "int." + name, getattr(np, name)(i)
    for name in OF_I_AND_J:
        yield "int." + name, getattr(np, name)(i, j)
    # at the ends of the range NumPy's own way overflows
    moderate = np.where(np.abs(x) > 1e300, 1, x)
    yield "sinc", np.sinc(moderate)
    for decimals in (0, 2, -1):
        yield f"round.{decimals}", np.round(moderate, decimals)
        yield f"int.round.{decimals}", np.round(i[2:], decimals)
    for name, pair in (("frexp", np.frexp(x)), ("modf", np.modf(x)), ("divmod", np.divmod(x, y))):
        for number, part in enumerate(pair):
            yield f"{name}.{number}", part
    index = np.resize(i, x.size) % 3
    yield "index", index
    yield "choose", np.choose(index, [x, y, x + y])
    yield "ldexp", np.ldexp(x, index)
    yield "isclose.nan", np.isclose(x, y, rtol=0.1, atol=0.2, equal_nan=True)
    yield "select", np.select([x < -1, x < 1], [x * 2, y], 7)
    yield "piecewise", np.piecewise(x, [x < -1, x > 1], [lambda v: -v, 5, 2])
    yield "isin", np.isin(i, [0, 7, -7, 5])


def summaries(values):
    weights = np.abs(values) + 1
    line = np.arange(values.shape[0]) % 5 + 1.0
    yield "ptp", np.ptp(values, axis=0)
    yield "average", np.average(values, axis=1, weights=weights)
    yield "average.line", np.average(values, axis=0, weights=line)
    yield "trace", np.asarray(np.trace(values, offset=3))
    for order in (0, 1, 2, 3, 0.5, np.inf, -np.inf):
        yield f"norm.{order}", np.linalg.norm(values, order, axis=1)
    yield "norm", np.asarray(np.linalg.norm(values))


def main():
    folder = sys.argv[1]
    np.seterr(all="ignore")
    for name, values in elementwise():
        np.save(os.path.join(folder, f"elementwise.{name}.npy"), values)
    for name, values in inputs():
        np.save(os.path.join(folder, name + ".npy"), values)
        if name == "float64":
            for operation, result in summaries(values):
                np.save(os.path.join(folder, f"{name}.{operation}.npy"), result)
        for operation in OPERATIONS + (NAN_OPERATIONS if name == "float64_special" else ()):
            if np.iscomplexobj(values) and operation in ("min", "max", "argmin", "argmax"):
                continue
            for axis in (None, *range(values.ndim)):
                text = "all" if axis is None else str(axis)
                np.save(os.path.join(folder, f"{name}.{operation}.{text}.npy"), reduce(values, operation, axis))


if __name__ == "__main__":
    main()
