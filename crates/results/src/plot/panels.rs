//! Panels stacked over a common time axis.

use super::axis::Axis;
use super::canvas::{self, Canvas, GREY, Point, RGBColor};
use super::decimate::{min_max, pieces, point_radius};
use super::frame::{FOOT, Frame, Key, TITLE_HEIGHT, WIDTH, left_margin, right_margin, subtitle, title};
use crate::error::ResultsError;

/// Room between panels, which also takes the scale of the lower one.
const GAP: f64 = 30.0;
const CURVE_WIDTH: f64 = 1.7;
/// Least distance of marks.
const MARK_GAP: f64 = 2.0;

/// A curve over time.
pub(crate) struct Curve<'a> {
    pub name: &'a str,
    pub values: &'a [f64],
    pub colour: RGBColor,
}

/// Curves that share a vertical axis.
pub(crate) struct Panel<'a> {
    pub label: String,
    pub curves: Vec<Curve<'a>>,
    pub note: String,
}

/// Height of one of so many panels, in pixels.
fn panel_height(panels: usize) -> f64 {
    match panels {
        0 | 1 => 340.0,
        2 => 220.0,
        3 => 180.0,
        _ => 150.0,
    }
}

/// Draws the panels, one above the other, with thin lines at marked times, under a heading and a note.
pub(crate) fn stacked(
    heading: &str,
    note: &str,
    times: &[f64],
    marks: &[f64],
    panels: &[Panel<'_>],
) -> Result<String, ResultsError> {
    let height = panel_height(panels.len());
    let vertical: Vec<Axis> = panels.iter().map(|p| vertical_axis(p, height)).collect();
    let names = panels.iter().flat_map(|p| &p.curves).map(|c| c.name);
    let left = left_margin(&vertical);
    let width = WIDTH - left - right_margin(names);
    let time = Axis::tight(times.iter().copied(), (width / 58.0) as usize);
    let pitch = height + GAP;
    let total = TITLE_HEIGHT + panels.len() as f64 * pitch - GAP + FOOT;
    Ok(canvas::draw((WIDTH as u32, total.ceil() as u32), |canvas| {
        title(canvas, heading, left);
        subtitle(canvas, note, left);
        for (i, (panel, axis)) in panels.iter().zip(&vertical).enumerate() {
            let frame =
                Frame { left, top: TITLE_HEIGHT + i as f64 * pitch, width, height, x: &time, y: axis };
            draw_marks(canvas, &frame, marks);
            draw_panel(canvas, &frame, panel, times);
            if i + 1 == panels.len() {
                frame.draw_foot(canvas, "time [s]");
            }
        }
    }))
}

/// Thin vertical lines, as far as they can be told apart.
fn draw_marks(canvas: &mut Canvas, frame: &Frame<'_>, marks: &[f64]) {
    let mut last = f64::NEG_INFINITY;
    for &time in marks {
        let x = frame.point(time, frame.y.low).0;
        if x - last >= MARK_GAP {
            canvas.line((x, frame.top), (x, frame.bottom()), GREY, 0.6);
            last = x;
        }
    }
}

fn vertical_axis(panel: &Panel<'_>, height: f64) -> Axis {
    let values = panel.curves.iter().flat_map(|c| c.values).copied().filter(|value| value.is_finite());
    Axis::roomy(values, ((height / 24.0) as usize).min(9))
}

fn draw_panel(canvas: &mut Canvas, frame: &Frame<'_>, panel: &Panel<'_>, times: &[f64]) {
    frame.draw(canvas, &panel.label);
    frame.note(canvas, &panel.note);
    for curve in &panel.curves {
        let pairs = times.iter().zip(curve.values);
        let points: Vec<Point> = pairs.map(|(&t, &v)| frame.point(t, v)).collect();
        for piece in pieces(&points) {
            match piece {
                [single] => canvas.disc(*single, point_radius(points.len()), curve.colour, true),
                _ => {
                    let visible = min_max(piece, frame.width.ceil() as usize);
                    canvas.curve(&visible, curve.colour, CURVE_WIDTH);
                }
            }
        }
    }
    let keys: Vec<Key<'_>> = panel.curves.iter().map(|c| Key { name: c.name, colour: c.colour }).collect();
    frame.legend(canvas, &keys);
}
