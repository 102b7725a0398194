"""Random element-wise operations."""
import numpy as np

from generator import FLOATS, NUMBERS, REALS, WHOLE, Unfit
from values import DTYPES, EPS, exact_numbers

tiny = 1e-300


def tolerance(v):
    return np.zeros(v.a.shape) if v.tol is None else v.tol


def eps(a):
    return EPS.get(a.dtype.char, EPS["d"])


def add(p):
    name = p.pick(["add", "subtract", "multiply", "multiply"])
    k = p.value()
    l = p.partner(k)
    k, l = p.common(k, l, NUMBERS)
    x, y = p.values[k], p.values[l]

    def make():
        out = getattr(np, name)(x.a, y.a)
        rounded = out.dtype.kind == "c" and name == "multiply" and not exact_numbers(np.append(x.a, y.a), 2**12)
        if x.tol is None and y.tol is None and not rounded:
            return out
        s, t = tolerance(x), tolerance(y)
        size = np.abs(out).astype(float)
        if name != "multiply":
            return out, s + t + eps(out) * size
        m, n = np.abs(x.a).astype(float), np.abs(y.a).astype(float)
        return out, m * t + n * s + s * t + 4 * eps(out) * m * n

    p.emit(f"{name} %{k} %{l}", make, of=[k, l])


def divide(p):
    name = p.pick(["divide", "divide", "floor_divide", "remainder", "fmod"])
    k = p.value(exact=True)
    l = p.partner(k)
    k, l = p.common(k, l, NUMBERS if name == "divide" else WHOLE + FLOATS)
    x, y = p.values[k], p.values[l]
    if y.tol is not None or not (x.zeros and y.zeros):
        raise Unfit
    if x.kind == "c" and not (np.all(y.a) and np.all(np.isfinite(x.a)) and np.all(np.isfinite(y.a))):
        raise Unfit

    def make():
        out = getattr(np, name)(x.a, y.a)
        return (out, 16 * eps(out) * np.abs(out)) if x.kind == "c" else out

    p.emit(f"{name} %{k} %{l}", make, of=[k, l])


