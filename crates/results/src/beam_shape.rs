//! The shapes of beams over time: one table for each beam, a row for each place and time.
//!
//! While a run goes on the values stand beside the signals, in columns `beam.at(s).quantity`; here they
//! become rows `time, s, quantity, …`.

use crate::table::{Column, RecordError, SignalTable};

/// The shapes of a beam over time.
#[derive(Debug, Clone)]
pub struct BeamShape {
    /// Name of the beam.
    pub beam: String,
    /// Rows of time, arc length and the quantities there.
    pub table: SignalTable,
}

/// Beam, arc length as written and quantity of a column `beam.at(s).quantity`.
fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let (beam, rest) = name.split_once(".at(")?;
    let (place, quantity) = rest.split_once(").")?;
    Some((beam, place, quantity))
}

impl BeamShape {
    /// The name of a column for a quantity of a beam at an arc length.
    pub fn column(beam: &str, s: f64, quantity: &str) -> String {
        format!("{beam}.at({s:?}).{quantity}")
    }

    /// Takes the columns of beams out of a table, each beam as a table of its own.
    pub fn take_from(table: &mut SignalTable) -> Result<Vec<BeamShape>, RecordError> {
        let taken = table.take_columns(|column| parts(&column.name).is_some());
        let mut beams: Vec<&str> = vec![];
        for (beam, ..) in taken.iter().filter_map(|(column, _)| parts(&column.name)) {
            if beams.last() != Some(&beam) {
                beams.push(beam);
            }
        }
        let shape = |beam: &&str| shape(beam, &taken, table.time());
        beams.iter().map(shape).collect()
    }
}

/// A column and its values.
type Samples = (Column, Vec<f64>);

/// The rows of one beam.
fn shape(beam: &str, taken: &[Samples], time: &[f64]) -> Result<BeamShape, RecordError> {
    let of_beam = taken.iter().filter(|(column, _)| parts(&column.name).is_some_and(|(b, ..)| b == beam));
    // The columns of each place, in the order of the line.
    let mut places: Vec<(&str, Vec<&Samples>)> = vec![];
    for entry in of_beam {
        let place = parts(&entry.0.name).map_or("", |(_, place, _)| place);
        match places.last_mut() {
            Some((last, list)) if *last == place => list.push(entry),
            _ => places.push((place, vec![entry])),
        }
    }
    let quantity = |(column, _): &&(Column, Vec<f64>)| {
        let name = parts(&column.name).map_or(column.name.as_str(), |(.., quantity)| quantity);
        Column::new(name, column.unit.clone(), column.description.clone())
    };
    let mut columns = vec![Column::new("s", "m", "Length along the undeformed line")];
    columns.extend(places.first().into_iter().flat_map(|(_, list)| list.iter().map(quantity)));
    let mut table = SignalTable::new(columns)?;
    for (row, t) in time.iter().enumerate() {
        for (place, list) in &places {
            let s = place.parse().unwrap_or(f64::NAN);
            let values: Vec<f64> =
                std::iter::once(s).chain(list.iter().map(|(_, samples)| samples[row])).collect();
            table.push(*t, &values)?;
        }
    }
    Ok(BeamShape { beam: beam.to_owned(), table })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_beams_become_rows() {
        let mut columns = vec![Column::new("speed", "m/s", "")];
        for (beam, s) in [("a", 0.0), ("a", 0.5), ("b", 0.25)] {
            for quantity in ["position.x", "force.z"] {
                columns.push(Column::new(BeamShape::column(beam, s, quantity), "", ""));
            }
        }
        let mut table = SignalTable::new(columns).unwrap();
        table.push(0.0, &[9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        table.push(0.1, &[8.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]).unwrap();
        let shapes = BeamShape::take_from(&mut table).unwrap();
        assert_eq!((table.columns().len(), table.column("speed")), (1, Some(&[9.0, 8.0][..])));
        assert_eq!(shapes.iter().map(|shape| shape.beam.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let a = &shapes[0].table;
        assert_eq!(a.time(), [0.0, 0.0, 0.1, 0.1]);
        assert_eq!(a.column("s"), Some(&[0.0, 0.5, 0.0, 0.5][..]));
        assert_eq!(a.column("force.z"), Some(&[2.0, 4.0, 2.5, 4.5][..]));
        assert_eq!(shapes[1].table.column("position.x"), Some(&[5.0, 5.5][..]));
    }
}
