//! A sheet as an SVG document.

use super::canvas::{Canvas, HPos, Mark, RGBColor, RIM, Spot, UNITS, VPos};

/// The first of these that the reader has.
const FONTS: &str = "Helvetica, Arial, sans-serif";

impl Canvas {
    /// The document. It keeps the fine units of the sheet but is shown at its size in pixels; round joins
    /// keep sharp corners of a curve from growing spikes.
    pub fn svg(&self) -> String {
        let (width, height) = self.size;
        let units = UNITS as u32;
        let mut document = format!(
            "<svg width=\"{width}\" height=\"{height}\" stroke-linejoin=\"round\" stroke-linecap=\"round\" \
             viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\">\n",
            width * units,
            height * units
        );
        for mark in &self.marks {
            document += &element(mark);
        }
        document + "</svg>\n"
    }
}

fn element(mark: &Mark) -> String {
    match mark {
        Mark::Line { from: (x1, y1), to: (x2, y2), colour, width } => format!(
            "<line opacity=\"1\" stroke=\"{}\" stroke-width=\"{width}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" \
             y2=\"{y2}\"/>\n",
            code(*colour)
        ),
        Mark::Curve { points, colour, width } => format!(
            "<polyline fill=\"none\" opacity=\"1\" stroke=\"{}\" stroke-width=\"{width}\" points=\"{}\"/>\n",
            code(*colour),
            list(points)
        ),
        Mark::Rectangle { from: (x, y), to, colour } => format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" opacity=\"1\" fill=\"{}\" \
             stroke=\"none\"/>\n",
            to.0 - x,
            to.1 - y,
            code(*colour)
        ),
        Mark::Polygon { corners, colour } => {
            format!("<polygon opacity=\"1\" fill=\"{}\" points=\"{}\"/>\n", code(*colour), list(corners))
        }
        Mark::Disc { centre: (x, y), radius, colour, filled } => {
            let (fill, stroke) =
                if *filled { (code(*colour), "none".into()) } else { ("none".into(), code(*colour)) };
            format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" opacity=\"1\" fill=\"{fill}\" \
                 stroke=\"{stroke}\" stroke-width=\"{RIM}\"/>\n"
            )
        }
        Mark::Text { text, at: (x, y), set } => {
            let (anchor, dy) = (anchor(set.across), lowered(set.up));
            let bold = if set.bold { " font-weight=\"bold\"" } else { "" };
            let turned =
                if set.upwards { format!(" transform=\"rotate(270, {x}, {y})\"") } else { String::new() };
            format!(
                "<text x=\"{x}\" y=\"{y}\" dy=\"{dy}\" text-anchor=\"{anchor}\" font-family=\"{FONTS}\" \
                 font-size=\"{}\" opacity=\"1\" fill=\"{}\"{bold}{turned}>\n{}\n</text>\n",
                set.size * UNITS,
                code(set.colour),
                escaped(text)
            )
        }
    }
}

fn anchor(across: HPos) -> &'static str {
    match across {
        HPos::Left => "start",
        HPos::Center => "middle",
        HPos::Right => "end",
    }
}

fn lowered(up: VPos) -> &'static str {
    match up {
        VPos::Top => "0.76em",
        VPos::Center => "0.5ex",
    }
}

fn code(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

fn list(points: &[Spot]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y} ")).collect()
}

fn escaped(text: &str) -> String {
    let pairs = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&apos;")];
    pairs.iter().fold(text.to_owned(), |text, (letter, code)| text.replace(*letter, code))
}
