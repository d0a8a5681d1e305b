"""Checks every problem: its forms against its ODE, its right-hand side and start against the test set's numbers,
and its end against a tight solution of the ODE.  Started by benches/testset/run --check."""
import sys

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from problems import NAMES, Callback, load
from problems.amplifier import currents

EXPECTED_RHS = {
    "hires": (0.0, [1, 0, 0, 0, 0, 0, 0, 0.0057], [-1.7093, 1.71, 0, 0, 0, 0, 0, 0]),
    "robertson": (0.0, [0.5, 1e-5, 0.49999], [2.9999e-2, -3.2999e-2, 3e-3]),
}
NAND_RATE = {2: 3.25471279015272e-10, 3: 3.25471279015272e-10, 7: 2.49186382417756e-10, 8: 3.25471279015272e-10, 12: 7.55948276946436e-11, 13: 2.49186382417756e-10}
ANDREWS_START = {14: 1.4222443919954113871e04, 15: -1.0666832939965585403e04, 21: 9.8566870396241089605e01, 22: -6.1226883442556626551e00}


def form_residual(problem, form):
    """Largest |M x' - f| relative to its terms for x = lift(s) along s' = ode, at the start."""
    s, t, p = problem.s, problem.t, problem.p
    rate = ca.jtimes(form.lift, s, problem.ode) + ca.jacobian(form.lift, t)
    mass = Callback([s, t, p], ca.mtimes(ca.substitute(form.mass, form.x, form.lift), rate))
    f = Callback([s, t, p], ca.substitute(form.f, form.x, form.lift))
    t0, t1, q = problem.segments[min(1, len(problem.segments) - 1)]
    time = t0 + 0.3 * (t1 - t0) if len(problem.segments) > 1 else t0
    a, b = mass(problem.start, time, q).copy(), f(problem.start, time, q).copy()
    return float(np.max(np.abs(a - b) / (1.0 + np.abs(a))))


def tight(problem, method, rtol, atol=1e-14):
    f, jacobian = Callback([problem.s, problem.t, problem.p], problem.ode), Callback([problem.s, problem.t, problem.p], ca.jacobian(problem.ode, problem.s))
    s = problem.start
    for t0, t1, p in problem.segments:
        more = {"jac": lambda t, y: jacobian(y, t, p).copy()} if method != "DOP853" else {}
        answer = solve_ivp(lambda t, y: f(y, t, p)[:, 0].copy(), (t0, t1), s, method=method, rtol=rtol, atol=problem.forms["ode"].scale * atol, t_eval=[t1], **more)
        if not answer.success:
            return None
        s = answer.y[:, -1]
    return Callback([problem.s, problem.t, problem.p], problem.output)(s, t1, p)[:, 0].copy()


def main(names):
    for name in names or NAMES:
        problem = load(name)
        for form in problem.forms.values():
            print(f"{name:12} {form.name:20} n = {form.n:2}, residual at the lifted start {form_residual(problem, form):.1e}", flush=True)
        if name in EXPECTED_RHS:
            t, y, expected = EXPECTED_RHS[name]
            assert np.allclose(Callback([problem.s, problem.t, problem.p], problem.ode)(y, t, 0.0)[:, 0], expected, rtol=1e-13, atol=1e-16)
        if name == "nand":
            f = Callback([problem.s, problem.t, problem.p], problem.ode)(problem.start, 1.0, problem.segments[0][2])[:, 0]
            assert all(abs(f[i] - NAND_RATE.get(i, 0.0)) < 1e-22 for i in range(14)), f
        if name == "amplifier":
            y = ca.SX.sym("y", 8)
            f = Callback([y], currents(y, 0.0))(problem.start)[:, 0]
            assert np.allclose(f, [0, 0, 1e-3 / 3, 0, 0, 1e-3 / 3, 0, 0], rtol=1e-13, atol=1e-18), f
        if name == "andrews":
            x = Callback([problem.s, problem.t, problem.p], problem.forms["index 1"].lift)(problem.start, 0.0, 0.0)[:, 0]
            expected = np.zeros(27)
            expected[:7] = problem.start[:7]
            for i, value in ANDREWS_START.items():
                expected[i] = value
            assert np.allclose(x, expected, rtol=1e-12, atol=1e-8), x - expected
        method = "DOP853" if name in ("pendulum", "car_axis", "andrews") else "Radau"
        # Jumps of the ODE's right-hand side stop Radau at tighter tolerances.
        rtol = {"charge_pump": 1e-7, "water_tube": 1e-9}.get(name, 1e-11)
        scd, mixed = problem.errors(tight(problem, method, rtol, 1e-12 if rtol == 1e-11 else rtol))
        print(f"{name:12} {method} {rtol:g}: scd {scd:.2f}, mixed error {mixed:.1e}", flush=True)
        assert mixed < {"charge_pump": 1e-7, "water_tube": 1e-6}.get(name, 1e-9)


if __name__ == "__main__":
    main(sys.argv[1:])
