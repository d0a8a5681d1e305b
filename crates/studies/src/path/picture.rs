//! A parameter against a signal along paths of equilibria.

use crate::portrait::PhaseAxis;
use poinsot_analysis::SingularKind;
use poinsot_results::number::unit;
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
/// Most branches in the legend.
const NAMED: usize = 12;

/// A point of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPathPoint {
    /// The signal.
    pub x: f64,
    /// The parameter.
    pub y: f64,
    /// Whether the equilibrium is stable.
    pub stable: bool,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadPathCurve {
    /// Its name in the legend.
    pub name: String,
    /// The points in their order.
    pub points: Vec<LoadPathPoint>,
}

/// A singular point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPathMark {
    /// The signal.
    pub x: f64,
    /// The parameter.
    pub y: f64,
    /// What it is.
    pub kind: SingularKind,
}

/// Paths of equilibria in the plane of a signal and the parameter. The ranges of the axes follow from the
/// points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadPath {
    /// The signal; its range is not used.
    pub x: PhaseAxis,
    /// The parameter; its range is not used.
    pub y: PhaseAxis,
    /// The branches.
    pub curves: Vec<LoadPathCurve>,
    /// The singular points.
    pub marks: Vec<LoadPathMark>,
}

/// An entry of the legend.
enum Entry<'a> {
    Line(&'a str, RGBColor, bool),
    Mark(&'static str, SingularKind),
}

impl Entry<'_> {
    fn words(&self) -> &str {
        match self {
            Entry::Line(name, ..) => name,
            Entry::Mark(name, _) => name,
        }
    }
}

impl Drawing for LoadPath {
    fn file(&self) -> &'static str {
        "path.svg"
    }

    fn title(&self) -> String {
        format!("Plot of {} against {}", self.y.name, self.x.name)
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        load_path_svg(self, heading)
    }
}

/// The plot.
fn load_path_svg(plot: &LoadPath, heading: &str) -> Result<String, ResultsError> {
    let all = || plot.curves.iter().flat_map(|c| &c.points);
    for curve in &plot.curves {
        for part in [|p: &LoadPathPoint| p.x, |p: &LoadPathPoint| p.y] {
            check_curve(&curve.name, &curve.points.iter().map(part).collect::<Vec<_>>(), curve.points.len())?;
        }
    }
    if all().next().is_none() {
        return Err(nothing(heading, "point"));
    }
    let entries = legend(plot);
    let widest = entries.iter().map(|e| text_width(e.words(), TICK_SIZE)).fold(0.0, f64::max);
    let right = if entries.is_empty() { 2.0 * EDGE } else { 16.0 + LINE + 7.0 + widest + EDGE };
    let y = Axis::roomy(all().map(|p| p.y), (HEIGHT / 50.0) as usize);
    let left = left_margin([&y]);
    let width = WIDTH - left - right;
    let x = Axis::roomy(all().map(|p| p.x), (width / 75.0) as usize);
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
    Ok(canvas::draw((WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32), |canvas| {
        title(canvas, heading, left);
        frame.draw(canvas, &label(&plot.y));
        frame.draw_foot(canvas, &label(&plot.x));
        for (k, curve) in plot.curves.iter().enumerate().rev() {
            draw_curve(canvas, &frame, curve, colour(k));
        }
        for mark in &plot.marks {
            symbol(canvas, frame.point(mark.x, mark.y), mark.kind);
        }
        draw_legend(canvas, &frame, &entries);
    }))
}

fn label(axis: &PhaseAxis) -> String {
    match axis.unit.as_str() {
        "" | "1" => axis.name.clone(),
        plain => format!("{} [{}]", axis.name, unit(plain)),
    }
}

fn colour(branch: usize) -> RGBColor {
    PALETTE[branch % PALETTE.len()]
}

fn legend(plot: &LoadPath) -> Vec<Entry<'_>> {
    let mut entries = vec![];
    if plot.curves.len() > 1 {
        let named = plot.curves.iter().enumerate().take(NAMED);
        entries.extend(named.map(|(k, curve)| Entry::Line(&curve.name, colour(k), true)));
    }
    let has = |stable: bool| plot.curves.iter().flat_map(|c| &c.points).any(|p| p.stable == stable);
    if has(false) {
        if has(true) {
            entries.push(Entry::Line("stable", INK, true));
        }
        entries.push(Entry::Line("unstable", INK, false));
    }
    let kinds = [
        ("limit point", SingularKind::Limit),
        ("bifurcation", SingularKind::Bifurcation),
        ("Hopf point", SingularKind::Hopf),
    ];
    for (words, kind) in kinds {
        if plot.marks.iter().any(|m| m.kind == kind) {
            entries.push(Entry::Mark(words, kind));
        }
    }
    entries
}

/// Runs of points of one kind; neighbouring runs share a point.
fn draw_curve(canvas: &mut Canvas, frame: &Frame<'_>, curve: &LoadPathCurve, colour: RGBColor) {
    let points = &curve.points;
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

/// A disc for limit points, a square on its tip for bifurcations, a square for Hopf points.
fn symbol(canvas: &mut Canvas, at: Point, kind: SingularKind) {
    let (x, y) = at;
    if kind == SingularKind::Hopf {
        let corners = |r: f64| [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)];
        canvas.polygon(&corners(SYMBOL + 1.0), PAPER);
        return canvas.polygon(&corners(SYMBOL - 0.8), INK);
    }
    if kind == SingularKind::Bifurcation {
        let corners = |r: f64| [(x - r, y), (x, y - r), (x + r, y), (x, y + r)];
        canvas.polygon(&corners(SYMBOL + 3.0), PAPER);
        return canvas.polygon(&corners(SYMBOL + 1.2), INK);
    }
    canvas.disc(at, SYMBOL + 1.0, PAPER, true);
    canvas.disc(at, SYMBOL, INK, false);
    canvas.disc(at, SYMBOL - 2.5, INK, true);
}

fn draw_legend(canvas: &mut Canvas, frame: &Frame<'_>, entries: &[Entry<'_>]) {
    let left = frame.right() + 16.0;
    for (i, entry) in entries.iter().enumerate() {
        let y = frame.top + 8.0 + i as f64 * PITCH;
        match entry {
            Entry::Line(_, colour, true) => canvas.line((left, y), (left + LINE, y), *colour, 2.0),
            Entry::Line(_, colour, false) => canvas::dashed(canvas, &[(left, y), (left + LINE, y)], *colour),
            Entry::Mark(_, kind) => symbol(canvas, (left + 0.5 * LINE, y), *kind),
        }
        let set = Type::new(TICK_SIZE, INK, HPos::Left);
        canvas.text(entry.words(), (left + LINE + 7.0, y), set);
    }
}
