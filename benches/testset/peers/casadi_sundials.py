"""SUNDIALS CVODES (ODE form) and IDAS (semi-explicit forms) inside CasADi, which evaluates the equations and Jacobians itself."""
import sys

import casadi as ca
import numpy as np
from worker import Callback, Fails, Solve, measure

COUNTS = {"steps": "nsteps", "rejected": "netfails", "rhs": "nfevals", "jacobians": "nlinsetups"}


class Integrator(Solve):
    def prepare(self):
        form, problem = self.form, self.problem
        if not form.semi_explicit:
            raise Fails("only semi-explicit forms")
        z = form.algebraic
        self.x, self.z = [i for i in range(form.n) if i not in z], z
        # Unknowns divided by their scale, so that one absolute tolerance serves all; time counted from the segment's start.
        u, began = ca.SX.sym("u", form.n), ca.SX.sym("began")
        f = ca.substitute(ca.substitute(form.f, form.x, u * form.scale), problem.t, began + problem.t)
        rate = f[self.x] / (ca.diag(form.mass)[self.x] * form.scale[self.x])
        dae = {"x": u[self.x], "p": ca.vertcat(problem.p, began), "t": problem.t, "ode": rate}
        if z:
            dae.update(z=u[z], alg=f[z])
        self.dae = dae
        t0, _, p0 = problem.segments[0]
        start = self.lift(problem.start, t0, p0)[:, 0] / form.scale
        self.first_rate = [float(v) for v in Callback([u, problem.t, problem.p, began], rate)(start, 0.0, p0, t0)[:, 0]]
        self.integrators = {}
        for t0, t1, _ in problem.segments:
            self.integrator(round(t1 - t0, 9))

    def integrator(self, span):
        if span not in self.integrators:
            options = {"reltol": self.rtol, "abstol": self.rtol, "max_num_steps": 1_000_000, "disable_internal_warnings": True}
            if self.method == "idas" and len(self.problem.segments) == 1:
                options.update(calc_ic=False, init_xdot=self.first_rate)
            self.integrators[span] = ca.integrator("i", self.method, self.dae, 0.0, span, options)
        return self.integrators[span]

    def segment(self, t0, t1, p, x, count):
        integrate = self.integrator(round(t1 - t0, 9))
        u = x / self.form.scale
        try:
            answer = integrate(x0=u[self.x], z0=u[self.z] if self.z else [], p=np.append(p, t0))
        except RuntimeError as why:
            # The last of CasADi's nested messages is SUNDIALS' own.
            raise Fails(f"{str(why).split('.cpp:')[-1].split(': ', 1)[-1].split('. ')[0]} (segment from t = {t0:g})") from why
        statistics = integrate.stats()
        for name, key in COUNTS.items():
            count[name] = (count[name] or 0) + int(statistics.get(key, 0))
        result = np.empty(self.form.n)
        result[self.x] = np.array(answer["xf"]).ravel()
        if self.z:
            result[self.z] = np.array(answer["zf"]).ravel()
        return result * self.form.scale


if __name__ == "__main__":
    measure(f"CasADi {sys.argv[1].upper()}", ca.__version__, Integrator, sys.argv[1:])
