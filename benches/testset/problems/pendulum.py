"""Pendulum in Cartesian coordinates, m = g = L = 1, released level; closed-form reference at t = 20."""
import casadi as ca

from problems.form import mechanism

REFERENCE = ["-0.5177197035527778161967719518", "-0.8555502957472598858044205456", "1.119137160279954920088633207", "-0.6772241932883365790029362697"]


def problem():
    q, v, t = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("t")
    # u' = -l x, v' = -l y - 1 with l the multiplier of (x^2 + y^2 - 1)/2
    g = (ca.dot(q, q) - 1.0) / 2.0
    return mechanism("pendulum", "A01 pendulum", q, v, t, ca.SX.eye(2), ca.SX([0.0, -1.0]), g, [(0.0, 20.0, [])], [1.0, 0.0], [0.0, 0.0],
                     REFERENCE, 1.0, 1.0, 1.0, 1.0)
