"""HIRES: a chemical reaction with eight species."""
import casadi as ca

from problems.form import Problem

REFERENCE = [7.3713125733256678e-04, 1.4424857263161847e-04, 5.8887297409675751e-05, 1.1756513432831492e-03, 2.3863561988313306e-03, 6.2389682527427958e-03, 2.8499983951857691e-03, 2.8500016048142309e-03]


def problem():
    y = ca.SX.sym("y", 8)
    a, b, c, d, e, f, g, h = (y[i] for i in range(8))
    last = 280.0 * f * h - 1.81 * g
    ode = [-1.71 * a + 0.43 * b + 8.32 * c + 0.0007, 1.71 * a - 8.75 * b, -10.03 * c + 0.43 * d + 0.035 * e, 8.32 * b + 1.71 * c - 1.12 * d,
           -1.745 * e + 0.43 * f + 0.43 * g, -280.0 * f * h + 0.69 * d + 1.71 * e - 0.43 * f + 0.69 * g, last, -last]
    return Problem("hires", "A11 HIRES", y, ode, [1.0, 0, 0, 0, 0, 0, 0, 0.0057], [(0.0, 321.8122, [])], REFERENCE, scale=1e-4)
