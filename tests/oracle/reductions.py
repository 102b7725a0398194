"""Random reductions and scans, in float64 where Ashlar uses it."""
import numpy as np

from values import EPS, exact_numbers

NUMBERS = ("uint8", "int32", "int64", "float32", "float64", "complex128")
EVERY = ("bool",) + NUMBERS


def axes_and_text(p, nd):
    if p.chance(0.4):
        return None, "all"
    which = p.some_axes(nd)
    return tuple(which), ",".join(map(str, which)) or "-"


def wide(x):
    return x.astype(np.float64) if x.dtype == np.float32 else x


def rounded(out, like, tol):
    """A float64 result of float32 elements, rounded once; where that may go either way the tolerance has room."""
    if like.dtype == np.float32 and out.dtype == np.float64:
        out = out.astype(np.float32)
        tol = None if tol is None else tol + EPS["f"] * np.abs(out)
    return out, tol


def magnitudes(v):
    a = np.abs(v.a.astype(float) if v.kind in "biu" else v.a).astype(float)  # the lowest integer has no positive one
    return np.where(np.isfinite(a), a, 0)


def total_tolerance(v, x, axis, keep):
    """Of a sum along axes."""
    if v.tol is None and (x.dtype.kind in "biu" or exact_numbers(x, x.size)):
        return None
    tol = (magnitudes(v) * (8 + x.size) * EPS["d"]).sum(axis=axis, keepdims=keep)
    return tol if v.tol is None else tol + v.tol.sum(axis=axis, keepdims=keep)


def multiplies_safely(x):
    a = np.abs(x[np.isfinite(x)]).astype(float)
    a = a[a > 0]
    return a.size == 0 or np.abs(np.log2(a)).sum() < (100 if x.dtype == np.float32 else 900)


def product_tolerance(x, out):
    if x.dtype.kind in "biu":
        return None
    return (8 + 4 * x.size) * EPS["d"] * np.abs(out)


def reduction(p):
    from generator import Unfit

    name = p.pick(["sum", "sum", "sum", "prod", "mean", "mean", "var", "any", "all", "count_nonzero", "min", "max"])
    k = p.value(EVERY, exact=name not in ("sum", "mean", "min", "max"))
    v = p.values[k]
    if name in ("min", "max") and v.kind == "c":
        raise Unfit
    if name == "prod" and v.inexact and not multiplies_safely(v.a):
        raise Unfit
    if name == "var" and v.inexact and not np.all(np.isfinite(v.a)) and v.kind == "c":
        raise Unfit
    axis, text = axes_and_text(p, v.a.ndim)
    keep = p.chance(0.4)
    ddof = p.pick([0, 0, 1, 2]) if name == "var" else 0
    x = wide(v.a)

    def make():
        if name in ("any", "all", "count_nonzero"):
            return getattr(np, name)(v.a, axis=axis, keepdims=keep)
        if name in ("min", "max"):
            out = getattr(np, name)(v.a, axis=axis, keepdims=keep)
            return out if v.tol is None else (out, np.max(v.tol, axis=axis, keepdims=keep))
        if name == "prod":
            out = np.prod(x, axis=axis, keepdims=keep)
            return rounded(out, v.a, product_tolerance(v.a, out))
        if name == "sum":
            out = np.sum(x, axis=axis, keepdims=keep)
            return rounded(out, v.a, total_tolerance(v, x, axis, keep))
        f = x if v.inexact else x.astype(float)
        n = np.ones(x.shape).sum(axis=axis, keepdims=keep)
        mean = np.mean(f, axis=axis, keepdims=keep)
        if name == "mean":
            tol = total_tolerance(v, f, axis, keep)
            tol = None if tol is None else tol / n
            if v.kind == "c":  # NumPy divides complex numbers
                tol = (0 if tol is None else tol) + EPS["d"] * np.abs(mean) * 4
            return rounded(mean, v.a, tol)
        out = np.var(f, axis=axis, keepdims=keep, ddof=ddof)
        out = np.where(n - ddof < 0, np.nan, out)
        largest = magnitudes(v).max(axis=axis, keepdims=keep, initial=0)
        return rounded(out, v.a, (64 + n) * EPS["d"] * (np.abs(out) + EPS["d"] * largest**2))

    p.emit(f"{name} %{k} {text} {int(keep)}" + (f" {ddof}" if name == "var" else ""), make,
           zeros=False if v.inexact else None)


