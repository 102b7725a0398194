"""Seconds to compile small files, taking turns: Ashlar's headers and the mean program against what they are held to."""

import subprocess
import tempfile
import time
from pathlib import Path

from measure import Contender, Gate, Row

STANDARD = "nine standard headers"
CORE = "<ashlar/array.hpp>"
ALL = "<ashlar/ashlar.hpp>"
TBB = "<tbb/task_arena.h>"
MEAN = "the mean program"
SEPARATE = "the mean program, ASHLAR_SEPARATE"
CORE_SEPARATE = "<ashlar/array.hpp>, ASHLAR_SEPARATE"

SOURCES = {
    STANDARD: "".join(
        f"#include <{h}>\n"
        for h in ("vector", "string", "unordered_map", "functional", "memory", "thread", "atomic", "future", "span")
    )
    + "int main() {}\n",
    CORE: "#include <ashlar/array.hpp>\nint main() {}\n",
    ALL: "#include <ashlar/ashlar.hpp>\nint main() {}\n",
    TBB: "#include <tbb/task_arena.h>\nint main() {}\n",
    MEAN: """#include <ashlar/ashlar.hpp>
int main() {
  auto x = ashlar::random::normal<double>({20000, 20000}, {.mean = 10.0, .stddev = 0.1, .chunks = {1000, 1000}});
  return x.mean(0).compute().size() == 20000 ? 0 : 1;
}
""",
}
SOURCES[SEPARATE] = "#define ASHLAR_SEPARATE\n" + SOURCES[MEAN]
SOURCES[CORE_SEPARATE] = "#define ASHLAR_SEPARATE\n" + SOURCES[CORE]


def rows(compiler, include, rounds):
    with tempfile.TemporaryDirectory() as folder:
        for level in ("-O0", "-O2"):
            contenders = []
            for number, (name, text) in enumerate(SOURCES.items()):
                source = Path(folder) / f"{number}.cpp"
                source.write_text(text)
                command = [compiler, "-std=c++20", level, f"-I{include}", "-c", source, "-o", Path(folder) / "out.o"]
                contenders.append(Contender(name, lambda c=command: subprocess.run(c, check=True) and 0))
            gates = [Gate(core, STANDARD, 1.35) for core in (CORE, CORE_SEPARATE)]
            gates += [Gate(mean, TBB, 2.0) for mean in (MEAN, SEPARATE)]
            row = Row(f"compile, {level}", contenders, gates)
            for number in range(rounds + 1):
                for c in contenders:
                    start = time.perf_counter()
                    c.run()
                    if number > 0:
                        c.seconds.append(time.perf_counter() - start)
            for g in row.gates:
                g.ratios = row.ratios(g.one, g.other)
            yield row
