//! Comparison of recorded motions: errors against a reference, orders of convergence, work at equal error.
//!
//! Nothing here runs anything; [`Record`]s come from the motion study.
//!
//! ```text
//! e_k = max_t |y_k(t) − ȳ_k(t)| / max_t |ȳ_k(t)|      error of track k against the reference ȳ
//! e   = max_k e_k                                     error of a motion
//! p   = log(e(h) / e(h/r)) / log r                    measured order between two levels, r = 2
//! ```

use thiserror::Error;

/// A track counts only if it is larger than the reference's own error by this factor.
const SIGNIFICANT: f64 = 100.0;

/// A track is zero throughout if it is smaller than this part of what the other tracks of its kind reach.
const ROUNDING: f64 = 1e-13;

/// An error is resolved if it is larger than the reference's own by this factor.
const RESOLVED: f64 = 3.0;

/// Smaller relative errors are rounding.
const ROUNDOFF: f64 = 1e-14;

/// Times that differ by less than this part of the span are the same.
const SAME_TIME: f64 = 1e-9;

/// A recorded quantity: a number or a vector, whose components share a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// Number of components.
    pub width: usize,
}

/// Recorded motion: rows of all components of all tracks at growing times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    tracks: Vec<Track>,
    width: usize,
    times: Vec<f64>,
    values: Vec<f64>,
}

/// Why motions cannot be compared.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ComparisonError {
    /// A row of the wrong length.
    #[error("a row of {found} numbers where {expected} are recorded")]
    Row {
        /// Numbers given.
        found: usize,
        /// Numbers of the tracks.
        expected: usize,
    },
    /// A value that is no finite number.
    #[error("`{track}` is not a finite number at t = {time:.6} s")]
    NotFinite {
        /// Track.
        track: String,
        /// Time (s).
        time: f64,
    },
    /// Different tracks.
    #[error("the motions do not have the same quantities")]
    Tracks,
    /// A time of the comparison that a motion does not have.
    #[error("nothing is recorded at t = {0:.6} s")]
    NoRow(f64),
    /// Nothing to compare.
    #[error("no quantity is larger than the error of the reference")]
    Nothing,
}

impl Record {
    /// An empty record of these tracks.
    pub fn new(tracks: Vec<Track>) -> Self {
        let width = tracks.iter().map(|track| track.width).sum();
        Record { tracks, width, times: vec![], values: vec![] }
    }

    /// Adds a row. One at the time of the last replaces it: after an event the state behind it counts.
    pub fn push(&mut self, time: f64, row: &[f64]) -> Result<(), ComparisonError> {
        self.push_with_gaps(time, row, 0)
    }

    /// Adds a row in which the first `open` numbers may be none: signals that have no value there. They are
    /// left out of the comparison at that time.
    pub fn push_with_gaps(&mut self, time: f64, row: &[f64], open: usize) -> Result<(), ComparisonError> {
        if row.len() != self.width {
            return Err(ComparisonError::Row { found: row.len(), expected: self.width });
        }
        if let Some(k) = (open..row.len()).find(|&k| !row[k].is_finite()) {
            return Err(ComparisonError::NotFinite { track: self.track_of(k).into(), time });
        }
        if self.times.last() == Some(&time) {
            self.times.pop();
            self.values.truncate(self.times.len() * self.width);
        }
        self.times.push(time);
        self.values.extend(row.iter().map(|value| if value.is_finite() { *value } else { f64::NAN }));
        Ok(())
    }

    /// The tracks.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The times (s).
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The row of number `k`.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.width..(k + 1) * self.width]
    }

    /// The row at a time, up to rounding.
    pub fn at(&self, time: f64) -> Option<&[f64]> {
        let span = self.times.last()? - self.times.first()?;
        let tiny = SAME_TIME * span.max(f64::MIN_POSITIVE);
        let next = self.times.partition_point(|t| *t < time - tiny);
        // Of several the last.
        let last = (next..self.times.len()).take_while(|&k| self.times[k] <= time + tiny).last()?;
        Some(self.row(last))
    }

    /// The tracks of these names alone, in the order in which they are recorded.
    pub fn select(&self, names: &[&str]) -> Record {
        let mut kept = Record { times: self.times.clone(), ..Record::default() };
        let mut places = vec![];
        let mut first = 0;
        for track in &self.tracks {
            if names.contains(&track.name.as_str()) {
                places.extend(first..first + track.width);
                kept.tracks.push(track.clone());
            }
            first += track.width;
        }
        kept.width = places.len();
        for k in 0..self.times.len() {
            let row = self.row(k);
            kept.values.extend(places.iter().map(|&i| row[i]));
        }
        kept
    }

    fn track_of(&self, component: usize) -> &str {
        let mut end = 0;
        let inside = |track: &&Track| {
            end += track.width;
            component < end
        };
        self.tracks.iter().find(inside).map_or("", |track| track.name.as_str())
    }

    /// Largest size of every track.
    pub fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.tracks.len()];
        for k in 0..self.times.len() {
            raise(&mut sizes, &self.tracks, |i| self.row(k)[i]);
        }
        sizes
    }
}

