"""What a recorded row costs: the work of a run with many rows over that of the same run with two.

    benches/rows.py MODEL.ldae [ROWS] [--count]

A row may cost at most what a step costs. Prints the solution time and the user time of the whole program,
each the least of several runs; with --count the instructions of the whole program (valgrind), which noise
does not touch."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

POINSOT = pathlib.Path(__file__).resolve().parent.parent / "target/release/poinsot"
TIMES = 7


def written(folder, text, rows):
    path = pathlib.Path(folder) / "model.ldae"
    path.write_text(re.sub(r"OutputPoints *= *\d+", f"OutputPoints = {rows}", text))
    return path


def least(text, rows):
    """The least solution time and user time in s, and the steps."""
    best, user, steps = float("inf"), float("inf"), 0
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, text, rows)
        for _ in range(TIMES):
            before = os.times().children_user
            done = subprocess.run([POINSOT, "run", path], cwd=folder, capture_output=True, text=True, check=True)
            user = min(user, os.times().children_user - before)
            amount, unit = re.search(r"s in ([\d.e-]+) (s|ms|µs)", done.stdout).groups()
            best = min(best, float(amount) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit])
            steps = int(re.search(r"work +([\d ]+) steps", done.stdout).group(1).replace(" ", ""))
    return best, user, steps


def instructions(text, rows):
    """Instructions of the whole program."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, text, rows)
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", POINSOT, "run", path]
        done = subprocess.run(tool, cwd=folder, capture_output=True, text=True, check=True)
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    words = [word for word in sys.argv[1:] if word != "--count"]
    text = pathlib.Path(words[0]).read_text()
    rows = int(words[1]) if len(words) > 1 else 51
    if "--count" in sys.argv:
        few, many = instructions(text, 2), instructions(text, rows)
        print(f"2 rows {few / 1e6:.0f}, {rows} rows {many / 1e6:.0f} million instructions: {many / few:.3f}")
        print(f"a row {(many - few) / (rows - 2) / 1e6:.2f} million instructions")
        return
    (few, few_user, steps), (many, many_user, _) = least(text, 2), least(text, rows)
    per_row = (many - few) / (rows - 2)
    print(f"2 rows {few * 1e3:.1f} ms, {rows} rows {many * 1e3:.1f} ms: ratio {many / few:.2f}")
    print(f"user time {few_user * 1e3:.0f} ms, {many_user * 1e3:.0f} ms: ratio {many_user / few_user:.2f}")
    print(f"a step {few / steps * 1e6:.0f} µs, a row {per_row * 1e6:.0f} µs")


main()
