"""Times a flexible body with Poinsot and Exudyn in one interleaved run (started by benches/flexible).

A pendulum of a solid bar of Hex20 (benches/bodies/pendulum.toml), reduced to its static shapes and a few vibrations, from the
horizontal, for a second.  Exudyn takes the matrices of the same mesh and reduces them itself.  Set-up is CPU time from the
mesh (Poinsot) or from matrices in memory (Exudyn) to the first step; a step is the CPU time of all steps less that of one.
The codes take turns; costs are the least of all turns.  An error is the distance of the tip at the end from that of the same
code with a step FINER times shorter; the cost at equal error is that of Poinsot with the step at which its error, of second
order, is that of Exudyn.
"""
import argparse
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
MARKS = ("<!-- flexible -->", "<!-- /flexible -->")
SIZES = ((16, 2, 2, 6), (32, 4, 4, 6), (32, 4, 4, 20))
FINER = 8
END, STEP = 1.0, 1e-3
ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def ran(words):
    """Output and CPU seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([str(word) for word in words], env={**os.environ, **ONE}, check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out.splitlines()[-1]), after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def ours(program, model, method, h, repeats):
    """Set-up, seconds for a step, place of the tip; repeats spread the set-up out."""
    steps = round(END / h)
    answer, seconds = ran([program, model, "bar.tip", h, END, method, repeats])
    _, first = ran([program, model, "bar.tip", h, h, method, 1])
    return first, (seconds - first) / (steps * repeats - 1), answer["place"], answer


def theirs(folder, modes, h):
    answer, _ = ran([sys.executable, HERE / "peers" / "exudyn_flexible.py", folder, modes, h, round(END / h)])
    return answer["setup"], answer["step"], answer["place"], answer


def prepared(program, folder, size):
    mesh = subprocess.run(
        [sys.executable, HERE.parent / "verification/flexible/box_mesh.py", "1", "0.07", "0.07", *map(str, size[:3]), "1"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    (folder / "bar.msh").write_text(mesh)
    text = (HERE / "bodies/pendulum.toml").read_text().replace("MESH", "bar.msh").replace("MODES", str(size[3]))
    (folder / "pendulum.toml").write_text(text)
    subprocess.run([program, folder / "pendulum.toml", "matrices", folder], check=True)
    return folder / "pendulum.toml", (folder / "k.mtx").read_text().splitlines()[1].split()[0]


def measured(program, size, turns):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, unknowns = prepared(program, folder, size)
        codes = {
            "Poinsot, positions": lambda h, n=10: ours(program, model, "position", h, n),
            "Poinsot, stabilised": lambda h, n=10: ours(program, model, "stabilised", h, n),
            "Exudyn": lambda h, n=1: theirs(folder, size[3], h),
        }
        fine = {code: run(STEP / FINER, 1)[2] for code, run in codes.items()}
        best = {}
        for turn in range(turns):
            for code, run in codes.items():
                setup, step, place, answer = run(STEP)
                old = best.get(code, dict(setup=math.inf, step=math.inf))
                best[code] = dict(
                    setup=min(setup, old["setup"]), step=min(step, old["step"]), shapes=answer.get("shapes"),
                    error=math.dist(place, fine[code]), iterations=answer["iterations"])
                print(f"{turn} {size} {code}: {json.dumps(best[code])}", file=sys.stderr, flush=True)
        peer = best["Exudyn"]
        for code in best.values():
            # error ~ h^2: as many more steps as the root of the ratio of errors says.
            code["equal"] = code["step"] * max(code["error"] / peer["error"], 1e-9) ** 0.5
            code["ratio"] = peer["step"] / code["equal"]
            code["setup_ratio"] = peer["setup"] / code["setup"]
        apart = math.dist(fine["Poinsot, positions"], fine["Exudyn"])
        return dict(size=size, unknowns=int(unknowns), codes=best, apart=apart)


def rows(results):
    yield "| mesh, unknowns, vibrations | code | set-up | step | error of the tip | step at Exudyn's error | Exudyn over it | set-up, Exudyn over it |"
    yield "|---|---|---|---|---|---|---|---|"
    for result in results:
        nx, ny, nz, modes = result["size"]
        for code, best in result["codes"].items():
            yield (
                f"| {nx} × {ny} × {nz}, {result['unknowns']}, {modes} | {code} | {best['setup']:.3f} s | {best['step'] * 1e6:.1f} µs "
                f"| {best['error']:.1e} m | {best['equal'] * 1e6:.1f} µs | {best['ratio']:.1f} | {best['setup_ratio']:.1f} |")
    apart = ", ".join(f"{result['apart']:.1e}" for result in results)
    yield ""
    yield f"With short steps the tips of both codes end {apart} m apart."


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--sizes", type=int, default=len(SIZES), help="only the first so many meshes")
    parser.add_argument("--dry", action="store_true", help="print the table, do not write the page")
    options = parser.parse_args()
    results = [measured(options.program, size, options.turns) for size in SIZES[: options.sizes]]
    text = "\n".join(rows(results))
    print(text)
    if not options.dry:
        page = PAGE.read_text()
        block = re.compile(f"{MARKS[0]}.*?{MARKS[1]}", re.S)
        PAGE.write_text(block.sub(lambda _: f"{MARKS[0]}\n{text}\n{MARKS[1]}", page))


if __name__ == "__main__":
    main()
