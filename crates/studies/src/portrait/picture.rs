//! Phase portraits: trajectories in the plane of two variables, with arrow heads, and equilibria by their
//! kind.

use poinsot_results::ResultsError;
use poinsot_results::number::unit;
use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{
    self, Canvas, HPos, INK, PALETTE, PAPER, Point, RGBColor, Type, text_width,
};
use poinsot_results::plot::frame::{EDGE, FOOT, Frame, TICK_SIZE, TITLE_HEIGHT, WIDTH, left_margin, title};
use poinsot_results::plot::{check_curve, nothing};

const HEIGHT: f64 = 560.0;
const SYMBOL: f64 = 5.5;
const ARROW: f64 = 7.0;
const LEGEND_PITCH: f64 = 22.0;

/// A variable along an axis of a phase portrait, and its range.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseAxis {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a pure number.
    pub unit: String,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The kind of an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// All deviations decay.
    Stable,
    /// Deviations grow in all directions of the plane.
    Unstable,
    /// Some grow, some decay.
    Saddle,
    /// Eigenvalues on the imaginary axis in pairs.
    Centre,
    /// The linearised system does not decide.
    Undecided,
}

impl MarkKind {
    const ALL: [MarkKind; 5] =
        [MarkKind::Stable, MarkKind::Unstable, MarkKind::Saddle, MarkKind::Centre, MarkKind::Undecided];

    fn words(self) -> &'static str {
        match self {
            MarkKind::Stable => "asymptotically stable",
            MarkKind::Unstable => "unstable",
            MarkKind::Saddle => "saddle",
            MarkKind::Centre => "centre (linearised)",
            MarkKind::Undecided => "not decided",
        }
    }
}

/// An equilibrium in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EquilibriumMark {
    /// Value of the horizontal variable.
    pub x: f64,
    /// Value of the vertical variable.
    pub y: f64,
    /// Its kind.
    pub kind: MarkKind,
}

/// Trajectories and equilibria in the plane of two variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhasePortrait {
    /// Horizontal axis.
    pub x: PhaseAxis,
    /// Vertical axis.
    pub y: PhaseAxis,
    /// Trajectories: pairs of values in the order of time.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// Equilibria.
    pub marks: Vec<EquilibriumMark>,
}

/// The plot of a portrait.
pub fn portrait_svg(portrait: &PhasePortrait, heading: &str) -> Result<String, ResultsError> {
    for curve in &portrait.curves {
        for part in [|p: &(f64, f64)| p.0, |p: &(f64, f64)| p.1] {
            check_curve("trajectory", &curve.iter().map(part).collect::<Vec<_>>(), curve.len())?;
        }
    }
    let ends = [portrait.x.low, portrait.x.high, portrait.y.low, portrait.y.high];
    check_curve("ranges", &ends, 4)?;
    if portrait.x.low >= portrait.x.high || portrait.y.low >= portrait.y.high || portrait.curves.is_empty() {
        return Err(nothing(heading, "trajectory"));
    }
    let y = Axis::tight([portrait.y.low, portrait.y.high], (HEIGHT / 50.0) as usize);
    let kinds = present(&portrait.marks);
    let widest = kinds.iter().map(|kind| text_width(kind.words(), TICK_SIZE)).fold(0.0, f64::max);
    let right = if kinds.is_empty() { 2.0 * EDGE } else { 20.0 + 2.0 * SYMBOL + 9.0 + widest + EDGE };
    let left = left_margin([&y]);
    let width = WIDTH - left - right;
    let x = Axis::tight([portrait.x.low, portrait.x.high], (width / 75.0) as usize);
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
    Ok(canvas::draw((WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32), |canvas| {
        title(canvas, heading, left);
        frame.draw(canvas, &label(&portrait.y));
        frame.draw_foot(canvas, &label(&portrait.x));
        for curve in &portrait.curves {
            draw_curve(canvas, &frame, curve);
        }
        for mark in portrait.marks.iter().filter(|m| inside(&frame, (m.x, m.y))) {
            symbol(canvas, frame.point(mark.x, mark.y), mark.kind);
        }
        legend(canvas, &frame, &kinds);
    }))
}

fn label(axis: &PhaseAxis) -> String {
    match axis.unit.as_str() {
        "" | "1" => axis.name.clone(),
        plain => format!("{} [{}]", axis.name, unit(plain)),
    }
}

/// The kinds that occur, in a fixed order.
fn present(marks: &[EquilibriumMark]) -> Vec<MarkKind> {
    MarkKind::ALL.into_iter().filter(|kind| marks.iter().any(|m| m.kind == *kind)).collect()
}

fn inside(frame: &Frame<'_>, (x, y): (f64, f64)) -> bool {
    (0.0..=1.0).contains(&frame.x.fraction(x)) && (0.0..=1.0).contains(&frame.y.fraction(y))
}

/// Where the straight line between a point inside and one outside crosses the frame.
fn crossing(frame: &Frame<'_>, within: (f64, f64), beyond: (f64, f64)) -> (f64, f64) {
    let along = |from: f64, to: f64, axis: &Axis| match to {
        _ if to > axis.high => (axis.high - from) / (to - from),
        _ if to < axis.low => (axis.low - from) / (to - from),
        _ => 1.0,
    };
    let share: f64 = along(within.0, beyond.0, frame.x).min(along(within.1, beyond.1, frame.y));
    (within.0 + share * (beyond.0 - within.0), within.1 + share * (beyond.1 - within.1))
}

