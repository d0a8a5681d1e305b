"""Times lines by places and slopes with Poinsot and Exudyn in one interleaved run (started by benches/lines).

The pendulum of beam_problem.py without shear, plane and space, Poinsot's three formulations beside each other, beams with slopes
across the line, and a strip of thin plate elements that is the same pendulum.  CPU time: of
Poinsot the difference of two processes with many repeats and one, of Exudyn that of all steps less that of one.  The codes take
turns; the least of all turns counts.  The error is that of the tip at the end against a line of 400 elements with steps an
eighth as long, by Poinsot; both codes go there as meshes and steps are refined.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
MARKS = ("<!-- lines -->", "<!-- /lines -->")
H, END = 1e-3, 0.3
# Name, words for its program, and the row that its cost is compared with.
PLANE, SPACE, SECTIONS, PLATE = ("Poinsot, line, plane", "Poinsot, line, space", "Poinsot, sections, space",
                                 "Poinsot, thin plate")
CODES = [(PLANE, "plane-ancf", PLANE), ("Exudyn, cable, plane", "cable default", PLANE),
         ("Exudyn, cable, plane, tuned", "cable tuned", PLANE), (SPACE, "space-ancf", SPACE),
         ("Exudyn, cable, space", "cable-space default", SPACE),
         ("Exudyn, cable, space, tuned", "cable-space tuned", SPACE),
         ("Poinsot, directors, plane", "plane", PLANE), ("Poinsot, motions, plane", "plane-motion", PLANE),
         (SECTIONS, "space-sections", SECTIONS), ("Exudyn, beam, space", "sections default", SECTIONS),
         ("Exudyn, beam, space, tuned", "sections tuned", SECTIONS), (PLATE, "plate", PLATE),
         ("Exudyn, thin plate", "plate default", PLATE), ("Exudyn, thin plate, tuned", "plate tuned", PLATE)]


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, text


def tip_of(text):
    return [float(x) for x in re.search(r"tip \[([^]]*)\]", text)[1].split(",")][:2]


def poinsot(program, space, n, h=H, many=True):
    steps = round(END / h)
    command = [program, "pendulum", space, str(n), "1", repr(h), repr(END), "position", "1e-8"]
    repeats = max(2, (4_000 if space == "plate" else 60_000) // (n * 30)) if many else 1
    one, text = cpu(command + ["1"])
    if not many:
        return None, tip_of(text)
    all_of_them, text = cpu(command + [str(repeats + 1)])
    return (all_of_them - one) / repeats / steps * 1e6, tip_of(text)


def exudyn(words, n):
    element, variant = words.split()
    steps = round(END / H)
    command = [sys.executable, str(HERE / "peers" / "exudyn_beam.py"), "pendulum", str(n), repr(H), str(steps), element, variant]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return (found["seconds"] - found["first"]) / (steps - 1) * 1e6, found["ends"][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beam", required=True)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--elements", default="10,100,1000")
    parser.add_argument("--only", default="", help="rows that are compared with those whose name begins so; writes no table")
    options = parser.parse_args()
    _, reference = poinsot(options.beam, "plane-ancf", 400, H / 8, many=False)
    rows = []
    for n in map(int, options.elements.split(",")):
        # A thousand plates take minutes.
        codes = [code for code in CODES if n < 1000 or code[2] in (PLANE, SPACE)]
        codes = [code for code in codes if code[2].startswith(options.only)]
        costs, tips = {}, {}
        for _ in range(options.turns if n < 1000 else 1):
            for name, words, _ in codes:
                cost, tip = poinsot(options.beam, words, n) if " " not in words else exudyn(words, n)
                costs[name] = min(cost, costs.get(name, float("inf")))
                tips[name] = tip
        for name, _, own in codes:
            error = sum((a - b) ** 2 for a, b in zip(tips[name], reference)) ** 0.5
            ratio = "" if name == own else f"{costs[name] / costs[own]:.1f}"
            rows.append(f"| {n} | {name} | {costs[name]:.3g} | {costs[name] / n:.2f} | {ratio} | {error:.1e} |")
            print(rows[-1], flush=True)
    if options.only:
        return
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    head = ["| elements | code | CPU per step [µs] | per element [µs] | its cost over that of the line | error of the tip [m] |",
            "| --: | --- | --: | --: | --: | --: |"]
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    note = f"Load of the machine at the end: {load} (2 logical cores). Steps of {H} s to {END} s.\n"
    PAGE.write_text(before + MARKS[0] + "\n" + note + "\n" + "\n".join(head + rows) + "\n" + MARKS[1] + after, encoding="utf-8")


main()
