//! A sheet as pixels.

use super::canvas::{Canvas, HPos, Mark, RGBColor, RIM, Spot, Type, UNITS, VPos};
use crate::error::ResultsError;
use crate::lettering::{self, drawing_error};
use crate::render::Image;
use tiny_skia::{FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

impl Canvas {
    /// The picture at so many times the size of the sheet.
    pub fn image(&self, zoom: f32) -> Result<Image, ResultsError> {
        let side = |pixels: u32| (pixels as f32 * zoom).round() as u32;
        let (width, height) = (side(self.size.0), side(self.size.1));
        let mut pixels = Pixmap::new(width, height).ok_or_else(|| drawing_error("it is too large"))?;
        let scale = zoom / UNITS as f32;
        for mark in &self.marks {
            put(&mut pixels, mark, Transform::from_scale(scale, scale))?;
        }
        // The paper is opaque, and so is all that lies on it.
        let rgb = pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
        Ok(Image { width: width as usize, height: height as usize, rgb })
    }
}

fn put(pixels: &mut Pixmap, mark: &Mark, scale: Transform) -> Result<(), ResultsError> {
    let mut fill = |path: Option<Path>, colour| {
        path.map(|path| pixels.fill_path(&path, &paint(colour), FillRule::Winding, scale, None))
    };
    match mark {
        Mark::Line { from, to, colour, width } => stroke(pixels, &[*from, *to], *colour, *width, scale),
        Mark::Curve { points, colour, width } => stroke(pixels, points, *colour, *width, scale),
        Mark::Rectangle { from, to, colour } => {
            let sides = Rect::from_ltrb(from.0 as f32, from.1 as f32, to.0 as f32, to.1 as f32);
            fill(sides.map(PathBuilder::from_rect), *colour);
        }
        Mark::Polygon { corners, colour } => {
            fill(through(corners, true), *colour);
        }
        Mark::Disc { centre: (x, y), radius, colour, filled } => {
            let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
            match (circle, filled) {
                (circle, true) => drop(fill(circle, *colour)),
                (Some(rim), false) => pixels.stroke_path(&rim, &paint(*colour), &pen(RIM), scale, None),
                (None, false) => {}
            }
        }
        Mark::Text { text, at, set } => write(pixels, text, *at, *set, scale)?,
    }
    Ok(())
}

/// Runs of spaces count as one, as in SVG.
fn write(pixels: &mut Pixmap, text: &str, at: Spot, set: Type, scale: Transform) -> Result<(), ResultsError> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let size = (set.size * UNITS) as f32;
    let line = lettering::line(&text, size, set.bold)?;
    let begin = match set.across {
        HPos::Left => 0.0,
        HPos::Center => -0.5 * line.width,
        HPos::Right => -line.width,
    };
    let down = match set.up {
        VPos::Top => 0.76 * size,
        VPos::Center => 0.25 * size,
    };
    let turned = if set.upwards { Transform::from_rotate(270.0) } else { Transform::identity() };
    let place = turned.pre_translate(begin, down).post_translate(at.0 as f32, at.1 as f32);
    let RGBColor(red, green, blue) = set.colour;
    line.fill(pixels, [red, green, blue], place.post_concat(scale));
    Ok(())
}

fn stroke(pixels: &mut Pixmap, points: &[Spot], colour: RGBColor, width: u32, scale: Transform) {
    if let Some(path) = through(points, false) {
        pixels.stroke_path(&path, &paint(colour), &pen(width), scale, None);
    }
}

fn through(points: &[Spot], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (k, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if k == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn pen(width: u32) -> Stroke {
    Stroke { width: width as f32, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() }
}

fn paint(RGBColor(red, green, blue): RGBColor) -> tiny_skia::Paint<'static> {
    lettering::ink([red, green, blue])
}
