"""Charge pump: index-2 DAE with MOS charges, driven by pulses with kinks.  Time in ns, charge in pC, current in mA.

The run ends at 1195 ns, halfway down the last ramp (Vin = 10 V), where the closed form is not trivial; at 1200 ns
every voltage is zero and the answer says nothing about the way there.
"""
import casadi as ca
import numpy as np

from problems.form import Problem

VT0, GAMMA, PHI, COX, CD, CS = 0.2, 0.035, 1.01, 4.0, 0.4, 1.6
# Gate charge, source and drain capacitor charges, U2, U3 at Vin = 10 V
REFERENCE = [14.513567614280470858, 7.0934658984043490302, 7.0934658984043490302, 4.4334161865027181439, 17.733664746010872576]


def charges(u1, u2, u3):
    """Gate charge and the charge of source and drain (equal)."""
    vgb, ugs, ugd = u1, u1 - ca.fmin(u2, u3), u1 - ca.fmax(u2, u3)
    depth = ca.sqrt(ca.fmax(PHI + ca.fmin(u2, u3), 1e-9))
    vfb = VT0 - GAMMA * np.sqrt(PHI) - PHI
    vte = VT0 + GAMMA * (depth - np.sqrt(PHI))
    ugst, ugdt = ca.fmax(ugs - vte, 1e-12), ca.fmax(ugd - vte, 0.0)
    w = ugdt + ugst - ugdt * ugst / (ugdt + ugst)
    depletion = COX * GAMMA * (ca.sqrt(ca.fmax((GAMMA / 2.0) ** 2 + vgb - vfb, 1e-9)) - GAMMA / 2.0)
    gate = ca.if_else(vgb <= vfb, COX * (vgb - vfb), ca.if_else(ugs <= vte, depletion, COX * (2.0 / 3.0 * w + GAMMA * depth)))
    channel = ca.if_else(ca.logic_or(vgb <= vfb, ugs <= vte), 0.0, -COX * w / 3.0)
    return gate, channel


def segments():
    kinks = [(0.0, 0.0, 0.0), (50.0, 0.0, 2.0), (60.0, 20.0, 0.0), (110.0, 20.0, -2.0)]
    all_kinks = [(120.0 * k + a, v, slope) for k in range(10) for a, v, slope in kinks]
    ends = [a for a, _, _ in all_kinks[1:]] + [1195.0]
    return [(a, b, [a, v, slope]) for (a, v, slope), b in zip(all_kinks, ends)]


def problem():
    t, p, u = ca.SX.sym("t"), ca.SX.sym("p", 3), ca.SX.sym("u", 2)
    vin = p[1] + p[2] * (t - p[0])
    gate, channel = charges(vin, u[0], u[1])
    balance = ca.vertcat(CS * u[0] + channel, CD * u[1] + channel)
    # Underlying ODE: (d balance/du) u' = -d balance/dt
    e, r = ca.jacobian(balance, u), -ca.jacobian(balance, t)
    determinant = e[0, 0] * e[1, 1] - e[0, 1] * e[1, 0]
    du = ca.vertcat(e[1, 1] * r[0] - e[0, 1] * r[1], e[0, 0] * r[1] - e[1, 0] * r[0]) / determinant
    problem = Problem("charge_pump", "A07 charge pump", u, du, [0.0, 0.0], segments(), REFERENCE, output=[gate, CS * u[0], CD * u[1], u], reference_scale=1.0, t=t, p=p)

    # Index 1: the two charges are constant, the voltages follow.
    x = ca.SX.sym("x", 4)
    _, q = charges(vin, x[2], x[3])
    problem.add("index 1", x, ca.diagcat(ca.SX.eye(2), ca.SX(2, 2)), [0.0, 0.0, CS * x[2] + q - x[0], CD * x[3] + q - x[1]], [balance, u], x[2:], 1.0)

    # Index 2, as the test set gives it: the gate current is the derivative of an algebraic unknown.
    y = ca.SX.sym("y", 9)
    gate_y, channel_y = charges(y[5], y[6], y[7])
    mass = ca.SX(9, 9)
    mass[0, 0] = mass[1, 1] = mass[1, 2] = mass[2, 3] = mass[2, 4] = 1.0
    f = [-y[8], 0.0, 0.0, vin - y[5], y[0] - gate_y, y[1] - CS * y[6], y[2] - channel_y, y[3] - CD * y[7], y[4] - channel_y]
    current = -(ca.jacobian(gate, t) + ca.jtimes(gate, u, du))
    problem.add("index 2", y, mass, f, [gate, CS * u[0], channel, CD * u[1], channel, vin, u, current], y[6:8], [1.0] * 8 + [np.inf])
    return problem
