"""How a problem of the test set is written down, once, for every solver.

A problem is the ordinary differential equation  s' = ode(s, t, p)  of its minimal state, with parameters p
that are constant on each segment of time (inputs with kinks are smooth inside a segment), and a list of forms

    M(x) x' = f(x, t, p),   x = lift(s, t, p),   s = drop(x)

of which "ode" (x = s, M = 1) is the first.  All expressions are CasADi SX; Jacobians come from them.
"""
import importlib
import math

import casadi as ca
import numpy as np

NAMES = ["pendulum", "car_axis", "andrews", "amplifier", "charge_pump", "water_tube", "hires", "robertson", "van_der_pol", "nand"]


def load(name):
    """The problem of one module of this folder."""
    return importlib.import_module(f"problems.{name}").problem()


def column(parts):
    return ca.densify(ca.vertcat(*parts) if isinstance(parts, (list, tuple)) else parts)


class Form:
    """One way to give a problem to a solver; `scale` is atol/rtol of each unknown (infinite: not in the error test)."""

    def __init__(self, name, x, mass, f, lift, drop, scale):
        self.name, self.x, self.mass, self.f, self.lift, self.drop = name, x, ca.SX(mass), column(f), column(lift), column(drop)
        self.scale = np.array(scale, float) * np.ones(x.numel())
        self.n = x.numel()
        pattern = np.array(ca.DM(self.mass.sparsity(), 1))
        self.algebraic = [i for i in range(self.n) if not pattern[:, i].any()]

    @property
    def semi_explicit(self):
        """Whether the mass matrix is diagonal and constant."""
        return self.mass.is_constant() and self.mass.sparsity().is_subset(ca.Sparsity.diag(self.n))


class Problem:
    """`scale` belongs to s, `reference` and `reference_scale` to the compared quantities output(s, t, p) at the end."""

    def __init__(self, name, title, s, ode, start, segments, reference, output=None, reference_scale=None, scale=1.0, t=None, p=None):
        self.name, self.title = name, title
        self.t = ca.SX.sym("t") if t is None else t
        self.p = ca.SX.sym("p") if p is None else p
        self.s, self.ode = s, column(ode)
        self.start = np.array(start, float)
        # [(t0, t1, p)]
        self.segments = [(a, b, np.array(q or [0.0], float)) for a, b, q in segments]
        self.output = s if output is None else column(output)
        self.reference = np.array([float(v) for v in reference])
        self.reference_scale = np.array(scale if reference_scale is None else reference_scale, float) * np.ones(len(self.reference))
        self.forms = {}
        self.add("ode", s, ca.SX.eye(s.numel()), self.ode, s, s, scale)

    def add(self, name, x, mass, f, lift, drop, scale):
        self.forms[name] = Form(name, x, mass, f, lift, drop, scale)

    def errors(self, y):
        """Digits of the worst component (scd of the test set) and the mixed error max |dy|/(atol/rtol + |y|)."""
        d, r = np.abs(np.asarray(y, float) - self.reference), np.abs(self.reference)
        worst = np.max(d / np.where(r > 0.0, r, np.inf))
        return -math.log10(max(worst, 1e-16)), float(np.max(d / (self.reference_scale + r)))


class Callback:
    """A CasADi function of fixed memory: call it with arrays (or numbers), it returns the array of its result."""

    def __init__(self, arguments, result):
        result = ca.densify(result)
        self.function = ca.Function("f", list(arguments), [result])
        self.inputs = [np.zeros(a.numel()) for a in arguments]
        self.result = np.zeros(result.shape, order="F")
        self.buffer, self.run = self.function.buffer()
        for i, memory in enumerate(self.inputs):
            self.buffer.set_arg(i, memoryview(memory))
        self.buffer.set_res(0, memoryview(self.result.reshape(-1, order="F")))

    def __call__(self, *values):
        for memory, value in zip(self.inputs, values):
            memory[:] = value
        self.run()
        return self.result


def mechanism(name, title, q, v, t, mass, force, g, segments, q0, v0, reference, scale_q, scale_v, scale_a, scale_l, compared=None):
    """M(q) v' = force - G^T l, g(q, t) = 0: underlying ODE, index-1 form and stabilised index-2 form (Gear, Gupta, Leimkuhler)."""
    n, m = q.numel(), g.numel()
    acceleration, l, mu = ca.SX.sym("a", n), ca.SX.sym("l", m), ca.SX.sym("mu", m)
    G = ca.jacobian(g, q)
    rate = ca.mtimes(G, v) + ca.jacobian(g, t)
    gamma = ca.jtimes(rate, q, v) + ca.jacobian(rate, t)
    # (G M^-1 G^T) l = G M^-1 force + gamma
    free, carried = solve(mass, force), solve(mass, G.T)
    multiplier = solve(ca.mtimes(G, carried), ca.mtimes(G, free) + gamma)
    solved = free - ca.mtimes(carried, multiplier)
    s = ca.vertcat(q, v)
    problem = Problem(name, title, s, [v, solved], [*q0, *v0], segments, reference, output=compared, scale=[scale_q] * n + [scale_v] * n,
                      reference_scale=([scale_q] * n + [scale_v] * n)[:len(reference)], t=t)
    zeros = ca.SX(m, m)
    if mass.is_constant():
        x = ca.vertcat(s, l)
        pushed = free - ca.mtimes(carried, l)
        problem.add("index 1", x, ca.diagcat(ca.SX.eye(2 * n), zeros), [v, pushed, ca.mtimes(G, pushed) + gamma], [s, multiplier], s,
                    [scale_q] * n + [scale_v] * n + [scale_l] * m)
    else:
        x = ca.vertcat(s, acceleration, l)
        # Rows scaled to order one with the unknowns' scales.
        row_a, row_l = 1.0 / scale_l, 1.0 / scale_a
        problem.add("index 1", x, ca.diagcat(ca.SX.eye(2 * n), ca.SX(n + m, n + m)),
                    [v, acceleration, row_a * (ca.mtimes(mass, acceleration) + ca.mtimes(G.T, l) - force), row_l * (ca.mtimes(G, acceleration) + gamma)],
                    [s, solved, multiplier], s, [scale_q] * n + [scale_v] * n + [scale_a] * n + [scale_l] * m)
    x = ca.vertcat(s, l, mu)
    problem.add("stabilised index 2", x, ca.diagcat(ca.SX.eye(n), mass, ca.SX(2 * m, 2 * m)),
                [v - ca.mtimes(G.T, mu), force - ca.mtimes(G.T, l), rate, g], [s, multiplier, ca.SX(m, 1)], s,
                [scale_q] * n + [scale_v] * n + [math.inf] * (2 * m))
    return problem


def solve(a, b):
    """Symbolic solution of a small symmetric positive definite system by Cholesky factorisation."""
    a, n = ca.SX(a), a.size1()
    low = [[0.0] * n for _ in range(n)]
    for j in range(n):
        low[j][j] = ca.sqrt(a[j, j] - sum(low[j][k] ** 2 for k in range(j)))
        for i in range(j + 1, n):
            low[i][j] = (a[i, j] - sum(low[i][k] * low[j][k] for k in range(j))) / low[j][j]
    b = ca.SX(b)
    z = [None] * n
    for i in range(n):
        z[i] = (b[i, :] - sum(low[i][k] * z[k] for k in range(i))) / low[i][i]
    for i in reversed(range(n)):
        z[i] = (z[i] - sum(low[k][i] * z[k] for k in range(i + 1, n))) / low[i][i]
    return ca.vertcat(*z)
