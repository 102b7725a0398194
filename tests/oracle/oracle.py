"""Random array programs, computed by Ashlar and by NumPy: oracle.py PROGRAM [--programs N] [--seed S].

Every program has a seed of its own, S + its number, and one that fails is printed with it, cut down to the first value
that is wrong. `--first K --programs 1` runs program K alone. docs/oracle.md says what is made and compared.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from generator import Program, subjects


def read_results(out):
    """Index -> ("ok", arrays), ("error", statement, text) or ("fault", text)."""
    results, at = {}, 0
    while at < len(out):
        end = out.find(b"\n", at)
        if end < 0:
            break
        words = out[at:end].decode(errors="replace").split(" ", 3)
        at = end + 1
        if words[0] != "P":
            raise SystemExit(f"not understood: {words}")
        index, sort = int(words[1]), words[2]
        if sort == "ok":
            arrays = []
            for _ in range(int(words[3])):
                end = out.find(b"\n", at)
                name, shape, size = out[at:end].decode().split()
                shape = () if shape == "-" else tuple(map(int, shape.split(",")))
                data = out[end + 1 : end + 1 + int(size)]
                arrays.append(np.frombuffer(data, name).reshape(shape))
                at = end + 1 + int(size)
            results[index] = ("ok", arrays)
        elif sort == "error":
            statement, _, text = words[3].partition(" ")
            results[index] = ("error", int(statement), text)
        else:
            results[index] = ("fault", words[3] if len(words) > 3 else "")
    return results


def run(program, texts, folder):
    """Results of all; a program that crashes or hangs is a fault, and those behind it run in a new process."""
    results, first = {}, 0
    while first < len(texts):
        path = os.path.join(folder, "programs.txt")
        with open(path, "w") as f:
            f.write("\n".join(texts[first:]) + "\n")
        how = ""
        try:
            done = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            out = done.stdout
            if done.returncode != 0:
                how = f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"
        except subprocess.TimeoutExpired as e:
            out, how = e.stdout or b"", "does not end"
        got = read_results(out)
        results.update({first + k: r for k, r in got.items()})
        if not how and len(got) == len(texts) - first:
            break
        first += len(got)
        results[first] = ("fault", how or "no result")
        first += 1
    return results


def wrong(program, result, values):
    """None when the result is right, else what is wrong."""
    if result[0] == "fault":
        return result[1]
    if program.error is not None:
        k = len(program.statements) - 1
        if result[0] == "ok":
            return f"no error, NumPy has {program.error}"
        return None if result[1] in (k, -1) else f"statement {result[1]} is refused: {result[2]}"
    if result[0] == "error":
        return f"statement {result[1]} is refused: {result[2]}"
    for value, array in zip(values, result[1]):
        text = value.check(array)
        if text:
            return text
    return None


def smallest(binary, program, folder):
    """The part of a program that makes the first value that is wrong, and what is wrong with it."""
    texts = [program.text([k]) for k in range(len(program.values))]
    results = run(binary, texts, folder)
    good, program.error = program.error, None
    for k, text in enumerate(texts):
        why = wrong(program, results[k], [program.values[k]])
        if why:
            return text, why
    program.error = good
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--failures", type=int, default=10, help="stop after so many")
    parser.add_argument("--print", action="store_true", help="print the programs")
    options = parser.parse_args()
    started, failures, errors, ran, operations = time.time(), 0, 0, 0, {}
    choice = subjects()
    print(f"seed {options.seed}, programs {options.first} to {options.first + options.programs - 1}, NumPy {np.__version__}",
          flush=True)
    for start in range(options.first, options.first + options.programs, 250):
        with tempfile.TemporaryDirectory() as folder:
            numbers = range(start, min(start + 250, options.first + options.programs))
            programs = [Program([options.seed, n], folder).grow(choice) for n in numbers]
            if options.print:
                for p in programs:
                    print(p.text(), "=>", p.error)
            results = run(options.binary, [p.text() for p in programs], folder)
            for n, (p, number) in enumerate(zip(programs, numbers)):
                for s in p.statements:
                    operations[s.split()[0]] = operations.get(s.split()[0], 0) + 1
                errors += p.error is not None
                ran += 1
                why = wrong(p, results[n], [p.values[k] for k in p.results])
                if why is None:
                    continue
                failures += 1
                text, reason = smallest(options.binary, p, folder) or (p.text(), why)
                print(f"FAILED --seed {options.seed} --first {number} --programs 1\n  {text}\n  {reason}", flush=True)
        if failures >= options.failures:
            break
    print(f"{ran} programs, {errors} of them with an error, {sum(operations.values())} statements of "
          f"{len(operations)} operations, {failures} failed, {time.time() - started:.1f} s")
    if options.programs >= 10000:
        print(" ".join(f"{name}:{n}" for name, n in sorted(operations.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
