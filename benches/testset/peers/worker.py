"""What the Python peer programs share: `program method problem form tolerance...` prints one JSON line per tolerance."""
import json
import pathlib
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import numpy as np  # noqa: E402

from problems import Callback, load  # noqa: E402

# One tolerance is solved again until this much CPU time is spent or so many solves are done.
SECONDS, SOLVES = 0.3, 5


class Fails(Exception):
    """A solve that gave no answer, with the solver's words."""


class Solve:
    """A problem in one form with one tolerance; a driver fills `segment`."""

    def __init__(self, method, problem, form, rtol):
        self.method, self.problem, self.form, self.rtol = method, problem, form, rtol
        # Unknowns out of the error test get a bound no error reaches.
        self.atol = rtol * np.where(np.isfinite(form.scale), form.scale, 1e9 / rtol)
        s, t, p = problem.s, problem.t, problem.p
        self.lift = Callback([s, t, p], form.lift)
        self.drop = Callback([form.x, t, p], form.drop)
        self.output = Callback([s, t, p], problem.output)
        self.prepare()

    def prepare(self):
        """Set-up that is not timed."""

    def segment(self, t0, t1, p, x, count):
        """x at t1 from x at t0; adds to the counts."""
        raise NotImplementedError

    def once(self):
        """The compared quantities at the end and the counts of one whole solve."""
        count = dict(steps=0, rejected=None, rhs=0, jacobians=0)
        s = self.problem.start
        for t0, t1, p in self.problem.segments:
            x = self.segment(t0, t1, p, self.lift(s, t0, p)[:, 0].copy(), count)
            if not np.all(np.isfinite(x)):
                raise Fails(f"not a number at t = {t1:g}")
            s = self.drop(x, t1, p)[:, 0].copy()
        return self.output(s, t1, p)[:, 0].copy(), count


def measure(code, version, solve_class, arguments):
    method, name, form_name, *tolerances = arguments
    warnings.simplefilter("ignore")
    problem = load(name)
    form = problem.forms[form_name]
    for tolerance in tolerances:
        rtol = float(tolerance)
        line = dict(code=code, version=version, problem=name, form=form_name, rtol=rtol, atol=None, scd=None, mixed=None, steps=None, rejected=None,
                    rhs=None, jacobians=None, cpu=None, fails=None)
        try:
            solve = solve_class(method, problem, form, rtol)
            line["atol"] = [float(f"{a:g}") if np.isfinite(k) else None for a, k in zip(solve.atol, form.scale)]
            best, spent, solves = np.inf, 0.0, 0
            while solves < SOLVES and (spent < SECONDS or not solves):
                began = time.process_time()
                y, count = solve.once()
                seconds = time.process_time() - began
                best, spent, solves = min(best, seconds), spent + seconds, solves + 1
            scd, mixed = problem.errors(y)
            count = {k: None if v is None else int(v) for k, v in count.items()}
            line.update(count, scd=round(scd, 3), mixed=float(f"{mixed:.4g}"), cpu=best)
        except Exception as why:  # a peer may raise anything; its words go into the table
            line["fails"] = " ".join(str(why).split())[:300] or type(why).__name__
        print(json.dumps(line), flush=True)