/// Raises `largest` to the norms of the tracks of a row of values; a gap, which is NaN, raises nothing.
fn raise(largest: &mut [f64], tracks: &[Track], value: impl Fn(usize) -> f64) {
    let mut first = 0;
    for (largest, track) in largest.iter_mut().zip(tracks) {
        let components = first..first + track.width;
        *largest = largest.max(components.map(&value).map(|v| v * v).sum::<f64>().sqrt());
        first += track.width;
    }
}

/// Largest differences of every track between two records at these times.
pub fn differences(a: &Record, b: &Record, times: &[f64]) -> Result<Vec<f64>, ComparisonError> {
    if a.tracks != b.tracks {
        return Err(ComparisonError::Tracks);
    }
    let (x, y) = (rows_at(a, times)?, rows_at(b, times)?);
    let mut largest = vec![0.0; a.tracks.len()];
    for (k, time) in times.iter().enumerate() {
        if let Some(i) = (0..a.width).find(|&i| is_lost(&x, &y, k, i) || is_lost(&y, &x, k, i)) {
            return Err(ComparisonError::NotFinite { track: a.track_of(i).into(), time: *time });
        }
        raise(&mut largest, &a.tracks, |i| x[k][i] - y[k][i]);
    }
    Ok(largest)
}

fn rows_at<'a>(of: &'a Record, times: &[f64]) -> Result<Vec<&'a [f64]>, ComparisonError> {
    times.iter().map(|time| of.at(*time).ok_or(ComparisonError::NoRow(*time))).collect()
}

/// Whether a value is missing in the rows x where the other ones have it. At the edge of a gap rounding
/// decides on which side a row is.
fn is_lost(x: &[&[f64]], y: &[&[f64]], k: usize, i: usize) -> bool {
    let beside = [k.checked_sub(1), Some(k + 1)].into_iter().flatten();
    let at_edge = || beside.filter_map(|k| y.get(k)).any(|row| row[i].is_nan());
    x[k][i].is_nan() && !y[k][i].is_nan() && !at_edge()
}

/// Differences of every track between the last rows of two records, whose times may differ where an event
/// ends the motion.
pub fn final_differences(a: &Record, b: &Record) -> Result<Vec<f64>, ComparisonError> {
    if a.tracks != b.tracks {
        return Err(ComparisonError::Tracks);
    }
    let mut largest = vec![0.0; a.tracks.len()];
    if let (Some(i), Some(j)) = (a.times.len().checked_sub(1), b.times.len().checked_sub(1)) {
        raise(&mut largest, &a.tracks, |k| a.row(i)[k] - b.row(j)[k]);
    }
    Ok(largest)
}

/// How far a motion is from the reference, relative to the size of each track.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Largest over all tracks and times.
    pub largest: f64,
    /// The track in which it is largest.
    pub track: String,
    /// Largest over all tracks at the end.
    pub at_end: f64,
}

/// A motion that others are measured by, with its own error.
#[derive(Clone, Debug)]
pub struct Reference {
    record: Record,
    times: Vec<f64>,
    /// Scale of every track; none for those that are too small to be known.
    scales: Vec<Option<f64>>,
    /// The reference's own error.
    pub own: Deviation,
}

impl Reference {
    /// A reference with a second one, found in another way, that tells its error.
    pub fn new(record: Record, check: &Record, times: Vec<f64>) -> Result<Self, ComparisonError> {
        let doubt = differences(&record, check, &times)?;
        let sizes = record.sizes();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let known = |(size, doubt): (&f64, &f64)| {
            (*size > SIGNIFICANT * doubt && *size > ROUNDING * largest).then_some(*size)
        };
        let scales: Vec<_> = sizes.iter().zip(&doubt).map(known).collect();
        if scales.iter().all(Option::is_none) {
            return Err(ComparisonError::Nothing);
        }
        let own = Deviation { largest: 0.0, track: String::new(), at_end: 0.0 };
        let mut reference = Reference { record, times, scales, own };
        reference.own = reference.deviation(check)?;
        Ok(reference)
    }

