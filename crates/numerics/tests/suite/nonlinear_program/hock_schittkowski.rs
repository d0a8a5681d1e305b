//! Problems of Hock and Schittkowski (1981) with their published minima, from the published starts.

use super::jet::Jet;
use super::small::{Functions, Small};
use poinsot_numerics::nonlinear_program::Range;

const FREE: Range = Range::FREE;

fn check<const N: usize>(
    name: &str,
    functions: Functions<N>,
    bounds: [Range; N],
    rows: &[Range],
    start: [f64; N],
    minimum: f64,
) {
    let mut program = Small { functions, bounds, rows: rows.to_vec() };
    let found = program.solve(start).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    let error = (found.objective - minimum).abs() / minimum.abs().max(1.0);
    println!("{name}: {:.10} after {} steps, error {:.1e}", found.objective, found.iterations, found.error);
    assert!(error < 2e-7 && found.violation < 1e-7, "{name}: {found:?}");
    assert!(found.iterations < 120, "{name}: {} steps", found.iterations);
}

fn between(lower: f64, upper: f64) -> Range {
    Range { lower, upper }
}

#[test]
fn unconstrained_and_bounded_problems() {
    let banana =
        |[x, y]: [Jet<2>; 2]| (100.0 * (y - x * x).powi(2) + (Jet::constant(1.0) - x).powi(2), vec![]);
    check("1", banana, [FREE, Range::at_least(-1.5)], &[], [-2.0, 1.0], 0.0);
    check(
        "3",
        |[x, y]| (y + 1e-5 * (y - x).powi(2), vec![]),
        [FREE, Range::at_least(0.0)],
        &[],
        [10.0, 1.0],
        0.0,
    );
    check(
        "4",
        |[x, y]| ((x + 1.0).powi(3) * (1.0 / 3.0) + y, vec![]),
        [Range::at_least(1.0), Range::at_least(0.0)],
        &[],
        [1.125, 0.125],
        8.0 / 3.0,
    );
    let colville = |[a, b, c, d]: [Jet<4>; 4]| {
        let one = Jet::constant(1.0);
        let f = 100.0 * (b - a * a).powi(2)
            + (one - a).powi(2)
            + 90.0 * (d - c * c).powi(2)
            + (one - c).powi(2)
            + 10.1 * ((b - 1.0).powi(2) + (d - 1.0).powi(2))
            + 19.8 * (b - 1.0) * (d - 1.0);
        (f, vec![])
    };
    check("38", colville, [between(-10.0, 10.0); 4], &[], [-3.0, -1.0, -3.0, -1.0], 0.0);
}

#[test]
fn equalities() {
    check(
        "6",
        |[x, y]| ((Jet::constant(1.0) - x).powi(2), vec![10.0 * (y - x * x)]),
        [FREE; 2],
        &[Range::exactly(0.0)],
        [-1.2, 1.0],
        0.0,
    );
    check(
        "7",
        |[x, y]| ((x * x + 1.0).ln() - y, vec![(x * x + 1.0).powi(2) + y * y]),
        [FREE; 2],
        &[Range::exactly(4.0)],
        [2.0, 2.0],
        -(3.0_f64.sqrt()),
    );
    check(
        "39",
        |[a, b, c, d]| (-a, vec![b - a * a * a - c * c, a * a - b - d * d]),
        [FREE; 4],
        &[Range::exactly(0.0); 2],
        [2.0; 4],
        -1.0,
    );
    check(
        "40",
        |[a, b, c, d]| (-(a * b * c * d), vec![a.powi(3) + b * b, a * a * d - c, d * d - b]),
        [FREE; 4],
        &[Range::exactly(1.0), Range::exactly(0.0), Range::exactly(0.0)],
        [0.8; 4],
        -0.25,
    );
    check(
        "77",
        |[a, b, c, d, e]| {
            let f = (a - 1.0).powi(2)
                + (a - b).powi(2)
                + (c - 1.0).powi(2)
                + (d - 1.0).powi(4)
                + (e - 1.0).powi(6);
            // sin x = cos(x − π/2).
            let sin = |x: Jet<5>| (x - std::f64::consts::FRAC_PI_2).cos();
            (f, vec![a * a * d + sin(d - e), b + c.powi(4) * d * d])
        },
        [FREE; 5],
        &[Range::exactly(2.0 * 2.0_f64.sqrt()), Range::exactly(8.0 + 2.0_f64.sqrt())],
        [2.0; 5],
        0.241_505_129,
    );
    check(
        "78",
        |[a, b, c, d, e]| {
            let sum = a * a + b * b + c * c + d * d + e * e;
            (a * b * c * d * e, vec![sum, b * c - 5.0 * d * e, a.powi(3) + b.powi(3)])
        },
        [FREE; 5],
        &[Range::exactly(10.0), Range::exactly(0.0), Range::exactly(-1.0)],
        [-2.0, 1.5, 2.0, -1.0, -1.0],
        -2.919_700_41,
    );
}

