//! Signals that somebody asks for, of one run or of several.

use super::axis::Axis;
use super::canvas::{self, Canvas, PALETTE, Point};
use super::decimate::{min_max, pieces, point_radius, spaced};
use super::frame::{FOOT, Frame, Key, TITLE_HEIGHT, WIDTH, left_margin, right_margin, title};
use super::{check_length, nothing};
use crate::error::ResultsError;
use crate::number::unit;

/// Room between panels.
const GAP: f64 = 34.0;
/// Height of a name in the legend.
const LINE: f64 = 19.0;
const CURVE_WIDTH: f64 = 1.7;
/// Dashes and gaps in pixels, by the number of the run; the first is drawn through.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 4.0], &[2.0, 3.5], &[9.0, 3.5, 2.0, 3.5]];

/// A signal over time or over another one.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenCurve {
    /// Name in the legend.
    pub name: String,
    /// Unit of the values; curves of one unit share a panel.
    pub unit: String,
    /// Abscissae; NaN is a gap.
    pub x: Vec<f64>,
    /// Values; NaN is a gap.
    pub y: Vec<f64>,
    /// Number of its colour.
    pub colour: usize,
    /// Number of its dashes; 0 is drawn through.
    pub dash: usize,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenPlot {
    /// Title.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Its unit.
    pub x_unit: String,
    /// Whether the abscissae are times, which never go back.
    pub over_time: bool,
    /// The curves.
    pub curves: Vec<ChosenCurve>,
}

/// The name of an axis with its unit.
fn labelled(name: &str, plain: &str) -> String {
    match plain {
        "" | "1" | "-" => name.to_owned(),
        _ => format!("{name} [{}]", unit(plain)).trim_start().to_owned(),
    }
}

/// Draws the curves: a panel for each unit, one above the other.
pub fn chosen_sheet(plot: &ChosenPlot) -> Result<Canvas, ResultsError> {
    for curve in &plot.curves {
        check_length(&curve.name, &curve.y, curve.x.len())?;
    }
    let mut panels: Vec<(&str, Vec<&ChosenCurve>)> = vec![];
    for curve in plot.curves.iter().filter(|curve| !curve.x.is_empty()) {
        match panels.iter_mut().find(|(unit, _)| *unit == curve.unit) {
            Some((_, list)) => list.push(curve),
            None => panels.push((&curve.unit, vec![curve])),
        }
    }
    if panels.is_empty() {
        return Err(nothing(&plot.title, "sample"));
    }
    let usual = [360.0, 240.0, 190.0][panels.len().min(3) - 1];
    let heights: Vec<f64> =
        panels.iter().map(|(_, list)| (list.len() as f64 * LINE + 8.0).max(usual)).collect();
    let axis = |(list, height): (&Vec<&ChosenCurve>, f64)| {
        let values = list.iter().flat_map(|c| &c.y).copied().filter(|y| y.is_finite());
        Axis::roomy(values, ((height / 26.0) as usize).min(9))
    };
    let vertical: Vec<Axis> =
        panels.iter().map(|(_, list)| list).zip(heights.iter().copied()).map(axis).collect();
    let left = left_margin(&vertical);
    let width = WIDTH - left - right_margin(plot.curves.iter().map(|c| c.name.as_str()));
    let all = plot.curves.iter().flat_map(|c| &c.x).copied().filter(|x| x.is_finite());
    let ticks = (width / 58.0) as usize;
    let horizontal = if plot.over_time { Axis::tight(all, ticks) } else { Axis::roomy(all, ticks) };
    let total = TITLE_HEIGHT + heights.iter().map(|h| h + GAP).sum::<f64>() - GAP + FOOT;
    Ok(canvas::sheet((WIDTH as u32, total.ceil() as u32), |canvas| {
        title(canvas, &plot.title, left);
        let mut top = TITLE_HEIGHT;
        for (k, ((unit, list), height)) in panels.iter().zip(&heights).enumerate() {
            let frame = Frame { left, top, width, height: *height, x: &horizontal, y: &vertical[k] };
            frame.draw(canvas, &vertical_label(unit, list));
            for curve in list {
                draw_curve(canvas, &frame, curve, plot.over_time);
            }
            legend(canvas, &frame, list);
            if k + 1 == panels.len() {
                frame.draw_foot(canvas, &labelled(&plot.x_name, &plot.x_unit));
            }
            top += height + GAP;
        }
    }))
}

