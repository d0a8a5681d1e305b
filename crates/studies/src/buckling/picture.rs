//! Critical values of a parameter beside each other, with the value at the state that buckles.

use poinsot_results::number::typeset;
use poinsot_results::plot::axis::Axis;
use poinsot_results::plot::canvas::{self, GREY, HPos, INK, PALETTE, Type};
use poinsot_results::plot::frame::{
    FOOT, Frame, NOTE_SIZE, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title,
};
use poinsot_results::plot::{check_curve, nothing};
use poinsot_results::{Drawing, ResultsError};

const HEIGHT: f64 = 340.0;
const RADIUS: f64 = 5.0;
/// More values than this have no number written beside them.
const WRITTEN: usize = 12;

/// Critical values of a parameter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CriticalPlot {
    /// The parameter.
    pub parameter: String,
    /// Its value at the state that buckles.
    pub at: f64,
    /// The critical values.
    pub values: Vec<f64>,
}

impl Drawing for CriticalPlot {
    fn file(&self) -> &'static str {
        "buckling.svg"
    }

    fn title(&self) -> String {
        format!("Critical values of {}", self.parameter)
    }

    fn svg(&self, heading: &str) -> Result<String, ResultsError> {
        critical_svg(self, heading)
    }
}

/// The plot: a stem from the state to each critical value, with the load factor where the state has a load.
fn critical_svg(plot: &CriticalPlot, heading: &str) -> Result<String, ResultsError> {
    check_curve(&plot.parameter, &plot.values, plot.values.len())?;
    if plot.values.is_empty() {
        return Err(nothing(heading, "critical value"));
    }
    let n = plot.values.len();
    let values = plot.values.iter().copied().chain([plot.at, 0.0]);
    let y = Axis::roomy(values, (HEIGHT / 40.0) as usize);
    let spacing = n.div_ceil(20) as f64;
    let x = Axis::with_spacing(0.0, n as f64 + 1.0, spacing);
    let (left, right) = (left_margin([&y]), right_margin([]));
    let frame = Frame { left, top: TITLE_HEIGHT, width: WIDTH - left - right, height: HEIGHT, x: &x, y: &y };
    let size = (WIDTH as u32, (TITLE_HEIGHT + HEIGHT + FOOT).ceil() as u32);
    Ok(canvas::draw(size, |canvas| {
        title(canvas, heading, left);
        frame.draw(canvas, &plot.parameter);
        frame.draw_foot(canvas, "number");
        let state = frame.point(0.0, plot.at).1;
        canvas.line((frame.left, state), (frame.right(), state), GREY, 1.2);
        frame.note(canvas, &format!("line: the state, {} = {}", plot.parameter, typeset(plot.at, 5)));
        for (k, value) in plot.values.iter().enumerate() {
            let at = frame.point(k as f64 + 1.0, *value);
            canvas.line((at.0, state), at, PALETTE[0], 2.0);
            canvas.disc(at, RADIUS, PALETTE[0], true);
            if n <= WRITTEN {
                let below = if *value < plot.at { 14.0 } else { -13.0 };
                let words = match plot.at == 0.0 {
                    true => typeset(*value, 5),
                    false => format!("{} ({}×)", typeset(*value, 5), typeset(value / plot.at, 4)),
                };
                canvas.text(&words, (at.0, at.1 + below), Type::new(NOTE_SIZE, INK, HPos::Center));
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_factors_are_written() {
        let plot = CriticalPlot { parameter: "P".into(), at: 2.0, values: vec![5.0, 20.0] };
        let svg = critical_svg(&plot, "Column").unwrap();
        for text in ["5 (2.5×)", "20 (10×)", "number", "P = 2"] {
            assert!(svg.contains(text), "{text}");
        }
        let none = CriticalPlot { values: vec![], ..plot.clone() };
        assert!(matches!(critical_svg(&none, "Column"), Err(ResultsError::NothingToPlot { .. })));
        let unloaded = critical_svg(&CriticalPlot { at: 0.0, ..plot }, "Column").unwrap();
        assert!(!unloaded.contains('×'));
    }
}
