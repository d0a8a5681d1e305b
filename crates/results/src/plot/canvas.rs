//! A sheet to draw on, in pixels with a fraction. It keeps a list of marks, which `svg.rs` and `pixels.rs`
//! write down.

/// Drawing units in a pixel. Marks stand at whole units; at one unit a pixel a smooth curve would be a
/// staircase.
pub(super) const UNITS: f64 = 10.0;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RGBColor(pub u8, pub u8, pub u8);

/// Which side of a text is at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HPos {
    /// The text begins there.
    Left,
    /// Its middle is there.
    Center,
    /// It ends there.
    Right,
}

/// Which height of a text is at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VPos {
    /// Its upper edge.
    Top,
    /// Its middle.
    Center,
}

/// Colour of the sheet.
pub const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

/// Colour of text.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Colour of axes and secondary text.
pub const GREY: RGBColor = RGBColor(0x66, 0x66, 0x66);
/// Colour of the line at zero.
pub const ZERO: RGBColor = RGBColor(0xB0, 0xB0, 0xB0);
/// Colour of the grid.
pub const GRID: RGBColor = RGBColor(0xE4, 0xE4, 0xE4);

/// Colour of a region that is set off from the paper.
pub const SHADE: RGBColor = RGBColor(0xEE, 0xF5, 0xF9);

/// Curve colours: the palette of Okabe and Ito, safe for colour-blind eyes,
/// without its yellow, which is too faint on white.
pub const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
];

/// A point in pixels, y downwards.
pub type Point = (f64, f64);

/// How a text is set.
#[derive(Clone, Copy)]
pub struct Type {
    /// Height in pixels.
    pub size: f64,
    /// Its colour.
    pub colour: RGBColor,
    /// Which side of it is at the point.
    pub across: HPos,
    /// Which height of it is at the point.
    pub up: VPos,
    /// Whether it is bold.
    pub bold: bool,
    /// Reads from bottom to top.
    pub upwards: bool,
}

impl Type {
    /// Regular type, centred on its point from bottom to top.
    pub fn new(size: f64, colour: RGBColor, across: HPos) -> Type {
        Type { size, colour, across, up: VPos::Center, bold: false, upwards: false }
    }

    /// The same, bold.
    pub fn bold(self) -> Type {
        Type { bold: true, ..self }
    }

    /// The same, written upwards.
    pub fn upwards(self) -> Type {
        Type { upwards: true, ..self }
    }
}

/// A place in drawing units.
pub(super) type Spot = (i32, i32);

/// What stands on a sheet, in drawing units.
pub(super) enum Mark {
    Line { from: Spot, to: Spot, colour: RGBColor, width: u32 },
    Curve { points: Vec<Spot>, colour: RGBColor, width: u32 },
    Rectangle { from: Spot, to: Spot, colour: RGBColor },
    Polygon { corners: Vec<Spot>, colour: RGBColor },
    Disc { centre: Spot, radius: u32, colour: RGBColor, filled: bool },
    Text { text: String, at: Spot, set: Type },
}

/// Width of the rim of a disc.
pub(super) const RIM: u32 = 16;

/// A white sheet to draw on.
pub struct Canvas {
    /// Pixels across and down.
    pub(super) size: (u32, u32),
    pub(super) marks: Vec<Mark>,
}

/// Draws on a white sheet of so many pixels and gives back the SVG document.
pub fn draw(size: (u32, u32), paint: impl FnOnce(&mut Canvas)) -> String {
    sheet(size, paint).svg()
}

/// Draws on a white sheet of so many pixels.
pub fn sheet(size: (u32, u32), paint: impl FnOnce(&mut Canvas)) -> Canvas {
    let mut canvas = Canvas { size, marks: vec![] };
    canvas.rectangle((0.0, 0.0), (f64::from(size.0), f64::from(size.1)), PAPER);
    paint(&mut canvas);
    canvas
}

impl Canvas {
    /// A straight line.
    pub fn line(&mut self, from: Point, to: Point, colour: RGBColor, width: f64) {
        self.marks.push(Mark::Line { from: units(from), to: units(to), colour, width: stroke(width) });
    }

    /// A curve through points.
    pub fn curve(&mut self, points: &[Point], colour: RGBColor, width: f64) {
        let points = thinned(points.iter().map(|&p| units(p)));
        self.marks.push(Mark::Curve { points, colour, width: stroke(width) });
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&mut self, from: Point, to: Point, colour: RGBColor) {
        self.marks.push(Mark::Rectangle { from: units(from), to: units(to), colour });
    }

    /// A filled polygon.
    pub fn polygon(&mut self, corners: &[Point], colour: RGBColor) {
        let corners = corners.iter().map(|&p| units(p)).collect();
        self.marks.push(Mark::Polygon { corners, colour });
    }

    /// A disc, or the rim of one.
    pub fn disc(&mut self, centre: Point, radius: f64, colour: RGBColor, filled: bool) {
        let radius = (radius * UNITS).round() as u32;
        self.marks.push(Mark::Disc { centre: units(centre), radius, colour, filled });
    }

    /// A text; characters that XML forbids are left out.
    pub fn text(&mut self, text: &str, at: Point, set: Type) {
        let text = text.chars().filter(|c| !c.is_control()).collect();
        self.marks.push(Mark::Text { text, at: units(at), set });
    }
}

/// A dash, and the gap behind it, in pixels.
const DASH: f64 = 7.0;
const GAP: f64 = 4.5;

/// A dashed line along points.
pub fn dashed(canvas: &mut Canvas, points: &[Point], colour: RGBColor) {
    let mut left = DASH;
    let mut drawn = true;
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > 0.0 {
            let part = left.min(length);
            let share = part / length;
            let next = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            if drawn {
                canvas.line(from, next, colour, 1.6);
            }
            from = next;
            length -= part;
            left -= part;
            if left <= 1e-9 {
                drawn = !drawn;
                left = if drawn { DASH } else { GAP };
            }
        }
    }
}

fn stroke(width: f64) -> u32 {
    (width * UNITS).round().max(1.0) as u32
}

fn units(point: Point) -> (i32, i32) {
    let unit = |v: f64| (v * UNITS).round() as i32;
    (unit(point.0), unit(point.1))
}

/// Leaves out the middle one of three points on a horizontal or vertical line
/// in one direction: it changes nothing that is drawn.
fn thinned(points: impl Iterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let mut kept: Vec<(i32, i32)> = Vec::new();
    let between = |a: i32, b: i32, c: i32| (a <= b && b <= c) || (a >= b && b >= c);
    for next in points {
        if let [.., a, b] = kept[..] {
            let flat = a.1 == b.1 && b.1 == next.1 && between(a.0, b.0, next.0);
            let upright = a.0 == b.0 && b.0 == next.0 && between(a.1, b.1, next.1);
            if flat || upright {
                kept.pop();
            }
        }
        kept.push(next);
    }
    kept
}

/// Width of a text in pixels, estimated from a wide sans-serif face: the face
/// that will draw the text is not known here.
pub fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.32,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | ' ' | '-' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.97,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.42,
        'A'..='Z' => 0.73,
        c if c.is_ascii() => 0.62,
        c if (c as u32) < 0x2E80 => 0.75,
        _ => 1.05,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// The text, with its middle left out if it is too wide.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| {
        let head = kept / 2;
        let start = &characters[..head];
        let end = &characters[characters.len() - (kept - head)..];
        start.iter().chain(&['…']).chain(end).collect::<String>()
    };
    (0..characters.len())
        .rev()
        .map(shortened)
        .find(|candidate| text_width(candidate, size) <= width)
        .unwrap_or_else(|| "…".into())
}
