"""Times beams with Poinsot and Exudyn in one interleaved run (started by benches/beams).

Every code solves beam_problem.py.  One measurement is the CPU time for all steps less that for one step, divided by the steps
less one: set-up and the first step count for nobody.  The codes of a case take turns (A B C A B C ...).  Costs are the least of
all turns; a ratio is taken in each turn, and the median and the range of all turns are shown.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import sys

import chains
from beam_problem import END, REFERENCE
from chains import Stopped, number, table

HERE = pathlib.Path(__file__).resolve().parent
MARKS = ("<!-- beams -->", "<!-- /beams -->")
GOAL = 3.0
# How much shorter the steps are by which the error of the steps is measured.
FINER = 4


class Code:
    """One code; `words` are its element and its method or variant."""

    def __init__(self, name, peer, *words):
        self.name, self.peer, self.words = name, peer, words


PLANE = Code("Poinsot, plane", "poinsot", "plane", "position")
STABILISED = Code("Poinsot, plane, stabilised", "poinsot", "plane", "stabilised")
MOTION = Code("Poinsot, plane, motions", "poinsot", "plane-motion", "position")
SPACE = Code("Poinsot, space", "poinsot", "space", "position")
DEFAULT = Code("Exudyn, plane", "exudyn", "plane", "default")
TUNED = Code("Exudyn, plane, tuned", "exudyn", "plane", "tuned")
CABLE = Code("Exudyn, cable, tuned", "exudyn", "cable", "tuned")
SOLID = Code("Exudyn, space, tuned", "exudyn", "space", "tuned")


class Case:
    def __init__(self, beam, n, h, codes, order=1, t_end=None):
        self.beam, self.n, self.h, self.codes, self.order = beam, n, h, codes, order
        self.t_end = t_end or END[beam]

    @property
    def steps(self):
        return round(self.t_end / self.h)

    @property
    def title(self):
        return f"{self.beam} N={self.n} h={self.h:g} t={self.t_end:g}"

    @property
    def repeats(self):
        """Runs of Poinsot in one process, so that short ones can be measured."""
        return max(1, 300_000 // (self.steps * self.n * self.order))


def cases():
    steps = {"pendulum": 1e-3, "flying": 1e-2, "spinup": 5e-3}
    for beam, h in steps.items():
        for n in (10, 100, 1000):
            codes = [PLANE, STABILISED, MOTION, DEFAULT, TUNED]
            if beam == "pendulum":
                codes = codes + [CABLE]
            # The peer takes minutes for the longest.
            yield Case(beam, n, h, codes, t_end=2.0 if (beam, n) == ("spinup", 1000) else None)
        if beam != "spinup":
            for n in (10, 100):
                yield Case(beam, n, h, [SPACE, SOLID])


class Result:
    """All turns of one code in one case."""

    def __init__(self):
        self.micros, self.error, self.finer, self.stops = [], None, None, None
        self.ends = self.iterations = self.factorisations = None


class Beams(chains.Bench):
    def __init__(self, arguments):
        arguments.chain = arguments.beam
        super().__init__(arguments)

    def run(self, code, case, h=None):
        h = h or case.h
        steps = round(case.t_end / h)
        if code.peer == "poinsot":
            return self.poinsot(case, code.words, h, steps)
        command = [sys.executable, str(HERE / "peers" / "exudyn_beam.py"), case.beam, str(case.n), repr(h), str(steps)]
        text, _ = self.child([*command, *code.words])
        lines = [line for line in text.splitlines() if line.startswith("{")]
        if not lines:
            raise Stopped("the program fails")
        answer = json.loads(lines[-1])
        if answer["stops"]:
            raise Stopped(answer["stops"])
        answer["micros"] = (answer["seconds"] - answer["first"]) / (steps - 1) * 1e6
        return answer

    def poinsot(self, case, words, h, steps):
        space, method = words
        repeats = str(case.repeats)
        command = lambda t: [self.chain, case.beam, space, str(case.n), str(case.order), repr(h), repr(t), method, "1e-8", repeats]  # noqa: E731
        _, first = self.child(command(h))
        text, seconds = self.child(command(steps * h))
        stop = re.search(r"^step (\d+):", text, re.M)
        line = re.search(r"it/step ([\d.]+), fact/step ([\d.]+), root \[(.*?)\], tip \[(.*?)\]", text)
        if stop or line is None:
            raise Stopped(f"stops at t = {int(stop[1]) * h:.4g} s" if stop else "the program fails")
        ends = [[float(x) for x in line[k].split(",")][:2] for k in (3, 4)]
        micros = (seconds - first) / case.repeats / (steps - 1) * 1e6
        return {"micros": micros, "ends": ends, "iterations": float(line[1]), "factorisations": float(line[2])}

    def measure(self, case):
        """All turns of one case: {code: Result}."""
        results = {code: Result() for code in case.codes}
        turns = self.turns if case.n < 1000 else min(self.turns, 3)
        for _ in range(turns):
            for code, result in results.items():
                if result.stops:
                    continue
                try:
                    answer = self.run(code, case)
                except Stopped as why:
                    result.stops = str(why)
                    continue
                result.micros.append(answer["micros"])
                result.ends = answer["ends"]
                result.iterations, result.factorisations = answer["iterations"], answer["factorisations"]
        for code, result in results.items():
            if result.ends is None:
                continue
            if case.t_end == END[case.beam]:
                result.error = distance(result.ends, REFERENCE[case.beam])
            if case.n < 1000 and code is not SOLID:
                try:
                    result.finer = distance(result.ends, self.run(code, case, case.h / FINER)["ends"])
                except Stopped:
                    pass
        for code, r in results.items():
            shown = r.stops or f"{min(r.micros):.2f} us/step, error {number(r.error)}"
            print(f"{case.title:28} {code.name:28} {shown}", file=sys.stderr, flush=True)
        return results


def distance(one, other):
    """Largest difference of a coordinate of an end."""
    return max(abs(a - b) for p, q in zip(one, other) for a, b in zip(p, q))


def own_and_peers(results):
    own = [code for code in results if code.peer == "poinsot"]
    return own, [code for code in results if code.peer != "poinsot"]


def ratio(peer, own):
    """Median, least and largest of the ratios of all turns."""
    values = [a / b for a, b in zip(peer.micros, own.micros)]
    return (statistics.median(values), min(values), max(values)) if values else None


def costs(measured):
    rows = []
    for case, results in measured:
        for code, r in results.items():
            if r.stops:
                rows.append([case.beam, case.n, code.name, r.stops, "–", "–", "–", "–"])
                continue
            rows.append([case.beam, case.n, code.name, number(min(r.micros)), number(r.iterations), number(r.factorisations),
                         number(r.finer), number(r.error)])
    head = ["beam", "elements", "code", "CPU per step [µs]", "Newton it./step", "factorisations/step", "error of the steps [m]", "whole error [m]"]
    return table(head, rows)


def ratios(measured):
    rows = []
    for case, results in measured:
        own, peers = own_and_peers(results)
        for peer in peers:
            cells, medians = [], []
            for code in own:
                value = ratio(results[peer], results[code])
                cells.append("–" if value is None else f"{value[0]:.1f} ({value[1]:.1f} to {value[2]:.1f})")
                medians += [value[0]] if value else []
            cells += ["–"] * (3 - len(cells))
            met = "yes" if medians and min(medians) >= GOAL else "in part" if medians and max(medians) >= GOAL else "no" if medians else "–"
            rows.append([case.beam, case.n, f"{case.h:g}", peer.name, *cells, met])
    head = ["beam", "elements", "h [s]", "peer", "its cost over that of positions", "over stabilised", "over motions", f"{GOAL:g} times reached"]
    return table(head, rows)


# Nodes of Poinsot's beams, as shares of those of the peer, for the comparison at equal error; time steps likewise.
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def as_exact(bench, case, error):
    """Settings of Poinsot whose whole error is not larger: the coarsest for each kind of element, order and step."""
    for code in (PLANE, MOTION):
        for order in (1, 2, 3):
            counts = sorted({max(1, round(case.n * share / order)) for share in SHARES if case.n * share >= 2.5})
            for factor in FACTORS:
                for elements in counts:
                    trial = Case(case.beam, elements, case.h * factor, [], order)
                    try:
                        answer = bench.run(code, trial)
                    except Stopped:
                        continue
                    own = distance(answer["ends"], REFERENCE[case.beam])
                    if own <= error:
                        yield code, trial, answer["micros"], own
                        break


def equal_error(bench, measured):
    """Against tuned Exudyn, at an error that is not larger: the cheapest step of the same length, and the cheapest way to the end."""
    rows = []
    for case, results in measured:
        peer = results.get(TUNED)
        if peer is None or peer.error is None:
            continue
        found = list(as_exact(bench, case, peer.error))
        theirs = min(peer.micros)
        row = [case.beam, case.n, f"{case.h:g}", number(peer.error)]
        steps = [(micros, setting(code, trial), theirs / micros) for code, trial, micros, _ in found if trial.h == case.h]
        whole = [(micros * trial.steps, f"{setting(code, trial)}, h = {trial.h:g}", theirs * case.steps / (micros * trial.steps))
                 for code, trial, micros, _ in found]
        for best in (min(steps, default=None), min(whole, default=None)):
            row += [best[1], f"{best[2]:.1f}"] if best else ["none of those tried", "–"]
        rows.append(row)
    head = ["beam", "Exudyn's elements", "h [s]", "its error [m]", "Poinsot with this step", "ratio per step", "Poinsot with any step", "ratio of all time"]
    return table(head, rows)


def setting(code, trial):
    kind = "motions" if code is MOTION else "directors"
    return f"{trial.n} elements of order {trial.order}, {kind}"


def main():
    parser = argparse.ArgumentParser(prog="benches/beams", description="Times Poinsot and Exudyn on beams.")
    parser.add_argument("--beam", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=5, help="turns of all codes in a case (5); at most 3 for 1000 elements")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a run is stopped (300)")
    parser.add_argument("--only", default="", help="measure the cases whose title contains this, and only print")
    parser.add_argument("--no-search", action="store_true", help="leave the comparison at equal error out")
    arguments = parser.parse_args()
    bench = Beams(arguments)
    bench.load = os.getloadavg()
    if "exudyn" in bench.skipped:
        sys.exit("benches/beams: Exudyn is not installed")
    bench.versions = {"exudyn": bench.versions["exudyn"]}
    measured = [(case, bench.measure(case)) for case in cases() if arguments.only in case.title]
    head = chains.machine(bench).replace(f" ({bench.turns * 4} for N = 10)", " (3 at most for 1000 elements)")
    text = "\n\n".join([head, "### Ratios", ratios(measured), "### Costs and errors", costs(measured)])
    if not arguments.no_search:
        text += "\n\n### At the peer's error\n\n" + equal_error(bench, measured)
    print(text)
    if not arguments.only:
        page = chains.PAGE.read_text()
        before, rest = page.split(MARKS[0], 1)
        _, after = rest.split(MARKS[1], 1)
        chains.PAGE.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
