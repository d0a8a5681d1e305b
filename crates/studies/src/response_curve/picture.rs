//! A response curve: a measure of a signal against the parameter.

use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{
    self, Canvas, HPos, INK, PALETTE, PAPER, Point, RGBColor, Type, text_width,
};
use poinsot_results::plot::frame::{EDGE, FOOT, Frame, TICK_SIZE, TITLE_HEIGHT, WIDTH, left_margin, title};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Drawing, ResultsError};

const HEIGHT: f64 = 520.0;
const SYMBOL: f64 = 5.0;
const LINE: f64 = 20.0;
const PITCH: f64 = 22.0;

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResponsePlotPoint {
    /// The parameter.
    pub x: f64,
    /// The measure.
    pub y: f64,
    /// Whether no deviation grows.
    pub stable: bool,
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponseCurveLine {
    /// Its name in the legend.
    pub name: String,
    /// Its colour, by number.
    pub colour: usize,
    /// The points in their order.
    pub points: Vec<ResponsePlotPoint>,
}

/// A singular point.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseMark {
    /// The parameter.
    pub x: f64,
    /// The measure.
    pub y: f64,
    /// Its name: "fold 1".
    pub name: String,
    /// Whether curves cross or part there.
    pub crossing: bool,
}

/// Response curves, stable parts full and unstable ones dashed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponsePlot {
    /// The parameter.
    pub x: String,
    /// The measure, with its unit.
    pub y: String,
    /// The curves.
    pub curves: Vec<ResponseCurveLine>,
    /// The singular points.
    pub marks: Vec<ResponseMark>,
}

impl Drawing for ResponsePlot {
    fn file(&self) -> &'static str {
        "response.svg"
    }

    fn title(&self) -> String {
        format!("Response curve: {} against {}", self.y, self.x)
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        let all = || self.curves.iter().flat_map(|c| &c.points);
        for curve in &self.curves {
            for part in [|p: &ResponsePlotPoint| p.x, |p: &ResponsePlotPoint| p.y] {
                let values: Vec<f64> = curve.points.iter().map(part).collect();
                check_curve(&curve.name, &values, curve.points.len())?;
            }
        }
        if all().next().is_none() {
            return Err(nothing(heading, "point"));
        }
        let entries = self.legend();
        let widest = entries.iter().map(|e| text_width(&e.0, TICK_SIZE)).fold(0.0, f64::max);
        let right = if entries.is_empty() { 2.0 * EDGE } else { 16.0 + LINE + 7.0 + widest + EDGE };
        let y = Axis::roomy(all().map(|p| p.y), (HEIGHT / 50.0) as usize);
        let left = left_margin([&y]);
        let width = WIDTH - left - right;
        let x = Axis::roomy(all().map(|p| p.x), (width / 75.0) as usize);
        let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
        Ok(canvas::draw((WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32), |canvas| {
            title(canvas, heading, left);
            frame.draw(canvas, &self.y);
            frame.draw_foot(canvas, &self.x);
            for curve in self.curves.iter().rev() {
                draw_curve(canvas, &frame, curve);
            }
            for mark in &self.marks {
                draw_mark(canvas, &frame, mark);
            }
            draw_legend(canvas, &frame, &entries);
        }))
    }
}

/// An entry of the legend: words, colour, whether the line is full.
type Entry = (String, (RGBColor, bool));

impl ResponsePlot {
    fn legend(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = vec![];
        if self.curves.len() > 1 {
            let named = self.curves.iter().take(12);
            entries.extend(named.map(|c| (c.name.clone(), (colour(c.colour), true))));
        }
        let has = |stable: bool| self.curves.iter().flat_map(|c| &c.points).any(|p| p.stable == stable);
        if has(false) {
            if has(true) {
                entries.push(("stable".into(), (INK, true)));
            }
            entries.push(("unstable".into(), (INK, false)));
        }
        entries
    }
}

fn colour(number: usize) -> RGBColor {
    PALETTE[number % PALETTE.len()]
}

/// Runs of points of one kind; neighbouring runs share a point.
fn draw_curve(canvas: &mut Canvas, frame: &Frame<'_>, curve: &ResponseCurveLine) {
    let (points, colour) = (&curve.points, colour(curve.colour));
    let mut first = 0;
    while first + 1 < points.len() {
        // A piece between a stable and an unstable point counts as what it leads to.
        let stable = points[first + 1].stable;
        let mut last = first + 1;
        while last + 1 < points.len() && points[last + 1].stable == stable {
            last += 1;
        }
        let run: Vec<Point> = points[first..=last].iter().map(|p| frame.point(p.x, p.y)).collect();
        match stable {
            true => canvas.curve(&run, colour, 2.0),
            false => canvas::dashed(canvas, &run, colour),
        }
        first = last;
    }
}

/// A disc where the parameter turns back, a square on its tip where curves part, with the name beside.
fn draw_mark(canvas: &mut Canvas, frame: &Frame<'_>, mark: &ResponseMark) {
    let (x, y) = frame.point(mark.x, mark.y);
    if mark.crossing {
        let corners = |r: f64| [(x - r, y), (x, y - r), (x + r, y), (x, y + r)];
        canvas.polygon(&corners(SYMBOL + 3.0), PAPER);
        canvas.polygon(&corners(SYMBOL + 1.2), INK);
    } else {
        canvas.disc((x, y), SYMBOL + 1.0, PAPER, true);
        canvas.disc((x, y), SYMBOL, INK, false);
        canvas.disc((x, y), SYMBOL - 2.5, INK, true);
    }
    let near_right = x + 14.0 + text_width(&mark.name, TICK_SIZE) > frame.right();
    let (at, side) = match near_right {
        true => ((x - 11.0, y - 11.0), HPos::Right),
        false => ((x + 11.0, y - 11.0), HPos::Left),
    };
    canvas.text(&mark.name, at, Type::new(TICK_SIZE, INK, side));
}

fn draw_legend(canvas: &mut Canvas, frame: &Frame<'_>, entries: &[Entry]) {
    let left = frame.right() + 16.0;
    for (i, (words, (colour, full))) in entries.iter().enumerate() {
        let y = frame.top + 8.0 + i as f64 * PITCH;
        match full {
            true => canvas.line((left, y), (left + LINE, y), *colour, 2.0),
            false => canvas::dashed(canvas, &[(left, y), (left + LINE, y)], *colour),
        }
        canvas.text(words, (left + LINE + 7.0, y), Type::new(TICK_SIZE, INK, HPos::Left));
    }
}
