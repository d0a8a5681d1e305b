//! The table of recorded signals.

use std::collections::HashMap;
use std::ops::Range;

/// Largest relative difference of two times that are taken as the same one;
/// it covers the rounding of a time summed over a million steps.
const TIME_ROUNDING: f64 = 1e-9;

/// Largest part of the spacing of the rows that counts as rounding.
const SPACING_PART: f64 = 1e-3;

/// What a column of the table records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    /// Unique name, e.g. `crank.angle`.
    pub name: String,
    /// Unit, e.g. `rad/s`; empty for a pure number.
    pub unit: String,
    /// One line saying what it is.
    pub description: String,
}

impl Column {
    /// A column of this name, unit and description.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, description: impl Into<String>) -> Self {
        Column { name: name.into(), unit: unit.into(), description: description.into() }
    }
}

/// Why a row or a list of columns was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// A value, or the time itself, is not a finite number.
    #[error("signal `{signal}` is not a finite number at t = {time} s")]
    NonFinite {
        /// Time of the row.
        time: f64,
        /// Name of the signal, `time` for the time itself.
        signal: String,
    },
    /// A row does not have one value for each column.
    #[error("a row of {given} values at t = {time} s for {expected} signals")]
    RowLength {
        /// Time of the row.
        time: f64,
        /// Values given.
        given: usize,
        /// Number of columns.
        expected: usize,
    },
    /// A row lies before the one already recorded.
    #[error("a row at t = {time} s after the one at t = {last} s")]
    TimeBackwards {
        /// Time of the refused row.
        time: f64,
        /// Time of the last row.
        last: f64,
    },
    /// Two columns have the same name, or one is called `time`.
    #[error("two signals are named `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
}

/// Rows in which a signal has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// Name of the signal.
    pub signal: String,
    /// Time of the first such row, or what stands in its place.
    pub first: f64,
    /// Number of such rows.
    pub rows: usize,
}

/// Signals recorded over time, one vector of samples for each signal.
///
/// Every number in it is finite and time never decreases. Two rows may share a time: the state before and
/// after an event. Where a signal has no value, as `log(x)` where x is not positive, the table has a gap: NaN
/// among the samples, nothing in files.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalTable {
    columns: Vec<Column>,
    index: HashMap<String, usize>,
    time: Vec<f64>,
    samples: Vec<Vec<f64>>,
    marks: Vec<f64>,
    abscissa: Column,
}

impl SignalTable {
    /// Name of the column of times in files.
    pub const TIME: &'static str = "time";

    /// An empty table; names must be unique and different from `time`.
    pub fn new(columns: Vec<Column>) -> Result<Self, RecordError> {
        Self::along(Column::new(Self::TIME, "s", "Time"), columns)
    }

