"""Random programs, and what NumPy makes of them.

A program is a list of statements in the language of oracle.cpp; NumPy computes each value while the program grows, so
that arguments can be chosen that fit the shapes, and that do not: one in some forty is chosen without care, and where
NumPy raises, Ashlar must too.

Where Ashlar differs on purpose, the reference is Ashlar's rule, and the reason stands there:
- sums, products, means, variances and running sums of float32 are made in float64 and rounded once: more exact;
- var with n < ddof is NaN, where NumPy gives inf: the variance of too few numbers is unknown;
- nanargmin, nanargmax of [NaN, inf] is 1, where NumPy's is 0: inf is a number, NaN is not;
- insert of an array with all axes puts it in along the axis, as NumPy does for a list of one position;
- repeat and tile refuse negative numbers, where NumPy lets them pass for arrays without elements;
- repeat, scans and argmin along an axis of a number are refused, where NumPy takes it for one of one element;
- in reshape -1 stands for what is left, no other negative number;
- windows have one element or more, and an axis once; roll takes a shift for each axis; tril and triu take two axes or
  more; a value to be set has no more axes than what it is set to, and newaxis picks nothing to be set; extrema of
  complex numbers and odd reflections of bool are refused: such programs are not made.
"""
import warnings

import numpy as np

import reductions
from values import DTYPES, EPS, Value, exact_numbers, leaf_array

ERRORS = (ValueError, IndexError, TypeError, OverflowError, ZeroDivisionError)
NUMBERS = ("uint8", "int8", "int32", "int64", "float32", "float64", "complex128")
REALS = ("bool", "uint8", "int8", "int32", "int64", "float32", "float64")
WHOLE = ("uint8", "int8", "int32", "int64")
FLOATS = ("float32", "float64")
LIMIT = 3000  # elements of a value


class Ended(Exception):
    """A statement that NumPy refuses."""


class Unfit(Exception):
    """The operation does not go with the values; another one is taken."""


def joined(numbers):
    return ",".join(str(int(n)) for n in numbers) or "-"


