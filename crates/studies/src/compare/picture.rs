//! Error against work, both logarithmic: one line for each integrator.

use poinsot_results::number::{superscript, typeset};
use poinsot_results::plot::axis::{Axis, Tick};
use poinsot_results::plot::canvas::{self, Canvas, GREY, HPos, PALETTE, Point, RGBColor, SHADE, Type};
use poinsot_results::plot::frame::{
    FOOT, Frame, Key, NOTE_SIZE, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title,
};
use poinsot_results::plot::labels::{Area, Labels};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{ResultsError, RunFolder};

const HEIGHT: f64 = 440.0;
const CURVE_WIDTH: f64 = 1.7;
const RADIUS: f64 = 4.2;
/// Room beyond the points: decades at least, and part of the range.
const ROOM: (f64, f64) = (0.12, 0.05);
/// Room for the label of a decade, in pixels.
const TICK_PITCH: f64 = 30.0;
/// With fewer decades than these, their parts are marked, too.
const FEW: f64 = 3.0;

/// A run of an integrator.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkMark {
    /// Work: a time, or a number of evaluations.
    pub work: f64,
    /// Error.
    pub error: f64,
    /// What tells the run from the others of its line, e.g. its tolerance.
    pub label: String,
}

/// The runs of an integrator, from the coarsest to the finest.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkCurve {
    /// The integrator.
    pub name: String,
    /// The runs; those without error or work cannot be drawn and are left out.
    pub runs: Vec<WorkMark>,
}

/// Errors against work.
#[derive(Debug, Clone, Copy)]
pub struct WorkPrecision<'a> {
    /// One line for each integrator.
    pub curves: &'a [WorkCurve],
    /// What stands upwards: the error, or what else grows by decades.
    pub value: &'a str,
    /// What the work is, with its unit.
    pub work: &'a str,
    /// What the labels of the runs are.
    pub labels: &'a str,
    /// Below this error nothing is known.
    pub floor: Option<f64>,
}

impl WorkPrecision<'_> {
    /// Draws it into a file of a folder.
    pub fn draw(&self, folder: &mut RunFolder, name: &str, title: &str) -> Result<(), ResultsError> {
        let svg = work_precision_svg(self, title)?;
        let what = format!("Plot of the {} against the {}", self.value, self.work);
        folder.write(name, &what, svg.as_bytes()).map(|_| ())
    }
}

/// The plot of errors against work.
fn work_precision_svg(plot: &WorkPrecision<'_>, heading: &str) -> Result<String, ResultsError> {
    let curves: Vec<Vec<(f64, f64, &str)>> = plot.curves.iter().map(logarithms).collect();
    let errors: Vec<f64> = curves.iter().flatten().map(|p| p.1).collect();
    if errors.is_empty() {
        return Err(nothing(heading, "run"));
    }
    for curve in plot.curves {
        let values: Vec<f64> = curve.runs.iter().flat_map(|run| [run.work, run.error]).collect();
        check_curve(&curve.name, &values, values.len())?;
    }
    let y = decades(&errors, HEIGHT / TICK_PITCH);
    let (left, right) = (left_margin([&y]), right_margin(plot.curves.iter().map(|c| c.name.as_str())));
    let width = WIDTH - left - right;
    let works: Vec<f64> = curves.iter().flatten().map(|p| p.0).collect();
    let x = decades(&works, width / (1.6 * TICK_PITCH));
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
    let size = (WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32);
    Ok(canvas::draw(size, |canvas| {
        title(canvas, heading, left);
        shade_unknown(canvas, &frame, plot.floor);
        frame.draw(canvas, plot.value);
        frame.draw_foot(canvas, plot.work);
        frame.note(canvas, plot.labels);
        draw_curves(canvas, &frame, &curves);
        let keys = plot.curves.iter().enumerate().map(|(i, c)| Key { name: &c.name, colour: colour(i) });
        frame.legend(canvas, &keys.collect::<Vec<_>>());
        for i in 0..plot.curves.len() {
            marker(canvas, frame.legend_middle(i), i);
        }
    }))
}

/// Decimal logarithms of work and error, of the runs that have both.
fn logarithms(curve: &WorkCurve) -> Vec<(f64, f64, &str)> {
    let drawable = curve.runs.iter().filter(|run| run.work > 0.0 && run.error > 0.0);
    drawable.map(|run| (run.work.log10(), run.error.log10(), run.label.as_str())).collect()
}

/// An axis of decimal logarithms, labelled with powers of ten, at most so many of them.
fn decades(logarithms: &[f64], most: f64) -> Axis {
    let low = logarithms.iter().copied().fold(f64::INFINITY, f64::min);
    let high = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = ROOM.0.max(ROOM.1 * (high - low));
    let (low, high) = (low - room, high + room);
    // A single run, or equal ones, have half a decade around them.
    let spread = (0.5 - (high - low)).max(0.0) / 2.0;
    let (low, high) = (low - spread, high + spread);
    let ticks = if high - low < FEW { parts(low, high) } else { powers(low, high, most) };
    Axis { low, high, ticks, scale: String::new() }
}

/// 1, 2 and 5 times powers of ten.
fn parts(low: f64, high: f64) -> Vec<Tick> {
    let all =
        (low.floor() as i32..=high.ceil() as i32).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
    let tick = |(digit, power): (i32, i32)| Tick {
        value: f64::from(digit).log10() + f64::from(power),
        label: typeset(f64::from(digit) * 10f64.powi(power), 1),
    };
    all.map(tick).filter(|tick| (low..=high).contains(&tick.value)).collect()
}

