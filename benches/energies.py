"""A planar chain given as energies: residual and Jacobian by Poinsot, by Poinsot's rigid bodies and joints, by CasADi.

Both codes derive Lagrange's equation from the same T*, V and constraints, and their values are compared before times are."""
import argparse
import json
import subprocess
import time

import casadi as ca
import numpy as np

MASS, LENGTH, GRAVITY = 1.0, 1.0, 9.81
INERTIA = MASS * LENGTH**2 / 12


def chain(links):
    """F(y, y', t) = 0 of the index-3 form and its two Jacobians as one CasADi function."""
    n = 3 * links
    q, f, a, qdot = (ca.SX.sym(name, n) for name in ("q", "f", "a", "qdot"))
    lam = ca.SX.sym("lambda", 2 * links)
    x, y, th = q[0::3], q[1::3], q[2::3]
    u, v, w = f[0::3], f[1::3], f[2::3]
    kinetic = ca.sum1(MASS * (u * u + v * v) / 2 + INERTIA * w * w / 2)
    potential = ca.sum1(MASS * GRAVITY * y)
    phi = []
    for k in range(links):
        for r, turn in ((x, ca.cos), (y, ca.sin)):
            before = r[k - 1] + LENGTH / 2 * turn(th[k - 1]) if k else 0
            phi.append(r[k] - LENGTH / 2 * turn(th[k]) - before)
    phi = ca.vertcat(*phi)
    momentum = ca.gradient(kinetic, f)
    inertia = ca.jtimes(momentum, f, a) + ca.jtimes(momentum, q, f)
    lagrange = inertia - ca.gradient(kinetic, q) + ca.gradient(potential, q) + ca.jtimes(phi, q, lam, True)
    residual = ca.vertcat(qdot - f, lagrange, phi)
    values, rates = ca.vertcat(q, f, lam), ca.vertcat(qdot, a)
    jacobians = [ca.jacobian(residual, values), ca.jacobian(residual, rates)]
    return ca.Function("F", [values, rates], [residual, *jacobians])


def least(function, inputs):
    """The least time of an evaluation in µs, and the results."""
    buffer, call = function.buffer()
    results = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
    for i, value in enumerate(inputs):
        buffer.set_arg(i, memoryview(value))
    for i, value in enumerate(results):
        buffer.set_res(i, memoryview(value))
    best = float("inf")
    for _ in range(100):
        clock = time.perf_counter()
        for _ in range(20):
            call()
        best = min(best, (time.perf_counter() - clock) / 20)
    return best * 1e6, results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--example", required=True, help="the program energy_chain")
    parser.add_argument("--links", type=int, nargs="*", default=[10, 67, 200])
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    print("| links | coordinates | bodies and joints (µs) | energies (µs) | ratio | compiled functions (µs) | CasADi (µs) | ratio | from energies to code (s) |")
    print("|---|---|---|---|---|---|---|---|---|")
    for links in arguments.links:
        function = chain(links)
        inputs = [np.full(function.numel_in(i), 0.1) for i in range(2)]
        bodies, energies, functions, casadi, compile_time = [], [], [], [], []
        for _ in range(arguments.turns):
            lines = subprocess.run([arguments.example, str(links)], check=True, capture_output=True, text=True).stdout
            own = json.loads(lines.splitlines()[0])
            took, (values, *partials) = least(function, inputs)
            sums = [values.sum(), sum(p.sum() for p in partials)]
            if not np.allclose(sums, own["sums"], rtol=1e-9):
                raise SystemExit(f"the codes evaluate different functions: {sums} and {own['sums']}")
            bodies.append(sum(own["bodies_us"]))
            energies.append(sum(own["energies_us"]))
            functions.append(own["functions_us"])
            casadi.append(took)
            compile_time.append(own["derive_s"] + own["compile_s"])
        b, e, f, c = min(bodies), min(energies), min(functions), min(casadi)
        print(f"| {links} | {3 * links} | {b:.1f} | {e:.1f} | {e / b:.2f} | {f:.2f} | {c:.1f} | {c / f:.1f} | {min(compile_time):.2f} |")


if __name__ == "__main__":
    main()
