//! Multipliers in the complex plane.

use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{self, GREY, HPos, INK, PALETTE, SHADE, Type};
use poinsot_results::plot::frame::{
    FOOT, Frame, NOTE_SIZE, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title,
};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Complex, Drawing, ResultsError};
use std::f64::consts::TAU;

const RADIUS: f64 = 4.0;
/// Corners of the unit circle.
const CORNERS: usize = 180;

/// A multiplier to be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnMultiplier {
    /// λ.
    pub value: Complex,
    /// Its number; zero for that of the motion itself.
    pub number: u64,
    /// Whether it lies outside the unit circle by more than is left open.
    pub outside: bool,
}

/// Multipliers in the complex plane with the unit circle, inside of which deviations die away.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MultiplierPlane(pub Vec<DrawnMultiplier>);

impl Drawing for MultiplierPlane {
    fn file(&self) -> &'static str {
        "multipliers.svg"
    }

    fn title(&self) -> String {
        "Multipliers of the motion in the complex plane".into()
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        let points = &self.0;
        let parts = |of: fn(Complex) -> f64| points.iter().map(|p| of(p.value)).collect::<Vec<_>>();
        let (re, im) = (parts(|z| z.re), parts(|z| z.im));
        check_curve("real parts", &re, points.len())?;
        check_curve("imaginary parts", &im, points.len())?;
        if points.is_empty() {
            return Err(nothing(heading, "multiplier"));
        }
        let (left, right) = (left_margin([&Axis::roomy([-1.1, 1.1], 8)]), right_margin([]));
        let width = WIDTH - left - right;
        let reach = re.iter().chain(&im).map(|x| x.abs()).fold(1.1, f64::max);
        // One unit is as long on both axes.
        let height = width.min(640.0);
        let across = reach * width / height;
        let y = Axis::roomy([-reach, reach], (height / 50.0) as usize);
        let x = Axis::roomy([-across, across], (width / 70.0) as usize);
        let frame = Frame { left, top: TITLE_HEIGHT, width, height, x: &x, y: &y };
        let size = (WIDTH as u32, (TITLE_HEIGHT + height + FOOT).ceil() as u32);
        Ok(canvas::draw(size, |canvas| {
            title(canvas, heading, left);
            let circle: Vec<_> = (0..=CORNERS)
                .map(|k| {
                    let angle = TAU * k as f64 / CORNERS as f64;
                    frame.point(angle.cos(), angle.sin())
                })
                .collect();
            canvas.polygon(&circle, SHADE);
            frame.draw(canvas, "imaginary part");
            frame.draw_foot(canvas, "real part");
            canvas.curve(&circle, GREY, 1.2);
            for point in points {
                let at = frame.point(point.value.re, point.value.im);
                let colour = if point.outside { PALETTE[1] } else { PALETTE[0] };
                canvas.disc(at, RADIUS, colour, point.number > 0);
                if point.number > 0 {
                    let set = Type::new(NOTE_SIZE, INK, HPos::Center);
                    canvas.text(&point.number.to_string(), (at.0, at.1 - RADIUS - 8.0), set);
                }
            }
            let itself = points.iter().any(|p| p.number == 0);
            frame.note(canvas, if itself { "ring: the motion itself" } else { "" });
        }))
    }
}
