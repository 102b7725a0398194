"""Random views."""
import numpy as np

from generator import Unfit, joined


def entry_text(e):
    if e is np.newaxis:
        return "new"
    if e is Ellipsis:
        return "..."
    if isinstance(e, slice):
        if e == slice(None):
            return "all"
        return ":".join("" if p is None else str(p) for p in (e.start, e.stop, e.step))
    return str(e)


def random_slice(p, n):
    end = lambda: None if p.chance(0.4) else p.number(-n - 2, n + 2)
    step = p.pick([None, None, None, 1, 2, 3, -1, -1, -2, -3, 5, 100, -100] + ([0] if p.wild else []))
    return slice(end(), end(), step)


def random_index(p, shape):
    entries = []
    for n in shape:
        sort = p.number(0, 6)
        if sort == 0:
            entries.append(slice(None))
        elif sort == 1 and (n > 0 or p.wild):
            entries.append(p.number(-n - (2 if p.wild else 0), n - 1 + (2 if p.wild else 0)))
        else:
            entries.append(random_slice(p, n))
    if p.chance(0.3):
        entries = entries[: p.number(0, len(entries))]
    elif p.chance(0.3):
        first = p.number(0, len(entries))
        last = p.number(first, len(entries))
        entries[first:last] = [Ellipsis]
    if p.chance(0.2) or p.wild:
        entries.insert(p.number(0, len(entries)), p.pick([np.newaxis] + ([Ellipsis, 0, slice(None)] if p.wild else [])))
    return entries


def index(p):
    k = p.value()
    entries = random_index(p, p.values[k].a.shape)
    p.moved(k, f"index %{k} " + " ".join(map(entry_text, entries)), lambda a: a[tuple(entries)])


def transpose(p):
    k = p.value()
    nd = p.values[k].a.ndim
    if p.chance(0.3):
        p.moved(k, f"transpose %{k} all", np.transpose)
        return
    order = p.some_axes(nd) if p.wild else [int(a) for a in p.r.permutation(nd)]
    p.moved(k, f"transpose %{k} {joined(order)}", lambda a: np.transpose(a, order))


def swapaxes(p):
    k = p.value()
    nd = p.values[k].a.ndim
    a, b = p.axis(nd), p.axis(nd)
    p.moved(k, f"swapaxes %{k} {a},{b}", lambda x: np.swapaxes(x, a, b))


def moveaxis(p):
    k = p.value()
    nd = p.values[k].a.ndim
    a = p.some_axes(nd)
    b = p.some_axes(nd) if p.wild else [int(n) for n in p.r.permutation(nd)][: len(a)]
    p.moved(k, f"moveaxis %{k} {joined(a)} {joined(b)}", lambda x: np.moveaxis(x, a, b))


def squeeze(p):
    k = p.value()
    a = p.values[k].a
    if p.chance(0.4):
        p.moved(k, f"squeeze %{k} all", np.squeeze)
        return
    which = p.some_axes(a.ndim) if p.wild else [i for i, n in enumerate(a.shape) if n == 1 and p.chance(0.7)]
    p.moved(k, f"squeeze %{k} {joined(which)}", lambda x: np.squeeze(x, tuple(which)))


def expand_dims(p):
    k = p.value(ndim=range(5))
    nd = p.values[k].a.ndim + p.number(1, 2)
    which = p.some_axes(nd)[: nd - p.values[k].a.ndim]
    if not p.wild and len(which) != nd - p.values[k].a.ndim:
        raise Unfit
    p.moved(k, f"expand_dims %{k} {joined(which)}", lambda x: np.expand_dims(x, tuple(which)))


def flip(p):
    k = p.value()
    sort = p.number(0, 3)
    if sort == 0:
        p.moved(k, f"flip %{k} all", np.flip)
    elif sort == 1 and (p.values[k].a.ndim > 1 or p.wild):
        name = p.pick(["flipud", "fliplr"])
        p.moved(k, f"{name} %{k}", getattr(np, name))
    else:
        which = p.some_axes(p.values[k].a.ndim)
        p.moved(k, f"flip %{k} {joined(which)}", lambda x: np.flip(x, tuple(which)))


def broadcast_to(p):
    k = p.value(size=200)
    shape = [p.pick([0, 1, 2, 3, 7]) if n == 1 and p.chance(0.7) else n for n in p.values[k].a.shape]
    for _ in range(p.number(0, 2)):
        shape.insert(0, p.pick([0, 1, 2, 3]))
    if p.wild and shape:
        shape[p.number(0, len(shape) - 1)] = p.number(0, 3)
        shape = shape[p.number(0, 1) :]
    p.moved(k, f"broadcast_to %{k} {joined(shape)}", lambda x: np.broadcast_to(x, shape))


def diagonal(p):
    k = p.value(ndim=range(0 if p.wild else 2, 8))
    nd = p.values[k].a.ndim
    offset, a, b = p.number(-8, 8) if p.chance(0.2) else p.number(-2, 2), p.axis(nd), p.axis(nd)
    if not p.wild and a % nd == b % nd:
        raise Unfit
    p.moved(k, f"diagonal %{k} {offset},{a},{b}", lambda x: np.diagonal(x, offset, a, b))


def rot90(p):
    k = p.value(ndim=range(0 if p.wild else 2, 8))
    nd = p.values[k].a.ndim
    times, a, b = p.number(-5, 5), p.axis(nd), p.axis(nd)
    if not p.wild and a % nd == b % nd:
        raise Unfit
    p.moved(k, f"rot90 %{k} {times},{a},{b}", lambda x: np.rot90(x, times, (a, b)))


def windows(p):
    k = p.value(ndim=range(5), size=200)
    shape = p.values[k].a.shape
    which = [int(a) for a in p.r.permutation(len(shape))][: p.number(0, 2)]
    lengths = [p.number(1, max(shape[a], 1) + (1 if p.wild else 0)) for a in which]
    if any(shape[a] == 0 for a in which) and not p.wild:
        raise Unfit
    view = np.lib.stride_tricks.sliding_window_view
    p.moved(k, f"windows %{k} {joined(lengths)} {joined(which)}", lambda x: view(x, tuple(lengths), tuple(which)))


def atleast(p):
    k = p.value(ndim=range(3))
    name = p.pick(["atleast_1d", "atleast_2d", "atleast_3d"])
    p.moved(k, f"{name} %{k}", getattr(np, name))


OPERATIONS = [index] * 5 + [
    transpose, transpose, swapaxes, moveaxis, squeeze, expand_dims, flip, flip, broadcast_to, broadcast_to, diagonal,
    rot90, windows, windows, atleast,
]
