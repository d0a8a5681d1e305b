"""Van der Pol's equation, mu = 1000."""
import casadi as ca

from problems.form import Problem

REFERENCE = [1.7061677321704650e00, -8.9280970102481655e-04]


def problem():
    y = ca.SX.sym("y", 2)
    ode = [y[1], 1000.0 * (1.0 - y[0] ** 2) * y[1] - y[0]]
    return Problem("van_der_pol", "A13 van der Pol", y, ode, [2.0, 0.0], [(0.0, 2000.0, [])], REFERENCE, scale=[1.0, 1e-3])
