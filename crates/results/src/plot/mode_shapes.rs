//! The shapes of several modes beside each other.

use super::canvas::{self, Canvas, GREY, HPos, INK, RGBColor, Type, text_width};
use super::frame::{EDGE, NOTE_SIZE, TICK_SIZE, WIDTH, title};
use super::labels::Area;
use super::mode_panel::{self, EXTREMES, REFERENCE};
use super::nothing;
use super::skeleton::Skeleton;
use crate::error::ResultsError;
use crate::mode_shapes::ModeShapes;

/// Most modes on the sheet.
const MODES: usize = 6;

/// Room between panels, which takes the names of the lower ones.
const GAPS: (f64, f64) = (20.0, 40.0);

/// From the top to the first panels, and from the last ones to the bottom.
const HEAD: f64 = 76.0;
const FOOT: f64 = 48.0;

/// Columns of panels and the height of a panel.
fn layout(modes: usize) -> (usize, f64) {
    match modes {
        0 | 1 => (1, 420.0),
        2 | 4 => (2, 300.0),
        _ => (3, 260.0),
    }
}

/// The plot of the first modes.
pub(crate) fn mode_shapes_svg(shapes: &ModeShapes, heading: &str) -> Result<String, ResultsError> {
    let modes = &shapes.modes()[..shapes.modes().len().min(MODES)];
    if modes.is_empty() {
        return Err(nothing(heading, "mode"));
    }
    if shapes.bodies().is_empty() {
        return Err(nothing(heading, "body"));
    }
    let skeleton = Skeleton::of(shapes);
    let (columns, height) = layout(modes.len());
    let across = 2.0 * EDGE;
    let width = (WIDTH - 2.0 * across - (columns - 1) as f64 * GAPS.0) / columns as f64;
    let rows = modes.len().div_ceil(columns);
    let bottom = HEAD + rows as f64 * (height + GAPS.1) - GAPS.1;
    Ok(canvas::draw((WIDTH as u32, (bottom + FOOT).ceil() as u32), |canvas| {
        title(canvas, heading, across);
        for (i, mode) in modes.iter().enumerate() {
            let left = across + (i % columns) as f64 * (width + GAPS.0);
            let top = HEAD + (i / columns) as f64 * (height + GAPS.1);
            let area = Area { left, top, right: left + width, bottom: top + height };
            mode_panel::draw(canvas, &skeleton, mode, shapes.length(), area);
        }
        legend(canvas, across, bottom + 0.5 * FOOT);
    }))
}

fn legend(canvas: &mut Canvas, left: f64, line: f64) {
    let keys: [(&str, RGBColor); 3] =
        [("reference", REFERENCE), ("phase 0", EXTREMES[0]), ("phase π", EXTREMES[1])];
    let mut at = left;
    for (name, colour) in keys {
        canvas.line((at, line), (at + 22.0, line), colour, 1.6);
        canvas.disc((at + 11.0, line), 3.5, colour, true);
        canvas.text(name, (at + 29.0, line), Type::new(TICK_SIZE, INK, HPos::Left));
        at += 29.0 + text_width(name, TICK_SIZE) + 22.0;
    }
    let note = Type::new(NOTE_SIZE, GREY, HPos::Right);
    canvas.text("displacements are enlarged", (WIDTH - left, line), note);
}
