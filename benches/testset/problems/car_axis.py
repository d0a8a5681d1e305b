"""Car axis: two wheels on springs, the right one on a wavy road; two constraints, one moving."""
import casadi as ca

from problems.form import mechanism

REFERENCE = [
    "0.0493455784275240921315267927637150636", "0.496989460230008106762933973340852139", "1.04174252488542611519477620726402659",
    "0.373911027265365819357897699187761328", "-0.0770583684035920842839405577150424001", "0.00744686659206841649140175315634430189",
    "0.0175568157535417366297406153247658075", "0.770341043779601063120642788568260769"]
MASS, EPSILON, LENGTH, FREE_LENGTH, ROAD, FREQUENCY, GRAVITY = 10.0, 0.01, 1.0, 0.5, 0.1, 10.0, 1.0


def problem():
    q, v, t = ca.SX.sym("q", 4), ca.SX.sym("v", 4), ca.SX.sym("t")
    xl, yl, xr, yr = (q[i] for i in range(4))
    k = MASS * EPSILON**2 / 2.0
    yb = ROAD * ca.sin(FREQUENCY * t)
    xb = ca.sqrt(LENGTH**2 - yb**2)
    left, right = ca.sqrt(xl**2 + yl**2), ca.sqrt((xr - xb) ** 2 + (yr - yb) ** 2)
    pull_left, pull_right = (FREE_LENGTH - left) / left, (FREE_LENGTH - right) / right
    force = ca.vertcat(pull_left * xl, pull_left * yl - k * GRAVITY, pull_right * (xr - xb), pull_right * (yr - yb) - k * GRAVITY)
    g = ca.vertcat(xb * xl + yb * yl, (xl - xr) ** 2 + (yl - yr) ** 2 - LENGTH**2)
    return mechanism("car_axis", "A02 car axis", q, v, t, k * ca.SX.eye(4), force, g, [(0.0, 3.0, [])], [0.0, 0.5, 1.0, 0.5], [-0.5, 0.0, -0.5, 0.0],
                     REFERENCE, 1.0, 1.0, 1.0, 1e-2)
