"""SUNDIALS IDA through scikit-SUNDAE: residual M(x) x' - f and its exact Jacobian, dense LU."""
import sys

import casadi as ca
import numpy as np
import sksundae
from sksundae.ida import IDA
from worker import Callback, Fails, Solve, measure


class Ida(Solve):
    def prepare(self):
        form, problem = self.form, self.problem
        s, t, p = problem.s, problem.t, problem.p
        rate, c = ca.SX.sym("rate", form.n), ca.SX.sym("c")
        residual = ca.mtimes(form.mass, rate) - form.f
        self.residual = Callback([form.x, rate, t, p], residual)
        self.jacobian = Callback([form.x, rate, t, p, c], ca.jacobian(residual, form.x) + c * form.mass)
        # x' along the solution, for a consistent start of every segment.
        self.start_rate = Callback([s, t, p], ca.jtimes(form.lift, s, problem.ode) + ca.jacobian(form.lift, t))

    def segment(self, t0, t1, p, x, count):
        def residual(t, y, yp, res):
            count["rhs"] += 1
            res[:] = self.residual(y, yp, t, p)[:, 0]

        def jacobian(t, y, yp, res, cj, matrix):
            count["jacobians"] += 1
            matrix[:, :] = self.jacobian(y, yp, t, p, cj)

        rate = self.start_rate(self.drop(x, t0, p)[:, 0].copy(), t0, p)[:, 0].copy()
        solver = IDA(residual, jacfn=jacobian, rtol=self.rtol, atol=self.atol, algebraic_idx=self.form.algebraic or None, linsolver="dense", max_num_steps=1_000_000)
        answer = solver.solve(np.array([t0, t1]), x, rate)
        if not answer.success:
            raise Fails(f"{answer.message} (t = {answer.t[-1]:g})")
        count["steps"] += len(answer.t) - 1
        return answer.y[-1]


if __name__ == "__main__":
    measure("SUNDIALS IDA", f"scikit-sundae {sksundae.__version__}", Ida, sys.argv[1:])