class Program:
    def __init__(self, seed, folder):
        self.r = np.random.default_rng(seed)
        self.folder = folder
        self.statements = []
        self.values = []
        self.results = []
        self.error = None
        self.wild = False

    # ---- choices

    def chance(self, p):
        return self.r.random() < p

    def pick(self, options):
        return options[int(self.r.integers(len(options)))]

    def number(self, low, high):
        return int(self.r.integers(low, high + 1))

    def axis(self, nd):
        if self.wild:
            return self.number(-nd - 2, nd + 1)
        if nd == 0:
            raise Unfit
        return self.number(-nd, nd - 1)

    def some_axes(self, nd, low=0):
        if self.wild:
            return [self.number(-nd - 1, nd) for _ in range(self.number(0, 3))]
        if nd < low:
            raise Unfit
        order = list(self.r.permutation(nd))[: self.number(low, nd)]
        return [int(a) - (nd if self.chance(0.3) else 0) for a in order]

    def value(self, names=None, exact=False, ndim=None, size=None):
        """An index of an earlier value, later ones rather than early ones."""
        fit = [
            k
            for k, v in enumerate(self.values)
            if (names is None or v.name in names)
            and not (exact and v.tol is not None)
            and (ndim is None or v.a.ndim in ndim)
            and (size is None or v.a.size <= size)
        ]
        if not fit:
            raise Unfit
        return fit[-1 - min(int(self.r.geometric(0.35)) - 1, len(fit) - 1)]

    # ---- statements

    def emit(self, text, make, zeros=None, of=()):
        """Adds a statement; `make` gives an array, or a pair of it and its tolerance."""
        if len(self.statements) != len(self.values):
            raise AssertionError("statements and values go together")
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                out = make()
        except ERRORS as e:
            self.statements.append(text)
            self.error = f"{type(e).__name__}: {e}"
            raise Ended from e
        array, tol = out if isinstance(out, tuple) else (out, None)
        array = np.asarray(array)
        if array.size > LIMIT or array.ndim > 7:
            raise Unfit
        if zeros is None:
            zeros = all(self.values[k].zeros for k in of)
        if tol is not None:
            tol = np.broadcast_to(np.asarray(tol, float), array.shape)
        self.statements.append(text)
        self.values.append(Value(array, tol, zeros and tol is None))
        return len(self.values) - 1

    def moved(self, k, text, move):
        """A statement that moves elements: what happens to the elements happens to their tolerances."""
        v = self.values[k]

        def make():
            return move(v.a) if v.tol is None else (move(v.a), move(v.tol))

        return self.emit(text, make, of=[k])

    def cuts(self, n):
        sort = self.number(0, 3)
        if n == 0:
            return [0] * self.number(1, 2)
        if sort == 0:
            return [n]
        if sort == 1:
            size = self.number(1, n)
            return [size] * (n // size) + ([n % size] if n % size else [])
        places = sorted(self.number(0, n) for _ in range(self.number(0, 3)))
        return list(np.diff([0, *places, n]))

    def chunks(self, shape):
        return "/".join("+".join(str(int(c)) for c in self.cuts(n)) for n in shape) or "-"

    def shape(self):
        lengths = [0, 1, 2, 2, 3, 3, 7]
        shape = [self.pick(lengths) for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
        if shape and self.chance(0.1):  # longer than the lanes and leaves of loops
            shape[self.number(0, len(shape) - 1)] = self.pick([33, 70, 140, 530])
        return tuple(shape) if np.prod(shape) <= LIMIT else self.shape()

    def leaf(self, shape=None, name=None, style=None):
        shape = self.shape() if shape is None else tuple(int(n) for n in shape)
        name = name or self.pick(DTYPES)
        if name not in DTYPES:
            raise Unfit
        style = self.pick([0, 0, 1, 2, 3]) if style is None else style
        seed = self.number(0, 2**40)
        array = leaf_array(name, shape, style, seed)
        source = self.pick(["generated", "memory_c", "memory_f", "memory_r", "persisted", "npy"])
        head = f"leaf {name} {joined(shape)} {self.chunks(shape)} {source}"
        if source != "npy":
            return self.emit(f"{head} {style} {seed}", lambda: array)
        path = f"{self.folder}/{seed}.npy"
        stored = np.asfortranarray(array) if self.chance(0.3) and array.ndim > 1 else array
        if self.chance(0.2):
            stored = stored.astype(stored.dtype.newbyteorder(">"))
        np.save(path, stored)
        return self.emit(f"{head} {path}", lambda: array)

    def cast(self, k, name):
        """The value as another type; values that the type cannot hold are not converted."""
        v = self.values[k]
        if v.name == name:
            return k
        to = np.dtype(name)
        if v.kind == "c" and to.kind not in "cb":
            raise Unfit
        if v.tol is not None and to.kind not in "fc":
            raise Unfit
        if v.kind == "f" and to.kind in "iu":
            low, high = (np.iinfo(name).min, np.iinfo(name).max) if to.itemsize < 8 else (-(2.0**62), 2.0**62)
            t = np.trunc(v.a.astype(float))
            if not np.all((t >= low) & (t <= high)):
                raise Unfit
        tol = None if v.tol is None else v.tol + np.abs(v.a).astype(float) * EPS.get(to.char, EPS["d"])
        return self.emit(f"astype %{k} {name}", lambda: (v.a.astype(name), tol), of=[k])

    def common(self, k, l, allowed):
        """Both values in their promoted type, or in one near it that the operation takes."""
        name = np.result_type(self.values[k].a, self.values[l].a).name
        return self.allowed(name, allowed, k, l)

    def allowed(self, name, allowed, *values):
        if name not in allowed:
            name = {"int16": "int32", "uint64": "int64", "bool": "int32"}.get(name, "float64")
        if name not in allowed:
            name = allowed[-1]
        return [self.cast(k, name) for k in values]

    def partner(self, k):
        """A value that broadcasts with k: another one, a view of the same one, or a new leaf."""
        v = self.values[k]
        if self.wild:
            return self.value()
        fit = [l for l, w in enumerate(self.values) if w.a.shape == v.a.shape]
        sort = self.number(0, 4)
        if sort == 0 and v.a.ndim > 0:
            axis = self.number(0, v.a.ndim - 1)
            return self.moved(k, f"flip %{k} {axis}", lambda a: np.flip(a, axis))
        if sort == 1 and v.a.ndim > 0 and v.a.shape[-1] > 0:
            return self.moved(k, f"index %{k} ... :1", lambda a: a[..., :1])
        if sort == 2 and v.a.ndim > 1 and len(set(v.a.shape)) == 1:
            return self.moved(k, f"transpose %{k} all", lambda a: a.T)
        if sort == 3:
            shape = [1 if self.chance(0.3) else n for n in v.a.shape][self.number(0, v.a.ndim) :]
            return self.leaf(shape, v.name if v.name in DTYPES and self.chance(0.7) else None)
        return self.pick(fit)

    # ---- whole programs

    def grow(self, subjects):
        try:
            for _ in range(self.number(1, 3)):
                self.leaf()
            steps = self.number(2, 12)
            for _ in range(20 * steps):
                if len(self.statements) >= steps + 3:
                    break
                self.wild = self.chance(0.025)
                try:
                    self.pick(subjects)(self)
                except Unfit:
                    pass
            last = len(self.values) - 1
            self.results = sorted({last, *(self.number(0, last) for _ in range(self.pick([0, 0, 1, 2])))})
        except Ended:
            self.results = []
        return self

    def text(self, results=None):
        """The program, or the part of it that some results need."""
        if self.error is not None and results is None:
            return " ; ".join([*self.statements, f"result %{len(self.statements) - 1}"])
        needed, new = set(results or self.results), {}
        for k in range(len(self.statements) - 1, -1, -1):
            if k in needed:
                needed.update(int(w[1:]) for w in self.statements[k].split() if w[0] == "%")
        lines = []
        for k, statement in enumerate(self.statements):
            if k in needed:
                new[k] = len(lines)
                lines.append(" ".join(f"%{new[int(w[1:])]}" if w[0] == "%" else w for w in statement.split()))
        return " ; ".join([*lines, "result " + " ".join(f"%{new[k]}" for k in results or self.results)])


def subjects():
    import arithmetic
    import movement
    import views

    return [*views.OPERATIONS, *views.OPERATIONS, *movement.OPERATIONS, *arithmetic.OPERATIONS, *arithmetic.OPERATIONS,
            *reductions.OPERATIONS]
