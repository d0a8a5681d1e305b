//! Labels beside points, placed so that they hide nothing.

use super::canvas::{Point, text_width};

/// Room between a point and its label, in pixels.
const GAP: f64 = 8.0;

/// Part of the gap that is left in each direction on a diagonal.
const DIAGONAL: f64 = 0.65;

/// Room between labels side by side, in pixels.
const APART: f64 = 6.0;

/// Height of a label over the size of its type.
const LINE: f64 = 1.05;

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left side.
    pub left: f64,
    /// Upper side.
    pub top: f64,
    /// Right side.
    pub right: f64,
    /// Lower side.
    pub bottom: f64,
}

impl Area {
    /// A square about a point.
    pub fn about(centre: Point, half: f64) -> Area {
        let (x, y) = centre;
        Area { left: x - half, top: y - half, right: x + half, bottom: y + half }
    }

    fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Area) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// The middle of the area.
    pub fn middle(&self) -> Point {
        (0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom))
    }
}

/// What has been drawn so far and must not be hidden.
pub struct Labels {
    within: Area,
    taken: Vec<Area>,
}

impl Labels {
    /// No label yet; all have to lie within an area and off those taken.
    pub fn new(within: Area, taken: Vec<Area>) -> Labels {
        Labels { within, taken }
    }

    /// Finds a free place for a label beside a point and takes it.
    pub fn place(&mut self, text: &str, at: Point, size: f64) -> Option<Area> {
        let (width, height) = (text_width(text, size), LINE * size);
        // Corners first: a label there is not struck through by an axis.
        let sides = [(1, -1), (1, 0), (-1, -1), (-1, 0), (0, -1), (0, 1), (1, 1), (-1, 1)];
        let candidate = |(across, down): (i32, i32)| {
            let offset = |side: i32, half: f64, gap: f64| f64::from(side) * (half + gap);
            // On a diagonal the gap is shared by both directions.
            let gap = if across != 0 && down != 0 { DIAGONAL * GAP } else { GAP };
            let x = at.0 + offset(across, 0.5 * width, gap);
            let y = at.1 + offset(down, 0.5 * height, gap);
            Area {
                left: x - 0.5 * width,
                right: x + 0.5 * width,
                top: y - 0.5 * height,
                bottom: y + 0.5 * height,
            }
        };
        let free = |area: &Area| self.within.holds(area) && !self.taken.iter().any(|t| t.overlaps(area));
        let place = sides.into_iter().map(candidate).find(free)?;
        // Side by side, two numbers would read as one.
        self.taken.push(Area { left: place.left - APART, right: place.right + APART, ..place });
        Some(place)
    }
}

/// Numbers with runs joined: `1–3, 7`.
pub fn runs(numbers: &[u64]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let runs = sorted.chunk_by(|a, b| b - a == 1);
    let words = runs.map(|run| match run {
        [single] => single.to_string(),
        [a, b] => format!("{a}, {b}"),
        _ => format!("{}–{}", run[0], run[run.len() - 1]),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_joined_to_runs() {
        assert_eq!(runs(&[7, 1, 2, 3, 2]), "1–3, 7");
        assert_eq!(runs(&[4, 5]), "4, 5");
        assert_eq!(runs(&[]), "");
    }

    #[test]
    fn labels_never_overlap_and_stay_inside() {
        let within = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 60.0 };
        let points: Vec<Point> = (0..12).map(|i| (5.0 + 8.0 * f64::from(i), 30.0)).collect();
        let marks: Vec<Area> = points.iter().map(|p| Area::about(*p, 4.0)).collect();
        let alone = Labels::new(within, vec![marks[5]]).place("12", points[5], 11.0).unwrap();
        assert!(alone.left > points[5].0 && alone.bottom < points[5].1, "up and to the right");
        let mut labels = Labels::new(within, marks.clone());
        let placed: Vec<Area> = points.iter().filter_map(|p| labels.place("12", *p, 11.0)).collect();
        assert!((4..12).contains(&placed.len()), "{}", placed.len());
        for (i, a) in placed.iter().enumerate() {
            assert!(within.holds(a) && !marks.iter().any(|m| m.overlaps(a)));
            assert!(!placed[..i].iter().any(|b| a.overlaps(b)));
        }
    }
}