/// The parts of a curve inside the frame, each with an arrow head in its middle.
fn draw_curve(canvas: &mut Canvas, frame: &Frame<'_>, curve: &[(f64, f64)]) {
    let mut part: Vec<Point> = vec![];
    let mut parts: Vec<Vec<Point>> = vec![];
    for (k, &at) in curve.iter().enumerate() {
        let here = inside(frame, at);
        let before = k.checked_sub(1).map(|k| curve[k]);
        match (before.filter(|b| inside(frame, *b)), before) {
            (Some(last), _) if !here => {
                let (x, y) = crossing(frame, last, at);
                part.push(frame.point(x, y));
                parts.push(std::mem::take(&mut part));
            }
            (None, Some(out)) if here => {
                let (x, y) = crossing(frame, at, out);
                part.push(frame.point(x, y));
            }
            _ => {}
        }
        if here {
            part.push(frame.point(at.0, at.1));
        }
    }
    parts.push(part);
    for part in parts.iter().filter(|p| p.len() > 1) {
        canvas.curve(part, CURVE, 1.2);
        arrow(canvas, part);
    }
}

/// Colour of trajectories.
const CURVE: RGBColor = RGBColor(0x3B, 0x8D, 0xBF);

/// An arrow head in the middle of a curve that is long enough.
fn arrow(canvas: &mut Canvas, points: &[Point]) {
    let lengths: Vec<f64> = points.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).collect();
    let total: f64 = lengths.iter().sum();
    if total < 2.5 * ARROW {
        return;
    }
    let mut left = 0.5 * total;
    for (k, length) in lengths.iter().enumerate() {
        if left > *length || *length == 0.0 {
            left -= length;
            continue;
        }
        let (from, to) = (points[k], points[k + 1]);
        let direction = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let tip = (
            from.0 + left * direction.0 + 0.5 * ARROW * direction.0,
            from.1 + left * direction.1 + 0.5 * ARROW * direction.1,
        );
        let back = (tip.0 - ARROW * direction.0, tip.1 - ARROW * direction.1);
        let side = (-0.4 * ARROW * direction.1, 0.4 * ARROW * direction.0);
        let corners = [tip, (back.0 + side.0, back.1 + side.1), (back.0 - side.0, back.1 - side.1)];
        return canvas.polygon(&corners, PALETTE[0]);
    }
}

/// The symbol of a kind: its form tells it from others as well as its colour.
fn symbol(canvas: &mut Canvas, at: Point, kind: MarkKind) {
    let (x, y) = at;
    let r = SYMBOL;
    match kind {
        MarkKind::Stable => {
            canvas.disc(at, r + 1.5, PAPER, true);
            canvas.disc(at, r, PALETTE[2], true)
        }
        MarkKind::Unstable => {
            canvas.disc(at, r + 1.5, PAPER, true);
            canvas.disc(at, r, PALETTE[1], false);
            canvas.disc(at, r - 1.0, PALETTE[1], false)
        }
        MarkKind::Saddle => {
            canvas.disc(at, r + 1.5, PAPER, true);
            canvas.line((x - r, y - r), (x + r, y + r), PALETTE[1], 2.6);
            canvas.line((x - r, y + r), (x + r, y - r), PALETTE[1], 2.6)
        }
        MarkKind::Centre => {
            canvas.disc(at, r + 1.5, PAPER, true);
            canvas.disc(at, r, INK, false);
            canvas.disc(at, 1.8, INK, true)
        }
        MarkKind::Undecided => {
            let corners = [(x, y - r - 1.5), (x + r + 1.5, y), (x, y + r + 1.5), (x - r - 1.5, y)];
            canvas.polygon(&corners, PALETTE[4])
        }
    }
}

fn legend(canvas: &mut Canvas, frame: &Frame<'_>, kinds: &[MarkKind]) {
    let left = frame.right() + 20.0 + SYMBOL;
    for (i, kind) in kinds.iter().enumerate() {
        let y = frame.top + 10.0 + i as f64 * LEGEND_PITCH;
        symbol(canvas, (left, y), *kind);
        canvas.text(kind.words(), (left + SYMBOL + 9.0, y), Type::new(TICK_SIZE, INK, HPos::Left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portrait() -> PhasePortrait {
        let axis = |name: &str| PhaseAxis { name: name.into(), unit: "rad".into(), low: -1.0, high: 1.0 };
        PhasePortrait {
            x: axis("angle"),
            y: axis("rate"),
            curves: vec![vec![(-0.5, 0.0), (0.0, 0.5), (2.0, 0.5)], vec![(0.1, 0.1), (0.1, 0.1)]],
            marks: vec![EquilibriumMark { x: 0.0, y: 0.0, kind: MarkKind::Saddle }],
        }
    }

    #[test]
    fn a_curve_ends_at_the_frame() {
        let axis = Axis::tight([-1.0, 1.0], 4);
        let frame = Frame { left: 0.0, top: 0.0, width: 100.0, height: 100.0, x: &axis, y: &axis };
        let at = crossing(&frame, (0.0, 0.5), (2.0, 1.0));
        assert!((at.0 - 1.0).abs() < 1e-15 && (at.1 - 0.75).abs() < 1e-15);
        let at = crossing(&frame, (0.0, 0.5), (0.5, -4.0));
        assert!((at.1 + 1.0).abs() < 1e-15 && (at.0 - 0.5 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn labels_and_kinds_are_there() {
        let svg = portrait_svg(&portrait(), "a <pendulum>").unwrap();
        for text in ["angle [rad]", "rate [rad]", "saddle", "a &lt;pendulum&gt;", "polygon"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn nothing_to_draw_is_refused() {
        assert!(portrait_svg(&PhasePortrait { curves: vec![], ..portrait() }, "").is_err());
        let mut bad = portrait();
        bad.curves[0][0].0 = f64::NAN;
        assert!(portrait_svg(&bad, "").is_err());
    }
}
