//! Campbell diagram: frequencies against a parameter, with lines of engine orders.

use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{self, Canvas, GREY, HPos, PALETTE, Point, RGBColor, Type};
use poinsot_results::plot::frame::{
    FOOT, Frame, Key, NOTE_SIZE, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title,
};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Drawing, ResultsError};

const HEIGHT: f64 = 460.0;
const CURVE_WIDTH: f64 = 1.7;
const ORDER_WIDTH: f64 = 1.0;
const RADIUS: f64 = 3.6;
/// Curves nearer to each other than this, in the highest frequency, are drawn as one.
const SAME: f64 = 2e-3;
/// Length of a dash and of the gap behind it, in pixels.
const DASH: f64 = 6.0;
/// Paper where small motions grow.
const UNSTABLE: RGBColor = RGBColor(0xFB, 0xEC, 0xE4);
/// More curves than this are not listed beside the frame.
const LISTED: usize = 20;

/// A Campbell diagram.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CampbellPlot {
    /// What stands along the horizontal axis.
    pub parameter: String,
    /// Values of the parameter.
    pub values: Vec<f64>,
    /// Frequencies of the modes at these, in Hz.
    pub frequencies: Vec<Vec<f64>>,
    /// Speed of rotation at these, in Hz.
    pub speed: Vec<f64>,
    /// Engine orders.
    pub orders: Vec<f64>,
    /// Crossings: value of the parameter, frequency in Hz.
    pub crossings: Vec<(f64, f64)>,
    /// Ranges of the parameter in which small motions grow.
    pub unstable: Vec<(f64, f64)>,
}

impl Drawing for CampbellPlot {
    fn file(&self) -> &'static str {
        "campbell.svg"
    }

    fn title(&self) -> String {
        "Campbell diagram".into()
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        campbell_svg(self, heading)
    }
}

/// The plot of a Campbell diagram.
fn campbell_svg(plot: &CampbellPlot, heading: &str) -> Result<String, ResultsError> {
    let n = plot.values.len();
    check_curve(&plot.parameter, &plot.values, n)?;
    check_curve("speed", &plot.speed, n)?;
    for (k, curve) in plot.frequencies.iter().enumerate() {
        check_curve(&format!("mode {}", k + 1), curve, n)?;
    }
    if plot.frequencies.is_empty() || n < 2 {
        return Err(nothing(heading, "mode"));
    }
    let highest = plot.frequencies.iter().flatten().fold(0.0, |m: f64, f| m.max(*f));
    let y = Axis::tight([0.0, 1.06 * highest], (HEIGHT / 40.0) as usize);
    let names: Vec<String> = (1..=plot.frequencies.len()).map(|k| format!("mode {k}")).collect();
    let listed = &names[..names.len().min(LISTED)];
    let (left, right) = (left_margin([&y]), right_margin(listed.iter().map(String::as_str)));
    let width = WIDTH - left - right;
    let x = Axis::tight(plot.values.iter().copied(), (width / 70.0) as usize);
    let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
    let size = (WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32);
    Ok(canvas::draw(size, |canvas| {
        title(canvas, heading, left);
        for (from, to) in &plot.unstable {
            let (a, b) = (frame.point(*from, y.low).0, frame.point(*to, y.low).0);
            canvas.rectangle((a, frame.top), (b.max(a + 1.0), frame.bottom()), UNSTABLE);
        }
        frame.draw(canvas, "frequency [Hz]");
        frame.draw_foot(canvas, &plot.parameter);
        frame.note(canvas, note(plot));
        for order in &plot.orders {
            draw_order(canvas, &frame, plot, *order);
        }
        for (k, curve) in plot.frequencies.iter().enumerate() {
            let points: Vec<Point> =
                plot.values.iter().zip(curve).map(|(x, y)| frame.point(*x, *y)).collect();
            let colour = PALETTE[k % PALETTE.len()];
            // What lies on an earlier curve lets it shine through.
            let same =
                |earlier: &Vec<f64>| earlier.iter().zip(curve).all(|(a, b)| (a - b).abs() <= SAME * highest);
            match plot.frequencies[..k].iter().any(same) {
                true => canvas::dashed(canvas, &points, colour),
                false => canvas.curve(&points, colour, CURVE_WIDTH),
            }
        }
        for (value, frequency) in &plot.crossings {
            canvas.disc(frame.point(*value, *frequency), RADIUS, GREY, false);
        }
        let keys = listed.iter().enumerate();
        let keys = keys.map(|(k, name)| Key { name, colour: PALETTE[k % PALETTE.len()] });
        frame.legend(canvas, &keys.collect::<Vec<_>>());
    }))
}