def arg(p):
    name = p.pick(["argmin", "argmax"])
    k = p.value(EVERY[:-1], exact=True)
    v = p.values[k]
    axis = None if v.a.ndim == 0 or p.chance(0.3) else p.axis(v.a.ndim)
    keep = p.chance(0.3)
    text = "all" if axis is None else str(axis)
    p.emit(f"{name} %{k} {text} {int(keep)}", lambda: getattr(np, name)(v.a, axis=axis, keepdims=keep))


def nan_reduction(p):
    from generator import Unfit

    name = p.pick(["nansum", "nanprod", "nanmean", "nanvar", "nanmin", "nanmax", "nanargmin", "nanargmax"])
    k = p.value(("float32", "float64"), exact=True)
    v = p.values[k]
    if name == "nanprod" and not multiplies_safely(v.a):
        raise Unfit
    keep = p.chance(0.4)
    if "arg" in name:
        axis = None if v.a.ndim == 0 or p.chance(0.3) else p.axis(v.a.ndim)
        text = "all" if axis is None else str(axis)
    else:
        axis, text = axes_and_text(p, v.a.ndim)
    ddof = p.pick([0, 0, 1, 2])
    x = wide(v.a)
    nan = np.isnan(x)

    def first(pick):
        best = pick(x, axis=axis, keepdims=True)
        if np.isnan(best).any():
            raise ValueError("All-NaN slice encountered")
        return np.argmax(x == best, axis=axis, keepdims=keep)

    def make():
        if name == "nanargmin":
            return first(np.nanmin)
        if name == "nanargmax":
            return first(np.nanmax)
        if name in ("nanmin", "nanmax"):
            return getattr(np, name)(v.a, axis=axis, keepdims=keep)
        if name == "nanprod":
            out = np.nanprod(x, axis=axis, keepdims=keep)
            return rounded(out, v.a, product_tolerance(v.a, out))
        n = (~nan).sum(axis=axis, keepdims=keep)
        if name == "nanvar":
            out = np.nanvar(x, axis=axis, keepdims=keep, ddof=ddof)
            largest = magnitudes(v).max(axis=axis, keepdims=keep, initial=0)
            return rounded(np.asarray(out), v.a, (64 + n) * EPS["d"] * (np.abs(out) + EPS["d"] * largest**2))
        out = getattr(np, name)(x, axis=axis, keepdims=keep)
        tol = total_tolerance(v, x, axis, keep)
        return rounded(np.asarray(out), v.a, tol)

    p.emit(f"{name} %{k} {text} {int(keep)}" + (f" {ddof}" if name == "nanvar" else ""), make, zeros=False)


def scan(p):
    from generator import Unfit

    name = p.pick(["cumsum", "cumsum", "cumprod", "cummin", "cummax"])
    k = p.value(("int32", "uint8", "float32", "float64", "complex128"), exact=True, ndim=range(1, 8))
    v = p.values[k]
    if name in ("cummin", "cummax") and v.kind == "c":
        raise Unfit
    if name == "cumprod" and v.inexact and not multiplies_safely(v.a):
        raise Unfit
    axis = None if p.chance(0.3) else p.axis(v.a.ndim)
    x = wide(v.a)

    def make():
        if name in ("cummin", "cummax"):
            f = np.minimum if name == "cummin" else np.maximum
            return f.accumulate(v.a.ravel() if axis is None else v.a, 0 if axis is None else axis)
        out = getattr(np, name)(x, axis=axis)
        if name == "cumprod":
            return rounded(out, v.a, product_tolerance(v.a, out))
        if not v.inexact or exact_numbers(x, x.size):
            return rounded(out, v.a, None)
        tol = np.cumsum(magnitudes(v), axis=axis) * (8 + x.size) * EPS["d"]
        return rounded(out, v.a, tol)

    p.emit(f"{name} %{k} {'all' if axis is None else axis}", make, zeros=False if v.inexact else None)


OPERATIONS = [reduction] * 7 + [arg, arg, nan_reduction, nan_reduction, scan, scan]
