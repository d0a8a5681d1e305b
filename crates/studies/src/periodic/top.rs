//! The top of a signal between rows of its table: where it is largest or smallest.
//!
//! A row with a lower one on each side has a top beside it. The parabola through the three best times tells
//! where; a golden section of the longer side where the parabola does not serve. At the top the signal is
//! flat: a time that is off by δ makes an error of x″δ²/2, so that the value is as exact as the signal.

/// Times at which the signal is looked at, at most.
const MOST: usize = 40;
/// The time of the top is sought to this part of the way between the neighbours.
const PART: f64 = 1e-8;
/// The longer part of a golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The largest value of `sign` times a signal between the outer two of three rows (time, value), of which the
/// middle one is not lower; what `value` cannot tell ends the search.
pub fn top(rows: [(f64, f64); 3], sign: f64, value: &mut dyn FnMut(f64) -> Option<f64>) -> f64 {
    let [mut left, mut best, mut right] = rows.map(|(t, x)| (t, sign * x));
    let least = PART * (right.0 - left.0);
    // Lengths of the way in the last step and the one before: a parabola has to make them shorter.
    let mut ways = [f64::INFINITY; 2];
    for _ in 0..MOST {
        let [before, after] = [left, right].map(|(t, x)| (t - best.0, x - best.1));
        if before.1 == 0.0 && after.1 == 0.0 {
            break;
        }
        let bend = before.0 * after.1 - after.0 * before.1;
        let vertex = (before.0.powi(2) * after.1 - after.0.powi(2) * before.1) / (2.0 * bend);
        let gain = (bend * vertex * vertex / (before.0 * after.0 * (after.0 - before.0))).abs();
        let is_inside = vertex.is_finite() && vertex > before.0 && vertex < after.0;
        if is_inside && gain <= f64::EPSILON * best.1.abs() {
            break;
        }
        let mut step = match is_inside && vertex.abs() < 0.5 * ways[1] {
            true => vertex,
            false if after.0 > -before.0 => (1.0 - GOLDEN) * after.0,
            false => (1.0 - GOLDEN) * before.0,
        };
        if step.abs() < least {
            // Beside the best time, to the longer side: both ends then come near.
            step = if after.0 > -before.0 { least } else { -least };
        }
        if after.0 - before.0 <= 4.0 * least {
            break;
        }
        ways = [step.abs(), ways[0]];
        let t = best.0 + step;
        let Some(x) = value(t).map(|x| sign * x).filter(|x| x.is_finite()) else { break };
        if x >= best.1 {
            if step > 0.0 {
                left = best
            } else {
                right = best
            }
            best = (t, x);
        } else if step > 0.0 {
            right = (t, x);
        } else {
            left = (t, x);
        }
    }
    sign * best.1
}

#[cfg(test)]
mod tests {
    use super::top;

    #[test]
    fn tops_are_as_exact_as_the_signal() {
        type Signal = fn(f64) -> f64;
        let signals: [(Signal, f64, f64); 4] = [
            (|t| (t - 0.3).cos(), 1.0, 1.0),
            (|t| 2.0 - (t - 0.1).powi(2) + 0.5 * (t - 0.1).powi(3), 1.0, 2.0),
            (|t| (3.0 * (t + 0.1)).tanh().powi(2) - 4.0, -1.0, -4.0),
            // A top that rises fast and falls slowly.
            (|t| (t + 1.2) * (-20.0 * (t + 1.2)).exp() * 1e3, 1.0, 50.0 / std::f64::consts::E),
        ];
        for (k, (signal, sign, exact)) in signals.into_iter().enumerate() {
            let times = if k == 3 { [-1.2, -1.15, -1.0] } else { [-1.0, 0.0, 1.0] };
            let mut calls = 0;
            let found = top(times.map(|t| (t, signal(t))), sign, &mut |t| {
                calls += 1;
                Some(signal(t))
            });
            assert!((found - exact).abs() < 2e-14 * exact.abs().max(1.0), "{k}: {found} for {exact}");
            assert!(calls < 25, "{k}: {calls}");
        }
    }

    #[test]
    fn a_flat_signal_and_one_that_ends_are_left_as_they_are() {
        assert_eq!(top([(0.0, 3.0), (1.0, 3.0), (2.0, 3.0)], 1.0, &mut |_| Some(3.0)), 3.0);
        assert_eq!(top([(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)], 1.0, &mut |_| None), 3.0);
    }
}
