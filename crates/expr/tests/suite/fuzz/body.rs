//! What is done with arbitrary bytes; nothing of it may panic.

use poinsot_expr::{Block, Engine, Expr, Extrapolation, Function, Interpolation, Program, Table};
use std::sync::{Arc, LazyLock};

static TABLES: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    let points = [(-2.0, 0.5), (-0.6, -1.0), (0.4, 0.2), (1.0, 2.0), (2.5, 0.5)];
    let table = |name, between, outside| Table::new(name, &points, between, outside).ok().map(Arc::new);
    [
        table("lift", Interpolation::Spline, Extrapolation::Linear),
        table("wave", Interpolation::Spline, Extrapolation::Periodic),
        table("polygon", Interpolation::Linear, Extrapolation::Hold),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Derivatives of longer texts may be too long to wait for.
const LONGEST: usize = 400;

/// Parses the bytes, if they are text, and walks what they mean in every way.
pub fn walk(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for parsed in [Expr::parse_with(text, &TABLES), Expr::parse_equation(text, &TABLES)] {
        match parsed {
            Ok(expr) => walk_expression(&expr, text.len() <= LONGEST),
            Err(error) => assert!(text.get(error.span.clone()).is_some(), "{error:?}"),
        }
    }
}

fn walk_expression(expr: &Expr, differentiates: bool) {
    let names = |name: &str| Some(0.3 + name.len() as f64 / 7.0);
    walk_printed(expr);
    let _ = expr.eval(&names);
    for other in [expr.simplify(), expr.tidy(), expr.with_limited_exponentials()] {
        walk_printed(&other);
        let _ = other.eval(&names);
    }
    if differentiates {
        let slope = expr.derivative("x");
        let _ = (slope.eval(&names), slope.tidy().eval(&names));
        export(&slope);
    }
    let arguments = ["x", "y", "t"];
    let _ = Program::compile(expr, &arguments, &names).map(|program| program.eval(&[0.5, -1.5, 2.0]));
    let _ = expr.breaks("t", &names, 0.0, 10.0);
    if differentiates && let Ok(f) = Function::new(expr, &arguments, &names) {
        let block = Block::of(&[&f], 3, &|_| true, Engine::Interpreter);
        let (mut value, mut slopes) = ([0.0], [0.0; 3]);
        block.eval_derivatives(&[0.5, -1.5, 2.0], &mut value, &mut slopes);
    }
}

/// What is printed can be read, and is then printed the same.
fn walk_printed(expr: &Expr) {
    let text = expr.to_string();
    match Expr::parse_equation(&text, &TABLES) {
        Ok(again) => assert_eq!(again.to_string(), text),
        // Drawing out signs and powers may need some more levels than the parser allows.
        Err(error) => assert!(error.message.contains("too deeply"), "{text}: {error}"),
    }
    export(expr);
}

fn export(expr: &Expr) {
    let formula = expr.to_latex(&|_| None);
    assert_eq!(formula.matches('{').count(), formula.matches('}').count());
    let text = expr.to_octave(&|_| None);
    assert_eq!(text.matches('(').count(), text.matches(')').count());
    let _ = expr.octave_helpers(&|_| None);
}