    /// The times of the comparison (s).
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The record of the reference.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Tracks that are left out: zero, or not larger than the error of the reference.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        let pairs = self.record.tracks.iter().zip(&self.scales);
        pairs.filter(|(_, scale)| scale.is_none()).map(|(track, _)| track.name.as_str())
    }

    /// How far a motion is from the reference.
    pub fn deviation(&self, motion: &Record) -> Result<Deviation, ComparisonError> {
        let all = differences(&self.record, motion, &self.times)?;
        let last = final_differences(&self.record, motion)?;
        let (largest, track) = self.worst(&all);
        Ok(Deviation { largest, track, at_end: self.worst(&last).0 })
    }

    /// The largest of differences relative to the scales, and the name of its track.
    fn worst(&self, differences: &[f64]) -> (f64, String) {
        let relative = differences.iter().zip(&self.scales).map(|(d, scale)| scale.map_or(0.0, |s| d / s));
        let mut worst = (0.0, String::new());
        for (value, track) in relative.zip(&self.record.tracks) {
            if value > worst.0 {
                worst = (value, track.name.clone());
            }
        }
        worst
    }

    /// Whether an error is larger than the reference's own.
    pub fn resolves(&self, error: f64) -> bool {
        is_resolved(error, self.own.largest)
    }
}

/// Whether a relative error is larger than what is not known of the reference.
pub fn is_resolved(error: f64, own: f64) -> bool {
    error > RESOLVED * own && error > ROUNDOFF
}

/// The order p of errors at two levels whose steps differ by the factor `ratio`: e(h)/e(h/r) = rᵖ.
pub fn order(coarse: f64, fine: f64, ratio: f64) -> Option<f64> {
    (coarse > 0.0 && fine > 0.0 && ratio > 0.0 && ratio != 1.0).then(|| (coarse / fine).ln() / ratio.ln())
}

/// The order between neighbours of a list of errors, from one level to one with half the step; `floor` is
/// what is not known of the reference.
pub fn orders(errors: &[f64], floor: f64) -> Vec<Option<f64>> {
    let pair = |pair: &[f64]| match pair {
        [coarse, fine] if is_resolved(*coarse, floor) && is_resolved(*fine, floor) => {
            order(*coarse, *fine, 2.0)
        }
        _ => None,
    };
    errors.windows(2).map(pair).collect()
}

/// What a run costs and how far off it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkPoint {
    /// Work: time, or number of evaluations.
    pub work: f64,
    /// Error.
    pub error: f64,
}

