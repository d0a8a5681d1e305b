//! Trajectories in a plane.

use super::axis::Axis;
use super::canvas::{self, Canvas, PALETTE, Point};
use super::decimate::spaced;
use super::frame::{FOOT, Frame, Key, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title};
use super::{check_curve, nothing};
use crate::error::ResultsError;
use crate::number::unit;

/// Least and greatest height of the frame, in pixels.
const HEIGHTS: (f64, f64) = (220.0, 600.0);

/// Part of the larger extent that is left free around the trajectories.
const MARGIN: f64 = 0.05;

/// Distance of ticks, at least, in pixels.
const TICKS: f64 = 62.0;

/// The path of a point in a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trajectory<'a> {
    /// Name of the point; empty to leave it out of the legend.
    pub name: &'a str,
    /// Horizontal coordinates.
    pub x: &'a [f64],
    /// Vertical coordinates.
    pub y: &'a [f64],
}

/// What the axes of a plot of trajectories are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathAxes<'a> {
    /// Name of the horizontal axis.
    pub x: &'a str,
    /// Name of the vertical axis.
    pub y: &'a str,
    /// Unit of both.
    pub unit: &'a str,
}

impl PathAxes<'_> {
    fn label(&self, name: &str) -> String {
        match self.unit {
            "" => name.to_owned(),
            plain => format!("{name} [{}]", unit(plain)),
        }
    }
}

/// The plot of the trajectories, to one scale.
pub(crate) fn path_svg(
    trajectories: &[Trajectory<'_>],
    axes: PathAxes<'_>,
    heading: &str,
) -> Result<String, ResultsError> {
    for t in trajectories {
        check_curve(t.name, t.x, t.x.len())?;
        check_curve(t.name, t.y, t.x.len())?;
    }
    if trajectories.iter().all(|t| t.x.is_empty()) {
        return Err(nothing(heading, "sample"));
    }
    let right = right_margin(trajectories.iter().map(|t| t.name));
    // The labels of the vertical axis depend on the width, and the width on
    // the labels; a first guess settles both well enough.
    let guess = scaled_axes(trajectories, WIDTH - right - 80.0);
    let left = left_margin([&guess.y]);
    let width = WIDTH - left - right;
    let scaled = scaled_axes(trajectories, width);
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: scaled.height, x: &scaled.x, y: &scaled.y };
    let total = TITLE_HEIGHT + scaled.height + FOOT;
    Ok(canvas::draw((WIDTH as u32, total.ceil() as u32), |canvas| {
        title(canvas, heading, left);
        frame.draw(canvas, &axes.label(axes.y));
        frame.draw_foot(canvas, &axes.label(axes.x));
        draw_all(canvas, &frame, trajectories);
    }))
}

fn draw_all(canvas: &mut Canvas, frame: &Frame<'_>, trajectories: &[Trajectory<'_>]) {
    let mut keys = Vec::new();
    for (t, colour) in trajectories.iter().zip(PALETTE.into_iter().cycle()) {
        let pairs = t.x.iter().zip(t.y);
        let points: Vec<Point> = pairs.map(|(&x, &y)| frame.point(x, y)).collect();
        canvas.curve(&spaced(&points), colour, 1.7);
        if let [first, .., last] = points[..] {
            canvas.disc(first, 4.0, colour, false);
            canvas.disc(last, 3.5, colour, true);
        } else if let [single] = points[..] {
            canvas.disc(single, 3.5, colour, true);
        }
        if !t.name.is_empty() {
            keys.push(Key { name: t.name, colour });
        }
    }
    frame.legend(canvas, &keys);
}

/// Two axes of one scale and the height of the frame.
struct Scaled {
    x: Axis,
    y: Axis,
    height: f64,
}

/// Axes that hold all trajectories at one scale, as large as fits the width
/// and the greatest height; the shorter extent is widened to fill the frame.
fn scaled_axes(trajectories: &[Trajectory<'_>], width: f64) -> Scaled {
    let x = Extent::of(trajectories.iter().flat_map(|t| t.x));
    let y = Extent::of(trajectories.iter().flat_map(|t| t.y));
    let size = x.size.max(y.size);
    let larger = match x.length.max(y.length) {
        length if length > 1e-12 * size && length > 1e-290 => length,
        _ if size > 1e-290 => 0.2 * size,
        _ => 2.0,
    };
    let room = 2.0 * MARGIN * larger;
    let per_pixel = ((x.length + room) / width).max((y.length + room) / HEIGHTS.1);
    // A single point has no length to fill the frame with.
    let per_pixel = per_pixel.max(larger / width.max(HEIGHTS.1));
    let height = ((y.length + room) / per_pixel).clamp(HEIGHTS.0, HEIGHTS.1);
    let axis = |extent: &Extent, pixels: f64| {
        let half = 0.5 * pixels * per_pixel;
        let (low, high) = (extent.middle - half, extent.middle + half);
        Axis::with_spacing(low, high, TICKS * per_pixel)
    };
    Scaled { x: axis(&x, width), y: axis(&y, height), height }
}

/// Where the values of a coordinate lie.
struct Extent {
    middle: f64,
    length: f64,
    /// Largest absolute value.
    size: f64,
}

impl Extent {
    /// Values beyond ±10³⁰⁰ are drawn at the edge: no difference overflows.
    fn of<'a>(values: impl Iterator<Item = &'a f64>) -> Extent {
        let (low, high) = values
            .map(|v| v.clamp(-1e300, 1e300))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        Extent { middle: 0.5 * (low + high), length: high - low, size: low.abs().max(high.abs()) }
    }
}
