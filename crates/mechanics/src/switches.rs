//! The switches of a system: functions of its state whose passing a level is a kink or a jump of its equations.
//!
//! They come from piecewise expressions in networks and in the laws of springs. An integrator that steps over such a
//! passing loses its order, so that whoever drives it watches them.

use crate::assembly::Scratch;
use crate::state::Instant;
use crate::system::System;
use poinsot_expr::{Levels, Switch};

/// Where the arguments of a switch come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Network(usize),
    Force(usize),
}

/// All switches of a system, each once.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    list: Vec<(Home, Switch)>,
    names: Vec<String>,
}

impl Switches {
    /// The switches of a system as it is now. Functions of rates are left out: rates are not known between steps.
    pub fn of(system: &System) -> Self {
        let mut all = Switches::default();
        for (k, entry) in system.networks.iter().enumerate() {
            let m = entry.law.variables.len();
            let laws = entry.law.equations.iter().chain(entry.law.loads.iter().map(|load| &load.law));
            for switch in laws.flat_map(|law| law.switches()) {
                if !(m..2 * m).any(|i| switch.depends_on(i)) {
                    all.add(Home::Network(k), switch, None);
                }
            }
        }
        for (k, entry) in system.forces.iter().enumerate() {
            for switch in entry.law.switches() {
                all.add(Home::Force(k), switch, Some(&entry.name));
            }
        }
        all
    }

    fn add(&mut self, home: Home, switch: &Switch, owner: Option<&str>) {
        match self.list.iter_mut().find(|(other, known)| *other == home && known == switch) {
            Some((_, known)) => known.merge(switch),
            None => {
                self.names.push(match owner {
                    Some(owner) => format!("{switch} in {owner}"),
                    None => switch.to_string(),
                });
                self.list.push((home, switch.clone()));
            }
        }
    }

    /// Number of switches.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The function and the levels of switch k for people.
    pub fn name(&self, k: usize) -> &str {
        &self.names[k]
    }

    /// The levels of switch k.
    pub fn levels(&self, k: usize) -> &Levels {
        self.list[k].1.levels()
    }

    /// Whether switch k depends on a variable without a rate, whose polynomial no error estimate watches.
    pub fn is_algebraic(&self, k: usize, system: &System) -> bool {
        let (Home::Network(n), switch) = &self.list[k] else { return false };
        let entry = &system.networks[*n];
        (0..entry.law.variables.len()).any(|j| entry.is_algebraic(j) && switch.depends_on(j))
    }

    /// The functions of all switches.
    pub fn values(&self, system: &System, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let mut loaded = None;
        for ((home, switch), out) in self.list.iter().zip(out) {
            if loaded != Some(*home) {
                system.load_switch_arguments(*home, at, s);
                loaded = Some(*home);
            }
            *out = switch.value(&s.arguments);
        }
    }

    /// The function of switch k.
    pub fn value(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> f64 {
        let (home, switch) = &self.list[k];
        system.load_switch_arguments(*home, at, s);
        switch.value(&s.arguments)
    }

    /// Whether passing a level of switch k changes the equations there.
    pub fn matters(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> bool {
        let (home, switch) = &self.list[k];
        system.load_switch_arguments(*home, at, s);
        switch.matters(&s.arguments)
    }

    /// The size of switch k for which tolerances hold: Σ |∂g/∂x_i| (|x_i| + nominal size of x_i).
    pub fn size(&self, k: usize, system: &System, at: &Instant, s: &mut Scratch) -> f64 {
        let (home, switch) = &self.list[k];
        system.load_switch_arguments(*home, at, s);
        let last = s.arguments.len() - 1;
        let size = |i: usize| match *home {
            Home::Network(n) => {
                let variable = system.networks[n].law.variables.get(i);
                let nominal = if i == last { 0.0 } else { 1.0 };
                s.arguments[i].abs() + variable.map_or(nominal, |v| v.nominal)
            }
            Home::Force(_) if i == 0 => s.arguments[i].abs(),
            Home::Force(_) => s.arguments[i].abs() + 1.0,
        };
        switch.change(&s.arguments, &size)
    }
}

impl System {
    /// Whether a law has kinks or jumps in the state.
    pub fn is_piecewise(&self) -> bool {
        let of_network = |n: &crate::NetworkEntry| {
            let laws = n.law.equations.iter().chain(n.law.loads.iter().map(|load| &load.law));
            laws.into_iter().any(|law| !law.switches().is_empty())
        };
        self.networks.iter().any(of_network) || self.forces.iter().any(|f| !f.law.switches().is_empty())
    }

    fn load_switch_arguments(&self, home: Home, at: &Instant, s: &mut Scratch) {
        match home {
            Home::Network(k) => {
                self.load_twists(at.v, s);
                self.load_arguments(&self.networks[k], at, s);
            }
            Home::Force(k) => {
                let law = &self.forces[k].law;
                let arguments = self.with_motion(k, at, s, |motion| {
                    let along = law.along(motion);
                    along.map_or([at.t, 0.0, 0.0], |along| [at.t, along.value, along.rate])
                });
                s.arguments.clear();
                s.arguments.extend(arguments);
            }
        }
    }
}