#[test]
fn inequalities() {
    let positive = Range::at_least(0.0);
    check(
        "10",
        |[x, y]| (x - y, vec![-3.0 * x * x + 2.0 * x * y - y * y + 1.0]),
        [FREE; 2],
        &[positive],
        [-10.0, 10.0],
        -1.0,
    );
    check(
        "35",
        |[x, y, z]| {
            let f = Jet::constant(9.0) - 8.0 * x - 6.0 * y - 4.0 * z
                + 2.0 * x * x
                + 2.0 * y * y
                + z * z
                + 2.0 * x * y
                + 2.0 * x * z;
            (f, vec![Jet::constant(3.0) - x - y - 2.0 * z])
        },
        [positive; 3],
        &[positive],
        [0.5; 3],
        1.0 / 9.0,
    );
    check(
        "43",
        |[a, b, c, d]| {
            let f = a * a + b * b + 2.0 * c * c + d * d - 5.0 * a - 5.0 * b - 21.0 * c + 7.0 * d;
            let rows = vec![
                Jet::constant(8.0) - a * a - b * b - c * c - d * d - a + b - c + d,
                Jet::constant(10.0) - a * a - 2.0 * b * b - c * c - 2.0 * d * d + a + d,
                Jet::constant(5.0) - 2.0 * a * a - b * b - c * c - 2.0 * a + b + d,
            ];
            (f, rows)
        },
        [FREE; 4],
        &[positive; 3],
        [0.0; 4],
        -44.0,
    );
    check(
        "65",
        |[x, y, z]| {
            let f = (x - y).powi(2) + (x + y - 10.0).powi(2) * (1.0 / 9.0) + (z - 5.0).powi(2);
            (f, vec![Jet::constant(48.0) - x * x - y * y - z * z])
        },
        [between(-4.5, 4.5), between(-4.5, 4.5), between(-5.0, 5.0)],
        &[positive],
        [-5.0, 5.0, 0.0],
        0.953_528_856_757_284,
    );
    check(
        "71",
        |[a, b, c, d]| (a * d * (a + b + c) + c, vec![a * b * c * d, a * a + b * b + c * c + d * d]),
        [between(1.0, 5.0); 4],
        &[Range::at_least(25.0), Range::exactly(40.0)],
        [1.0, 5.0, 5.0, 1.0],
        17.014_017_289_156_5,
    );
    check(
        "76",
        |[a, b, c, d]| {
            let f = a * a + 0.5 * b * b + c * c + 0.5 * d * d - a * c + c * d - a - 3.0 * b + c - d;
            let rows = vec![
                Jet::constant(5.0) - a - 2.0 * b - c - d,
                Jet::constant(4.0) - 3.0 * a - b - 2.0 * c + d,
                b + 4.0 * c - 1.5,
            ];
            (f, rows)
        },
        [positive; 4],
        &[positive; 3],
        [0.5; 4],
        -4.681_818_181_818_18,
    );
    check(
        "100",
        |[a, b, c, d, e, f, g]| {
            let objective = (a - 10.0).powi(2)
                + 5.0 * (b - 12.0).powi(2)
                + c.powi(4)
                + 3.0 * (d - 11.0).powi(2)
                + 10.0 * e.powi(6)
                + 7.0 * f * f
                + g.powi(4)
                - 4.0 * f * g
                - 10.0 * f
                - 8.0 * g;
            let rows = vec![
                Jet::constant(127.0) - 2.0 * a * a - 3.0 * b.powi(4) - c - 4.0 * d * d - 5.0 * e,
                Jet::constant(282.0) - 7.0 * a - 3.0 * b - 10.0 * c * c - d + e,
                Jet::constant(196.0) - 23.0 * a - b * b - 6.0 * f * f + 8.0 * g,
                -4.0 * a * a - b * b + 3.0 * a * b - 2.0 * c * c - 5.0 * f + 11.0 * g,
            ];
            (objective, rows)
        },
        [FREE; 7],
        &[positive; 4],
        [1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0],
        680.630_057_3,
    );
    check(
        "113",
        |x: [Jet<10>; 10]| {
            let [a, b, c, d, e, f, g, h, i, j] = x;
            let objective = a * a + b * b + a * b - 14.0 * a - 16.0 * b
                + (c - 10.0).powi(2)
                + 4.0 * (d - 5.0).powi(2)
                + (e - 3.0).powi(2)
                + 2.0 * (f - 1.0).powi(2)
                + 5.0 * g * g
                + 7.0 * (h - 11.0).powi(2)
                + 2.0 * (i - 10.0).powi(2)
                + (j - 7.0).powi(2)
                + 45.0;
            let rows = vec![
                Jet::constant(105.0) - 4.0 * a - 5.0 * b + 3.0 * g - 9.0 * h,
                -10.0 * a + 8.0 * b + 17.0 * g - 2.0 * h,
                8.0 * a - 2.0 * b - 5.0 * i + 2.0 * j + 12.0,
                -3.0 * (a - 2.0).powi(2) - 4.0 * (b - 3.0).powi(2) - 2.0 * c * c + 7.0 * d + 120.0,
                -5.0 * a * a - 8.0 * b - (c - 6.0).powi(2) + 2.0 * d + 40.0,
                -0.5 * (a - 8.0).powi(2) - 2.0 * (b - 4.0).powi(2) - 3.0 * e * e + f + 30.0,
                -(a * a) - 2.0 * (b - 2.0).powi(2) + 2.0 * a * b - 14.0 * e + 6.0 * f,
                3.0 * a - 6.0 * b - 12.0 * (i - 8.0).powi(2) + 7.0 * j,
            ];
            (objective, rows)
        },
        [FREE; 10],
        &[positive; 8],
        [2.0, 3.0, 5.0, 5.0, 1.0, 2.0, 7.0, 3.0, 6.0, 10.0],
        24.306_209_1,
    );
}

#[test]
fn a_minimum_without_multipliers_is_approached() {
    // 13: the gradients of the conditions vanish at the minimum (1, 0).
    let mut program = Small::<2> {
        functions: |[x, y]| ((x - 2.0).powi(2) + y * y, vec![(Jet::constant(1.0) - x).powi(3) - y]),
        bounds: [Range::at_least(0.0); 2],
        rows: vec![Range::at_least(0.0)],
    };
    match program.solve([-2.0, -2.0]) {
        Ok(found) => assert!((found.x[0] - 1.0).abs() < 2e-2, "{found:?}"),
        Err(failure) => {
            // No multipliers exist, so that the optimality conditions cannot hold: the end says so, soon.
            assert!((failure.x[0] - 1.0).abs() < 5e-2 && failure.iterations < 500, "{failure:?}");
        }
    }
}
