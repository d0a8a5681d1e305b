"""Reference tip positions of the chains, by a formulation none of the timed codes uses.

A rod whose ends are r0, r1 has the kinetic energy  a/2 (v0.v0 + v1.v1) + b v0.v1  with
a = m/4 + J/l^2,  b = m/4 - J/l^2  (J: transverse moment; no spin about the axis), so with the joint
positions as unknowns the mass matrix is constant and the only constraints are the link lengths:

    M a - G' lambda = f,     d_i . (a_i - a_{i-1}) = -|v_i - v_{i-1}|^2 / l

One banded solve gives the accelerations; SciPy's DOP853 integrates them with tight tolerances.
Needs SciPy.  `python reference.py` recomputes reference.json (minutes);
`python reference.py planar 10` shows one chain and leaves the file alone.
"""
import json
import pathlib
import sys

import numpy as np
from scipy.integrate import DOP853
from scipy.linalg import solve_banded

from problem import Chain

FILE = pathlib.Path(__file__).with_name("reference.json")
TIMES = (0.005, 0.02, 0.05, 0.1, 1.0)
# (chain, last time): the long chains are only needed where a code is compared with them.
WANTED = [(k, n, 1.0) for k in ("planar", "spatial") for n in (10, 100, 1000)]
WANTED += [(k, 10_000, 0.02) for k in ("planar", "spatial")]


class RodChain:
    """Right-hand side of the joint-position equations, unknowns ordered a_1, lambda_1, a_2, lambda_2, ..."""

    def __init__(self, chain):
        self.chain, self.n, self.dim = chain, chain.n, chain.dim
        m, l = chain.mass, chain.length
        j = chain.transverse / l**2
        block = self.dim + 1
        self.band = 2 * block - 1
        self.fixed = np.zeros((2 * self.band + 1, self.n * block))
        self.force = np.zeros((self.n, block))
        axis = 1 if chain.kind == "planar" else 2
        self.force[:, axis] = m * chain.gravity[axis]
        self.force[-1, axis] /= 2.0
        row = np.arange(self.n) * block
        for c in range(self.dim):
            diagonal = np.full(self.n, 2.0 * (m / 4.0 + j))
            diagonal[-1] /= 2.0
            self.put(self.fixed, row + c, row + c, diagonal)
            self.put(self.fixed, row[1:] + c, row[:-1] + c, m / 4.0 - j)
            self.put(self.fixed, row[:-1] + c, row[1:] + c, m / 4.0 - j)
        self.row = row

    def put(self, matrix, i, j, value):
        matrix[self.band + i - j, j] = value

    def split(self, y):
        half = self.n * self.dim
        return y[:half].reshape(self.n, self.dim), y[half:].reshape(self.n, self.dim)

    def __call__(self, _t, y):
        r, v = self.split(y)
        l, row, dim = self.chain.length, self.row, self.dim
        d = np.diff(r, axis=0, prepend=np.zeros((1, dim))) / l
        w = np.diff(v, axis=0, prepend=np.zeros((1, dim)))
        matrix, right = self.fixed.copy(), self.force.copy()
        right[:, dim] = -np.sum(w * w, axis=1) / l
        for c in range(dim):
            self.put(matrix, row + c, row + dim, -d[:, c])
            self.put(matrix, row[:-1] + c, row[1:] + dim, d[1:, c])
            self.put(matrix, row + dim, row + c, d[:, c])
            self.put(matrix, row[1:] + dim, row[:-1] + c, -d[1:, c])
        x = solve_banded((self.band, self.band), matrix, right.ravel(), overwrite_ab=True, overwrite_b=True, check_finite=False)
        return np.concatenate([v.ravel(), x.reshape(self.n, dim + 1)[:, :dim].ravel()])


def tips(kind, n, last):
    """Tip positions at TIMES up to `last`, and the largest relative error of a link length at the end."""
    chain = Chain(kind, n)
    system = RodChain(chain)
    r, v = np.zeros((n, chain.dim)), np.zeros((n, chain.dim))
    r[:, 0] = chain.length * np.arange(1, n + 1)
    v[:, 1] = chain.spin * r[:, 0]
    y, t, found = np.concatenate([r.ravel(), v.ravel()]), 0.0, {}
    rtol = 1e-11 if n <= 100 else 1e-9 if n <= 1000 else 1e-8
    for end in (s for s in TIMES if s <= last):
        # A first step of SciPy's own choice would overshoot on the longest chain.
        solver = DOP853(system, t, y, end, rtol=rtol, atol=rtol / 10.0, first_step=min(1e-6, end - t))
        while solver.status == "running":
            solver.step()
        if solver.status != "finished":
            raise RuntimeError(f"{kind} {n}: the reference stops at t = {solver.t}")
        y, t = solver.y, end
        found[repr(end)] = [float(x) for x in system.split(y)[0][-1]]
    links = np.diff(system.split(y)[0], axis=0, prepend=np.zeros((1, chain.dim)))
    drift = float(np.abs(np.linalg.norm(links, axis=1) / chain.length - 1.0).max())
    return {"tip": found, "link_length_error": drift, "rtol": rtol}


def main():
    if len(sys.argv) > 2:
        print(json.dumps(tips(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 1.0)))
        return
    table = {}
    for kind, n, last in WANTED:
        table[f"{kind}/{n}"] = tips(kind, n, last)
        print(kind, n, table[f"{kind}/{n}"], flush=True)
    FILE.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