    /// An empty table whose rows stand in the order of something else than the time, e.g. the number of a
    /// point; it takes the place of the time everywhere.
    pub fn along(abscissa: Column, columns: Vec<Column>) -> Result<Self, RecordError> {
        let mut index = HashMap::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            let taken = column.name == abscissa.name || index.insert(column.name.clone(), i).is_some();
            if taken {
                return Err(RecordError::DuplicateName { name: column.name.clone() });
            }
        }
        let samples = vec![Vec::new(); columns.len()];
        Ok(SignalTable { samples, time: Vec::new(), columns, index, marks: Vec::new(), abscissa })
    }

    /// Appends a row, or refuses all of it.
    pub fn push(&mut self, time: f64, values: &[f64]) -> Result<(), RecordError> {
        self.push_with_gaps(time, values, 0..0)
    }

    /// Appends a row, or refuses all of it; a value of the columns `open` that is not finite becomes a gap.
    pub fn push_with_gaps(
        &mut self,
        time: f64,
        values: &[f64],
        open: Range<usize>,
    ) -> Result<(), RecordError> {
        self.check_row(time, values, open)?;
        self.time.push(time);
        for (samples, &value) in self.samples.iter_mut().zip(values) {
            samples.push(if value.is_finite() { value } else { f64::NAN });
        }
        Ok(())
    }

    /// The signals that have gaps.
    pub fn gaps(&self) -> Vec<Gap> {
        let of = |(column, samples): (&Column, &Vec<f64>)| {
            let first = samples.iter().position(|value| value.is_nan())?;
            let rows = samples[first..].iter().filter(|value| value.is_nan()).count();
            Some(Gap { signal: column.name.clone(), first: self.time[first], rows })
        };
        self.columns.iter().zip(&self.samples).filter_map(of).collect()
    }

    fn check_row(&self, time: f64, values: &[f64], open: Range<usize>) -> Result<(), RecordError> {
        let non_finite = |signal: &str| RecordError::NonFinite { time, signal: signal.to_owned() };
        if values.len() != self.columns.len() {
            return Err(RecordError::RowLength { time, given: values.len(), expected: self.columns.len() });
        }
        if !time.is_finite() {
            return Err(non_finite(Self::TIME));
        }
        if let Some(i) = (0..values.len()).find(|i| !open.contains(i) && !values[*i].is_finite()) {
            return Err(non_finite(&self.columns[i].name));
        }
        match self.time.last() {
            Some(&last) if time < last => Err(RecordError::TimeBackwards { time, last }),
            _ => Ok(()),
        }
    }

    /// Takes out the columns for which `wanted` holds, with their samples.
    pub fn take_columns(&mut self, wanted: impl Fn(&Column) -> bool) -> Vec<(Column, Vec<f64>)> {
        let all = std::mem::take(&mut self.columns).into_iter().zip(std::mem::take(&mut self.samples));
        let (taken, left): (Vec<_>, Vec<_>) = all.partition(|(column, _)| wanted(column));
        (self.columns, self.samples) = left.into_iter().unzip();
        self.index = self.columns.iter().enumerate().map(|(i, column)| (column.name.clone(), i)).collect();
        taken
    }

    /// Marks a time, e.g. of an event: plots show it, files do not keep it.
    pub fn mark(&mut self, time: f64) {
        self.marks.push(time);
    }

    /// The marked times, in s.
    pub fn marks(&self) -> &[f64] {
        &self.marks
    }

    /// What the rows stand in the order of: the time, unless the table was made otherwise.
    pub fn abscissa(&self) -> &Column {
        &self.abscissa
    }

    /// The times of the rows, in s.
    pub fn time(&self) -> &[f64] {
        &self.time
    }

    /// The samples of a signal.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.index.get(name).map(|&i| self.samples[i].as_slice())
    }

    /// The samples of the signal at a position in [`columns`](Self::columns).
    pub fn samples(&self, position: usize) -> Option<&[f64]> {
        self.samples.get(position).map(Vec::as_slice)
    }

    /// What the columns record, in their order; time is not among them.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// True if no row was recorded.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// The recorded value of a signal at a time, `None` if there is no such
    /// signal, no row at that time, to rounding, or a gap; nothing is interpolated.
    /// Of several rows at that time the last one counts.
    pub fn value_at(&self, name: &str, time: f64) -> Option<f64> {
        let samples = self.column(name)?;
        self.row_at(time).map(|row| samples[row]).filter(|value| value.is_finite())
    }

    /// The row recorded at a time, to rounding.
    fn row_at(&self, time: f64) -> Option<usize> {
        if !time.is_finite() {
            return None;
        }
        // The nearest rows are the last one not after `time` and the next.
        let after = self.time.partition_point(|&t| t <= time);
        let matches = |row: usize| (self.time[row] - time).abs() <= self.rounding(row, time);
        if after > 0 && self.time[after - 1] == time {
            return Some(after - 1);
        }
        if after < self.len() && matches(after) {
            let same = self.time[after];
            return Some(self.time.partition_point(|&t| t <= same) - 1);
        }
        (after > 0 && matches(after - 1)).then(|| after - 1)
    }

    /// The difference in time that counts as rounding at a row.
    fn rounding(&self, row: usize, time: f64) -> f64 {
        let here = self.time[row];
        let extent = self.time[self.len() - 1] - self.time[0];
        let scale = here.abs().max(time.abs()).max(extent);
        let positive = |gap: &f64| *gap > 0.0;
        let before = self.time[..row].iter().rev().map(|t| here - t);
        let after = self.time[row + 1..].iter().map(|t| t - here);
        let gaps = [{ before }.find(positive), { after }.find(positive)];
        let spacing = gaps.into_iter().flatten().fold(f64::INFINITY, f64::min);
        (TIME_ROUNDING * scale).min(SPACING_PART * spacing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SignalTable {
        SignalTable::new(vec![Column::new("x", "m", ""), Column::new("v", "m/s", "")]).unwrap()
    }

    #[test]
    fn non_finite_rows_are_refused_whole_and_named() {
        let mut t = table();
        t.push(0.0, &[1.0, 2.0]).unwrap();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = t.push(0.5, &[1.0, bad]).unwrap_err();
            assert_eq!(error, RecordError::NonFinite { time: 0.5, signal: "v".into() });
            assert!(error.to_string().contains("`v`") && error.to_string().contains("0.5"));
        }
        assert!(matches!(
            t.push(f64::NAN, &[1.0, 2.0]),
            Err(RecordError::NonFinite { signal, .. }) if signal == "time"
        ));
        assert_eq!(t.len(), 1);
        assert_eq!(t.column("x").unwrap().len(), 1);
        assert_eq!(t.column("v").unwrap().len(), 1);
    }

    #[test]
    fn open_columns_have_gaps_and_tell_them() {
        let mut t = table();
        t.push_with_gaps(0.0, &[1.0, 2.0], 0..1).unwrap();
        t.push_with_gaps(0.5, &[f64::NEG_INFINITY, 3.0], 0..1).unwrap();
        t.push_with_gaps(1.0, &[f64::NAN, 4.0], 0..1).unwrap();
        let refused = t.push_with_gaps(1.5, &[1.0, f64::NAN], 0..1).unwrap_err();
        assert_eq!(refused, RecordError::NonFinite { time: 1.5, signal: "v".into() });
        assert_eq!(t.gaps(), [Gap { signal: "x".into(), first: 0.5, rows: 2 }]);
        assert_eq!(
            (t.value_at("x", 0.0), t.value_at("x", 0.5), t.value_at("v", 0.5)),
            (Some(1.0), None, Some(3.0))
        );
        assert!(t.column("x").unwrap()[1].is_nan() && t.column("x").unwrap()[2].is_nan());
    }

    #[test]
    fn row_length_order_and_names_are_checked() {
        let mut t = table();
        assert!(matches!(t.push(0.0, &[1.0]), Err(RecordError::RowLength { .. })));
        t.push(1.0, &[1.0, 2.0]).unwrap();
        assert!(matches!(t.push(0.9, &[1.0, 2.0]), Err(RecordError::TimeBackwards { .. })));
        let twice = vec![Column::new("a", "", ""), Column::new("a", "", "")];
        assert!(SignalTable::new(twice).is_err());
        assert!(SignalTable::new(vec![Column::new("time", "s", "")]).is_err());
    }

    #[test]
    fn value_at_finds_rows_to_rounding_and_never_interpolates() {
        let mut t = table();
        let mut time = 0.0;
        for i in 0..=10_000 {
            t.push(time, &[i as f64, 0.0]).unwrap();
            time += 1e-3;
        }
        assert_ne!(t.time()[10_000], 10.0);
        assert_eq!(t.value_at("x", 10.0), Some(10_000.0));
        assert_eq!(t.value_at("x", 0.0), Some(0.0));
        assert_eq!(t.value_at("x", 3.7), Some(3_700.0));
        assert_eq!(t.value_at("x", 3.7005), None);
        assert_eq!(t.value_at("x", 3.70001), None);
        assert_eq!(t.value_at("x", 10.001), None);
        assert_eq!(t.value_at("x", f64::NAN), None);
        assert_eq!(t.value_at("y", 0.0), None);
        assert_eq!(table().value_at("x", 0.0), None);
    }

    #[test]
    fn fine_rows_late_in_a_run_stay_apart() {
        let mut t = table();
        t.push(1e6, &[1.0, 0.0]).unwrap();
        t.push(1e6 + 1e-6, &[2.0, 0.0]).unwrap();
        assert_eq!(t.value_at("x", 1e6), Some(1.0));
        assert_eq!(t.value_at("x", 1e6 + 1e-6), Some(2.0));
        assert_eq!(t.value_at("x", 1e6 + 0.5e-6), None);
    }

    #[test]
    fn of_rows_at_an_event_the_last_counts() {
        let mut t = table();
        for (time, x) in [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (2.0, 2.0)] {
            t.push(time, &[x, 0.0]).unwrap();
        }
        assert_eq!(t.value_at("x", 1.0), Some(-1.0));
        assert_eq!(t.value_at("x", 1.0 - 1e-12), Some(-1.0));
        assert_eq!(t.value_at("x", 1.0 + 1e-12), Some(-1.0));
    }
}
