//! Formulas in LaTeX.

use poinsot_expr::{Expr, Extrapolation, Interpolation, Table};
use std::sync::Arc;

#[test]
fn formulas() {
    for (source, formula) in [
        ("a + b - (c - d)", r"a + b - \left(c - d\right)"),
        ("2*a*b", r"2 \, a \, b"),
        ("a*2", r"a \cdot 2"),
        ("2*3^x", r"2 \cdot 3^{x}"),
        ("a/b", r"\frac{a}{b}"),
        ("m*g/(2*L)", r"\frac{m \, g}{2 \, L}"),
        ("a/b*c", r"\frac{a}{b} \, c"),
        ("(a + b)*c", r"\left(a + b\right) \, c"),
        ("(a/b)^2", r"\left(\frac{a}{b}\right)^{2}"),
        ("x^(n - 1)", r"x^{n - 1}"),
        ("(x^a)^b", r"\left(x^{a}\right)^{b}"),
        ("-x^2", r"-x^{2}"),
        ("(-x)^2", r"\left(-x\right)^{2}"),
        ("a*-b", r"a \, \left(-b\right)"),
        ("a - -b", r"a - \left(-b\right)"),
        ("sin(x)^2", r"\sin^{2}\left(x\right)"),
        ("sin(x)^-1", r"\left(\sin\left(x\right)\right)^{-1}"),
        ("sqrt(x + 1)", r"\sqrt{x + 1}"),
        ("cbrt(x)", r"\sqrt[3]{x}"),
        ("abs(x)", r"\left|x\right|"),
        ("floor(x)", r"\left\lfloor x\right\rfloor "),
        ("atan2(y, x)", r"\operatorname{atan2}\left(y, x\right)"),
        ("log(x)", r"\ln\left(x\right)"),
        ("1.5e-7*x", r"1.5 \cdot 10^{-7} \, x"),
        ("1e20^2", r"\left(10^{20}\right)^{2}"),
        ("x < 1 and not y >= 2", r"x < 1 \land \lnot y \ge 2"),
        ("if(x < 0, 1, 2)", r"\begin{cases} 1 & \text{if } x < 0 \\ 2 & \text{otherwise} \end{cases}"),
        (
            "3*if(x < 0, 1, if(x < 1, 2, 3))",
            r"3 \, \left(\begin{cases} 1 & \text{if } x < 0 \\ 2 & \text{if } x < 1 \\ 3 & \text{otherwise} \end{cases}\right)",
        ),
    ] {
        assert_eq!(Expr::parse(source).unwrap().to_latex(&|_| None), formula, "{source}");
    }
}

#[test]
fn symbols() {
    for (name, symbol) in [
        ("x", "x"),
        ("m1", "m_{1}"),
        ("alpha", r"\alpha"),
        ("theta_d", r"\theta_{d}"),
        ("theta12", r"\theta_{12}"),
        ("ω_max", r"\omega_{\mathrm{max}}"),
        ("k_1_a", "k_{1,a}"),
        ("F0", "F_{0}"),
        ("mass", r"\mathrm{mass}"),
        ("qdot", r"\dot{q}"),
        ("thetaddot", r"\ddot{\theta}"),
        ("qdot1", r"\dot{q}_{1}"),
        ("dot", r"\mathrm{dot}"),
        ("motor.i", r"i_{\mathrm{motor}}"),
        ("top.position.x", r"x_{\mathrm{top.position}}"),
        ("my_arm.phi1", r"\phi_{1,\mathrm{my\_arm}}"),
        ("_k1", "k_{1}"),
        ("__", r"\_"),
        ("pi", r"\pi"),
    ] {
        assert_eq!(Expr::name(name).unwrap().to_latex(&|_| None), symbol, "{name}");
    }
    let rate = Expr::parse_equation("der(phi_1) - der(motor.i)", &[]).unwrap();
    assert_eq!(rate.to_latex(&|_| None), r"\dot{\phi_{1}} - \dot{i_{\mathrm{motor}}}");
    let given = |name: &str| (name == "x").then(|| r"\vec{x}".to_string());
    assert_eq!(Expr::parse("2*x + y").unwrap().to_latex(&given), r"2 \, \vec{x} + y");
}

#[test]
fn tables_are_functions() {
    let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)];
    let table = Table::new("lift", &points, Interpolation::Spline, Extrapolation::Hold).unwrap();
    let expr = Expr::parse_with("2*lift(x)", &[Arc::new(table)]).unwrap();
    assert_eq!(expr.to_latex(&|_| None), r"2 \, \operatorname{lift}\left(x\right)");
    let slope = expr.derivative("x");
    assert_eq!(slope.to_latex(&|_| None), r"2 \, \operatorname{lift}'\left(x\right)");
}

#[test]
fn braces_and_delimiters_match() {
    let sum: String = (0..200).map(|k| format!("+ (a{k} - b)/c*sin(x^2)")).collect();
    let product = vec!["x/(a - b)"; 100].join("*");
    for text in [sum, product] {
        let formula = Expr::parse(&text).unwrap().to_latex(&|_| None);
        assert_eq!(formula.matches('{').count(), formula.matches('}').count());
        assert_eq!(formula.matches(r"\left").count(), formula.matches(r"\right").count());
    }
}