/// Powers of ten, every so many.
fn powers(low: f64, high: f64, most: f64) -> Vec<Tick> {
    let every = (((high - low) / most).ceil() as i32).max(1);
    let inside = (low.ceil() as i32..=high.floor() as i32).filter(|power| power % every == 0);
    inside.map(|power| Tick { value: f64::from(power), label: format!("10{}", superscript(power)) }).collect()
}

/// Errors below that of the reference mean nothing.
fn shade_unknown(canvas: &mut Canvas, frame: &Frame<'_>, floor: Option<f64>) {
    let Some(floor) = floor.filter(|f| *f > 0.0 && f.log10() > frame.y.low) else { return };
    let edge = frame.point(frame.x.low, floor.log10()).1;
    canvas.rectangle((frame.left, edge), (frame.right(), frame.bottom()), SHADE);
    let set = Type::new(NOTE_SIZE, GREY, HPos::Right);
    let line = (edge + 10.0).min(frame.bottom() - 8.0);
    canvas.text("below the error of the reference", (frame.right() - 8.0, line), set);
}

fn draw_curves(canvas: &mut Canvas, frame: &Frame<'_>, curves: &[Vec<(f64, f64, &str)>]) {
    let drawn: Vec<Vec<Point>> =
        curves.iter().map(|curve| curve.iter().map(|p| frame.point(p.0, p.1)).collect()).collect();
    let mut taken: Vec<Area> = vec![];
    for (i, points) in drawn.iter().enumerate() {
        if points.len() > 1 {
            canvas.curve(points, colour(i), CURVE_WIDTH);
        }
        taken.extend(points.iter().map(|p| Area::about(*p, RADIUS + 1.0)));
        taken.extend(points.windows(2).flat_map(|pair| along(pair[0], pair[1])));
    }
    let within = Area { left: frame.left, top: frame.top, right: frame.right(), bottom: frame.bottom() };
    let mut labels = Labels::new(within, taken);
    for (i, (points, curve)) in drawn.iter().zip(curves).enumerate() {
        for (at, (_, _, text)) in points.iter().zip(curve) {
            marker(canvas, *at, i);
            if let Some(place) = labels.place(text, *at, NOTE_SIZE) {
                canvas.text(text, place.middle(), Type::new(NOTE_SIZE, colour(i), HPos::Center));
            }
        }
    }
}

/// Small areas along a line, which labels keep off.
fn along(from: Point, to: Point) -> impl Iterator<Item = Area> {
    let pieces = ((to.0 - from.0).hypot(to.1 - from.1) / 6.0).ceil().max(1.0) as u32;
    (0..=pieces).map(move |k| {
        let part = f64::from(k) / f64::from(pieces);
        Area::about((from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)), 1.5)
    })
}

fn colour(i: usize) -> RGBColor {
    PALETTE[i % PALETTE.len()]
}

/// Marks differ in shape as well as in colour: disc, square, ring, diamond, triangle.
fn marker(canvas: &mut Canvas, at: Point, i: usize) {
    let ((x, y), r, ink) = (at, RADIUS, colour(i));
    match i % 5 {
        0 => canvas.disc(at, r, ink, true),
        1 => canvas.rectangle((x - 0.9 * r, y - 0.9 * r), (x + 0.9 * r, y + 0.9 * r), ink),
        2 => {
            canvas.disc(at, r, canvas::PAPER, true);
            canvas.disc(at, r, ink, false)
        }
        3 => {
            let q = 1.25 * r;
            canvas.polygon(&[(x, y - q), (x + q, y), (x, y + q), (x - q, y)], ink)
        }
        _ => canvas.polygon(&[(x, y - 1.2 * r), (x + 1.1 * r, y + 0.8 * r), (x - 1.1 * r, y + 0.8 * r)], ink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn decades_are_powers_of_ten_and_few_of_them_have_parts() {
        let axis = decades(&[-9.0, -2.0], 20.0);
        assert_eq!(labels(&axis), ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(labels(&decades(&[-12.0, 0.0], 5.0)), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
        assert_eq!(labels(&decades(&[-1.0, 0.0], 20.0)), ["0.1", "0.2", "0.5", "1"]);
        let single = decades(&[2.0], 20.0);
        assert!(single.low < 2.0 && single.high > 2.0 && !single.ticks.is_empty());
    }

    #[test]
    fn runs_without_an_error_are_left_out_and_nothing_is_refused() {
        let run = |work, error| WorkMark { work, error, label: String::new() };
        let curve = WorkCurve { name: "radau".into(), runs: vec![run(1e-3, 1e-4), run(2e-3, 0.0)] };
        let one = [curve];
        let plot = WorkPrecision {
            curves: &one,
            value: "relative error",
            work: "time [s]",
            labels: "tolerance",
            floor: Some(1e-9),
        };
        let svg = work_precision_svg(&plot, "Title").unwrap();
        assert!(svg.contains("radau") && svg.contains("relative error"));
        let none = WorkPrecision { curves: &[], ..plot };
        assert!(matches!(work_precision_svg(&none, "Title"), Err(ResultsError::NothingToPlot { .. })));
    }
}