/// The least work at which an error is reached, between the runs linearly in the logarithms; none outside of
/// them.
pub fn work_at(points: &[WorkPoint], error: f64) -> Option<f64> {
    let positive = |p: &&WorkPoint| p.work > 0.0 && p.error > 0.0;
    let mut sorted: Vec<WorkPoint> = points.iter().filter(positive).copied().collect();
    sorted.sort_by(|a, b| a.work.total_cmp(&b.work));
    if let Some(exact) = sorted.iter().find(|p| p.error == error) {
        return Some(exact.work);
    }
    let crossing = sorted.windows(2).find(|w| w[0].error > error && w[1].error < error)?;
    let [a, b] = [crossing[0], crossing[1]];
    let part = (a.error / error).ln() / (a.error / b.error).ln();
    Some((a.work.ln() + part * (b.work / a.work).ln()).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(list: &[(&str, usize)]) -> Vec<Track> {
        list.iter().map(|(name, width)| Track { name: (*name).into(), width: *width }).collect()
    }

    /// x = (cos t, sin t), n = 0 but for `noise`, z = 10 t²; all off by `off`.
    fn motion(off: f64, noise: f64) -> Record {
        let mut record = Record::new(tracks(&[("x", 2), ("n", 1), ("z", 1)]));
        for k in 0..=10 {
            let t = 0.1 * f64::from(k);
            record.push(t, &[t.cos() + off, t.sin(), noise, 10.0 * t * t + off * t]).unwrap();
        }
        record
    }

    fn times() -> Vec<f64> {
        (0..=10).map(|k| 0.1 * f64::from(k)).collect()
    }

    /// A gap of both does not count, nor does one more row of it; a value that only one of them has is lost.
    #[test]
    fn gaps_of_both_are_left_out_and_lost_values_told() {
        let record = |values: [f64; 4]| {
            let mut record = Record::new(vec![Track { name: "s".into(), width: 1 }]);
            for (k, value) in values.iter().enumerate() {
                record.push_with_gaps(k as f64, &[*value], 1).unwrap();
            }
            record
        };
        let times = [0.0, 1.0, 2.0, 3.0];
        let none = f64::NAN;
        let reference = record([1.0, 2.0, none, none]);
        assert_eq!(differences(&reference, &record([1.5, 2.0, none, none]), &times).unwrap(), [0.5]);
        assert_eq!(differences(&reference, &record([1.0, 2.25, 9.0, none]), &times).unwrap(), [0.25]);
        assert_eq!(differences(&reference, &record([1.25, none, none, none]), &times).unwrap(), [0.25]);
        let lost = ComparisonError::NotFinite { track: "s".into(), time: 0.0 };
        assert_eq!(differences(&reference, &record([none, 2.0, none, none]), &times), Err(lost));
        let mut strict = Record::new(vec![Track { name: "s".into(), width: 1 }]);
        assert!(strict.push(0.0, &[none]).is_err());
    }

    #[test]
    fn errors_are_relative_to_each_track() {
        let reference = Reference::new(motion(0.0, 1e-17), &motion(1e-9, -1e-17), times()).unwrap();
        assert_eq!(reference.left_out().collect::<Vec<_>>(), ["n"]);
        assert!((reference.own.largest - 1e-9).abs() < 1e-15);
        let found = reference.deviation(&motion(1e-3, 5.0)).unwrap();
        // |Δx| = 1e-3 of 1, |Δz| = 1e-3 of 10 at the end: the noise does not count.
        assert!((found.largest - 1e-3).abs() < 1e-15, "{found:?}");
        assert_eq!(found.track, "x");
        assert!((found.at_end - 1e-3).abs() < 1e-15);
        assert!(reference.resolves(1e-8) && !reference.resolves(2.9e-9));
    }

    #[test]
    fn vectors_have_one_scale() {
        // Along y there is hardly anything: its error counts against the length of the vector.
        let mut a = Record::new(tracks(&[("r", 2)]));
        let mut b = a.clone();
        a.push(0.0, &[3.0, 4.0]).unwrap();
        b.push(0.0, &[3.0, 4.5]).unwrap();
        assert_eq!(a.sizes(), [5.0]);
        assert_eq!(differences(&a, &b, &[0.0]).unwrap(), [0.5]);
    }

    #[test]
    fn rows_are_found_to_rounding_and_behind_events() {
        let mut r = Record::new(tracks(&[("x", 1)]));
        for (t, x) in [(0.0, 0.0), (0.5, 1.0), (0.5, 2.0), (1.0, 3.0)] {
            r.push(t, &[x]).unwrap();
        }
        assert_eq!(r.times(), [0.0, 0.5, 1.0]);
        assert_eq!(r.at(0.5 + 1e-13), Some(&[2.0][..]));
        assert_eq!(r.at(0.6), None);
        assert_eq!(differences(&r, &r, &[0.25]), Err(ComparisonError::NoRow(0.25)));
        let bad = r.push(2.0, &[f64::NAN]).unwrap_err();
        assert_eq!(bad, ComparisonError::NotFinite { track: "x".into(), time: 2.0 });
        assert_eq!(r.push(2.0, &[]), Err(ComparisonError::Row { found: 0, expected: 1 }));
    }

    #[test]
    fn tracks_are_selected_by_name() {
        let all = motion(0.0, 7.0);
        let some = all.select(&["z", "x"]);
        assert_eq!(some.tracks(), &tracks(&[("x", 2), ("z", 1)])[..]);
        assert_eq!(some.row(10), [all.row(10)[0], all.row(10)[1], all.row(10)[3]]);
    }

    #[test]
    fn nothing_to_compare() {
        let zero = Record::new(tracks(&[("x", 1)]));
        assert_eq!(Reference::new(zero.clone(), &zero, vec![]).unwrap_err(), ComparisonError::Nothing);
        let other = Record::new(tracks(&[("y", 1)]));
        assert_eq!(differences(&zero, &other, &[]), Err(ComparisonError::Tracks));
    }

    #[test]
    fn orders_of_powers_are_exact_and_stop_at_the_floor() {
        let errors: Vec<f64> = (0..5).map(|k| 3.0 * 0.5f64.powi(4 * k)).collect();
        for p in orders(&errors, 0.0) {
            assert!((p.unwrap() - 4.0).abs() < 1e-12);
        }
        // 3, 0.19, 0.012, 7.3e-4, 4.6e-5: the last is hidden behind 1e-4.
        let found = orders(&errors, 1e-4);
        assert!(found[..3].iter().all(Option::is_some) && found[3].is_none());
        assert_eq!(order(0.0, 1.0, 2.0), None);
        assert!((order(9.0, 1.0, 3.0).unwrap() - 2.0).abs() < 1e-15);
    }

    #[test]
    fn work_is_interpolated_in_logarithms() {
        // error = work⁻²
        let points = [1.0, 10.0, 100.0].map(|work: f64| WorkPoint { work, error: work.powi(-2) });
        assert!((work_at(&points, 1e-3).unwrap() - 10f64.powf(1.5)).abs() < 1e-9);
        assert_eq!(work_at(&points, 1e-4), Some(100.0));
        assert_eq!(work_at(&points, 1e-5), None);
        assert_eq!(work_at(&points, 2.0), None);
    }
}
