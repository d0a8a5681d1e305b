//! The switches of a system: functions of its state whose passing a level is a kink or a jump of its
//! equations.
//!
//! They come from piecewise expressions in networks and in the laws of forces, from stops, and from joints
//! that pass from one element of a line to the next. An integrator that steps over such a passing loses its
//! order, so that whoever drives it watches them.

use crate::assembly::Scratch;
use crate::networks::NetworkSwitches;
use crate::system::state::Instant;
use crate::system::{ConstraintEntry, ForceEntry, System};
use poinsot_expr::{Levels, Switch};
use std::sync::Arc;

/// Arguments of the switches of a constraint that travels, and the one that says where it is.
const ARGUMENTS: [&str; 2] = ["t", PLACE];
const PLACE: &str = "arc_length";

/// Where the arguments of a switch come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Network(usize),
    /// A force, and the place along it.
    Force(usize, usize),
    /// A constraint that travels.
    Constraint(usize),
}

/// All switches of a system, each once: those of networks, of forces, then of constraints.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    networks: Vec<(usize, Arc<NetworkSwitches>)>,
    forces: Vec<ForceSwitch>,
    /// Of constraints that travel: where one stretch passes into the next.
    constraints: Vec<(usize, Switch, String)>,
    count: usize,
}

/// A switch of the law of a force or a stop.
#[derive(Clone, Debug)]
struct ForceSwitch {
    force: usize,
    place: usize,
    switch: Switch,
    name: String,
    reads_reactions: bool,
}

impl ForceSwitch {
    fn is_same(&self, other: &Self) -> bool {
        (self.force, self.place) == (other.force, other.place) && self.switch == other.switch
    }
}

impl Switches {
    /// The switches of a system as it is now. Functions of rates are left out: rates are not known between
    /// steps.
    pub fn of(system: &System) -> Self {
        let networks = system.networks.iter().map(|entry| Arc::clone(entry.switches()));
        let networks = networks.enumerate().filter(|(_, own)| !own.list.is_empty());
        let mut all = Switches { networks: networks.collect(), ..Switches::default() };
        for (force, entry) in system.forces.iter().enumerate() {
            let Some(element) = entry.law.extensions().piecewise else { continue };
            for switch in element.switches() {
                let places = if element.is_local(&switch) { element.places() } else { 1 };
                for place in 0..places {
                    let name = format!("{switch} in {}", entry.name);
                    let reads_reactions = element.reads_reactions(&switch);
                    all.add(ForceSwitch { force, place, switch: switch.clone(), name, reads_reactions });
                }
            }
        }
        for (constraint, entry) in system.constraints.iter().enumerate() {
            let borders = entry.law.itinerary().map_or(&[][..], |way| way.borders());
            if let Some(switch) = Switch::at_points(PLACE, &ARGUMENTS, borders) {
                all.constraints.push((constraint, switch, format!("element of the line of {}", entry.name)));
            }
        }
        let of_networks = all.networks.iter().map(|(_, own)| own.list.len()).sum::<usize>();
        all.count = of_networks + all.forces.len() + all.constraints.len();
        all
    }

    fn add(&mut self, new: ForceSwitch) {
        match self.forces.iter_mut().find(|known| known.is_same(&new)) {
            Some(known) => known.switch.merge(&new.switch),
            None => self.forces.push(new),
        }
    }

    /// Whether one of them depends on reactions: who looks at it has to know the multipliers.
    pub fn read_reactions(&self) -> bool {
        self.forces.iter().any(|own| own.reads_reactions)
    }

