//! How stiff force elements are against the step: numerical dissipation is for those that the step does not
//! resolve.

use super::Rule;
use super::layout::Conserving;
use super::step::{ConservingScratch, ConservingStep};
use crate::assembly::{add_blocks, clear_rows};
use crate::force::Motion;
use crate::pressing::{NO_VARIABLES, Pressing};
use poinsot_geometry::Vec3;

impl Conserving<'_> {
    /// A bound of ω², the square of the highest frequency of each force element between the bodies that it
    /// ties, at the start of the step:
    ///
    /// ```text
    /// ω² ≤ max_i Σ_j |K_ij| / √(m_i m_j)
    /// ```
    /// with the element's stiffness K and the masses m on the diagonal, in the unknowns of its nodes.
    pub fn frequencies(&self, step: &ConservingStep, s: &mut ConservingScratch) -> Vec<f64> {
        let mut masses = vec![0.0; self.size()];
        let mut values = vec![0.0; self.pattern.nnz()];
        for mass in &self.masses {
            self.add_mass(mass, Rule::Variational, step, &mut values, s);
        }
        self.add_coupled_mass(Rule::Variational, step, &mut values, s);
        self.add_flexible_matrix(Rule::Variational, step, 0.0, &mut values, s);
        for (i, mass) in masses.iter_mut().enumerate() {
            *mass = self.pattern.index(i, i).map_or(0.0, |slot| values[slot]);
        }
        (0..self.forces.len()).map(|index| self.frequency(index, step, &masses, s)).collect()
    }

    fn frequency(
        &self,
        index: usize,
        step: &ConservingStep,
        masses: &[f64],
        s: &mut ConservingScratch,
    ) -> f64 {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        self.load(places, step, s);
        self.load_directions(places, Rule::Variational, step, s);
        s.between[..n].fill(Vec3::zeros());
        s.k.clear();
        s.c.clear();
        let (x, xdot) = (&s.carried.from[..n], &s.between[..n]);
        let t = self.system.law_time(step.t);
        let from = Pressing {
            rows: &self.pressing[index],
            t,
            memory: &step.memory,
            lambda: &step.lambda,
            x,
            ..NO_VARIABLES
        };
        let reactions = self.system.reactions_read(&*entry.law, &from, &mut s.gradients);
        let reactions = &reactions[..self.pressing[index].len()];
        let at = Motion { reactions, ..entry.motion(t, &step.memory, x, xdot) };
        entry.law.tangent(&at, &mut s.k, &mut s.c);
        clear_rows(&mut s.local[..unknowns], unknowns);
        add_blocks(&mut s.local, s.k.entries(), places, &s.test[..], &s.trial[..]);
        let mut largest: f64 = 0.0;
        for i in 0..unknowns {
            let own = masses[places.unknowns[i]];
            let sum: f64 = (0..unknowns)
                .map(|j| (s.local[i][j].abs(), own * masses[places.unknowns[j]]))
                .filter(|(_, mass)| *mass > 0.0)
                .map(|(k, mass)| k / mass.sqrt())
                .sum();
            largest = largest.max(sum);
        }
        largest
    }
}
