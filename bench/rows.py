"""The rows of the table: what is computed, by whom, and the gates."""

import os

import dask.array as da
import numpy as np

from contenders import block_views, write_npy
from measure import Contender as C, Gate, Row

LIMIT, HAND, ASHLAR, PLAIN = "limit", "by hand", "Ashlar", "Ashlar -O2"


class Table:
    def __init__(self, n, block, native, plain, hand, eigen, dask, scratch):
        self.n, self.block, self.grid = n, block, n // block
        self.native, self.plain, self.hand, self.eigen, self.dask = native, plain, hand, eigen, dask
        self.scratch = scratch
        generated = native.normal(n, block)
        self.persisted = native.persist(generated)
        native.drop(generated)
        self.addresses = native.addresses(self.persisted, self.grid**2)
        views = block_views(self.addresses, block)
        self.x = np.empty((n, n))
        for k, v in enumerate(views):
            i, j = divmod(k, self.grid)
            self.x[i * block : (i + 1) * block, j * block : (j + 1) * block] = v
        self.dask_blocks = dask.blocks(views, self.grid, block)
        self.dask_auto = dask.views(self.x)

    def builds(self, make, run):
        """The Ashlar contenders: one for each build, on arrays of its own over the same memory."""
        result = []
        for name, build in ((ASHLAR, self.native), (PLAIN, self.plain)):
            if build is not None:
                handle = make(build)
                result.append(C(name, lambda build=build, handle=handle: run(build, handle)))
        return result

    def blocks_of(self, build):
        return self.persisted if build is self.native else build.blocks(self.addresses, self.n, self.block)

    def peers(self, numpy, dask, eigen, slow=(), eigen_slow=True):
        result = []
        if numpy is not None:
            result.append(C("NumPy", lambda: numpy(self.x), slow="NumPy" in slow))
        if dask is not None:
            result.append(C("Dask", lambda: self.dask.compute(*dask(self.dask_blocks)), slow="Dask" in slow))
            result.append(C("Dask auto", lambda: self.dask.compute(*dask(self.dask_auto)), slow="Dask" in slow))
        if eigen is not None and self.eigen is not None:
            result.append(C("Eigen", lambda: eigen(self.x), slow=eigen_slow))
        return result

    def read_blocks(self):
        return C(LIMIT, lambda: self.hand.read_blocks(self.addresses, self.block**2), tolerance=None)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def folds(self):
        n = self.n
        return (
            ("mean over axis 0", lambda b, h: b.mean(h, 0, n), lambda a: a.mean(axis=0), "mean0", 1.15, 1.20),
            ("mean over axis 1", lambda b, h: b.mean(h, 1, n), lambda a: a.mean(axis=1), "mean1", 1.08, 1.35),
            ("mean of all", lambda b, h: b.mean(h, None, 1), lambda a: a.mean(), "mean", 1.08, 1.35),
            ("max of all", lambda b, h: b.max(h), lambda a: a.max(), "max", 1.08, 1.35),
        )

    def persisted_folds(self):
        for title, ours, peer, eigen, gate, _ in self.folds():
            one = self.eigen and (self.eigen.rows if eigen[-1].isdigit() else self.eigen.scalar)
            yield Row(
                f"{title}, blocks of {self.block}² persisted",
                [self.read_blocks()]
                + self.builds(self.blocks_of, ours)
                + self.peers(peer, lambda a, peer=peer: (peer(a),), one and (lambda x, one=one, eigen=eigen: one(eigen, x))),
                [Gate(ASHLAR, LIMIT, gate)],
            )

    def view_folds(self):
        strip = max(1, self.block**2 // self.n)
        for title, ours, _, _, _, gate in self.folds():
            whole_rows = self.native.view(self.x, strip, self.n)
            yield Row(
                f"{title}, a view of one row-major array",
                [C(LIMIT, lambda: self.hand.read(self.x), tolerance=None)]
                + self.builds(lambda b: b.view(self.x, self.block, self.block), ours)
                + [C("Ashlar, blocks of whole rows", lambda ours=ours, h=whole_rows: ours(self.native, h))],
                [Gate(ASHLAR, LIMIT, gate)],
            )

    def variance(self):
        yield Row(
            "var over axis 0",
            [self.read_blocks(), C(HAND, lambda: self.hand.var(self.addresses, self.grid, self.block))]
            + self.builds(self.blocks_of, lambda b, h: b.rows("table_var", h, 1, self.n))
            + self.peers(
                lambda x: x.var(axis=0),
                lambda a: (a.var(axis=0),),
                lambda x: self.eigen.rows("var", x),
                slow=("NumPy", "Dask"),
            ),
            [Gate(ASHLAR, HAND, 1.2)],
        )

    def four(self):
        def numpy(x):
            return np.stack([x.mean(axis=0), x.std(axis=0), x.min(axis=0), x.max(axis=0)])

        alone = C("var alone", lambda: self.native.rows("table_var", self.persisted, 1, self.n), tolerance=None)
        yield Row(
            "mean, std, min and max over axis 0 in one compute()",
            [self.read_blocks(), alone]
            + self.builds(self.blocks_of, lambda b, h: b.rows("table_four", h, 4, self.n))
            + self.peers(
                numpy,
                lambda a: (a.mean(axis=0), a.std(axis=0), a.min(axis=0), a.max(axis=0)),
                None,
                slow=("NumPy", "Dask"),
            ),
            [Gate(ASHLAR, "var alone", 1.4)],
        )

    def chain(self):
        def formula(m, a):
            return (m.sqrt(m.abs((a - 10) / 0.1)) + m.sin(a)).mean()

        yield Row(
            "mean of sqrt(abs((x - 10) / 0.1)) + sin(x)",
            [self.read_blocks(), C(HAND, lambda: self.hand.chain(self.addresses, self.block**2))]
            + self.builds(self.blocks_of, lambda b, h: b.chain(h))
            + self.peers(
                lambda x: formula(np, x),
                lambda a: (formula(da, a),),
                lambda x: self.eigen.scalar("chain", x),
                slow=("NumPy", "Dask"),
            ),
            [Gate(ASHLAR, HAND, 1.2)],
        )

    def zscore(self):
        dask = C(
            "Dask",
            lambda: self.dask.compute((self.dask_blocks - self.dask_blocks.mean(axis=0)) / self.dask_blocks.std(axis=0))[0],
            slow=True,
            tolerance=1e-7,
        )
        view = self.native.view(self.x, self.block, self.block)
        row = Row(
            "(x - mean) / std over axis 0, stored into new memory",
            [C(LIMIT, lambda: self.hand.read(self.x), tolerance=None), C(HAND, lambda: self.hand.zscore(self.x))]
            + self.builds(self.blocks_of, lambda b, h: b.rows("table_zscore", h, 1, self.n))
            + [
                C("Ashlar, view", lambda: self.native.rows("table_zscore", view, 1, self.n)),
                C("NumPy", lambda: ((self.x - self.x.mean(axis=0)) / self.x.std(axis=0))[0].copy(), slow=True),
                dask,
            ]
            + self.peers(None, None, lambda x: self.eigen.rows("zscore", x)),
            [Gate(ASHLAR, HAND, 1.2), Gate("Ashlar, view", HAND, 1.2)],
        )
        for c in row.contenders:
            if c.tolerance is not None:
                c.tolerance = 1e-7
        yield row

    def generate(self):
        n, block = self.n, self.block
        spread = 0.1 / n**0.5

        def close(name, run, slow=False):
            return C(name, run, slow=slow, tolerance=7 * 1.5 * spread / 10)

        row = Row(
            "normal(10, 0.1) generated, mean over axis 0, nothing stored",
            [close(HAND, lambda: self.hand.generate(n, block))]
            + self.builds(lambda b: b.normal(n, block), lambda b, h: b.mean(h, 0, n))
            + [
                close("NumPy", lambda: np.random.default_rng(1).normal(10, 0.1, (n, n)).mean(axis=0), slow=True),
                close(
                    "Dask",
                    lambda: self.dask.compute(da.random.default_rng(1).normal(10, 0.1, (n, n), chunks=block).mean(axis=0)),
                    slow=True,
                ),
            ],
            [Gate(ASHLAR, HAND, 1.6)],
        )
        for c in row.contenders:
            c.tolerance = 7 * 1.5 * spread / 10
        yield row

    def file(self):
        path = os.path.join(self.scratch, "bench.npy")
        n, block = self.n, self.block
        try:
            offset = write_npy(path, self.x)
            rows = max(1, block**2 // n)

            def dask(chunks):
                return self.dask.compute(self.dask.views(np.load(path, mmap_mode="r"), chunks).mean(axis=0))

            yield Row(
                "warm .npy file, mean over axis 0",
                [C(LIMIT, lambda: self.hand.read_mapped(path, offset, n * n), tolerance=None)]
                + self.builds(lambda b: b, lambda b, _: b.mean_of_file(path, block, block, n))
                + [
                    C("Ashlar, blocks of whole rows", lambda: self.native.mean_of_file(path, rows, n, n)),
                    C("NumPy", lambda: np.load(path, mmap_mode="r").mean(axis=0)),
                    C("Dask", lambda: dask((block, block))),
                    C("Dask auto", lambda: dask((block, n))),
                ],
                [Gate(ASHLAR, LIMIT, 1.15)],
            )
        finally:
            if os.path.exists(path):
                os.remove(path)

    def small_blocks(self):
        small = self.block // 10
        view = self.native.view(self.x, small, small)
        persisted = self.native.persist(view)
        try:
            yield Row(
                f"mean over axis 0 in {(self.n // small) ** 2} blocks of {small}² persisted",
                [
                    self.read_blocks(),
                    C(f"Ashlar, blocks of {self.block}²", lambda: self.native.mean(self.persisted, 0, self.n)),
                    C(ASHLAR, lambda: self.native.mean(persisted, 0, self.n)),
                ],
                [Gate(ASHLAR, f"Ashlar, blocks of {self.block}²", 1.3)],
            )
            yield Row(
                f"mean of all in {(self.n // small) ** 2} blocks of {small}² persisted",
                [
                    self.read_blocks(),
                    C(f"Ashlar, blocks of {self.block}²", lambda: self.native.mean(self.persisted, None, 1)),
                    C(ASHLAR, lambda: self.native.mean(persisted, None, 1)),
                ],
                [Gate(ASHLAR, f"Ashlar, blocks of {self.block}²", 1.3)],
            )
        finally:
            self.native.drop(persisted)
            self.native.drop(view)

    def all(self):
        parts = (
            self.persisted_folds,
            self.view_folds,
            self.variance,
            self.four,
            self.chain,
            self.generate,
            self.small_blocks,
            self.file,
            self.zscore,
        )
        for part in parts:
            yield from part()
