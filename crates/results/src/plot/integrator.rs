//! What an integrator does to an oscillation: spectral radius, period, damping.

use super::axis::{Axis, Tick};
use super::canvas::{self, Canvas, GREY, PALETTE, Point, RGBColor};
use super::frame::{FOOT, Frame, Key, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title};
use super::{check_curve, nothing};
use crate::error::ResultsError;
use crate::number::{superscript, typeset};

const RADIUS_HEIGHT: f64 = 230.0;
const PANEL_HEIGHT: f64 = 180.0;
/// Room between panels over a common axis, and extra room below an axis of its own.
const GAP: f64 = 30.0;

/// Highest spectral radius shown, without and with instability.
const RADIUS_TOP: (f64, f64) = (1.1, 1.5);

/// Period errors and damping ratios beyond this are cut off.
const CUT: (f64, f64) = (-0.5, 1.0);

/// Colours of the methods that the first is compared with.
const COMPARED: [RGBColor; 2] = [RGBColor(0x8C, 0x8C, 0x8C), RGBColor(0xC4, 0xC4, 0xC4)];

/// One method in the plot of integrators.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntegratorCurve {
    /// Name in the legend.
    pub name: String,
    /// Spectral radius at every frequency.
    pub radius: Vec<f64>,
    /// Relative period elongation at every step; none where there is no oscillation.
    pub elongation: Vec<Option<f64>>,
    /// Numerical damping ratio at every step.
    pub damping: Vec<Option<f64>>,
}

/// What the plot of integrators shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntegratorSheet {
    /// Frequencies Ω = ωh of the spectral radius, ascending, greater than zero.
    pub frequencies: Vec<f64>,
    /// Steps over the period h/T of period and damping, ascending.
    pub steps: Vec<f64>,
    /// The method of interest, then those that it is compared with.
    pub curves: Vec<IntegratorCurve>,
    /// Largest stable Ω of the first, if there is one; 0 if it grows at every step.
    pub limit: Option<f64>,
}

/// A panel: its curves over one abscissa.
struct Panel<'a> {
    label: &'a str,
    x: &'a [f64],
    curves: Vec<Vec<Option<f64>>>,
}

/// The plot: spectral radius over frequency, below it period and damping over the step.
pub(crate) fn integrator_svg(sheet: &IntegratorSheet, heading: &str) -> Result<String, ResultsError> {
    check(sheet, heading)?;
    let frequencies: Vec<f64> = sheet.frequencies.iter().map(|f| f.log10()).collect();
    let percent = |values: &[Option<f64>]| values.iter().map(|v| v.map(|v| 100.0 * v)).collect();
    let each = |f: &dyn Fn(&IntegratorCurve) -> Vec<Option<f64>>| sheet.curves.iter().map(f).collect();
    let radius = Panel {
        label: "spectral radius [–]",
        x: &frequencies,
        curves: each(&|c| c.radius.iter().copied().map(Some).collect()),
    };
    let elongation =
        Panel { label: "period elongation [%]", x: &sheet.steps, curves: each(&|c| percent(&c.elongation)) };
    let damping =
        Panel { label: "numerical damping [%]", x: &sheet.steps, curves: each(&|c| percent(&c.damping)) };
    let lower = [elongation, damping];
    let vertical = [radius_axis(&radius), cut_axis(&lower[0]), cut_axis(&lower[1])];
    let left = left_margin(&vertical);
    let width = WIDTH - left - right_margin(sheet.curves.iter().map(|c| c.name.as_str()));
    let omega = decades(&frequencies);
    let step = Axis::tight(sheet.steps.iter().copied(), (width / 58.0) as usize);
    let second = TITLE_HEIGHT + RADIUS_HEIGHT + FOOT + GAP;
    let total = second + 2.0 * PANEL_HEIGHT + GAP + FOOT;
    Ok(canvas::draw((WIDTH as u32, total.ceil() as u32), |canvas| {
        title(canvas, heading, left);
        let [first, middle, last] = [
            (TITLE_HEIGHT, RADIUS_HEIGHT, &omega, &vertical[0]),
            (second, PANEL_HEIGHT, &step, &vertical[1]),
            (second + PANEL_HEIGHT + GAP, PANEL_HEIGHT, &step, &vertical[2]),
        ]
        .map(|(top, height, x, y)| Frame { left, top, width, height, x, y });
        let limit = sheet.limit.filter(|omega| *omega > 0.0);
        draw_panel(canvas, &first, &radius, limit.map(f64::log10));
        if let Some(limit) = sheet.limit {
            let note = match limit {
                0.0 => "unstable at every step".to_owned(),
                limit => format!("stable up to Ω = {}", typeset(limit, 4)),
            };
            first.note(canvas, &note);
        }
        let keys: Vec<Key<'_>> = (sheet.curves.iter().enumerate())
            .map(|(i, c)| Key { name: &c.name, colour: style(i).0 })
            .collect();
        first.legend(canvas, &keys);
        first.draw_foot(canvas, "frequency Ω = ωh [rad]");
        let limit = limit.map(|omega| omega / std::f64::consts::TAU);
        draw_panel(canvas, &middle, &lower[0], limit);
        draw_panel(canvas, &last, &lower[1], limit);
        last.draw_foot(canvas, "step over period h/T [–]");
    }))
}

