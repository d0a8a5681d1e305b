"""Periodic motions with multipliers by Poinsot and by scipy.solve_bvp in one run (started by benches/orbits).

Both solve the same first-order equations.  SciPy's collocation of fourth order has no multipliers: the
variational equations are integrated over its solution by DOP853.  The error is the largest of those of the
period, of the largest value of the first variable and of the multipliers, each relative to a solution with
tolerances of 1e-13 (DOP853 and Newton's method).  At each error of SciPy's the cheapest run of Poinsot counts
whose error is not larger.  Both begin with the same state, to which the motion has settled, and with the same
guess of the period.  Time is that of the computation from there, with the motion over a period that the search
begins with, without the start of either program, without reading the model and without writing results;
Poinsot's has a table of 50 rows over the period in it.  So that other work on the machine does not count, SciPy's
time is that of its processor, and Poinsot's the lesser one of its clock and of the whole program's processor time:
neither is less than what the computation takes alone.  With --scaling the cost of Poinsot's elements of time and
of bodies is measured besides.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
from scipy.integrate import solve_bvp, solve_ivp
from scipy.optimize import minimize_scalar

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
MARKS = ("<!-- orbits -->", "<!-- /orbits -->")
# Turns of Poinsot for one of SciPy: its clock is disturbed by other work, processor time is not.
OURS = 4
SCALING = ("<!-- orbits-scaling -->", "<!-- /orbits-scaling -->")


class Problem:
    """x' = f(t, x), its Jacobian, the period or a guess of it, and the model file of the same."""

    def __init__(self, name, f, jacobian, start, guess, known, model, settle):
        self.name, self.f, self.jacobian, self.start = name, f, jacobian, np.array(start, float)
        self.guess, self.known, self.settle = guess, known, settle
        self.size = len(start)
        self.at = self.settled()
        values = ", ".join(f"{name} = {value!r}" for name, value in zip(model[0], self.at.tolist()))
        self.model = model[1].replace("VALUES", values)

    def flow(self, x, period, tolerance):
        """The end of a period with its derivative."""
        n = self.size

        def both(t, y):
            return np.concatenate([self.f(t, y[:n]), (self.jacobian(t, y[:n]) @ y[n:].reshape(n, n)).ravel()])

        y = np.concatenate([x, np.eye(n).ravel()])
        end = solve_ivp(both, (0, period), y, method="DOP853", rtol=tolerance, atol=tolerance).y[:, -1]
        return end[:n], end[n:].reshape(n, n)

    def settled(self):
        end = self.settle * self.guess
        return solve_ivp(self.f, (0, end), self.start, method="DOP853", rtol=1e-8, atol=1e-10).y[:, -1]

    def exact(self):
        """Newton's method on one shot; where the period is unknown the first rate is zero at the start."""
        x, period = self.at, self.guess
        if not self.known:
            event = lambda t, y: self.f(t, y)[0]
            event.direction = -1
            run = solve_ivp(self.f, (0, 3 * period), x, method="DOP853", rtol=1e-10, atol=1e-12, events=event)
            period, x = run.t_events[0][-1] - run.t_events[0][-2], run.y_events[0][-1]
        for _ in range(12):
            end, derivative = self.flow(x, period, 1e-13)
            if self.known:
                step = np.linalg.solve(derivative - np.eye(self.size), x - end)
                x = x + step
            else:
                matrix = np.block([[derivative - np.eye(self.size), self.f(0, end)[:, None]],
                                   [self.jacobian(0, x)[:1], np.zeros((1, 1))]])
                step = np.linalg.solve(matrix, np.append(x - end, -self.f(0, x)[0]))
                x, period = x + step[:-1], period + step[-1]
            if np.abs(step).max() < 1e-12:
                break
        _, derivative = self.flow(x, period, 1e-13)
        dense = solve_ivp(self.f, (0, period), x, method="DOP853", rtol=1e-13, atol=1e-13, dense_output=True).sol
        return self.result(period, lambda t: dense(t)[0], derivative)

    def result(self, period, first, derivative):
        t = np.linspace(0, period, 400)
        values = np.array([first(s) for s in t])
        k = int(values.argmax())
        bounds = (t[max(k - 1, 0)] - (t[1] if k == 0 else 0), t[min(k + 1, 399)])
        peak = -minimize_scalar(lambda s: -first(s % period), bounds=bounds, method="bounded",
                                options={"xatol": 1e-12 * period}).fun
        multipliers = np.linalg.eigvals(derivative)
        if not self.known:
            multipliers = np.delete(multipliers, np.abs(multipliers - 1).argmin())
        return period, peak, np.sort(np.abs(multipliers))[::-1]

    def error(self, found, exact):
        largest = max(1.0, exact[2][0])
        return max(abs(found[0] / exact[0] - 1), abs(found[1] / exact[1] - 1),
                   np.abs(found[2][: len(exact[2])] - exact[2]).max() / largest)

    def by_scipy(self, tolerance):
        """Seconds and result."""
        x, n = self.at, self.size
        period = self.guess
        clock = time.process_time()
        way = solve_ivp(self.f, (0, period), x, method="DOP853", rtol=1e-6, atol=1e-8, dense_output=True).sol
        s = np.linspace(0, 1, 33)
        if self.known:
            f = lambda s, y: period * np.array([self.f(period * a, b) for a, b in zip(s, y.T)]).T
            jac = lambda s, y: period * np.array([self.jacobian(period * a, b) for a, b in zip(s, y.T)]).transpose(1, 2, 0)
            found = solve_bvp(f, lambda a, b: a - b, s, way(period * s), fun_jac=jac, tol=tolerance, max_nodes=200_000)
        else:
            phase = way(0)[0]
            f = lambda s, y, p: p[0] * np.array([self.f(0, b) for b in y.T]).T
            ends = lambda a, b, p: np.append(a - b, a[0] - phase)
            found = solve_bvp(f, ends, s, way(period * s), p=[period], tol=tolerance, max_nodes=200_000)
            period = found.p[0]
        if not found.success:
            return None
        _, derivative = self.flow(found.y[:, 0], period, max(tolerance * 1e-2, 1e-13))
        seconds = time.process_time() - clock
        return seconds, self.result(period, lambda t: found.sol(t / period)[0], derivative)

    def by_poinsot(self, program, tolerance, elements=None):
        """Seconds and result, with elements that are chosen, or so many."""
        accuracy = f"elements = {elements}" if elements else f"tolerance = {tolerance!r}"
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.toml"
            model.write_text(self.model.replace("ACCURACY", accuracy))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "run", model, "--out", f"{folder}/run", "--quiet"], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            summary = json.loads((pathlib.Path(folder) / "run" / "summary.json").read_text())
        peak = next(e["measured"] for e in summary["expectations"])
        sizes = [m["magnitude"] for m in summary["multipliers"] if m["number"] > 0]
        return min(summary["wall_time_s"], processor), (summary["period"], peak, np.sort(np.array(sizes))[::-1])


