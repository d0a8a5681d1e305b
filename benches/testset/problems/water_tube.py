"""Water tubes: 13 nodes, 18 pipes whose friction law jumps at Re = 2300; pressures of the 11 nodes without storage have index 2."""
import math

import casadi as ca
import numpy as np

from problems.form import Problem

PIPES = [(1, 2), (2, 3), (2, 6), (3, 4), (3, 5), (4, 5), (5, 10), (6, 5), (7, 4), (7, 8), (8, 5), (8, 10), (9, 8), (11, 9), (11, 12), (12, 7), (12, 8), (13, 11)]
NODES = [5, 8, 1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13]
NU, GRAVITY, RHO, CRITICAL, LENGTH, ROUGHNESS, DIAMETER, BASE = 1.31e-6, 9.8, 1000.0, 2300.0, 1000.0, 2e-4, 1.0, 200.0
AREA = math.pi * DIAMETER**2 / 4.0
STORAGE = BASE / (RHO * GRAVITY)
FLOWS = """0.2298488296477430e-2 0.1188984650746585e-2 0.1109503645730845e-2 0.1589620100314825e-3 0.1030022640715102e-2 0.8710606306836165e-3
0.3243571480903489e-2 0.1109503645730845e-2 0.7120986206521341e-3 0.6414613963833099e-3 0.9416978549524347e-3 0.3403428519096511e-2
0.2397639310739395e-2 0.2397639310739395e-2 0.3348581430454180e-2 0.1353560017035444e-2 0.1995021413418736e-2 0.5746220741193575e-2"""
REFERENCE = [float(v) for v in FLOWS.split()] + [0.1111268591478108e6, 0.1111270045592387e6]


def problem():
    t = ca.SX.sym("t")
    phi, resistance, p = ca.SX.sym("phi", 18), ca.SX.sym("lambda", 18), ca.SX.sym("p", 13)
    reynolds = ca.fabs(phi) * DIAMETER / (NU * AREA)
    turbulent = resistance * RHO * LENGTH * phi**2 / (AREA**2 * DIAMETER)
    laminar = 32.0 * NU * RHO * LENGTH * phi / (AREA * DIAMETER**2)
    friction = ca.if_else(reynolds > CRITICAL, turbulent, laminar)
    colebrook = 1.0 / ca.sqrt(resistance) - 1.74 + 2.0 * ca.log(2.0 * ROUGHNESS / DIAMETER + 18.7 / (ca.fmax(reynolds, CRITICAL) * ca.sqrt(resistance))) / math.log(10.0)

    # net inflow = incidence phi + source(t)
    incidence = np.zeros((13, 18))
    for k, (a, b) in enumerate(PIPES):
        incidence[NODES.index(a), k], incidence[NODES.index(b), k] = -1.0, 1.0
    hours = t / 3600.0
    source = ca.SX.zeros(13)
    pulse = 1.0 - ca.cos(ca.exp(-hours) - 1.0)
    source[NODES.index(1)], source[NODES.index(13)] = pulse / 200.0, pulse / 80.0
    source[NODES.index(10)] = -(hours**2) * (3.0 * hours**2 - 92.0 * hours + 720.0) / 1e6
    inflow = ca.mtimes(ca.DM(incidence), phi) + source
    inertia = RHO * LENGTH / AREA
    slope = (-ca.mtimes(ca.DM(incidence.T), p) - friction) / inertia

    # Pressures of the nodes without storage from the differentiated balance, a constant linear system.
    stored, bare = incidence[:2], incidence[2:]
    inverse = np.linalg.inv(bare @ bare.T)
    bare_pressure = ca.mtimes(ca.DM(inverse), ca.mtimes(ca.DM(bare), -ca.mtimes(ca.DM(stored.T), p[:2]) - friction) + inertia * ca.jacobian(source[2:], t))
    solved = ca.substitute(slope, p, ca.vertcat(p[:2], bare_pressure))
    # Colebrook's equation i holds flow i and coefficient i only.
    rate = -ca.vertcat(*[ca.jacobian(colebrook[i], phi[i]) / ca.jacobian(colebrook[i], resistance[i]) * solved[i] for i in range(18)])
    s = ca.vertcat(phi, resistance, p[:2])
    start = [0.0] * 18 + [0.47519404529185289807e-1] * 18 + [109800.0] * 2
    scale = [1e-3] * 18 + [1e-2] * 18 + [1e5] * 2
    problem = Problem("water_tube", "A08 water tubes", s, [solved, rate, inflow[:2] / STORAGE], start, [(0.0, 61200.0, [])], REFERENCE, output=[phi, p[:2]], reference_scale=[1e-3] * 18 + [1e5] * 2, scale=scale, t=t)

    x = ca.vertcat(phi, resistance, p)
    mass = ca.diagcat(ca.SX.eye(18), ca.SX(18, 18), ca.SX.eye(2), ca.SX(11, 11))
    lift = [s, bare_pressure]
    balance = (ca.mtimes(ca.DM(bare), slope) + ca.jacobian(source[2:], t)) * inertia
    problem.add("index 1", x, mass, [slope, colebrook, inflow[:2] / STORAGE, balance], lift, s, scale + [1e5] * 11)
    problem.add("index 2", x, mass, [slope, colebrook, inflow[:2] / STORAGE, 1e3 * inflow[2:]], lift, s, scale + [np.inf] * 11)
    return problem