fn check(sheet: &IntegratorSheet, heading: &str) -> Result<(), ResultsError> {
    if sheet.curves.is_empty() || sheet.frequencies.len() < 2 || sheet.steps.len() < 2 {
        return Err(nothing(heading, "curve"));
    }
    let logarithms: Vec<f64> = sheet.frequencies.iter().map(|f| f.log10()).collect();
    check_curve("frequencies", &logarithms, logarithms.len())?;
    check_curve("steps", &sheet.steps, sheet.steps.len())?;
    for curve in &sheet.curves {
        check_curve(&curve.name, &curve.radius, sheet.frequencies.len())?;
        for values in [&curve.elongation, &curve.damping] {
            let values: Vec<f64> = values.iter().map(|v| v.unwrap_or(0.0)).collect();
            check_curve(&curve.name, &values, sheet.steps.len())?;
        }
    }
    Ok(())
}

/// Colour and width of the i-th curve.
fn style(i: usize) -> (RGBColor, f64) {
    match i {
        0 => (PALETTE[0], 2.0),
        _ => (COMPARED[(i - 1) % COMPARED.len()], 1.4),
    }
}

fn radius_axis(panel: &Panel<'_>) -> Axis {
    let largest = panel.curves.iter().flatten().flatten().fold(0.0, |m: f64, v| m.max(*v));
    let top = if largest > RADIUS_TOP.0 { RADIUS_TOP.1 } else { RADIUS_TOP.0 };
    Axis::with_spacing(0.0, top, 0.2)
}

/// An axis for percentages, with zero on it.
fn cut_axis(panel: &Panel<'_>) -> Axis {
    let (low, high) = (100.0 * CUT.0, 100.0 * CUT.1);
    let values = panel.curves.iter().flatten().flatten().map(|v| v.clamp(low, high));
    // Without any error an axis about zero would show rounding.
    Axis::roomy(values.chain([0.0, 1.0]), 6)
}

/// An axis of logarithms, marked at whole powers of ten.
fn decades(logarithms: &[f64]) -> Axis {
    let axis = Axis::tight(logarithms.iter().copied(), 1);
    let (first, last) = ((axis.low - 1e-9).ceil() as i32, (axis.high + 1e-9).floor() as i32);
    let tick = |power: i32| Tick { value: f64::from(power), label: format!("10{}", superscript(power)) };
    Axis { ticks: (first..=last).map(tick).collect(), scale: String::new(), ..axis }
}

