"""Random movement of elements."""
import numpy as np

from generator import Unfit, joined
from values import EPS, exact_numbers
from views import entry_text, random_index, random_slice


def factors(p, size, parts):
    shape = []
    for _ in range(parts - 1):
        divisors = [d for d in range(1, size + 1) if size % d == 0] if size else [0, 1, 2, 3]
        d = p.pick(divisors)
        shape.append(d)
        size = size // d if d else 0
    shape.append(size)
    return [int(shape[i]) for i in p.r.permutation(parts)] if parts else []


def reshape(p):
    k = p.value()
    size = p.values[k].a.size
    shape = factors(p, size, p.number(0 if size == 1 else 1, 4))
    if size == 0 and 0 not in shape:
        shape[-1] = 0
    if shape and p.chance(0.4):
        at = p.number(0, len(shape) - 1)
        if p.wild or np.prod(shape[:at] + shape[at + 1 :]) != 0:
            shape[at] = -1
    if p.wild and shape:
        shape[p.number(0, len(shape) - 1)] = p.number(-1, 4)
    p.moved(k, f"reshape %{k} {joined(shape)}", lambda x: np.reshape(x, shape))


def ravel(p):
    k = p.value()
    p.moved(k, f"ravel %{k}", np.ravel)


def rechunk(p):
    k = p.value()
    if p.chance(0.3) and p.values[k].a.ndim > 0:
        p.moved(k, f"rechunk_balanced %{k} {p.number(1, 4)}", lambda x: x)
    else:
        p.moved(k, f"rechunk %{k} {p.chunks(p.values[k].a.shape)}", lambda x: x)


def joinable(p, k, axis):
    """Another value that fits k along the axis."""
    v = p.values[k]
    fit = [
        l
        for l, w in enumerate(p.values)
        if w.name == v.name and w.a.ndim == v.a.ndim
        and (p.wild or all(m == n for i, (m, n) in enumerate(zip(w.a.shape, v.a.shape)) if i != axis % v.a.ndim))
    ]
    if p.chance(0.3) and v.a.ndim > 0:
        s = random_slice(p, v.a.shape[axis % v.a.ndim])
        if s.step != 0:
            at = (slice(None),) * (axis % v.a.ndim) + (s,)
            return p.moved(k, f"index %{k} " + " ".join(map(entry_text, at)), lambda x: x[at])
    if p.chance(0.3):
        shape = list(v.a.shape)
        if shape:
            shape[axis % len(shape)] = p.pick([0, 1, 2, 3])
        return p.leaf(shape, v.name)
    return p.pick(fit)


def joined_values(p, text, list_, make):
    parts = [p.values[k] for k in list_]
    tols = [np.zeros(v.a.shape) if v.tol is None else v.tol for v in parts]
    exact = all(v.tol is None for v in parts)
    if len({v.name for v in parts}) > 1:
        raise Unfit
    p.emit(text, lambda: make([v.a for v in parts]) if exact else (make([v.a for v in parts]), make(tols)), of=list_)


def concatenate(p):
    k = p.value(ndim=range(0 if p.wild else 1, 6))
    nd = p.values[k].a.ndim
    axis = p.axis(nd)
    inside = axis if -nd <= axis < nd else 0
    list_ = [k] + [joinable(p, k, inside) for _ in range(p.number(0, 3))] if nd else [k]
    order = [list_[i] for i in p.r.permutation(len(list_))]
    refs = " ".join(f"%{l}" for l in order)
    joined_values(p, f"concatenate {refs} {axis}", order, lambda xs: np.concatenate(xs, axis))


def stack(p):
    k = p.value(ndim=range(5))
    v = p.values[k]
    fit = [l for l, w in enumerate(p.values) if w.name == v.name and (p.wild or w.a.shape == v.a.shape)]
    list_ = [k] + [p.pick(fit) for _ in range(p.number(0, 2))]
    refs = " ".join(f"%{l}" for l in list_)
    axis = p.axis(v.a.ndim + 1)
    joined_values(p, f"stack {refs} {axis}", list_, lambda xs: np.stack(xs, axis))


def named_stack(p):
    name = p.pick(["vstack", "hstack", "dstack", "column_stack"])
    k = p.value(ndim=range(5))
    v = p.values[k]
    fit = [l for l, w in enumerate(p.values) if w.name == v.name and (p.wild or w.a.shape == v.a.shape)]
    list_ = [k] + [p.pick(fit) for _ in range(p.number(0, 2))]
    refs = " ".join(f"%{l}" for l in list_)
    joined_values(p, f"{name} {refs}", list_, lambda xs: getattr(np, name)(xs))


