//! Axes: their range, their ticks and the labels of the ticks.

use crate::number::{superscript, typeset, with_minus};

/// A spread smaller than this part of the size of the values is rounding, and
/// the values are drawn as a constant.
const CONSTANT: f64 = 1e-12;

/// A spread smaller than this part of the size of the values is labelled as a
/// difference from a round number.
const OFFSET: f64 = 1e-4;

/// Part of the spread that is left free on either side of a curve.
const MARGIN: f64 = 0.06;

/// A tick beyond the end of an axis by this part of a step, which cannot be
/// seen, is rounding.
const EDGE: f64 = 1e-4;

/// A marked value on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where it is.
    pub value: f64,
    /// What is written at it.
    pub label: String,
}

/// An axis from `low` to `high`, with low < high and both finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The ticks.
    pub ticks: Vec<Tick>,
    /// What the labels are to be multiplied by and added to, e.g. `×10⁻³`;
    /// empty if they are the values themselves.
    pub scale: String,
}

impl Axis {
    /// An axis that ends where the values end.
    pub fn tight(values: impl IntoIterator<Item = f64>, ticks: usize) -> Axis {
        let (low, high) = spread(values);
        Axis::over(low, high, ticks)
    }

    /// An axis with some room beyond the values on either side.
    pub fn roomy(values: impl IntoIterator<Item = f64>, ticks: usize) -> Axis {
        let (low, high) = spread(values);
        let room = MARGIN * (high - low);
        Axis::over(low - room, high + room, ticks)
    }

    /// An axis from `low` to `high` with about so many ticks, at multiples of
    /// 1, 2 or 5 times a power of ten.
    fn over(low: f64, high: f64, ticks: usize) -> Axis {
        Axis::with_spacing(low, high, (high - low) / ticks.max(1) as f64)
    }