def van_der_pol(mu, period):
    f = lambda t, x: np.array([x[1], mu * (1 - x[0] ** 2) * x[1] - x[0]])
    jacobian = lambda t, x: np.array([[0, 1], [-2 * mu * x[0] * x[1] - 1, mu * (1 - x[0] ** 2)]])
    model = f"""[model]
gravity = [0, 0, 0]
[[equations]]
name = "cycle"
variables = {{ VALUES }}
equations = ["der(x) = v", "der(v) = {mu}*(1 - x^2)*v - x"]
[study]
type = "periodic"
period = "unknown"
guess = {period}
ACCURACY
count = 40
rows = 50
[[signal]]
name = "x"
value = "cycle.x"
[[expect]]
signal = "orbit.largest.x"
value = 2
tolerance = 1
"""
    return Problem(f"Van der Pol, µ = {mu}", f, jacobian, [2, 0], period, False, (["x", "v"], model), 3)


def duffing_chain(count):
    """Masses between hardening springs, the first one driven."""
    n, k, c, cubic, force, rate = count, 1.0, 0.2, 0.5, 0.6, 1.2

    def spring(d):
        return k * d + cubic * d**3

    def f(t, x):
        q, v = x[:n], x[n:]
        pull = spring(np.diff(np.concatenate([[0], q, [0]])))
        a = pull[1:] - pull[:-1] - c * v
        a[0] += force * np.cos(rate * t)
        return np.concatenate([v, a])

    def jacobian(t, x):
        stiff = k + 3 * cubic * np.diff(np.concatenate([[0], x[:n], [0]])) ** 2
        out = np.zeros((2 * n, 2 * n))
        out[:n, n:] = np.eye(n)
        out[n:, n:] = -c * np.eye(n)
        for i in range(n):
            out[n + i, i] = -stiff[i] - stiff[i + 1]
            if i:
                out[n + i, i - 1] = stiff[i]
            if i + 1 < n:
                out[n + i, i + 1] = stiff[i + 1]
        return out

    q = lambda i: f"x{i}" if 1 <= i <= n else "0"
    rows = [f'"der(x{i}) = v{i}"' for i in range(1, n + 1)]
    for i in range(1, n + 1):
        parts = [f"({q(i + 1)} - x{i}) + {cubic}*({q(i + 1)} - x{i})^3", f"(x{i} - {q(i - 1)}) + {cubic}*(x{i} - {q(i - 1)})^3"]
        drive = f" + {force}*cos({rate}*t)" if i == 1 else ""
        rows.append(f'"der(v{i}) = {parts[0]} - ({parts[1]}) - {c}*v{i}{drive}"')
    names = [f"x{i}" for i in range(1, n + 1)] + [f"v{i}" for i in range(1, n + 1)]
    model = f"""[model]
gravity = [0, 0, 0]
[[equations]]
name = "chain"
variables = {{ VALUES }}
equations = [{", ".join(rows)}]
[study]
type = "periodic"
period = "2*pi/{rate}"
ACCURACY
count = 80
rows = 50
[[signal]]
name = "x"
value = "chain.x1"
[[expect]]
signal = "orbit.largest.x"
value = 0
tolerance = 1e3
"""
    return Problem(f"{n} driven masses on hardening springs", f, jacobian, [0] * (2 * n), 2 * np.pi / rate, True, (names, model), 20)