def append(p):
    k = p.value(ndim=range(1, 6))
    axis = p.number(-p.values[k].a.ndim, p.values[k].a.ndim - 1)
    l = joinable(p, k, axis)
    if p.chance(0.4):
        joined_values(p, f"append %{k} %{l}", [k, l], lambda xs: np.append(xs[0], xs[1]))
    else:
        joined_values(p, f"append %{k} %{l} {axis}", [k, l], lambda xs: np.append(xs[0], xs[1], axis))


def block(p):
    k = p.value(ndim=range(1, 5))
    l = joinable(p, k, -1)
    joined_values(p, f"block %{k} %{l} %{k} %{l}", [k, l, k, l], lambda xs: np.block([xs[:2], xs[2:]])
                  if xs[0].ndim > 1 else np.block([[np.atleast_2d(x) for x in xs[:2]], [np.atleast_2d(x) for x in xs[2:]]]))


def roll(p):
    k = p.value()
    nd = p.values[k].a.ndim
    if p.chance(0.3):
        shift = p.number(-9, 9)
        p.moved(k, f"roll %{k} {shift} all", lambda x: np.roll(x, shift))
    elif p.chance(0.5):
        shift, axis = p.number(-9, 9), p.axis(nd)
        p.moved(k, f"roll %{k} {shift} {axis}", lambda x: np.roll(x, shift, axis))
    else:
        shifts, axes = (p.number(-9, 9), p.number(-3, 3)), (p.axis(nd), p.axis(nd))
        p.moved(k, f"roll %{k} {joined(shifts)} {joined(axes)}", lambda x: np.roll(x, shifts, axes))


def tile(p):
    k = p.value(size=300, ndim=range(5))
    times = [p.pick([0, 1, 2, 2, 3]) for _ in range(p.number(0, 3))]
    if p.wild and times and p.values[k].a.size:
        times[0] = -1
    p.moved(k, f"tile %{k} {joined(times)}", lambda x: np.tile(x, times))


def repeat(p):
    k = p.value(size=500, ndim=range(1, 8))
    times, axis = p.number(-1 if p.wild and p.values[k].a.size else 0, 3), p.axis(p.values[k].a.ndim)
    p.moved(k, f"repeat %{k} {times},{axis}", lambda x: np.repeat(x, times, axis))


def set_(p):
    k = p.value()
    v = p.values[k]
    entries = [e for e in random_index(p, v.a.shape) if e is not np.newaxis]
    try:
        part = v.a[tuple(entries)]
    except (IndexError, ValueError):
        part = v.a[:0] if v.a.ndim else v.a
    same = [l for l, w in enumerate(p.values) if w.name == v.name and w.a.shape == part.shape]
    if same and p.chance(0.4):
        l = p.pick(same)
    else:
        shape = [1 if p.chance(0.3) else n for n in part.shape][p.number(0, part.ndim) :]
        if p.wild and shape:
            shape[0] += 1
        l = p.leaf(shape, v.name)
    w = p.values[l]
    v = p.values[k]

    def assigned(x, y):
        out = x.copy()
        out[tuple(entries)] = y
        return out

    tol = lambda u: np.zeros(u.a.shape) if u.tol is None else u.tol
    exact = v.tol is None and w.tol is None
    text = f"set %{k} %{l} " + " ".join(map(entry_text, entries))
    p.emit(text, lambda: assigned(v.a, w.a) if exact else (assigned(v.a, w.a), assigned(tol(v), tol(w))), of=[k, l])


def insert(p):
    k = p.value(ndim=range(1, 6))
    v = p.values[k]
    axis = p.axis(v.a.ndim)
    a = axis % v.a.ndim
    n = v.a.shape[a]
    at = p.number(-n - (2 if p.wild else 0), n + (2 if p.wild else 0))
    room = list(v.a.shape)
    room[a] = p.number(0, 2)
    if p.chance(0.5):
        shape = room
    else:
        shape = room[:a] + room[a + 1 :]
        shape = [1 if p.chance(0.2) else m for m in shape][p.number(0, len(shape)) :]
    l = p.leaf(shape, v.name)
    v, w = p.values[k], p.values[l]

    def inserted(x, y):
        if y.ndim < x.ndim:
            return np.insert(x, at, y, axis)
        np.insert(x, at, 0, axis)  # for its errors
        m = at + n if at < 0 else at
        lead = (slice(None),) * a
        return np.concatenate([x[lead + (slice(m),)], y, x[lead + (slice(m, None),)]], a)

    tol = lambda u: np.zeros(u.a.shape) if u.tol is None else u.tol
    exact = v.tol is None and w.tol is None
    p.emit(f"insert %{k} {at} {axis} %{l}",
           lambda: inserted(v.a, w.a) if exact else (inserted(v.a, w.a), inserted(tol(v), tol(w))), of=[k, l])


