//! Eigenvalues in the complex plane.

use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{self, Canvas, GREY, HPos, INK, PALETTE, Point, RGBColor, SHADE, Type};
use poinsot_results::plot::frame::{
    FOOT, Frame, NOTE_SIZE, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title,
};
use poinsot_results::plot::labels::{Area, Labels, runs};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Artifact, Complex, Drawing, ResultsError};

const HEIGHT: f64 = 440.0;

/// Least reach of an axis over that of the farthest eigenvalue: real parts
/// that are rounding are not blown up to a cloud.
const REACH: f64 = 0.03;

/// A real part below this part of the largest eigenvalue counts as zero.
const ZERO_PART: f64 = 1e-9;

/// Points nearer to each other than this, in pixels, share a label.
const SAME: f64 = 5.0;

const RADIUS: f64 = 4.0;

/// An eigenvalue and the number of its mode.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpectrumPoint {
    /// Number of the mode.
    pub number: u64,
    /// Eigenvalue, in 1/s.
    pub eigenvalue: Complex,
}

/// Eigenvalues in the complex plane, the stable half-plane shaded, with the numbers of the modes beside them.
/// The conjugate of an eigenvalue, where it is not among those given, is drawn as a ring.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spectrum(pub Vec<SpectrumPoint>);

impl Drawing for Spectrum {
    fn file(&self) -> &'static str {
        "spectrum.svg"
    }

    fn title(&self) -> String {
        "Plot of the eigenvalues in the complex plane".into()
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        spectrum_svg(&self.0, heading)
    }
}

/// The plot of the eigenvalues.
fn spectrum_svg(points: &[SpectrumPoint], heading: &str) -> Result<String, ResultsError> {
    let parts = |part: fn(Complex) -> f64| points.iter().map(|p| part(p.eigenvalue)).collect::<Vec<_>>();
    let (re, im) = (parts(|e| e.re), parts(|e| e.im));
    check_curve("real parts", &re, points.len())?;
    check_curve("imaginary parts", &im, points.len())?;
    if points.is_empty() {
        return Err(nothing(heading, "eigenvalue"));
    }
    let farthest = points.iter().map(|p| p.eigenvalue.norm().min(1e300)).fold(0.0, f64::max);
    let least = [-REACH * farthest, REACH * farthest];
    let mirrored = im.iter().flat_map(|v| [*v, -v]);
    let y = Axis::roomy(mirrored.chain(least), (HEIGHT / 34.0) as usize);
    let (left, right) = (left_margin([&y]), right_margin([]));
    let width = WIDTH - left - right;
    let x = Axis::roomy(re.into_iter().chain(least), (width / 70.0) as usize);
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
    let size = (WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32);
    Ok(canvas::draw(size, |canvas| {
        title(canvas, heading, left);
        shade(canvas, &frame);
        frame.draw(canvas, "imaginary part [rad/s]");
        frame.draw_foot(canvas, "real part [1/s]");
        let axis = frame.point(0.0, y.low).0;
        canvas.line((axis, frame.top), (axis, frame.bottom()), GREY, 1.2);
        draw_points(canvas, &frame, points, ZERO_PART * farthest);
    }))
}

/// The half-plane of falling amplitudes.
fn shade(canvas: &mut Canvas, frame: &Frame<'_>) {
    let axis = frame.point(0.0, frame.y.low).0;
    canvas.rectangle((frame.left, frame.top), (axis, frame.bottom()), SHADE);
}

fn draw_points(canvas: &mut Canvas, frame: &Frame<'_>, points: &[SpectrumPoint], zero: f64) {
    let drawn = |e: Complex| frame.point(e.re, e.im);
    let given: Vec<Point> = points.iter().map(|p| drawn(p.eigenvalue)).collect();
    let mut taken: Vec<Area> = given.iter().map(|p| Area::about(*p, RADIUS + 1.0)).collect();
    let conjugates = points.iter().filter(|p| p.eigenvalue.im != 0.0);
    let mut rings = 0;
    for p in conjugates {
        let at = drawn(p.eigenvalue.conj());
        if !given.iter().any(|g| near(*g, at, 1.0)) {
            canvas.disc(at, RADIUS, colour(p.eigenvalue, zero), false);
            taken.push(Area::about(at, RADIUS + 1.0));
            rings += 1;
        }
    }
    for (p, at) in points.iter().zip(&given) {
        canvas.disc(*at, RADIUS, colour(p.eigenvalue, zero), true);
    }
    let left_out = draw_labels(canvas, frame, points, &given, taken);
    let mut notes = Vec::new();
    if rings > 0 {
        notes.push("rings: conjugates".to_owned());
    }
    if left_out > 0 {
        notes.push(format!("{left_out} labels left out"));
    }
    frame.note(canvas, &notes.join("; "));
}

fn colour(eigenvalue: Complex, zero: f64) -> RGBColor {
    if eigenvalue.re > zero { PALETTE[1] } else { PALETTE[0] }
}

fn near(a: Point, b: Point, distance: f64) -> bool {
    (a.0 - b.0).hypot(a.1 - b.1) <= distance
}

/// Names the half-planes and numbers the points, those that (nearly) coincide
/// together; gives back how many labels found no place.
fn draw_labels(
    canvas: &mut Canvas,
    frame: &Frame<'_>,
    points: &[SpectrumPoint],
    at: &[Point],
    taken: Vec<Area>,
) -> usize {
    let within = Area { left: frame.left, top: frame.top, right: frame.right(), bottom: frame.bottom() };
    let mut labels = Labels::new(within, taken);
    let grey = Type::new(NOTE_SIZE, GREY, HPos::Center);
    let axis = frame.point(0.0, frame.y.low).0;
    for (name, across) in [("stable", 0.5 * (frame.left + axis)), ("unstable", 0.5 * (axis + frame.right()))]
    {
        if let Some(place) = labels.place(name, (across, frame.top + 4.0), NOTE_SIZE) {
            canvas.text(name, place.middle(), grey);
        }
    }
    let mut left_out = 0;
    for group in grouped(at) {
        let numbers: Vec<u64> = group.iter().map(|&i| points[i].number).collect();
        let text = runs(&numbers);
        match labels.place(&text, at[group[0]], NOTE_SIZE) {
            Some(place) => canvas.text(&text, place.middle(), Type::new(NOTE_SIZE, INK, HPos::Center)),
            None => left_out += 1,
        }
    }
    left_out
}

/// Points that (nearly) coincide with the first of their group.
fn grouped(points: &[Point]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        match groups.iter_mut().find(|g| near(points[g[0]], *point, SAME)) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Eigenvalues as a drawing, if there are any.
pub fn drawn(points: Vec<SpectrumPoint>) -> Option<Artifact> {
    (!points.is_empty()).then(|| Artifact::Drawing(Box::new(Spectrum(points))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coinciding_points_share_a_group() {
        let points = [(0.0, 0.0), (100.0, 0.0), (3.0, 0.0), (100.0, 2.0)];
        assert_eq!(grouped(&points), [vec![0, 2], vec![1, 3]]);
    }
}
