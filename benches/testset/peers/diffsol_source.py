"""Writes the problems as Rust for the diffsol peer: `diffsol_source.py file.rs`.

Every semi-explicit form whose unknowns all take part in the error test becomes a `Case` with straight-line functions
made from the CasADi expressions."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import casadi as ca  # noqa: E402
import numpy as np  # noqa: E402

from problems import NAMES, load  # noqa: E402

INFIX = {ca.OP_ADD: "+", ca.OP_SUB: "-", ca.OP_MUL: "*", ca.OP_DIV: "/"}
METHOD = {ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_SQRT: "sqrt", ca.OP_EXP: "exp", ca.OP_LOG: "ln", ca.OP_FABS: "abs", ca.OP_SIGN: "signum"}
COMPARE = {ca.OP_LT: "<", ca.OP_LE: "<=", ca.OP_EQ: "==", ca.OP_NE: "!="}


def expression(op, a, b):
    if op in INFIX:
        return f"{a} {INFIX[op]} {b}"
    if op in METHOD:
        return f"{a}.{METHOD[op]}()"
    if op in COMPARE:
        return f"truth({a} {COMPARE[op]} {b})"
    simple = {
        ca.OP_ASSIGN: f"{a}", ca.OP_NEG: f"-{a}", ca.OP_SQ: f"{a} * {a}", ca.OP_TWICE: f"2.0 * {a}", ca.OP_INV: f"1.0 / {a}", ca.OP_POW: f"{a}.powf({b})",
        ca.OP_CONSTPOW: f"{a}.powf({b})", ca.OP_FMIN: f"{a}.min({b})", ca.OP_FMAX: f"{a}.max({b})", ca.OP_NOT: f"truth({a} == 0.0)",
        ca.OP_AND: f"truth({a} != 0.0 && {b} != 0.0)", ca.OP_OR: f"truth({a} != 0.0 || {b} != 0.0)", ca.OP_IF_ELSE_ZERO: f"if {a} != 0.0 {{ {b} }} else {{ 0.0 }}"}
    return simple[op]


def rust_function(name, form, problem, result):
    """fn name(x, p, t, y): y holds the nonzeros of result."""
    function = ca.Function(name, [form.x, problem.p, problem.t], [ca.cse(result)])
    work, lines = {}, []
    for k in range(function.n_instructions()):
        op, i, o = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_CONST:
            work[o[0]] = f"({float(function.instruction_constant(k))!r}_f64)"
        elif op == ca.OP_INPUT:
            work[o[0]] = ["x[%d]" % i[1], "p[%d]" % i[1], "t"][i[0]]
        elif op == ca.OP_OUTPUT:
            lines.append(f"    y[{o[1]}] = {work[i[0]]};")
        else:
            second = work[i[1]] if len(i) > 1 else None
            lines.append(f"    let w{k} = {expression(op, work[i[0]], second)};")
            work[o[0]] = f"w{k}"
    return f"fn {name}(x: &[f64], p: &[f64], t: f64, y: &mut [f64]) {{\n" + "\n".join(lines) + "\n}\n"


def array(values):
    return "&[" + ", ".join(repr(v) for v in values) + "]"


def floats(values):
    return array(float(v) for v in values)


def main(path):
    functions, cases = [], []
    for name in NAMES:
        problem = load(name)
        for k, form in enumerate(problem.forms.values()):
            if not form.semi_explicit or not np.all(np.isfinite(form.scale)):
                continue
            jacobian = ca.jacobian(form.f, form.x)
            s, t, p = problem.s, problem.t, problem.p
            names = [f"{name}_{k}_{part}" for part in ("rhs", "jacobian", "output")]
            output = ca.densify(ca.substitute(problem.output, s, form.drop))
            functions += [rust_function(n, form, problem, e) for n, e in zip(names, (form.f, jacobian, output))]
            rows, columns = (list(v) for v in jacobian.sparsity().get_triplet())
            start = np.array(ca.Function("l", [s, t, p], [form.lift])(problem.start, problem.segments[0][0], problem.segments[0][2])).ravel()
            mass = np.array(ca.DM(ca.Function("m", [], [ca.densify(ca.diag(form.mass))])()["o0"])).ravel()
            segments = ", ".join(f"({float(a)!r}, {float(b)!r}, {floats(q)})" for a, b, q in problem.segments)
            cases.append(
                f"    Case {{ problem: {name!r}, form: {form.name!r}, rhs: {names[0]}, jacobian: {names[1]}, output: {names[2]}, rows: {array(map(int, rows))}, columns: {array(map(int, columns))}, "
                f"mass: {floats(mass)}, start: {floats(start)}, scale: {floats(form.scale)}, segments: &[{segments}], reference: {floats(problem.reference)}, "
                f"reference_scale: {floats(problem.reference_scale)} }},".replace("'", '"'))
    pathlib.Path(path).write_text("".join(functions) + "pub static CASES: &[Case] = &[\n" + "\n".join(cases) + "\n];\n")


if __name__ == "__main__":
    main(sys.argv[1])