def delete(p):
    k = p.value(ndim=range(1, 6))
    axis = p.axis(p.values[k].a.ndim)
    n = p.values[k].a.shape[axis % p.values[k].a.ndim]
    if n == 0 and not p.wild:
        raise Unfit
    gone = random_slice(p, n) if p.chance(0.6) else p.number(-n - (2 if p.wild else 0), n - 1 + (2 if p.wild else 0))
    text = entry_text(gone) if gone != slice(None) else "::"
    p.moved(k, f"delete %{k} {axis} {text}", lambda x: np.delete(x, gone, axis))


def triangle(p):
    k = p.value(ndim=range(2, 7))
    name, offset = p.pick(["tril", "triu"]), p.number(-4, 4)
    p.moved(k, f"{name} %{k} {offset}", lambda x: getattr(np, name)(x, offset))


def diag(p):
    k = p.value(ndim=range(0 if p.wild else 1, 4 if p.wild else 3))
    offset = p.number(-4, 4)
    p.moved(k, f"diag %{k} {offset}", lambda x: np.diag(x, offset))


def split(p):
    k = p.value(ndim=range(1, 6))
    axis = p.axis(p.values[k].a.ndim)
    parts = p.number(0 if p.wild else 1, 4)
    name = p.pick(["split", "array_split"])
    if name == "split" and not p.wild and p.values[k].a.shape[axis] % parts != 0:
        raise Unfit
    part = p.number(0, max(parts, 1) - 1)
    p.moved(k, f"{name} %{k} {parts},{axis},{part}", lambda x: getattr(np, name)(x, parts, axis)[part])


def pad(p):
    names = ("bool", "uint8", "int32", "float32", "float64", "complex128")
    k = p.value(names, size=300, ndim=range(1, 7))
    v = p.values[k]
    mode = p.pick(["constant", "edge", "reflect", "symmetric", "wrap", "constant", "edge", "reflect", "symmetric",
                   "wrap", "linear_ramp", "maximum", "mean", "median", "minimum"])
    wide = p.chance(0.2)
    widths = [(p.number(0, 8 if wide else 2), p.number(0, 8 if wide else 2)) for _ in v.a.shape]
    if 0 in v.a.shape and not p.wild and mode != "constant":
        raise Unfit

    def ends(low, high):  # a number for each end of each axis, or one for all
        one = [(n, n) for n in [p.number(low, high)]]
        return [(p.number(low, high), p.number(low, high)) for _ in v.a.shape] if p.chance(0.5) else one * v.a.ndim

    options, value, odd, length = {}, [(0, 0)], False, [(0, 0)]
    if mode == "constant":
        options["constant_values"] = value = ends(0, 3)
    elif mode == "linear_ramp":
        options["end_values"] = value = ends(0, 5)
    elif mode in ("reflect", "symmetric"):
        odd = p.chance(0.3) and v.name != "bool"
        options["reflect_type"] = "odd" if odd else "even"
    elif mode in ("maximum", "mean", "median", "minimum"):
        if v.kind == "c" and mode != "mean":
            raise Unfit
        if p.chance(0.4):
            options["stat_length"] = length = ends(1, 4)
    computes = odd or mode in ("linear_ramp", "mean", "median")
    if v.tol is not None and (computes or mode in ("maximum", "minimum")):
        raise Unfit
    if computes and not np.all(np.isfinite(v.a)):
        raise Unfit

    def pairs(list_of_pairs):
        return joined([n for pair in list_of_pairs for n in pair])

    text = f"pad %{k} {mode} {pairs(widths)} {pairs(value)} {pairs(length)} {int(odd)}"

    def make():
        out = np.pad(v.a, widths, mode, **options)
        if v.tol is not None:
            return out, np.pad(v.tol, widths, mode, **({} if mode == "constant" else options))
        if not computes:
            return out
        if v.kind in "iu" and mode in ("mean", "median") or v.kind == "b":
            return out
        if not v.inexact:
            return out
        exact = odd and exact_numbers(v.a, 64)
        return out if exact else (out, 64 * EPS[v.a.dtype.char] * (np.abs(v.a).max(initial=0) + np.max(value)))

    p.emit(text, make, zeros=False if computes or mode in ("maximum", "minimum") else None, of=[k])


OPERATIONS = [
    reshape, reshape, ravel, rechunk, rechunk, concatenate, concatenate, stack, named_stack, append, block, roll, roll,
    tile, repeat, set_, set_, insert, delete, triangle, diag, split, pad, pad, pad,
]