fn draw_panel(canvas: &mut Canvas, frame: &Frame<'_>, panel: &Panel<'_>, limit: Option<f64>) {
    frame.draw(canvas, panel.label);
    if let Some(limit) = limit.filter(|l| (frame.x.low..=frame.x.high).contains(l)) {
        let x = frame.point(limit, frame.y.low).0;
        canvas.line((x, frame.top), (x, frame.bottom()), GREY, 1.0);
    }
    // The method of interest last, on top of the others.
    for (i, values) in panel.curves.iter().enumerate().rev() {
        let (colour, width) = style(i);
        for piece in pieces(panel.x, values, (frame.y.low, frame.y.high)) {
            let points: Vec<Point> = piece.into_iter().map(|(x, y)| frame.point(x, y)).collect();
            canvas.curve(&points, colour, width);
        }
    }
}

/// The parts of a curve that lie within limits, cut where they leave them.
fn pieces(x: &[f64], y: &[Option<f64>], (low, high): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let inside = |v: f64| (low..=high).contains(&v);
    let crossing = |a: (f64, f64), b: (f64, f64)| {
        let edge = if a.1.max(b.1) > high { high } else { low };
        (a.0 + (b.0 - a.0) * (edge - a.1) / (b.1 - a.1), edge)
    };
    let mut done = Vec::new();
    let mut piece: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<(f64, f64)> = None;
    for (&x, y) in x.iter().zip(y) {
        let now = y.map(|y| (x, y));
        match (last, now) {
            (Some(a), Some(b)) if !inside(a.1) && inside(b.1) => piece.extend([crossing(a, b), b]),
            (Some(a), Some(b)) if inside(a.1) && !inside(b.1) => piece.push(crossing(a, b)),
            (_, Some(b)) if inside(b.1) => piece.push(b),
            _ => {}
        }
        if !now.is_some_and(|b| inside(b.1)) && !piece.is_empty() {
            done.push(std::mem::take(&mut piece));
        }
        last = now;
    }
    done.push(piece);
    done.retain(|p| p.len() > 1);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_cut_at_gaps_and_edges() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let y = [Some(0.5), Some(1.5), Some(0.5), None, Some(0.0), Some(0.5), Some(-0.5)];
        let expected = [
            vec![(0.0, 0.5), (0.5, 1.0)],
            vec![(1.5, 1.0), (2.0, 0.5)],
            vec![(4.0, 0.0), (5.0, 0.5), (5.5, 0.0)],
        ];
        assert_eq!(pieces(&x, &y, (0.0, 1.0)), expected);
    }

    #[test]
    fn decades_are_labelled_as_powers() {
        let axis = decades(&[-2.0, 0.3, 3.0]);
        let labels: Vec<&str> = axis.ticks.iter().map(|t| t.label.as_str()).collect();
        assert_eq!(labels, ["10⁻²", "10⁻¹", "10⁰", "10¹", "10²", "10³"]);
    }

    #[test]
    fn a_sheet_is_checked() {
        let curve = IntegratorCurve {
            name: "a".into(),
            radius: vec![1.0, f64::INFINITY],
            elongation: vec![Some(0.0), None],
            damping: vec![Some(0.0), None],
        };
        let mut sheet = IntegratorSheet {
            frequencies: vec![0.1, 10.0],
            steps: vec![0.01, 0.5],
            curves: vec![curve],
            limit: Some(2.0),
        };
        assert!(matches!(integrator_svg(&sheet, "t"), Err(ResultsError::CurveNotFinite { sample: 1, .. })));
        sheet.curves[0].radius[1] = 0.5;
        let svg = integrator_svg(&sheet, "t").unwrap();
        for text in ["spectral radius", "period elongation", "numerical damping", "stable up to Ω = 2"] {
            assert!(svg.contains(text), "{text}");
        }
        sheet.limit = Some(0.0);
        assert!(integrator_svg(&sheet, "t").unwrap().contains("unstable at every step"));
        sheet.frequencies[0] = 0.0;
        assert!(integrator_svg(&sheet, "t").is_err());
    }
}