/// What the marks mean.
fn note(plot: &CampbellPlot) -> &'static str {
    match (plot.crossings.is_empty(), plot.unstable.is_empty()) {
        (true, true) => "",
        (false, true) => "rings: engine orders",
        (true, false) => "shaded: unstable",
        (false, false) => "rings: engine orders; shaded: unstable",
    }
}

/// The line k Ω, dashed, as far as it lies in the frame, with its name at the end.
fn draw_order(canvas: &mut Canvas, frame: &Frame<'_>, plot: &CampbellPlot, order: f64) {
    let top = frame.y.high;
    let mut end: Option<Point> = None;
    for k in 1..plot.values.len() {
        let ends = [k - 1, k].map(|i| (plot.values[i], order * plot.speed[i].abs()));
        let [(x0, y0), (x1, y1)] = ends;
        if y0 > top && y1 > top {
            continue;
        }
        // Cut where the line leaves the frame.
        let cut = |(x, y): (f64, f64)| match y > top {
            true => (x0 + (x1 - x0) * (top - y0) / (y1 - y0), top),
            false => (x, y),
        };
        let [a, b] = ends.map(cut).map(|(x, y)| frame.point(x, y));
        dashed(canvas, a, b);
        end = Some(b);
    }
    let Some(at) = end else { return };
    let name = format!("{order}×");
    // Where the line is not: behind its end at the top, above its end at the right.
    match at.0 < frame.right() - 1.0 {
        true => canvas.text(&name, (at.0 + 7.0, at.1 + 9.0), Type::new(NOTE_SIZE, GREY, HPos::Left)),
        false => {
            let place = (at.0 - 5.0, (at.1 - 10.0).max(frame.top + 6.0));
            canvas.text(&name, place, Type::new(NOTE_SIZE, GREY, HPos::Right))
        }
    }
}

fn dashed(canvas: &mut Canvas, from: Point, to: Point) {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let along = |s: f64| {
        let part = if length > 0.0 { (s / length).min(1.0) } else { 0.0 };
        (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1))
    };
    // Whole numbers of dashes and gaps, so that pieces join.
    let pieces = (length / (2.0 * DASH)).round().max(1.0) as u32;
    let pitch = length / f64::from(pieces);
    for k in 0..pieces {
        let start = f64::from(k) * pitch;
        canvas.line(along(start), along(start + 0.5 * pitch), GREY, ORDER_WIDTH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_crossings_and_unstable_ranges_are_drawn_and_nothing_is_refused() {
        let plot = CampbellPlot {
            parameter: "Omega [rad/s]".into(),
            values: vec![0.0, 5.0, 10.0],
            frequencies: vec![vec![1.0, 1.2, 1.5], vec![2.0, 1.9, 1.8]],
            speed: vec![0.0, 0.8, 1.6],
            orders: vec![1.0, 2.0],
            crossings: vec![(7.9, 1.3)],
            unstable: vec![(3.0, 4.0)],
        };
        let svg = campbell_svg(&plot, "Rotor").unwrap();
        for text in ["mode 1", "mode 2", "1×", "2×", "Omega", "engine orders", "unstable"] {
            assert!(svg.contains(text), "{text}");
        }
        let none = CampbellPlot { frequencies: vec![], ..plot.clone() };
        assert!(matches!(campbell_svg(&none, "Rotor"), Err(ResultsError::NothingToPlot { .. })));
        let bad = CampbellPlot { speed: vec![0.0], ..plot };
        assert!(matches!(campbell_svg(&bad, "Rotor"), Err(ResultsError::CurveLength { .. })));
    }
}