/// The unit, with the name if there is only one curve.
fn vertical_label(unit: &str, list: &[&ChosenCurve]) -> String {
    match list {
        [one] => labelled(&one.name, unit),
        _ => match labelled("", unit) {
            label if label.is_empty() => "[–]".into(),
            label => label,
        },
    }
}

fn draw_curve(canvas: &mut Canvas, frame: &Frame<'_>, curve: &ChosenCurve, over_time: bool) {
    let colour = PALETTE[curve.colour % PALETTE.len()];
    let points: Vec<Point> = curve.x.iter().zip(&curve.y).map(|(&x, &y)| frame.point(x, y)).collect();
    for piece in pieces(&points) {
        if let [single] = piece {
            canvas.disc(*single, point_radius(points.len()), colour, true);
            continue;
        }
        let visible = if over_time { min_max(piece, frame.width.ceil() as usize) } else { spaced(piece) };
        for part in dashed(&visible, DASHES[curve.dash % DASHES.len()]) {
            canvas.curve(&part, colour, CURVE_WIDTH);
        }
    }
}

/// The parts of a line that are drawn, dashes and gaps being measured along it.
fn dashed(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let (Some(&first), false) = (points.first(), pattern.is_empty()) else { return vec![points.to_vec()] };
    let mut parts = vec![vec![first]];
    let (mut step, mut left) = (0, pattern[0]);
    for pair in points.windows(2) {
        let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
        let at = |s: f64| (pair[0].0 + (pair[1].0 - pair[0].0) * s, pair[0].1 + (pair[1].1 - pair[0].1) * s);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let place = at(done / length);
            match step % 2 {
                0 => parts.last_mut().into_iter().for_each(|part| part.push(place)),
                _ => parts.push(vec![place]),
            }
            step += 1;
            left = pattern[step % pattern.len()];
        }
        left -= length - done;
        if step % 2 == 0 {
            parts.last_mut().into_iter().for_each(|part| part.push(pair[1]));
        }
    }
    parts.retain(|part| part.len() > 1);
    parts
}

fn legend(canvas: &mut Canvas, frame: &Frame<'_>, list: &[&ChosenCurve]) {
    let keys: Vec<Key<'_>> =
        list.iter().map(|c| Key { name: &c.name, colour: PALETTE[c.colour % PALETTE.len()] }).collect();
    frame.legend(canvas, &keys);
    // Gaps in the keys of dashed curves.
    for (k, curve) in
        list.iter().enumerate().filter(|(_, curve)| !DASHES[curve.dash % DASHES.len()].is_empty())
    {
        let middle = frame.legend_middle(k);
        let ends = [(middle.0 - 11.0, middle.1), (middle.0 + 11.0, middle.1)];
        canvas.line(ends[0], ends[1], canvas::PAPER, 4.0);
        for part in dashed(&ends, DASHES[curve.dash % DASHES.len()]) {
            canvas.curve(&part, PALETTE[curve.colour % PALETTE.len()], 2.2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_run_around_corners() {
        let line = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)];
        let parts = dashed(&line, &[7.0, 4.0]);
        assert_eq!(parts, [vec![(0.0, 0.0), (7.0, 0.0)], vec![(10.0, 1.0), (10.0, 8.0)]]);
        assert_eq!(dashed(&line, &[]), [line.to_vec()]);
    }

    #[test]
    fn units_have_panels_and_names_a_legend() {
        let curve = |name: &str, unit: &str, dash| ChosenCurve {
            name: name.into(),
            unit: unit.into(),
            x: vec![0.0, 1.0, 2.0],
            y: vec![0.0, 3.0, 1.0],
            colour: 0,
            dash,
        };
        let plot = ChosenPlot {
            title: "two & more".into(),
            x_name: "time".into(),
            x_unit: "s".into(),
            over_time: true,
            curves: vec![curve("a.x", "m", 0), curve("a.y", "m", 1), curve("a.v", "m/s", 0)],
        };
        let svg = chosen_sheet(&plot).unwrap().svg();
        for text in ["two &amp; more", "[m]", "a.v [m/s]", "time [s]", "a.y"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(chosen_sheet(&ChosenPlot { curves: vec![], ..plot }).is_err());
    }
}