PROBLEMS = [lambda: van_der_pol(1, 6.66), lambda: van_der_pol(10, 19.08), lambda: duffing_chain(1), lambda: duffing_chain(5),
            lambda: duffing_chain(20)]


def scaling(program, turns):
    """Cost of Poinsot's elements of time, for 20 masses, and of bodies, for 32 elements: two tables."""
    def row(name, problem, elements):
        runs = [problem.by_poinsot(program, None, elements)[0] for _ in range(OURS * turns)]
        return name, 1e3 * min(runs)

    chain = duffing_chain(20)
    by_time = [row(elements, chain, elements) for elements in (16, 32, 64, 128, 256)]
    by_bodies = [row(count, duffing_chain(count), 32) for count in (1, 5, 20, 50, 100)]
    lines = []
    for what, rows in (("elements of time, 20 masses", by_time), ("masses, 32 elements", by_bodies)):
        lines += [f"| {what} | Poinsot [ms] | each [ms] |", "| --: | --: | --: |"]
        lines += [f"| {count} | {ms:.1f} | {ms / count:.2f} |" for count, ms in rows] + [""]
    print("\n".join(lines), flush=True)
    return "\n".join(lines[:-1])


def rewrite(marks, text):
    page = PAGE.read_text()
    before, rest = page.split(marks[0])
    PAGE.write_text(before + marks[0] + "\n" + text + "\n" + marks[1] + rest.split(marks[1])[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poinsot", required=True)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="rewrite the table of docs/performance.md")
    parser.add_argument("--scaling", action="store_true", help="measure what elements and bodies cost, too")
    options = parser.parse_args()
    rows = []
    for make in PROBLEMS:
        problem = make()
        exact = problem.exact()
        ours = []
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12]:
            runs = [problem.by_poinsot(options.poinsot, tolerance) for _ in range(OURS * options.turns)]
            ours.append((min(r[0] for r in runs), problem.error(runs[0][1], exact), tolerance))
        for tolerance in [1e-3, 1e-6, 1e-9]:
            runs = [problem.by_scipy(tolerance) for _ in range(options.turns)]
            if None in runs:
                rows.append(f"| {problem.name} | {tolerance:g} | – | not converged | | | |")
                continue
            seconds, error = min(r[0] for r in runs), problem.error(runs[0][1], exact)
            fitting = [o for o in ours if o[1] <= max(error, 1e-11)]
            if fitting:
                own = min(fitting)
                ratio = f"{own[1]:.1e} | {1e3 * own[0]:.0f} | {seconds / own[0]:.1f}"
            else:
                ratio = f"{ours[-1][1]:.1e} | – | –"
            rows.append(f"| {problem.name} | {tolerance:g} | {error:.1e} | {1e3 * seconds:.0f} | {ratio} |")
            print(rows[-1], flush=True)
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    table = "\n".join(["| problem | its tolerance | its error | solve_bvp [ms] | our error | Poinsot [ms] | ratio |",
                       "| --- | --: | --: | --: | --: | --: | --: |", *rows, "", f"Load of the machine: {load}."])
    if options.write:
        rewrite(MARKS, table)
    if options.scaling:
        text = scaling(options.poinsot, options.turns)
        if options.write:
            rewrite(SCALING, text)


if __name__ == "__main__":
    main()
