"""SciPy solve_ivp: Radau, BDF or LSODA on the ODE form, analytic Jacobian."""
import sys

import casadi as ca
import scipy
from scipy.integrate import solve_ivp
from worker import Callback, Fails, Solve, measure


class Ivp(Solve):
    def prepare(self):
        arguments = [self.form.x, self.problem.t, self.problem.p]
        self.f = Callback(arguments, self.form.f)
        self.jacobian = Callback(arguments, ca.jacobian(self.form.f, self.form.x))

    def segment(self, t0, t1, p, x, count):
        answer = solve_ivp(lambda t, y: self.f(y, t, p)[:, 0].copy(), (t0, t1), x, method=self.method, rtol=self.rtol, atol=self.atol,
                           jac=lambda t, y: self.jacobian(y, t, p).copy())
        if not answer.success:
            raise Fails(f"{answer.message} (t = {answer.t[-1]:g})")
        count["steps"] += len(answer.t) - 1
        count["rhs"] += answer.nfev
        count["jacobians"] += answer.njev
        return answer.y[:, -1]


if __name__ == "__main__":
    measure(f"SciPy {sys.argv[1]}", scipy.__version__, Ivp, sys.argv[1:])
