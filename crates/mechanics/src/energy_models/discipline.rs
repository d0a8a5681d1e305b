//! The disciplines of energy models and their variables.
//!
//! Every discipline has displacement q, flow f = dq/dt, momentum p and effort e = dp/dt, and the power e·f is
//! in watts (lagrangian-dae-modeling §1.1).

/// A discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discipline {
    /// Force and velocity.
    Translation,
    /// Torque and angular velocity.
    Rotation,
    /// Voltage and current.
    Electrical,
    /// Pressure and volume flow.
    Fluid,
    /// Temperature and entropy flow.
    Thermal,
}

/// What nodes of a discipline share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The effort: flows run through the branches, and at a node they add up to zero.
    Effort,
    /// The displacement and flow: a branch spans between two nodes, and at a node efforts add up to zero.
    Motion,
}

/// A variable of a discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisciplineVariable {
    /// What it is.
    pub name: &'static str,
    /// The letter by which a node shows it.
    pub letter: &'static str,
    /// Its unit.
    pub unit: &'static str,
}

const fn variable(name: &'static str, letter: &'static str, unit: &'static str) -> DisciplineVariable {
    DisciplineVariable { name, letter, unit }
}

impl Discipline {
    /// All disciplines.
    pub const ALL: [Discipline; 5] = [
        Discipline::Translation,
        Discipline::Rotation,
        Discipline::Electrical,
        Discipline::Fluid,
        Discipline::Thermal,
    ];

    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            Discipline::Translation => "translation",
            Discipline::Rotation => "rotation",
            Discipline::Electrical => "electrical",
            Discipline::Fluid => "fluid",
            Discipline::Thermal => "thermal",
        }
    }

    /// The discipline of that name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|discipline| discipline.word() == word)
    }

    /// As in "the node is electrical".
    pub fn adjective(self) -> &'static str {
        match self {
            Discipline::Translation => "translational",
            Discipline::Rotation => "rotational",
            Discipline::Electrical => "electrical",
            Discipline::Fluid => "fluid",
            Discipline::Thermal => "thermal",
        }
    }

    /// What nodes share.
    pub fn sharing(self) -> Sharing {
        match self {
            Discipline::Translation | Discipline::Rotation => Sharing::Motion,
            Discipline::Electrical | Discipline::Fluid | Discipline::Thermal => Sharing::Effort,
        }
    }

    /// q.
    pub fn displacement(self) -> DisciplineVariable {
        match self {
            Discipline::Translation => variable("position", "x", "m"),
            Discipline::Rotation => variable("angle", "theta", "rad"),
            Discipline::Electrical => variable("charge", "q", "C"),
            Discipline::Fluid => variable("volume", "V", "m³"),
            Discipline::Thermal => variable("entropy", "S", "J/K"),
        }
    }

    /// f = dq/dt.
    pub fn flow(self) -> DisciplineVariable {
        match self {
            Discipline::Translation => variable("velocity", "v", "m/s"),
            Discipline::Rotation => variable("angular velocity", "w", "rad/s"),
            Discipline::Electrical => variable("current", "i", "A"),
            Discipline::Fluid => variable("volume flow", "Q", "m³/s"),
            Discipline::Thermal => variable("entropy flow", "f", "W/K"),
        }
    }

    /// e, the effort.
    pub fn effort(self) -> DisciplineVariable {
        match self {
            Discipline::Translation => variable("force", "F", "N"),
            Discipline::Rotation => variable("torque", "tau", "N·m"),
            Discipline::Electrical => variable("voltage", "v", "V"),
            Discipline::Fluid => variable("pressure", "P", "Pa"),
            Discipline::Thermal => variable("temperature", "T", "K"),
        }
    }

    /// p with e = dp/dt; there is none in the thermal discipline.
    pub fn momentum(self) -> Option<DisciplineVariable> {
        match self {
            Discipline::Translation => Some(variable("momentum", "p", "N·s")),
            Discipline::Rotation => Some(variable("angular momentum", "H", "N·m·s")),
            Discipline::Electrical => Some(variable("flux linkage", "lambda", "V·s")),
            Discipline::Fluid => Some(variable("pressure momentum", "Gamma", "Pa·s")),
            Discipline::Thermal => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for discipline in Discipline::ALL {
            assert_eq!(Discipline::from_word(discipline.word()), Some(discipline));
        }
        assert_eq!(Discipline::from_word("acoustic"), None);
    }

    #[test]
    fn mechanical_nodes_share_motion_and_the_others_effort() {
        let motion: Vec<_> = Discipline::ALL.into_iter().filter(|d| d.sharing() == Sharing::Motion).collect();
        assert_eq!(motion, [Discipline::Translation, Discipline::Rotation]);
    }
}
