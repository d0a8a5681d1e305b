//! Derivatives of all equations by all unknowns and rates, against complex steps: f'(x) = Im f(x + i h)/h.

use crate::energies;

use energies::*;
use poinsot_expr::{BinaryOperator, Block, Engine, Expr, Node, UnaryOperator, rate_name};
use poinsot_mechanics::*;

/// a + i b.
#[derive(Clone, Copy)]
struct Complex(f64, f64);

impl Complex {
    fn times(self, o: Complex) -> Complex {
        Complex(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }

    fn over(self, o: Complex) -> Complex {
        let size = o.0 * o.0 + o.1 * o.1;
        Complex((self.0 * o.0 + self.1 * o.1) / size, (self.1 * o.0 - self.0 * o.1) / size)
    }

    fn exp(self) -> Complex {
        Complex(self.0.exp() * self.1.cos(), self.0.exp() * self.1.sin())
    }

    fn log(self) -> Complex {
        Complex(self.0.hypot(self.1).ln(), self.1.atan2(self.0))
    }
}

/// The value of an expression of arithmetic, powers, sin, cos, exp at a complex point.
fn complex(expr: &Expr, at: &dyn Fn(&str) -> Complex) -> Complex {
    let eval = |x: &Expr| complex(x, at);
    match expr.node() {
        Node::Number(x) => Complex(*x, 0.0),
        Node::Name(name) => at(name),
        Node::Unary(UnaryOperator::Negate, x) => Complex(0.0, 0.0).minus(eval(x)),
        Node::Binary(operator, a, b) => {
            let (a, b) = (eval(a), eval(b));
            match operator {
                BinaryOperator::Add => Complex(a.0 + b.0, a.1 + b.1),
                BinaryOperator::Subtract => a.minus(b),
                BinaryOperator::Multiply => a.times(b),
                BinaryOperator::Divide => a.over(b),
                BinaryOperator::Power if b.1 == 0.0 && b.0.fract() == 0.0 && b.0 >= 0.0 => {
                    (0..b.0 as usize).fold(Complex(1.0, 0.0), |power, _| power.times(a))
                }
                BinaryOperator::Power => a.log().times(b).exp(),
                other => panic!("{other:?}"),
            }
        }
        Node::Call(function, arguments) => {
            let x = eval(&arguments[0]);
            match function.name {
                "sin" => Complex(x.0.sin() * x.1.cosh(), x.0.cos() * x.1.sinh()),
                "cos" => Complex(x.0.cos() * x.1.cosh(), -x.0.sin() * x.1.sinh()),
                "exp" => x.exp(),
                other => panic!("{other}"),
            }
        }
        other => panic!("{other:?}"),
    }
}

impl Complex {
    fn minus(self, o: Complex) -> Complex {
        Complex(self.0 - o.0, self.1 - o.1)
    }
}

const STEP: f64 = 1e-100;

/// All entries of dF/dx and dF/dẋ in all forms, and those that are said to be zero; `sizes` are those of
/// random values.
fn check(model: &Lagrangian, constants: &[(&str, f64)], size: &dyn Fn(&str) -> f64) -> usize {
    let mut random = Random::new(629);
    let mut compared = 0;
    for form in [EquationForm::Index3, EquationForm::Index2, EquationForm::Stabilised, EquationForm::Index1] {
        let equations = model.equations(form).unwrap();
        let names: Vec<String> = equations.unknowns.iter().map(|u| u.name.clone()).collect();
        let inputs: Vec<String> = names.iter().cloned().chain(names.iter().map(|n| rate_name(n))).collect();
        let texts: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let rows: Vec<Expr> = equations.rows.iter().map(|row| row.expr.clone()).collect();
        let mut data = values(constants);
        data.insert("t".into(), 0.37e-3);
        let constant = |name: &str| data.get(name).copied();
        let block = Block::new(&rows, &texts, &constant, Engine::Native).unwrap();
        for _ in 0..3 {
            let x: Vec<f64> = inputs.iter().map(|name| size(name) * random.number()).collect();
            let (mut value, mut slopes) = (vec![0.0; rows.len()], vec![0.0; block.entries().len()]);
            block.eval_derivatives(&x, &mut value, &mut slopes);
            let place = |name: &str| texts.iter().position(|text| *text == name);
            for (k, row) in rows.iter().enumerate() {
                for j in 0..inputs.len() {
                    let at = |name: &str| match place(name) {
                        Some(i) => Complex(x[i], if i == j { STEP } else { 0.0 }),
                        None => Complex(
                            constant(name).or_else(|| poinsot_expr::constant(name)).unwrap_or(f64::NAN),
                            0.0,
                        ),
                    };
                    let expected = complex(row, &at).1 / STEP;
                    let entry = block.entries().iter().position(|e| *e == (k, j));
                    let got = entry.map_or(0.0, |e| slopes[e]);
                    let scale = expected.abs().max(1e-300);
                    // Sums that cancel are measured by the value of the row, of which they are a part.
                    let terms = value[k].abs() / x[j].abs().max(1e-12);
                    assert!(
                        (got - expected).abs() <= 1e-13 * scale.max(1e-2 * terms),
                        "{form:?}: row {row} by {}: {got:e} instead of {expected:e}",
                        texts[j]
                    );
                    compared += usize::from(expected != 0.0);
                }
            }
        }
    }
    compared
}

#[test]
fn motor() {
    // Four forms that are the same, three points, twenty entries.
    assert_eq!(check(&MOTOR.model(), &MOTOR_DATA, &|_| 2.0), 4 * 3 * 20);
}

#[test]
fn quick_return() {
    let model = Energies {
        q: "x1 y1 th1 x2 y2 th2 x3 y3 th3 r2 r4",
        f: "x1d y1d th1d x2d y2d th2d x3d y3d th3d r2d r4d",
        kinetic: "(0.049*(x1d^2 + y1d^2) + 2.881e-6*th1d^2 + 0.198*(x2d^2 + y2d^2) + 1.103e-4*th2d^2
            + 0.074*(x3d^2 + y3d^2) + 7.409e-6*th3d^2 + 0.015*BC^2*th1d^2 + 0.15*r4d^2)/2",
        applied: &["0", "0", "10*(2 - th1d)", "0", "0", "0", "0", "0", "0", "0", "0"],
        phi: &[
            "x1 - BC/2*cos(th1)",
            "y1 - BC/2*sin(th1) - AB",
            "x2 - AE/2*cos(th2)",
            "y2 - AE/2*sin(th2)",
            "x3 - AE*cos(th2) - EF/2*cos(th3)",
            "y3 - AE*sin(th2) - EF/2*sin(th3)",
            "BC*cos(th1) - r2*cos(th2)",
            "AB + BC*sin(th1) - r2*sin(th2)",
            "AE*cos(th2) + EF*cos(th3) - r4",
            "AE*sin(th2) + EF*sin(th3) - AH",
        ],
        ..Energies::default()
    };
    let data = [("AH", 0.08), ("AB", 0.04), ("BC", 0.02), ("AE", 0.08), ("EF", 0.03)];
    let size = |name: &str| if name.starts_with("th") { 3.0 } else { 1.0 };
    assert!(check(&model.model(), &data, &size) > 4 * 3 * 70);
}

