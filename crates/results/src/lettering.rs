//! Lines of text as outlines, set in DejaVu Sans, which is part of the program: fonts of the system are not
//! looked for. Letter follows letter from left to right, with the kerning of the font.

use crate::error::ResultsError;
use tiny_skia::{FillRule, Paint, Path, PathBuilder, Pixmap, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A line of text that begins at the origin.
pub(crate) struct Line {
    outline: Option<Path>,
    /// Its length.
    pub width: f32,
}

impl Line {
    /// Fills the letters.
    pub fn fill(&self, pixels: &mut Pixmap, colour: [u8; 3], place: Transform) {
        if let Some(outline) = &self.outline {
            pixels.fill_path(outline, &ink(colour), FillRule::Winding, place, None);
        }
    }
}

/// A plain colour.
pub(crate) fn ink([red, green, blue]: [u8; 3]) -> Paint<'static> {
    let mut ink = Paint::default();
    ink.set_color_rgba8(red, green, blue, 255);
    ink
}

/// A drawing that cannot be made.
pub(crate) fn drawing_error(why: impl ToString) -> ResultsError {
    ResultsError::Drawing { message: why.to_string() }
}

/// Sets a line of letters of a height.
pub(crate) fn line(text: &str, size: f32, bold: bool) -> Result<Line, ResultsError> {
    let font = if bold { dejavu::sans::bold() } else { dejavu::sans::regular() };
    let face = Face::parse(font, 0).map_err(drawing_error)?;
    let mut pen = Pen { path: PathBuilder::new(), x: 0.0, scale: size / f32::from(face.units_per_em()) };
    let mut last = None;
    for letter in text.chars() {
        // Glyph 0 stands for letters that the font does not have.
        let glyph = face.glyph_index(letter).unwrap_or_default();
        pen.x += pen.scale * last.map_or(0.0, |last| kerning(&face, last, glyph));
        face.outline_glyph(glyph, &mut pen);
        pen.x += pen.scale * f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        last = Some(glyph);
    }
    Ok(Line { width: pen.x, outline: pen.path.finish() })
}

/// By how much two letters move apart, in units of the font.
fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> f32 {
    let tables = face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
    let plain = tables.filter(|table| table.horizontal && !table.variable && !table.has_state_machine);
    f32::from(plain.filter_map(|table| table.glyphs_kerning(left, right)).sum::<i16>())
}

/// Draws a glyph where the line has come to; y is upwards in a font and downwards in a picture.
struct Pen {
    path: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, -self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_dark_and_stand_side_by_side() {
        let mut pixels = Pixmap::new(240, 60).unwrap();
        let text = line("Mφ² [m]", 40.0, false).unwrap();
        text.fill(&mut pixels, [0, 0, 0], Transform::from_translate(10.0, 44.0));
        let dark = pixels.pixels().iter().filter(|p| p.alpha() > 155).count();
        assert!((300..4000).contains(&dark), "{dark}");
        assert!((130.0..230.0).contains(&text.width), "{}", text.width);
        // Bold is wider, kerning brings A and V together, what the font has not is a box.
        let width = |text, bold| line(text, 100.0, bold).unwrap().width;
        assert!(width("mm", true) > 1.05 * width("mm", false));
        assert!(width("AV", false) < width("A", false) + width("V", false) - 2.0);
        assert!(line("\u{10ffff}", 10.0, false).unwrap().outline.is_some());
    }
}
