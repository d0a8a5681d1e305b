//! A rectangle with a grid, two axes and a legend beside it.

use super::axis::Axis;
use super::canvas::{Canvas, GREY, GRID, HPos, INK, Point, RGBColor, Type, VPos, ZERO, fitted, text_width};

/// Width of every plot, in pixels.
pub const WIDTH: f64 = 900.0;
/// Height taken by the title.
pub const TITLE_HEIGHT: f64 = 62.0;
/// Height taken by the labels of the horizontal axis.
pub const FOOT: f64 = 56.0;

const TITLE_SIZE: f64 = 17.0;
/// Height of the names of axes.
pub const LABEL_SIZE: f64 = 13.0;
/// Height of numbers at ticks and of names in a legend.
pub const TICK_SIZE: f64 = 12.0;
/// Height of notes.
pub const NOTE_SIZE: f64 = 11.5;
/// Room at the edges.
pub const EDGE: f64 = 14.0;
const TICK_GAP: f64 = 7.0;
const LEGEND_LINE: f64 = 20.0;
const LEGEND_WIDEST: f64 = 250.0;
const LEGEND_PITCH: f64 = 19.0;

/// A name and colour in a legend.
pub struct Key<'a> {
    /// The name.
    pub name: &'a str,
    /// The colour.
    pub colour: RGBColor,
}

/// Distance from the left edge to the vertical axis that its labels need.
pub fn left_margin<'a>(axes: impl IntoIterator<Item = &'a Axis>) -> f64 {
    let labels = axes.into_iter().flat_map(|axis| &axis.ticks);
    let widest = labels.fold(0.0, |w: f64, t| w.max(text_width(&t.label, TICK_SIZE)));
    EDGE + 1.5 * LABEL_SIZE + 10.0 + widest + TICK_GAP
}

/// Distance from the frame to the right edge that the legend needs.
pub fn right_margin<'a>(names: impl IntoIterator<Item = &'a str>) -> f64 {
    let widths = names.into_iter().map(|name| text_width(name, TICK_SIZE));
    let widest = widths.fold(0.0, f64::max).min(LEGEND_WIDEST);
    if widest > 0.0 { 16.0 + LEGEND_LINE + 7.0 + widest + EDGE } else { 2.0 * EDGE }
}

/// The title above everything, flush with the frame.
pub fn title(canvas: &mut Canvas, text: &str, left: f64) {
    let set = Type::new(TITLE_SIZE, INK, HPos::Left).bold();
    let text = fitted(text, TITLE_SIZE * 1.08, WIDTH - left - EDGE);
    canvas.text(&text, (left, 26.0), set);
}

/// A note under the title.
pub fn subtitle(canvas: &mut Canvas, text: &str, left: f64) {
    if !text.is_empty() {
        let text = fitted(text, NOTE_SIZE, WIDTH - left - EDGE);
        canvas.text(&text, (left, 41.0), Type::new(NOTE_SIZE, GREY, HPos::Left));
    }
}

/// A rectangle in which curves are drawn against two axes.
pub struct Frame<'a> {
    /// Left side.
    pub left: f64,
    /// Upper side.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Horizontal axis.
    pub x: &'a Axis,
    /// Vertical axis.
    pub y: &'a Axis,
}

impl Frame<'_> {
    /// Where a pair of values is drawn.
    pub fn point(&self, x: f64, y: f64) -> Point {
        (
            self.left + self.x.fraction(x).clamp(0.0, 1.0) * self.width,
            self.top + (1.0 - self.y.fraction(y).clamp(0.0, 1.0)) * self.height,
        )
    }

    /// Right side.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Lower side.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Grid, zero lines, axes and the labels of the vertical axis.
    pub fn draw(&self, canvas: &mut Canvas, label: &str) {
        for tick in &self.x.ticks {
            let x = self.point(tick.value, self.y.low).0;
            canvas.line((x, self.top), (x, self.bottom()), GRID, 0.8);
        }
        for tick in &self.y.ticks {
            let y = self.point(self.x.low, tick.value).1;
            let (colour, width) = if tick.value == 0.0 { (ZERO, 1.0) } else { (GRID, 0.8) };
            canvas.line((self.left, y), (self.right(), y), colour, width);
            let set = Type::new(TICK_SIZE, INK, HPos::Right);
            canvas.text(&tick.label, (self.left - TICK_GAP, y), set);
        }
        let corner = (self.left, self.bottom());
        canvas.line((self.left, self.top), corner, GREY, 1.0);
        canvas.line(corner, (self.right(), self.bottom()), GREY, 1.0);
        self.label_vertical(canvas, label);
    }

    fn label_vertical(&self, canvas: &mut Canvas, label: &str) {
        let middle = (EDGE + 0.5 * LABEL_SIZE, self.top + 0.5 * self.height);
        let text = fitted(label, LABEL_SIZE, self.height + 20.0);
        let set = Type::new(LABEL_SIZE, INK, HPos::Center).upwards();
        canvas.text(&text, middle, set);
        let set = Type::new(NOTE_SIZE, GREY, HPos::Left);
        canvas.text(&self.y.scale, (self.left, self.top - 10.0), set);
    }

    /// Labels of the horizontal axis.
    pub fn draw_foot(&self, canvas: &mut Canvas, label: &str) {
        for tick in &self.x.ticks {
            let x = self.point(tick.value, self.y.low).0;
            let set = Type { up: VPos::Top, ..Type::new(TICK_SIZE, INK, HPos::Center) };
            canvas.line((x, self.bottom()), (x, self.bottom() + 4.0), GREY, 1.0);
            canvas.text(&tick.label, (x, self.bottom() + 9.0), set);
        }
        let line = self.bottom() + 36.0;
        let middle = self.left + 0.5 * self.width;
        canvas.text(label, (middle, line), Type::new(LABEL_SIZE, INK, HPos::Center));
        let set = Type::new(NOTE_SIZE, GREY, HPos::Right);
        canvas.text(&self.x.scale, (self.right(), line), set);
    }

    /// A remark above the frame, flush with its right end.
    pub fn note(&self, canvas: &mut Canvas, text: &str) {
        let set = Type::new(NOTE_SIZE, GREY, HPos::Right);
        canvas.text(text, (self.right(), self.top - 10.0), set);
    }

    /// The middle of the line beside the i-th name of the legend.
    pub fn legend_middle(&self, i: usize) -> Point {
        (self.right() + 16.0 + 0.5 * LEGEND_LINE, self.top + 8.0 + i as f64 * LEGEND_PITCH)
    }

    /// Names of the curves, to the right of the frame.
    pub fn legend(&self, canvas: &mut Canvas, keys: &[Key<'_>]) {
        let left = self.right() + 16.0;
        for (i, key) in keys.iter().enumerate() {
            let y = self.top + 8.0 + i as f64 * LEGEND_PITCH;
            canvas.line((left, y), (left + LEGEND_LINE, y), key.colour, 2.2);
            let name = fitted(key.name, TICK_SIZE, LEGEND_WIDEST);
            let set = Type::new(TICK_SIZE, INK, HPos::Left);
            canvas.text(&name, (left + LEGEND_LINE + 7.0, y), set);
        }
    }
}