    /// An axis from `low` to `high` with ticks at least `spacing` apart.
    pub fn with_spacing(low: f64, high: f64, spacing: f64) -> Axis {
        let step = Step::nice(spacing);
        let first = (low / step.size() - EDGE).ceil() as i64;
        let last = (high / step.size() + EDGE).floor() as i64;
        let labels = Labels::choose(step, first, last, low, high);
        let ticks = (first..=last).map(|i| Tick { value: step.times(i), label: labels.label(i) });
        Axis { low, high, ticks: ticks.collect(), scale: labels.scale() }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub fn fraction(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// Lowest and highest value, drawn apart if they (nearly) coincide. Values
/// beyond ±10³⁰⁰ are drawn at the edge, so that no difference overflows.
fn spread(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return (0.0, 1.0);
    }
    let (low, high) = (low.clamp(-1e300, 1e300), high.clamp(-1e300, 1e300));
    let size = low.abs().max(high.abs());
    if size < 1e-290 {
        (-1.0, 1.0)
    } else if high - low <= CONSTANT * size {
        let middle = 0.5 * low + 0.5 * high;
        (middle - 0.1 * size, middle + 0.1 * size)
    } else {
        (low, high)
    }
}

/// A distance between ticks: `digit`·10^`power`, digit being 1, 2 or 5.
#[derive(Debug, Clone, Copy)]
struct Step {
    digit: i64,
    power: i32,
}

impl Step {
    /// The step next above `least`.
    fn nice(least: f64) -> Step {
        let power = least.log10().floor() as i32;
        let mantissa = least / 10f64.powi(power);
        let (digit, carry) = match mantissa {
            m if m <= 1.0 + 1e-9 => (1, 0),
            m if m <= 2.0 + 1e-9 => (2, 0),
            m if m <= 5.0 + 1e-9 => (5, 0),
            _ => (1, 1),
        };
        Step { digit, power: power + carry }
    }

    fn size(self) -> f64 {
        self.digit as f64 * 10f64.powi(self.power)
    }

    /// The i-th multiple, by division where that is the exact operation.
    fn times(self, i: i64) -> f64 {
        let whole = (i * self.digit) as f64;
        if self.power < 0 && self.power > -300 {
            whole / 10f64.powi(-self.power)
        } else {
            whole * 10f64.powi(self.power)
        }
    }
}

/// How the ticks of an axis are labelled: (value − offset)/10^exponent.
#[derive(Debug, Clone, Copy)]
struct Labels {
    step: Step,
    /// The offset as a multiple of the step.
    offset: i64,
    exponent: i32,
}

impl Labels {
    fn choose(step: Step, first: i64, last: i64, low: f64, high: f64) -> Labels {
        let size = low.abs().max(high.abs());
        let offset = if high - low < OFFSET * size { first + (last - first) / 2 } else { 0 };
        let largest = (first - offset).abs().max((last - offset).abs()).max(1);
        let decade = (step.size() * largest as f64).log10() + 1e-9;
        Labels { step, offset, exponent: engineering(decade.floor() as i32) }
    }

    fn label(&self, i: i64) -> String {
        let shift = self.step.power - self.exponent;
        let decimals = (-shift).max(0) as usize;
        let value = (i - self.offset) as f64 * self.step.digit as f64 * 10f64.powi(shift);
        with_minus(&format!("{value:.decimals$}"))
    }

    fn scale(&self) -> String {
        let factor = match self.exponent {
            0 => String::new(),
            e => format!("×10{}", superscript(e)),
        };
        match self.offset {
            0 => factor,
            i => {
                let offset = self.step.times(i);
                let sign = if offset < 0.0 { '−' } else { '+' };
                // Digits enough for the last one to be worth a step.
                let digits = offset.abs().log10().floor() as i32 - self.step.power + 1;
                let text = typeset(offset.abs(), digits.clamp(1, 17) as usize);
                format!("{factor} {sign} {text}").trim_start().to_owned()
            }
        }
    }
}

/// The exponent that labels of a decade are written with: none from 0.01 to
/// 9999, otherwise the multiple of three at or below it.
fn engineering(decade: i32) -> i32 {
    if (-2..4).contains(&decade) { 0 } else { 3 * decade.div_euclid(3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_labels_have_equal_decimals() {
        let axis = Axis::tight([0.0, 10.0], 8);
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8", "10"]);
        let axis = Axis::tight([-0.3, 0.3], 5);
        assert_eq!(labels(&axis), ["−0.2", "0.0", "0.2"]);
        assert_eq!(axis.scale, "");
    }

    #[test]
    fn large_and_small_values_have_engineering_exponents() {
        let axis = Axis::tight([0.0, 4.0e4], 4);
        assert_eq!(axis.scale, "×10³");
        assert_eq!(labels(&axis), ["0", "10", "20", "30", "40"]);
        let axis = Axis::tight([-2e-8, 2e-8], 4);
        assert_eq!(axis.scale, "×10⁻⁹");
        assert_eq!(labels(&axis), ["−20", "−10", "0", "10", "20"]);
    }

    #[test]
    fn small_spreads_are_labelled_as_differences() {
        let axis = Axis::tight([9.80665, 9.80665 + 4e-9], 5);
        assert_eq!(axis.scale, "×10⁻⁹ + 9.806650002");
        assert_eq!(labels(&axis), ["−2", "−1", "0", "1", "2"]);
    }

    #[test]
    fn no_range_collapses_or_overflows() {
        let odd = [
            vec![],
            vec![0.0],
            vec![3.0],
            vec![-1e-7; 3],
            vec![1e308, -1e308],
            vec![5e-324],
            vec![1.0, 1.0 + 1e-15],
            vec![1e300],
            vec![1e-280, 2e-280],
        ];
        for values in odd {
            for axis in [Axis::tight(values.clone(), 5), Axis::roomy(values.clone(), 5)] {
                assert!(axis.low < axis.high, "{values:?}");
                assert!((2..=9).contains(&axis.ticks.len()), "{values:?} {axis:?}");
                for tick in &axis.ticks {
                    assert!((-EDGE..=1.0 + EDGE).contains(&axis.fraction(tick.value)));
                    assert!(tick.label.len() < 12, "{values:?} {}", tick.label);
                }
            }
        }
    }
}
