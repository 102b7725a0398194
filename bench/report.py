"""What a run leaves: JSON and CSV of every round, the table in bench/README.md, a plot."""

import csv
import json
from pathlib import Path

from rows import ASHLAR, HAND, LIMIT, PLAIN

BEGIN, END = "<!-- the table begins -->", "<!-- the table ends -->"
COLUMNS = (LIMIT, HAND, ASHLAR, PLAIN, "NumPy", "Dask", "Dask auto", "Eigen")


def seconds(contender):
    if contender is None:
        return ""
    return f"{contender.median:.3f} [{min(contender.seconds):.3f}–{max(contender.seconds):.3f}]"


def times(values):
    values = sorted(values)
    middle = values[len(values) // 2] if len(values) % 2 else (values[len(values) // 2 - 1] + values[len(values) // 2]) / 2
    return f"{middle:.2f} [{values[0]:.2f}–{values[-1]:.2f}]"


def gate_line(row, gate):
    verdict = "met" if gate.ratio <= gate.limit else f"missed by {(gate.ratio / gate.limit - 1) * 100:.0f} %"
    return f"| {row.title} | {gate.one} / {gate.other} | {times(gate.ratios)} | {gate.limit:.2f} | {verdict} |"


def peer_ratios(row):
    if row.find(ASHLAR) is None:
        return ""
    parts = []
    dask = [name for name in ("Dask", "Dask auto") if row.find(name)]
    best = min(dask, key=lambda name: row.find(name).median, default=None)
    for name in ("NumPy", best, "Eigen"):
        if name and row.find(name):
            parts.append(f"{row.ratio(name, ASHLAR):.1f} x {name.removesuffix(' auto')}")
    return ", ".join(parts)


def markdown(facts, rows, peaks, compiles):
    lines = [f"- {name}: {value}" for name, value in facts.items()]
    lines += ["", "Seconds, median [least–most].", ""]
    lines.append("| what | " + " | ".join(COLUMNS) + " | Ashlar is faster than |")
    lines.append("|---" * (len(COLUMNS) + 2) + "|")
    for row in rows:
        lines.append(f"| {row.title} | " + " | ".join(seconds(row.find(c)) for c in COLUMNS) + f" | {peer_ratios(row)} |")
    others = [(row, c) for row in rows for c in row.contenders if c.name not in COLUMNS]
    if others:
        lines += ["", "Other ways to the same results, in the same rounds:", "", "| what | who | seconds |", "|---|---|---|"]
        lines += [f"| {row.title} | {c.name} | {seconds(c)} |" for row, c in others]
    lines += ["", "Gates: medians of the ratios of each round [least–most].", "", "| what | ratio | measured | gate | |", "|---|---|---|---|---|"]
    lines += [gate_line(row, gate) for row in rows + compiles for gate in row.gates]
    if peaks:
        lines += ["", "Anonymous memory that mean over axis 0 adds to the process, at its peak:", ""]
        lines += ["| what | array | RssAnon | own counter | allowed |", "|---|---|---|---|---|"]
        for p in peaks:
            counter = f"{p['counter'] / 2**20:.0f} MiB" if "counter" in p else ""
            allowed = f"{p['allowed'] / 2**20:.0f} MiB" if "counter" in p else ""
            lines.append(f"| {p['kind']} | {p['n']}² ({p['n'] ** 2 * 8 / 2**30:.1f} GiB) | {p['peak'] / 2**20:.0f} MiB | {counter} | {allowed} |")
    if compiles:
        lines += ["", "Seconds to compile:", "", "| | " + " | ".join(c.name for c in compiles[0].contenders) + " |"]
        lines.append("|---" * (len(compiles[0].contenders) + 1) + "|")
        lines += [f"| {row.title} | " + " | ".join(seconds(c) for c in row.contenders) + " |" for row in compiles]
    return "\n".join(lines)


def put_between(path, text):
    page = path.read_text()
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def write_raw(folder, facts, rows, peaks, compiles):
    folder.mkdir(parents=True, exist_ok=True)
    data = {
        "facts": facts,
        "rows": [
            {
                "what": row.title,
                "seconds": {c.name: c.seconds for c in row.contenders},
                "processor": {c.name: c.cpu for c in row.contenders if c.cpu},
                "gates": [{"one": g.one, "other": g.other, "limit": g.limit, "ratios": g.ratios} for g in row.gates],
            }
            for row in rows + compiles
        ],
        "memory": peaks,
    }
    (folder / "table.json").write_text(json.dumps(data, indent=1) + "\n")
    with open(folder / "table.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("what", "who", "round", "seconds"))
        for row in rows + compiles:
            for c in row.contenders:
                out.writerows((row.title, c.name, k + 1, f"{s:.6f}") for k, s in enumerate(c.seconds))


def plot(path, rows, facts):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ashlar"
    import matplotlib.pyplot as plt

    shown = [row for row in rows if row.find(ASHLAR) and row.find("NumPy")]
    names = (HAND, "Dask", "NumPy", "Eigen")
    height = 0.8 / len(names)
    figure, axes = plt.subplots(figsize=(10, 0.6 * len(shown) + 1.5), layout="constrained")
    for k, name in enumerate(names):
        at, ratio = [], []
        for i, row in enumerate(shown):
            who = name
            if name == "Dask" and row.find("Dask auto") and row.find("Dask auto").median < row.find("Dask").median:
                who = "Dask auto"
            if row.find(who):
                at.append(i + (k - 1.5) * height)
                ratio.append(row.ratio(who, ASHLAR))
        axes.barh(at, ratio, height, label=name)
        for y, r in zip(at, ratio):
            axes.text(r * 1.05, y, f"{r:.2f}" if r < 10 else f"{r:.0f}", va="center", fontsize=7)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(shown)), [row.title for row in shown])
    axes.invert_yaxis()
    axes.set_xlabel("time as a multiple of Ashlar's (right of the line: slower than Ashlar)")
    axes.set_title(f"{facts['array']}, {facts['threads']} threads", fontsize=10)
    axes.legend(loc="lower right")
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def write(folder, facts, rows, peaks, compiles):
    folder = Path(folder)
    write_raw(folder / "results", facts, rows, peaks, compiles)
    put_between(folder / "README.md", markdown(facts, rows, peaks, compiles))
    plot(folder / "results" / "table.svg", rows, facts)
