"""NAND gate: C(y) y' = f(t, y) with MOSFET and junction models; the two input pulses have kinks every 5."""
import casadi as ca
import numpy as np

from problems.form import Problem

CG, CB0, C9, DELTA, LEAK, UT, VDD, VBB = 0.6e-4, 2.4e-5, 0.5e-4, 0.02, 1e-14, 25.85, 5.0, -2.5
DEPLETION = dict(vt0=-2.43, gamma=0.2, phi=1.28, forward=5.35e-4, backward=5.35e-4)
# The ten times smaller backward factor is the test set's.
ENHANCEMENT = dict(vt0=0.2, gamma=0.035, phi=1.01, forward=1.748e-3, backward=1.748e-4)
START = [5.0, 5.0, VBB, VBB, 5.0, 3.62385, 5.0, VBB, VBB, 3.62385, 0.0, 3.62385, VBB, VBB]
# The published vector: Radau IIA at 1e-12 on the segments agrees with it to 1e-12.
REFERENCE = [0.4971088699385777e1, 0.4999752103929311e1, -0.2499998781491227e1, -0.2499999999999975e1, 0.4970837023296724e1, -0.2091214032073855, 0.4970593243278363e1,
             -0.2500077409198803e1, -0.2499998781491227e1, -0.2090289583878100, -0.2399999999966269e-3, -0.2091214032073855, -0.2499999999999991e1, -0.2500077409198803e1]


def junction_current(u):
    return ca.if_else(u <= 0.0, -LEAK * (ca.exp(ca.fmin(u, 0.0) / UT) - 1.0), 0.0)


def junction_capacitance(u):
    return ca.if_else(u <= 0.0, CB0 / ca.sqrt(1.0 - ca.fmin(u, 0.0) / 0.87), CB0 * (1.0 + u / 1.74))


def drain_current(m, vds, vgs, vbs, vgd, vbd):
    threshold = lambda u: m["vt0"] + m["gamma"] * (ca.sqrt(ca.fmax(m["phi"] - u, 1e-9)) - np.sqrt(m["phi"]))  # noqa: E731
    x, z = ca.fmax(vgs - threshold(vbs), 0.0), ca.fmax(vgd - threshold(vbd), 0.0)
    on = -m["forward"] * (1.0 + DELTA * vds) * ca.if_else(x <= vds, x**2, vds * (2.0 * x - vds))
    reverse = m["backward"] * (1.0 - DELTA * vds) * ca.if_else(z <= -vds, z**2, -vds * (2.0 * z + vds))
    # x = 0 gives no current with vds > 0 (first branch), likewise z = 0.
    return ca.if_else(vds > 0.0, on, ca.if_else(vds < 0.0, reverse, 0.0))


def segments():
    def pulse(t, delay, rise, high, fall, period):
        u = t % period - delay
        if u < 0.0 or u >= rise + high + fall:
            return 0.0, 0.0
        if u < rise:
            return 5.0 * u / rise, 5.0 / rise
        return (5.0, 0.0) if u < rise + high else (5.0 * (1.0 - (u - rise - high) / fall), -5.0 / fall)

    return [(a, a + 5.0, [a, *pulse(a, 5, 5, 5, 5, 20), *pulse(a, 15, 5, 15, 5, 40)]) for a in np.arange(0.0, 80.0, 5.0)]


def problem():
    t, p, y = ca.SX.sym("t"), ca.SX.sym("p", 5), ca.SX.sym("y", 14)
    v1, v2, v1_rate, v2_rate = p[1] + p[2] * (t - p[0]), p[3] + p[4] * (t - p[0]), p[2], p[4]
    u = [None] + [y[i] for i in range(14)]
    i1 = drain_current(DEPLETION, u[2] - u[1], u[5] - u[1], u[3] - u[5], u[5] - u[2], u[4] - VDD)
    i2 = drain_current(ENHANCEMENT, u[7] - u[6], v1 - u[6], u[8] - u[10], v1 - u[7], u[9] - u[5])
    i3 = drain_current(ENHANCEMENT, u[12] - u[11], v2 - u[11], u[13], v2 - u[12], u[14] - u[10])
    ib = junction_current
    f = ca.vertcat(
        -(u[1] - u[5]) / 4 - i1, -(u[2] - VDD) / 4 + i1, -(u[3] - VBB) / 10 + ib(u[3] - u[5]), -(u[4] - VBB) / 10 + ib(u[4] - VDD),
        -(u[5] - u[1]) / 4 - ib(u[3] - u[5]) - (u[5] - u[7]) / 4 - ib(u[9] - u[5]), CG * v1_rate - (u[6] - u[10]) / 4 - i2, CG * v1_rate - (u[7] - u[5]) / 4 + i2,
        -(u[8] - VBB) / 10 + ib(u[8] - u[10]), -(u[9] - VBB) / 10 + ib(u[9] - u[5]),
        -(u[10] - u[6]) / 4 - ib(u[8] - u[10]) - (u[10] - u[12]) / 4 - ib(u[14] - u[10]), CG * v2_rate - u[11] / 4 - i3, CG * v2_rate - (u[12] - u[10]) / 4 + i3,
        -(u[13] - VBB) / 10 + ib(u[13]), -(u[14] - VBB) / 10 + ib(u[14] - u[10]))
    cb = junction_capacitance
    to_ground = {4: cb(u[4] - VDD), 5: C9, 6: CG, 7: CG, 10: C9, 11: CG, 12: CG, 13: cb(u[13])}
    hanging = {1: (5, CG), 2: (5, CG), 3: (5, cb(u[3] - u[5])), 9: (5, cb(u[9] - u[5])), 8: (10, cb(u[8] - u[10])), 14: (10, cb(u[14] - u[10]))}
    mass = ca.SX(14, 14)
    for i, c in to_ground.items():
        mass[i - 1, i - 1] += c
    for i, (j, c) in hanging.items():
        for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
            mass[a - 1, b - 1] += sign * c

    # C y' = f solved by hand: nodes hanging on 5 or 10 pass their current on to it.
    total = {j: f[j - 1] + sum(f[i - 1] for i, (k, _) in hanging.items() if k == j) for j in (5, 10)}
    dy = [None] * 15
    for i, c in to_ground.items():
        dy[i] = total.get(i, f[i - 1]) / c
    for i, (j, c) in hanging.items():
        dy[i] = dy[j] + f[i - 1] / c
    problem = Problem("nand", "A16 NAND gate", y, dy[1:], START, segments(), REFERENCE, t=t, p=p)
    # Rows in units of 1e-4 F.
    problem.add("implicit", y, 1e4 * mass, 1e4 * f, y, y, 1.0)
    return problem