    /// Number of switches.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn get(&self, mut k: usize) -> (Home, &Switch, &str) {
        for (network, own) in &self.networks {
            if let Some(switch) = own.list.get(k) {
                return (Home::Network(*network), switch, &own.names[k]);
            }
            k -= own.list.len();
        }
        if let Some(ForceSwitch { force, place, switch, name, .. }) = self.forces.get(k) {
            return (Home::Force(*force, *place), switch, name);
        }
        let (constraint, switch, name) = &self.constraints[k - self.forces.len()];
        (Home::Constraint(*constraint), switch, name)
    }

    /// The function and the levels of switch k for people.
    pub fn name(&self, k: usize) -> &str {
        self.get(k).2
    }

    /// The levels of switch k.
    pub fn levels(&self, k: usize) -> &Levels {
        self.get(k).1.levels()
    }

    /// Whether switch k depends on a reaction or a variable without a rate, whose course no error estimate
    /// watches.
    pub fn is_algebraic(&self, k: usize, system: &System) -> bool {
        let (home, switch, _) = self.get(k);
        let Home::Network(n) = home else {
            let before = self.count - self.forces.len() - self.constraints.len();
            return self.forces.get(k - before).is_some_and(|own| own.reads_reactions);
        };
        let entry = &system.networks[n];
        (0..entry.law.variables.len()).any(|j| entry.is_algebraic(j) && switch.depends_on(j))
    }

    /// The functions of all switches.
    pub fn values(&self, system: &System, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let mut rest = out;
        for (network, own) in &self.networks {
            let (out, others) = rest.split_at_mut(own.list.len());
            system.load_switch_arguments(Home::Network(*network), at, s);
            own.values(out, s);
            rest = others;
        }
        let mut loaded = None;
        let (rest, of_constraints) = rest.split_at_mut(self.forces.len());
        for ((constraint, switch, _), out) in self.constraints.iter().zip(of_constraints) {
            system.load_switch_arguments(Home::Constraint(*constraint), at, s);
            *out = switch.value(&s.arguments);
        }
        for (own, out) in self.forces.iter().zip(rest) {
            if loaded.replace((own.force, own.place)) != Some((own.force, own.place)) {
                system.load_switch_arguments(Home::Force(own.force, own.place), at, s);
            }
            *out = own.switch.value(&s.arguments);
        }
    }

    /// The functions of all switches, and their sizes as by [`Switches::size`].
    pub fn values_and_sizes(
        &self,
        system: &System,
        at: &Instant,
        out: &mut [f64],
        sizes: &mut [f64],
        s: &mut Scratch,
    ) {
        let (mut rest, mut rest_of_sizes) = (out, sizes);
        for (network, own) in &self.networks {
            let (out, others) = rest.split_at_mut(own.list.len());
            let (sizes, other_sizes) = rest_of_sizes.split_at_mut(own.list.len());
            system.load_switch_arguments(Home::Network(*network), at, s);
            own.sizes(&system.networks[*network], out, sizes, s);
            (rest, rest_of_sizes) = (others, other_sizes);
        }
        let forces = self.forces.iter().map(|own| (Home::Force(own.force, own.place), &own.switch));
        let constraints = self.constraints.iter().map(|(k, switch, _)| (Home::Constraint(*k), switch));
        for ((home, switch), (out, size)) in forces.chain(constraints).zip(rest.iter_mut().zip(rest_of_sizes))
        {
            system.load_switch_arguments(home, at, s);
            *out = switch.value(&s.arguments);
            *size = switch.change(&s.arguments, &|i| size_of_motion(i, &s.arguments));
        }
    }

    /// The function of switch k.
    pub fn value(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> f64 {
        let (home, switch, _) = self.get(k);
        system.load_switch_arguments(home, at, s);
        switch.value(&s.arguments)
    }

    /// Whether passing a level of switch k changes the equations there.
    pub fn matters(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> bool {
        let (home, switch, _) = self.get(k);
        system.load_switch_arguments(home, at, s);
        switch.matters(&s.arguments)
    }

    /// The size of switch k for which tolerances hold: Σ |∂g/∂x_i| (|x_i| + nominal size of x_i).
    pub fn size(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> f64 {
        let (home, switch, _) = self.get(k);
        system.load_switch_arguments(home, at, s);
        switch.change(&s.arguments, &|i| match home {
            Home::Network(n) => system.networks[n].size(i, &s.arguments),
            Home::Force(..) | Home::Constraint(_) => size_of_motion(i, &s.arguments),
        })
    }
}

/// |x_i| + nominal size of x: time, then coordinates and speeds.
fn size_of_motion(i: usize, arguments: &[f64]) -> f64 {
    arguments[i].abs() + if i == 0 { 0.0 } else { 1.0 }
}

impl System {
    /// Whether a law has kinks or jumps in the state.
    pub fn is_piecewise(&self) -> bool {
        let of_network = |n: &crate::NetworkEntry| {
            let laws = n.law.equations.iter().chain(n.law.loads.iter().map(|load| &load.law));
            laws.into_iter().any(|law| !law.switches().is_empty())
        };
        let of_force = |f: &ForceEntry| {
            f.law.extensions().piecewise.is_some_and(|element| !element.switches().is_empty())
        };
        let of_constraint =
            |c: &ConstraintEntry| c.law.itinerary().is_some_and(|way| !way.borders().is_empty());
        self.networks.iter().any(of_network)
            || self.forces.iter().any(of_force)
            || self.constraints.iter().any(of_constraint)
    }

    fn load_switch_arguments(&self, home: Home, at: &Instant, s: &mut Scratch) {
        match home {
            Home::Network(k) => {
                self.load_twists(at.v, s);
                self.load_arguments(&self.networks[k], at, s);
            }
            Home::Constraint(k) => {
                let place = self.constraints[k].law.itinerary().map_or(0.0, |way| way.place_in(at.frames));
                s.arguments.clear();
                s.arguments.extend([at.t, place]);
            }
            Home::Force(k, place) => {
                let piecewise = self.forces[k].law.extensions().piecewise;
                let mut arguments = std::mem::take(&mut s.arguments);
                arguments.clear();
                self.with_motion(k, at, s, |motion| {
                    piecewise.iter().for_each(|e| e.switch_arguments_at(place, motion, &mut arguments));
                });
                s.arguments = arguments;
            }
        }
    }
}
