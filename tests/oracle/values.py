"""Leaves, and values with what is known of their rounding.

A value is NumPy's result and how far Ashlar's may be from it: `tol` is None where both must be equal, else an array of
absolute errors that operations pass on. `zeros` says whether the signs of zeros are certain; which zero min() gives is
not.
"""
import numpy as np

DTYPES = ("bool", "uint8", "int8", "int32", "int64", "float32", "float64", "complex128")
EPS = {"f": 2.0**-23, "d": 2.0**-52, "D": 2.0**-52}


class Value:
    def __init__(self, array, tol=None, zeros=True):
        self.a = np.asarray(array)
        self.tol = tol
        self.zeros = zeros

    @property
    def name(self):
        return self.a.dtype.name

    @property
    def kind(self):
        return self.a.dtype.kind

    @property
    def inexact(self):
        return self.kind in "fc"

    def check(self, got):
        """None when `got` is right, else what is wrong."""
        a = self.a
        if got.dtype != a.dtype:
            return f"type {got.dtype}, NumPy has {a.dtype}"
        if got.shape != a.shape:
            return f"shape {got.shape}, NumPy has {a.shape}"
        with np.errstate(all="ignore"):
            same = got == a
            if not self.inexact:
                right = same
            elif self.kind == "c":
                right = self._near(got.real, a.real) & self._near(got.imag, a.imag)
            else:
                right = self._near(got, a)
        if np.all(right):
            return None
        where = tuple(int(i) for i in np.argwhere(~np.asarray(right))[0])
        tol = "" if self.tol is None else f" +- {self.tol[where]}"
        return f"element {where} of {a.shape} is {got[where]!r}, NumPy has {a[where]!r}{tol}"

    def _near(self, got, want):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        if self.zeros and self.tol is None:
            same &= np.isnan(want) | (np.signbit(got) == np.signbit(want))
        if self.tol is None:
            return same
        distance = np.abs(got.astype(float) - want.astype(float))
        unknown = ~np.isfinite(self.tol)  # errors as large as the numbers: nothing can be said
        return same | unknown | (distance <= self.tol)


def mixed(x):
    x = np.asarray(x, np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def elements(name, h, style):
    """The formulas of program.cpp."""
    sort = (h >> np.uint64(8)) % np.uint64(8)
    part = lambda n: (h % np.uint64(n)).astype(np.int64)
    if name == "bool":
        return (h >> np.uint64(5)) % np.uint64(2) != 0
    if name.startswith(("int", "uint")):
        info = np.iinfo(name)
        if style == 2:
            return (part(5) + 1).astype(name)
        if style == 3:
            return part(3).astype(name)
        out = (part(17) if info.min == 0 else part(17) - 8).astype(name)
        if style == 1:
            out[sort == 0] = info.min
            out[sort == 1] = info.max
        return out
    if name.startswith("float"):
        if style == 2:
            return (part(33) / 8 + 0.25).astype(name)
        if style == 3:
            return (part(3) - 1).astype(name)
        out = ((part(65) - 32) / 4).astype(name)
        if style == 1:
            out[sort == 0] = np.nan
            out[sort == 1] = np.where((h >> np.uint64(16)) % np.uint64(2) == 0, np.inf, -np.inf)[sort == 1]
            out[sort == 2] = -0.0
        return out
    plain = 0 if style == 1 else style
    out = np.empty(h.shape, name)
    out.real = elements("float64", h, plain)
    out.imag = elements("float64", mixed(h + np.uint64(1)), plain)
    if style == 1:
        out.real[sort == 0] = np.nan
    return out


def leaf_array(name, shape, style, seed):
    n = int(np.prod(shape, dtype=np.int64))
    h = mixed(np.uint64(seed) + np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return elements(name, h, style).reshape(shape)


def exact_numbers(x, count):
    """Whether sums of `count` such numbers, and of their products, round nowhere."""
    x = np.stack([x.real, x.imag]) if np.iscomplexobj(x) else x
    x = np.asarray(x, float)
    x = x[np.isfinite(x)]
    scaled = np.abs(x) * 2.0**10
    return bool(np.all(scaled == np.floor(scaled)) and (scaled.size == 0 or scaled.max() * max(count, 1) < 2.0**50))
