"""Robertson's kinetics to t = 1e11, as an ODE and with the conserved sum as an algebraic equation."""
import casadi as ca

from problems.form import Problem

REFERENCE = [2.0833401496947805e-08, 8.3333607703087283e-14, 9.9999997916651517e-01]
SCALE = [1e-8, 1e-13, 1.0]


def problem():
    y = ca.SX.sym("y", 3)
    a, b, c = (y[i] for i in range(3))
    slow, fast = 0.04 * a - 1e4 * b * c, 3e7 * b**2
    problem = Problem("robertson", "A12 Robertson", y, [-slow, slow - fast, fast], [1.0, 0.0, 0.0], [(0.0, 1e11, [])], REFERENCE, scale=SCALE)
    problem.add("index 1", y, ca.diagcat(ca.SX.eye(2), ca.SX(1, 1)), [-slow, slow - fast, a + b + c - 1.0], y, y, SCALE)
    return problem
