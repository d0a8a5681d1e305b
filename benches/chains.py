"""Times the N-link chains with Poinsot and its peers in one interleaved run (started by benches/run).

Every code solves problem.py.  One measurement is the CPU time of a process for all steps minus the CPU
time of the same program for one step, divided by the number of steps less one: set-up and the first
step count for nobody.  The codes of a case take turns (A B C A B C ...), and the least CPU time of all
turns is kept, because everything else on the machine can only add to it.
"""
import argparse
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
MARKS = ("<!-- table -->", "<!-- /table -->")
REFERENCE = json.loads((HERE / "reference.json").read_text())
GOAL = {"planar": 3.0, "spatial": 5.0}
AIM = 10.0


class Code:
    """One code with one method; `option` is the last word of its program's command line."""

    def __init__(self, name, peer, option, most_links, steps_at_most=None):
        self.name, self.peer, self.option = name, peer, option
        self.most_links = most_links
        # Fewer steps for a code that needs many seconds: {links: steps}.
        self.steps_at_most = steps_at_most or {}


POSITION = Code("Poinsot, positions", "poinsot", "position", 10_000)
STABILISED = Code("Poinsot, stabilised", "poinsot", "stabilised", 10_000)
EXUDYN = Code("Exudyn", "exudyn", "default", 1000)
EXUDYN_TUNED = Code("Exudyn, tuned", "exudyn", "tuned", 1000)
IMPLICIT = [POSITION, STABILISED, EXUDYN, EXUDYN_TUNED]
RECURSIVE = [
    Code("MuJoCo, RK4", "mujoco", "rk4", 1000, {1000: 5}),
    Code("MuJoCo, implicit", "mujoco", "implicit", 1000, {1000: 5}),
    Code("Drake, RK2", "drake", "rk2", 1000),
]


class Case:
    """One chain with one step, run to one time by several codes."""

    def __init__(self, kind, n, h, t_end, codes, turns_factor=1):
        self.kind, self.n, self.h, self.t_end = kind, n, h, t_end
        self.codes, self.turns_factor = codes, turns_factor

    @property
    def title(self):
        return f"{self.kind} N={self.n} h={self.h:g} t={self.t_end:g}"


def cases():
    """The comparison: every code where it runs, then the longest chain where Exudyn still gets through."""
    everyone = IMPLICIT + RECURSIVE
    for kind in ("planar", "spatial"):
        yield Case(kind, 10, 1e-3, 1.0, everyone, turns_factor=4)
        yield Case(kind, 100, 1e-3, 1.0, everyone)
        yield Case(kind, 1000, 1e-3, 1.0, everyone)
        if kind == "planar":
            yield Case(kind, 1000, 1e-3, 0.05, IMPLICIT)
        yield Case(kind, 1000, 2.5e-4, 0.1, IMPLICIT)
        yield Case(kind, 10_000, 1e-3, 0.02, [POSITION, STABILISED])


def scaling_cases():
    """Poinsot alone, 50 steps with h = 0.1 s/N: h^2 (joint force)/(m l), which sets the iterations, stays the same."""
    for kind in ("planar", "spatial"):
        for n in (100, 300, 1000, 3000, 10_000):
            factor = 5 if n < 1000 else 2 if n < 10_000 else 1
            yield Case(kind, n, 0.1 / n, 5.0 / n, [POSITION, STABILISED], turns_factor=factor)


class Result:
    """Best of all turns of one code in one case."""

    def __init__(self, steps):
        self.steps, self.first, self.seconds = steps, math.inf, math.inf
        self.turns, self.tip, self.stops = 0, None, None
        self.iterations = self.factorisations = None

    def add(self, answer):
        self.turns += 1
        self.stops = answer.get("stops")
        self.first = min(self.first, answer["first"])
        self.seconds = min(self.seconds, answer["seconds"])
        self.tip = answer["tip"]
        self.iterations, self.factorisations = answer["iterations"], answer["factorisations"]

    @property
    def micros(self):
        """CPU microseconds per step, or nothing where the run did not end."""
        if self.stops or self.steps < 2:
            return None
        return (self.seconds - self.first) / (self.steps - 1) * 1e6


class Stopped(Exception):
    """A run that gave no answer, with the words for the table."""


