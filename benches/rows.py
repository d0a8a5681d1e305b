"""What a recorded row costs: the time of a run with many rows over that of the same run with two.

    benches/rows.py MODEL.ldae [ROWS]

A row may cost at most what a step costs."""
import pathlib
import re
import subprocess
import sys
import tempfile

POINSOT = pathlib.Path(__file__).resolve().parent.parent / "target/release/poinsot"


def least(text, rows, times=5):
    """The least solution time in s, and the steps."""
    best, steps = float("inf"), 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.ldae"
        path.write_text(re.sub(r"OutputPoints *= *\d+", f"OutputPoints = {rows}", text))
        for _ in range(times):
            done = subprocess.run([POINSOT, "run", path], cwd=folder, capture_output=True, text=True, check=True)
            amount, unit = re.search(r"s in ([\d.e-]+) (s|ms|µs)", done.stdout).groups()
            best = min(best, float(amount) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit])
            steps = int(re.search(r"work +([\d ]+) steps", done.stdout).group(1).replace(" ", ""))
    return best, steps


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 51
    few, steps = least(text, 2)
    many, _ = least(text, rows)
    per_row = (many - few) / (rows - 2)
    print(f"2 rows {few * 1e3:.1f} ms, {rows} rows {many * 1e3:.1f} ms: ratio {many / few:.2f}")
    print(f"a step {few / steps * 1e6:.0f} µs, a row {per_row * 1e6:.0f} µs")


main()
