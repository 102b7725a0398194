"""Contenders that take turns: times, ratios of the same round, checks of results."""

import gc
import statistics
import time
from dataclasses import dataclass, field
from typing import Callable

import numpy as np


@dataclass
class Contender:
    name: str
    run: Callable[[], object]
    # Takes part in the first rounds only; for those that need seconds.
    slow: bool = False
    # How far its result may be from the first checked one, relatively; None: not compared.
    tolerance: float | None = 1e-9
    seconds: list[float] = field(default_factory=list)
    # Processor seconds of all threads: what a busy machine disturbs least.
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.seconds)


@dataclass
class Gate:
    """`one` may take at most `limit` times as long as `other`."""

    one: str
    other: str
    limit: float
    ratios: list[float] = field(default_factory=list)

    @property
    def ratio(self):
        return statistics.median(self.ratios)


@dataclass
class Row:
    title: str
    contenders: list[Contender]
    gates: list[Gate]

    def find(self, name):
        return next((c for c in self.contenders if c.name == name), None)

    def ratios(self, one, other):
        """Of the rounds in which both took part."""
        return [a / b for a, b in zip(self.find(one).seconds, self.find(other).seconds)]

    def ratio(self, one, other):
        return statistics.median(self.ratios(one, other))


def once(contender):
    start, cpu = time.perf_counter(), time.process_time()
    result = contender.run()
    return time.perf_counter() - start, time.process_time() - cpu, result


def check(row, results):
    reference_name, reference = next(((c.name, results[c.name]) for c in row.contenders if c.tolerance is not None), (None, None))
    for c in row.contenders:
        if c.tolerance is None or reference is None:
            continue
        a, b = np.asarray(results[c.name]), np.asarray(reference)
        if a.shape != b.shape or not np.all(np.abs(a - b) <= c.tolerance * np.maximum(np.abs(b), 1e-3)):
            raise SystemExit(f"{row.title}: {c.name} and {reference_name} differ:\n{a}\n{b}")


def measure(row, rounds, slow_rounds):
    """A first round warms up and is not counted, but for slow contenders, whose results are checked in their first."""
    results = {}
    for number in range(rounds + 1):
        for c in row.contenders:
            if c.slow and not 1 <= number <= slow_rounds:
                continue
            gc.collect()
            time.sleep(0.003)  # workers that still spin go to sleep
            seconds, cpu, result = once(c)
            if number >= 1:
                c.seconds.append(seconds)
                c.cpu.append(cpu)
            if c.name not in results:
                results[c.name] = np.array(result, copy=True)
            del result
    row.contenders = [c for c in row.contenders if c.seconds]
    check(row, results)
    for g in row.gates:
        g.ratios = row.ratios(g.one, g.other)
    return row