class Bench:
    def __init__(self, arguments):
        self.chain, self.limit = arguments.chain, arguments.limit
        self.turns, self.versions, self.skipped = arguments.turns, {}, []
        self.environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
        for peer in ("exudyn", "mujoco", "drake"):
            try:
                self.versions[peer] = importlib.metadata.version(peer)
            except importlib.metadata.PackageNotFoundError:
                self.skipped.append(peer)

    def measure(self, case):
        """All turns of one case: {code name: Result}."""
        results = {}
        codes = [c for c in case.codes if c.peer not in self.skipped and case.n <= c.most_links]
        for turn in range(self.turns * case.turns_factor):
            for code in codes:
                steps = round(case.t_end / case.h)
                steps = min(steps, code.steps_at_most.get(case.n, steps))
                result = results.setdefault(code.name, Result(steps))
                if result.stops and turn:
                    continue
                try:
                    result.add(self.run(code, case, steps))
                except Stopped as why:
                    result.stops = str(why)
        for name, result in results.items():
            shown = result.stops or f"{result.micros:.2f} us/step ({result.turns} turns)"
            print(f"{case.title:38} {name:20} {shown}", file=sys.stderr, flush=True)
        return results

    def run(self, code, case, steps):
        if code.peer == "poinsot":
            return self.run_poinsot(code, case, steps)
        program = HERE / "peers" / f"{code.peer}_chain.py"
        command = [sys.executable, str(program), case.kind, str(case.n), repr(case.h), str(steps), code.option]
        text, _ = self.child(command)
        lines = [line for line in text.splitlines() if line.startswith("{")]
        if not lines:
            raise Stopped("the program fails")
        return json.loads(lines[-1])

    def run_poinsot(self, code, case, steps):
        kind = "planar-body" if case.kind == "planar" else "spatial"
        command = [self.chain, kind, str(case.n), repr(case.h)]
        # The same relative tolerance as the peers' Newton iterations.
        _, first = self.child([*command, repr(case.h), code.option, "1e-8"])
        text, seconds = self.child([*command, repr(steps * case.h), code.option, "1e-8"])
        stop = re.search(r"^step (\d+):", text, re.M)
        line = re.search(r"it/step ([\d.]+), fact/step ([\d.]+), tip \[(.*?)\]", text)
        if line is None:
            raise Stopped("the program fails")
        return {
            "first": first, "seconds": seconds,
            "stops": f"Newton fails, stops at t = {int(stop[1]) * case.h:.4g} s" if stop else None,
            "iterations": float(line[1]), "factorisations": float(line[2]),
            "tip": [float(x) for x in line[3].split(",")],
        }

    def child(self, command):
        """Output and CPU seconds (user and system) of a program; stops it at the time limit."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=self.environment)
            killed = []
            timer = threading.Timer(self.limit, lambda: (killed.append(True), process.kill()))
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            if killed:
                raise Stopped(f"not done after {self.limit:g} s")
            output.seek(0)
            return output.read(), usage.ru_utime + usage.ru_stime


def tip_error(case, result):
    """Largest component of the tip's distance from the reference at the run's end, where one is known."""
    known = REFERENCE.get(f"{case.kind}/{case.n}", {}).get("tip", {})
    expected = next((x for t, x in known.items() if abs(float(t) - result.steps * case.h) < 1e-9), None)
    if expected is None or result.stops or result.tip is None:
        return None
    return max(abs(a - b) for a, b in zip(result.tip, expected))


def number(x, digits=3):
    """`digits` significant digits, thousands set apart, never an exponent above 1."""
    if x is None:
        return "–"
    if x < 0.01:
        return f"{x:.1e}"
    places = max(0, digits - 1 - math.floor(math.log10(x))) if x > 0 else 0
    return f"{round(x, digits - 1 - math.floor(math.log10(x))):,.{places}f}".replace(",", " ")


def table(head, rows):
    line = lambda cells: "| " + " | ".join(str(c) for c in cells) + " |"  # noqa: E731
    return "\n".join([line(head), line(["---"] + ["--:"] * (len(head) - 1)), *map(line, rows)])


def comparison(measured, kind):
    rows = []
    for case, results in measured:
        if case.kind != kind:
            continue
        for name, r in results.items():
            cost = number(r.micros) if not r.stops else r.stops
            counts = [number(r.iterations), number(r.factorisations)] if not r.stops else ["–", "–"]
            rows.append([name, case.n, f"{case.h * 1e3:g}", f"{r.steps * case.h:g}", cost, *counts, number(tip_error(case, r))])
    head = ["code, method", "N", "h [ms]", "to t [s]", "CPU per step [µs]", "Newton it./step", "factorisations/step", "tip error [m]"]
    return table(head, rows)


def ratios(measured):
    rows = []
    pairs = [(e, p) for e in (EXUDYN, EXUDYN_TUNED) for p in (POSITION, STABILISED)]
    for case, results in measured:
        values = []
        for peer, own in pairs:
            cost = [results[c.name].micros if c.name in results else None for c in (peer, own)]
            values.append(cost[0] / cost[1] if all(cost) else None)
        if not any(values):
            if EXUDYN.name in results and results[POSITION.name].micros:
                rows.append([case.kind, case.n, f"{case.h * 1e3:g}", f"{case.t_end:g}", *["Exudyn stops"] * 4, f"{GOAL[case.kind]:g}", "–"])
            continue
        least, most = min(filter(None, values)), max(filter(None, values))
        goal = GOAL[case.kind]
        met = "aim" if least >= AIM else "goal" if least >= goal else "in part" if most >= goal else "no"
        rows.append([case.kind, case.n, f"{case.h * 1e3:g}", f"{case.t_end:g}", *(f"{v:.1f}" if v else "–" for v in values), f"{goal:g}", met])
    head = ["chain", "N", "h [ms]", "to t [s]", "Exudyn / positions", "Exudyn / stabilised", "tuned Exudyn / positions", "tuned Exudyn / stabilised", "goal", "reached by all four"]
    return table(head, rows)


def exponent(points):
    """Least-squares slope of log(cost) over log(N)."""
    x, y = [math.log(n) for n, _ in points], [math.log(c) for _, c in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def scaling(measured):
    rows, fits = [], []
    for kind in ("planar", "spatial"):
        for code in (POSITION, STABILISED):
            points = []
            for case, results in measured:
                if case.kind != kind or code.name not in results:
                    continue
                r = results[code.name]
                if r.micros:
                    points.append((case.n, r.micros))
                per_link = number(r.micros / case.n) if r.micros else "–"
                rows.append([kind, code.name, case.n, number(r.micros) if r.micros else r.stops, per_link, number(r.iterations), number(r.factorisations)])
            if len(points) > 2:
                short = [p for p in points if p[0] <= 1000]
                fits.append(f"- {kind}, {code.name}: N^{exponent(short):.2f} up to {short[-1][0]} links, N^{exponent(points):.2f} up to {points[-1][0]}")
    head = ["chain", "code, method", "N", "CPU per step [µs]", "per link [µs]", "Newton it./step", "factorisations/step"]
    return table(head, rows) + "\n\nCost per step against N, least-squares fit of the logarithms (1 is linear):\n\n" + "\n".join(fits)


def machine(bench):
    cpu = platform.processor() or platform.machine()
    try:
        names = re.findall(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        cpu = names[0] if names else cpu
    except OSError:
        pass
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.split()
    peers = ", ".join(f"{p} {v}" for p, v in bench.versions.items())
    missing = f" Skipped, not installable here: {', '.join(bench.skipped)}." if bench.skipped else ""
    return (
        f"Measured {datetime.date.today().isoformat()} on {cpu}, {os.cpu_count()} logical cores, {platform.system()} {platform.machine()}, "
        f"load {bench.load[0]:.1f} at the start and {os.getloadavg()[0]:.1f} at the end; rustc {rustc[1] if len(rustc) > 1 else 'unknown'}, "
        f"Python {platform.python_version()}, {peers}. Least CPU time of {bench.turns} turns "
        f"({bench.turns * 4} for N = 10); one thread each.{missing}")


def page_with(text):
    page = PAGE.read_text()
    before, rest = page.split(MARKS[0], 1)
    _, after = rest.split(MARKS[1], 1)
    return f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}"


def main():
    parser = argparse.ArgumentParser(prog="benches/run", description="Times Poinsot and its peers on N-link chains.")
    parser.add_argument("--chain", required=True, help="the built timing program (given by benches/run)")
    parser.add_argument("--turns", type=int, default=5, help="interleaved repetitions of each case (default 5, at least 3 to be written)")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds after which one run is given up (default 30)")
    parser.add_argument("--only", default="", help="measure only cases whose title contains this, and print instead of writing")
    parser.add_argument("--print", action="store_true", help="print the tables without writing docs/performance.md")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    bench.load = os.getloadavg()
    measured = [(c, bench.measure(c)) for c in cases() if arguments.only in c.title]
    scaled = [(c, bench.measure(c)) for c in scaling_cases() if arguments.only in c.title]
    parts = [machine(bench)]
    if measured:
        parts += ["### Exudyn's cost over Poinsot's", ratios(measured)]
    for kind in ("planar", "spatial"):
        if any(c.kind == kind for c, _ in measured):
            parts += [f"### {kind.capitalize()} chain", comparison(measured, kind)]
    if scaled:
        parts += ["### Growth with N (Poinsot, h = 0.1 s/N, 50 steps)", scaling(scaled)]
    text = "\n\n".join(parts)
    print(text)
    if arguments.only or arguments.print:
        return
    if arguments.turns < 3:
        sys.exit("fewer than 3 turns: docs/performance.md is left as it was")
    PAGE.write_text(page_with(text))


if __name__ == "__main__":
    main()