/// lagrangian-dae-modeling VC-6.18 with its feedback: i in a denominator, T* of q and f.
#[test]
fn magnetic_suspension() {
    let model = Energies {
        q: "x q",
        f: "v i",
        efforts: "u",
        kinetic: "g0/(g1 + x)*i^2/2 + m*v^2/2",
        dissipation: "R*i^2/2",
        applied: &["m*g", "u"],
        gamma: &["u - R*i - m/i*(g1 + x)*(15000*(x - 1e-3) + 1700*v + 70*(g - g0*i^2/(2*m*(g1 + x)^2)))"],
        ..Energies::default()
    };
    let printed =
        ["m*der(v) + g0*i^2/(2*(g1 + x)^2) = m*g", "g0/(g1 + x)*der(i) - g0/(g1 + x)^2*i*v + R*i = u"];
    momentum(&model, &printed, "6.18");
    let data = [("g0", 0.03), ("g1", 1e-5), ("m", 0.1), ("R", 10.0), ("g", 9.8)];
    let size = |name: &str| if name == "x" || name == "i" { 0.01 } else { 1.0 };
    assert!(check(&model.model(), &data, &size) >= 4 * 3 * 11);
}

#[test]
fn amplifier() {
    let model = Energies {
        q: "q1 q2 q3 q4 q5 q6 q7 q8 qe qc",
        f: "f1 f2 f3 f4 f5 f6 f7 f8 fe fc",
        efforts: "vbe vbc",
        potential: "q2^2/(2*C1) + q6^2/(2*C3) + q7^2/(2*C2)",
        dissipation: "(1e3*f2^2 + 30e3*f4^2 + 5.5e3*f3^2 + 2e3*f5^2 + 500*f8^2 + 10e3*f6^2)/2",
        applied: &["12", "0.001*sin(2000*pi*t)", "0", "0", "0", "0", "0", "0", "-vbe", "vbc"],
        psi: &["f1 - f4 - f5", "f2 - f3 + f4 + fc - fe", "f5 - f6 - fc", "fe - f7 - f8"],
        gamma: &[
            "fe - IES*(exp(vbe/0.025) - 1) + IS*(exp(vbc/0.025) - 1)",
            "fc - IS*(exp(vbe/0.025) - 1) + IS/0.05*(exp(vbc/0.025) - 1)",
        ],
        ..Energies::default()
    };
    let ies = 14.34e-15;
    let data = [("C1", 10e-6), ("C2", 100e-6), ("C3", 10e-6), ("IES", ies), ("IS", 170.0 / 171.0 * ies)];
    let size = |name: &str| match name.as_bytes()[0] {
        b'v' => 0.7,
        b'q' => 1e-4,
        _ => 1e-2,
    };
    assert!(check(&model.model(), &data, &size) > 4 * 3 * 50);
}

/// Constraints that depend on time, and a T* that is no sum of squares.
#[test]
fn time_dependent_model() {
    let model = Energies {
        q: "x y z",
        f: "u v w",
        kinetic: "(2 + sin(x))*u^2/2 + (3 + y^2)*v^2/2 + 2*w^4 + 0.3*u*w*cos(z + 900*t) + 0.4*u*y*t",
        potential: "x^2*y + exp(z*t) + cos(x*z)",
        dissipation: "0.1*u^2*cos(y) + 0.2*v^4",
        applied: &["sin(t)*x", "-x", "u*v"],
        phi: &["x^2 + 2*y*z - sin(900*t)*y - 1.7"],
        psi: &["z*u + sin(x)*v - 0.5*w + 900*t*y"],
        ..Energies::default()
    };
    assert!(check(&model.model(), &[], &|_| 1.5) > 4 * 3 * 35);
}
