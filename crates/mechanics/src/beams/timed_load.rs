//! Components of a load along a line as functions of time and arc length.

use crate::force::Motion;
use crate::forces::{PiecewiseElement, merged_switches};
use poinsot_expr::{Function, Switch};
use poinsot_geometry::Vec3;

/// Functions of (t, s), and the arc lengths at which they are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct TimedLoad {
    components: [Function; 3],
    places: Vec<f64>,
}

impl TimedLoad {
    pub fn new(components: [Function; 3], places: Vec<f64>) -> Self {
        TimedLoad { components, places }
    }

    /// The components at a place.
    pub fn value(&self, place: usize, t: f64) -> Vec3 {
        Vec3::from(self.components.each_ref().map(|f| f.value(&[t, self.places[place]])))
    }
}

/// A load that travels has a kink where it comes to a Gauss point; kinks in time alone are known beforehand.
impl PiecewiseElement for TimedLoad {
    fn switches(&self) -> Vec<Switch> {
        let mut switches = merged_switches(&self.components);
        switches.retain(|switch| switch.depends_on(0));
        switches
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments_at(0, at, arguments);
    }

    fn places(&self) -> usize {
        self.places.len()
    }

    fn is_local(&self, _switch: &Switch) -> bool {
        true
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        arguments.extend([at.t, self.places[place]]);
    }
}