def compare(p):
    name = p.pick(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
    k = p.value(exact=True)
    l = p.partner(k)
    if name in ("equal", "not_equal"):
        k, l = p.common(k, l, DTYPES)
    else:
        k, l = p.common(k, l, REALS)
    x, y = p.values[k], p.values[l]
    if y.tol is not None:
        raise Unfit
    p.emit(f"{name} %{k} %{l}", lambda: getattr(np, name)(x.a, y.a))


def logic(p):
    name = p.pick(["logical_and", "logical_or", "logical_xor"])
    k = p.value(exact=True)
    l = p.partner(k)
    k, l = p.common(k, l, DTYPES)
    x, y = p.values[k], p.values[l]
    if y.tol is not None:
        raise Unfit
    p.emit(f"{name} %{k} %{l}", lambda: getattr(np, name)(x.a, y.a))


def lesser(p):
    name = p.pick(["minimum", "maximum", "fmin", "fmax"])
    k = p.value(exact=True)
    l = p.partner(k)
    k, l = p.common(k, l, FLOATS if name[0] == "f" else REALS)
    x, y = p.values[k], p.values[l]
    if y.tol is not None:
        raise Unfit
    p.emit(f"{name} %{k} %{l}", lambda: getattr(np, name)(x.a, y.a), zeros=False if x.kind == "f" else None, of=[k, l])


def bits(p):
    name = p.pick(["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
    k = p.value(("bool",) + WHOLE)
    l = p.partner(k)
    if p.values[l].kind not in "biu":
        raise Unfit
    k, l = p.common(k, l, WHOLE if "shift" in name else ("bool",) + WHOLE)
    x, y = p.values[k], p.values[l]
    p.emit(f"{name} %{k} %{l}", lambda: getattr(np, name)(x.a, y.a))


def two_floats(p):
    name = p.pick(["copysign", "arctan2", "hypot"])
    k = p.value(exact=True)
    l = p.partner(k)
    k, l = p.common(k, l, FLOATS)
    x, y = p.values[k], p.values[l]
    if y.tol is not None or not (x.zeros and y.zeros):
        raise Unfit

    def make():
        out = getattr(np, name)(x.a, y.a)
        return out if name == "copysign" else (out, 32 * eps(out) * np.abs(out) + tiny)

    p.emit(f"{name} %{k} %{l}", make, of=[k, l])


def power(p):
    k = p.value(exact=True)
    if p.values[k].kind == "c":
        raise Unfit
    whole = p.values[k].kind in "biu"
    name = p.pick(["int32", "int64"]) if whole else "float64"
    k = p.cast(k, name)
    shape = [1 if p.chance(0.3) else n for n in p.values[k].a.shape]
    l = p.leaf(shape, name, p.pick([0, 2]) if p.wild or not whole else 2)
    x, y = p.values[k], p.values[l]
    if not x.zeros:
        raise Unfit

    def make():
        out = np.power(x.a, y.a)
        return out if whole else (out, 32 * eps(out) * np.abs(out) + tiny)

    p.emit(f"power %{k} %{l}", make, of=[k, l])


def with_number(p):
    name = p.pick(["add_number", "multiply_number", "equal_number"])
    k = p.value(NUMBERS, exact=True)
    v = p.values[k]
    n = p.number(0 if name == "equal_number" else -3, 5)
    f = {"add_number": lambda: v.a + n, "multiply_number": lambda: n * v.a, "equal_number": lambda: v.a == n}[name]
    if v.kind == "c" and name == "multiply_number" and not exact_numbers(v.a, 2**12):
        raise Unfit
    p.emit(f"{name} %{k} {n}", f, of=[k])


def function(p):
    exact = ("floor", "ceil", "trunc", "rint", "sign")
    name = p.pick(["negative", "absolute", "square", *exact])
    k = p.value(NUMBERS)
    v = p.values[k]
    if name in exact and (v.tol is not None or v.kind == "c"):
        raise Unfit
    if name == "square" and v.tol is not None:
        raise Unfit

    def make():
        out = getattr(np, name)(v.a)
        if v.tol is not None:
            return out, v.tol + 2 * eps(out) * np.abs(out)
        if v.kind == "c" and name != "negative" and not (name == "square" and exact_numbers(v.a, 2**12)):
            return out, 8 * eps(out) * np.abs(v.a) ** (2 if name == "square" else 1)
        return out

    if name in exact and v.kind in "iu" and name != "sign":
        p.emit(f"{name} %{k}", lambda: v.a, of=[k])
    else:
        p.emit(f"{name} %{k}", make, of=[k])


def float_function(p):
    rounded = ("exp", "sin", "cos", "arctan", "tanh")
    name = p.pick(["sqrt", "reciprocal", "signbit", "isnan", "isfinite", "nan_to_num", *rounded])
    k = p.value(FLOATS, exact=True)
    v = p.values[k]
    if name in ("reciprocal", "signbit") and not v.zeros:
        raise Unfit

    def make():
        if name == "nan_to_num":
            return np.nan_to_num(v.a, nan=1.5, posinf=9, neginf=-9)
        out = getattr(np, name)(v.a)
        return (out, 32 * eps(out) * np.abs(out) + tiny) if name in rounded else out

    p.emit(f"{name} %{k}", make, of=[k])


def part(p):
    name = p.pick(["real", "imag", "conj"])
    k = p.value(("complex128", "float64", "int32"))
    v = p.values[k]
    p.emit(f"{name} %{k}", lambda: (getattr(np, name)(v.a), v.tol), of=[k])


def negation(p):
    name = p.pick(["invert", "logical_not"])
    k = p.value(("bool",) + WHOLE if name == "invert" else None, exact=True)
    v = p.values[k]
    p.emit(f"{name} %{k}", lambda: getattr(np, name)(v.a))


def astype(p):
    k = p.value()
    name = p.pick(DTYPES)
    if name == p.values[k].name:
        raise Unfit
    p.cast(k, name)


def where(p):
    k = p.value()
    l = p.partner(k)
    c = p.partner(k)
    if p.values[c].tol is not None:
        raise Unfit
    c = p.cast(c, "bool")
    k, l = p.common(k, l, DTYPES)
    c, x, y = (p.values[i] for i in (c, k, l))
    refs = f"where %{p.values.index(c)} %{k} %{l}"
    if x.tol is None and y.tol is None:
        p.emit(refs, lambda: np.where(c.a, x.a, y.a), of=[k, l])
    else:
        p.emit(refs, lambda: (np.where(c.a, x.a, y.a), np.where(c.a, tolerance(x), tolerance(y))), of=[k, l])


def clip(p):
    k = p.value(exact=True)
    l = p.partner(k)
    h = p.partner(k)
    name = np.result_type(*(p.values[i].a for i in (k, l, h))).name
    k, l, h = p.allowed(name, WHOLE + FLOATS, k, l, h)
    x, y, z = (p.values[i] for i in (k, l, h))
    if y.tol is not None or z.tol is not None:
        raise Unfit
    p.emit(f"clip %{k} %{l} %{h}", lambda: np.clip(x.a, y.a, z.a), zeros=False if x.kind == "f" else None, of=[k])


def mixed(p):
    """Two types in one operation, without a conversion in front of it."""
    pairs = [("uint8", "int8"), ("int32", "float32"), ("int64", "float64"), ("float32", "float64"), ("bool", "int64")]
    first, second = p.pick(pairs)
    k = p.value((first,), exact=True)
    l = p.leaf([1 if p.chance(0.3) else n for n in p.values[k].a.shape], second)
    name = p.pick(["add", "multiply", "less"])
    x, y = p.values[k], p.values[l]
    p.emit(f"mixed_{name} %{k} %{l}", lambda: getattr(np, name)(x.a, y.a), of=[k, l])


def diff(p):
    k = p.value(("bool", "uint8", "int32", "float64"), exact=True, ndim=range(0 if p.wild else 1, 8))
    v = p.values[k]
    times, axis = p.number(-1 if p.wild else 0, 3), p.axis(v.a.ndim)
    if times == 0 and not -v.a.ndim <= axis < v.a.ndim:
        raise Unfit  # NumPy does not look at the axis then
    p.emit(f"diff %{k} {times} {axis}", lambda: np.diff(v.a, times, axis), of=[k])


def trace(p):
    k = p.value(("uint8", "int32", "float64"), exact=True, ndim=range(0 if p.wild else 2, 8))
    v = p.values[k]
    offset, a, b = p.number(-3, 3), p.axis(v.a.ndim), p.axis(v.a.ndim)
    if not p.wild and a % v.a.ndim == b % v.a.ndim or not exact_numbers(v.a, v.a.size):
        raise Unfit
    p.emit(f"trace %{k} {offset},{a},{b}", lambda: np.trace(v.a, offset, a, b), zeros=v.kind != "f")


OPERATIONS = [
    add, add, add, add, divide, compare, compare, logic, lesser, bits, two_floats, power, with_number, function,
    float_function, float_function, part, negation, astype, astype, where, where, clip, mixed, mixed, diff, diff,
    trace,
]
