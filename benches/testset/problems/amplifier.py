"""Transistor amplifier: M y' = f with a constant singular M of rank 5."""
import casadi as ca
import numpy as np

from problems.form import Problem

REFERENCE = [-5.5621450122622744e-03, 3.0065224719030427e00, 2.8499587886081285e00, 2.9264225362062415e00, 2.7046178650105546e00, 2.7618377783931441e00, 4.7709276316167722e00, 1.2369958680915476e00]
SUPPLY, THERMAL, ALPHA, SATURATION, R0, R = 6.0, 0.026, 0.99, 1e-6, 1000.0, 9000.0


def currents(y, t):
    """Right-hand side f of M y' = f."""
    g = lambda u: SATURATION * (ca.exp(u / THERMAL) - 1.0)  # noqa: E731
    y1, y2, y3, y4, y5, y6, y7, y8 = (y[i] for i in range(8))
    first, second = g(y2 - y3), g(y5 - y6)
    return ca.vertcat((y1 - 0.1 * ca.sin(200.0 * np.pi * t)) / R0, y2 / R + (y2 - SUPPLY) / R + (1.0 - ALPHA) * first, y3 / R - first, (y4 - SUPPLY) / R + ALPHA * first,
                      y5 / R + (y5 - SUPPLY) / R + (1.0 - ALPHA) * second, y6 / R - second, (y7 - SUPPLY) / R + ALPHA * second, y8 / R)


def problem():
    t, y = ca.SX.sym("t"), ca.SX.sym("y", 8)
    c = [k * 1e-6 for k in range(1, 6)]
    mass = ca.SX(8, 8)
    for k, i in ((0, 0), (2, 3), (4, 6)):
        mass[i, i] = mass[i + 1, i + 1] = -c[k]
        mass[i, i + 1] = mass[i + 1, i] = c[k]
    mass[2, 2], mass[5, 5] = -c[1], -c[3]

    # Semi-explicit: capacitor voltages w = (y1-y2, y3, y4-y5, y6, y7-y8) and z = (y2, y5, y8); the rows of a
    # capacitor's two nodes add up to an algebraic equation.
    w, z = ca.SX.sym("w", 5), ca.SX.sym("z", 3)
    to_y = ca.vertcat(w[0] + z[0], z[0], w[1], w[2] + z[1], z[1], w[3], w[4] + z[2], z[2])
    f = currents(to_y, t)
    slopes = ca.vertcat(f[0] / -c[0], f[2] / -c[1], f[3] / -c[2], f[5] / -c[3], f[6] / -c[4])
    balance = 1e3 * ca.vertcat(f[0] + f[1], f[3] + f[4], f[6] + f[7])
    to_w = ca.vertcat(y[0] - y[1], y[2], y[3] - y[4], y[5], y[6] - y[7])
    to_z = ca.vertcat(y[1], y[4], y[7])

    # Underlying ODE: z' from the differentiated balance; balance i holds z_i and z of the stages before it.
    drift = ca.jtimes(balance, w, slopes) + ca.jacobian(balance, t)
    jz = ca.jacobian(balance, z)
    dz = []
    for i in range(3):
        dz.append(-(drift[i] + sum(jz[i, k] * dz[k] for k in range(i))) / jz[i, i])
    assert all(jz[i, k].is_zero() for i in range(3) for k in range(i + 1, 3))
    dy = ca.vertcat(slopes[0] + dz[0], dz[0], slopes[1], slopes[2] + dz[1], dz[1], slopes[3], slopes[4] + dz[2], dz[2])
    ode = ca.substitute(dy, ca.vertcat(w, z), ca.vertcat(to_w, to_z))

    problem = Problem("amplifier", "A06 transistor amplifier", y, ode, [0, 3, 3, 6, 3, 3, 6, 0], [(0.0, 0.2, [])], REFERENCE, t=t)
    problem.add("index 1", ca.vertcat(w, z), ca.diagcat(ca.SX.eye(5), ca.SX(3, 3)), [slopes, balance], [to_w, to_z], to_y, 1.0)
    # The singular mass matrix as it stands; no unknown is purely algebraic.
    problem.add("mass matrix", y, 1e3 * mass, 1e3 * currents(y, t), y, y, 1.0)
    return problem
