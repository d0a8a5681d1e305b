//! Growth against a parameter, and the ways of multipliers in the complex plane.

use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{self, GREY, PALETTE, Point, RGBColor, SHADE};
use poinsot_results::plot::frame::{FOOT, Frame, Key, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Drawing, ResultsError};
use std::f64::consts::TAU;

const HEIGHT: f64 = 400.0;
const CURVE_WIDTH: f64 = 1.7;
/// Corners of the unit circle.
const CORNERS: usize = 180;
/// Paper where deviations grow.
const UNSTABLE: RGBColor = RGBColor(0xFB, 0xEC, 0xE4);
/// More curves than this are not listed beside the frame.
const LISTED: usize = 20;
/// A multiplier that goes farther than this from one value to the next is not joined.
const JOINED: f64 = 0.25;

/// Growth rates of modes against a parameter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GrowthPlot {
    /// What stands along the horizontal axis.
    pub parameter: String,
    /// Values of the parameter.
    pub values: Vec<f64>,
    /// Largest growth rate at these.
    pub largest: Vec<f64>,
    /// Growth rates of the modes, in 1/s; gaps are not numbers.
    pub growth: Vec<Vec<f64>>,
    /// Ranges of the parameter in which deviations grow.
    pub unstable: Vec<(f64, f64)>,
}

impl Drawing for GrowthPlot {
    fn file(&self) -> &'static str {
        "growth.svg"
    }

    fn title(&self) -> String {
        "Growth of deviations".into()
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        let n = self.values.len();
        check_curve(&self.parameter, &self.values, n)?;
        check_curve("largest growth", &self.largest, n)?;
        if n < 2 {
            return Err(nothing(heading, "value of the parameter"));
        }
        let shown = |x: &&f64| x.is_finite();
        let all = || self.growth.iter().flatten().chain(&self.largest).copied().filter(|x| shown(&x));
        let largest = all().fold(0.0, f64::max);
        // What dies away quickly is of no interest beside what grows.
        let floor = all().fold(0.0, f64::min);
        let low = if largest > 0.0 { floor.max(-3.0 * largest) } else { floor };
        let height = if largest - low > 0.0 { largest - low } else { 1.0 };
        let y = Axis::roomy([low, low + height], (HEIGHT / 40.0) as usize);
        let names: Vec<String> = (1..=self.growth.len()).map(|k| format!("mode {k}")).collect();
        let listed = &names[..names.len().min(LISTED)];
        let (left, right) = (left_margin([&y]), right_margin(listed.iter().map(String::as_str)));
        let width = WIDTH - left - right;
        let x = Axis::tight(self.values.iter().copied(), (width / 70.0) as usize);
        let frame = Frame { left, top: TITLE_HEIGHT, width, height: HEIGHT, x: &x, y: &y };
        let size = (WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32);
        Ok(canvas::draw(size, |canvas| {
            title(canvas, heading, left);
            for (from, to) in &self.unstable {
                let (a, b) = (frame.point(*from, y.low).0, frame.point(*to, y.low).0);
                canvas.rectangle((a, frame.top), (b.max(a + 1.0), frame.bottom()), UNSTABLE);
            }
            frame.draw(canvas, "growth [1/s]");
            frame.draw_foot(canvas, &self.parameter);
            frame.note(canvas, if self.unstable.is_empty() { "" } else { "shaded: deviations grow" });
            let draw = |canvas: &mut canvas::Canvas, curve: &[f64], colour, wide: f64| {
                let ok = |y: &f64| y.is_finite() && *y >= frame.y.low && *y <= frame.y.high;
                let points: Vec<Option<Point>> = (self.values.iter().zip(curve))
                    .map(|(x, y)| ok(y).then(|| frame.point(*x, *y)))
                    .collect();
                for piece in points.split(Option::is_none) {
                    let piece: Vec<Point> = piece.iter().flatten().copied().collect();
                    if piece.len() > 1 {
                        canvas.curve(&piece, colour, wide);
                    }
                }
            };
            draw(canvas, &self.largest, GREY, 3.5);
            for (k, curve) in self.growth.iter().enumerate() {
                draw(canvas, curve, PALETTE[k % PALETTE.len()], CURVE_WIDTH);
            }
            let keys = listed.iter().enumerate();
            let keys = keys.map(|(k, name)| Key { name, colour: PALETTE[k % PALETTE.len()] });
            frame.legend(canvas, &keys.collect::<Vec<_>>());
        }))
    }
}

/// The ways of multipliers in the complex plane as the parameter changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MultiplierPaths(pub Vec<Vec<(f64, f64)>>);

impl Drawing for MultiplierPaths {
    fn file(&self) -> &'static str {
        "multipliers.svg"
    }

    fn title(&self) -> String {
        "Multipliers in the complex plane".into()
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        let points = || self.0.iter().flatten();
        if points().next().is_none() {
            return Err(nothing(heading, "multiplier"));
        }
        let names: Vec<String> = (1..=self.0.len()).map(|k| format!("mode {k}")).collect();
        let listed = &names[..names.len().min(LISTED)];
        let left = left_margin([&Axis::roomy([-1.1, 1.1], 8)]);
        let right = right_margin(listed.iter().map(String::as_str));
        let width = WIDTH - left - right;
        let reach = points().map(|(re, im)| re.abs().max(im.abs())).fold(1.1, f64::max);
        // One unit is as long on both axes.
        let height = width.min(640.0);
        let across = reach * width / height;
        let y = Axis::roomy([-reach, reach], (height / 50.0) as usize);
        let x = Axis::roomy([-across, across], (width / 70.0) as usize);
        let frame = Frame { left, top: TITLE_HEIGHT, width, height, x: &x, y: &y };
        let size = (WIDTH as u32, (TITLE_HEIGHT + height + FOOT).ceil() as u32);
        Ok(canvas::draw(size, |canvas| {
            title(canvas, heading, left);
            let circle: Vec<Point> = (0..=CORNERS)
                .map(|k| {
                    let angle = TAU * k as f64 / CORNERS as f64;
                    frame.point(angle.cos(), angle.sin())
                })
                .collect();
            canvas.polygon(&circle, SHADE);
            frame.draw(canvas, "imaginary part");
            frame.draw_foot(canvas, "real part");
            canvas.curve(&circle, GREY, 1.2);
            for (k, way) in self.0.iter().enumerate() {
                let colour = PALETTE[k % PALETTE.len()];
                for (i, (re, im)) in way.iter().enumerate() {
                    for sign in [1.0, -1.0] {
                        let at = frame.point(*re, sign * im);
                        canvas.disc(at, if i == 0 { 4.0 } else { 1.6 }, colour, i > 0);
                        if let Some((a, b)) = i.checked_sub(1).and_then(|i| way.get(i))
                            && (a - re).hypot(b - im) < JOINED
                        {
                            canvas.line(frame.point(*a, sign * b), at, colour, 1.0);
                        }
                    }
                }
            }
            frame.note(canvas, "rings: at the first value");
            let keys = listed.iter().enumerate();
            let keys = keys.map(|(k, name)| Key { name, colour: PALETTE[k % PALETTE.len()] });
            frame.legend(canvas, &keys.collect::<Vec<_>>());
        }))
    }
}
