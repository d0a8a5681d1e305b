//! Couplings: linear relations between joint coordinates.

use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{BeltTable, CouplingTable, GearTable, LinearTable, RackAndPinionTable, TermTable};
use crate::spec::{CouplingSpec, CouplingTerm};
use crate::value::{Located, Number, Text};

impl Resolver<'_> {
    pub fn coupling(&mut self, table: &CouplingTable) -> Option<CouplingSpec> {
        let (kind, terms, offset) = match table {
            CouplingTable::Gear(table) => ("gear", self.gear(table)?, None),
            CouplingTable::RackAndPinion(table) => ("rack_and_pinion", self.rack_and_pinion(table)?, None),
            CouplingTable::Belt(table) => ("belt", self.belt(table)?, None),
            CouplingTable::Linear(table) => {
                let offset = table.offset.as_ref().map(|number| self.number(number));
                ("linear", self.linear(table)?, transpose(offset)?)
            }
        };
        let name = table.name();
        Some(CouplingSpec { name: name.value.clone(), span: name.span.clone(), kind, terms, offset })
    }

    /// za θa + zb θb = const, internal za θa − zb θb = const; the ratio ωa/ωb is zb/za.
    fn gear(&mut self, table: &GearTable) -> Option<Vec<CouplingTerm>> {
        let name = &table.name.value;
        let joints = self.coupled(&table.joints, ["angle", "angle"]);
        let factors = match (&table.teeth, &table.ratio) {
            (Some(teeth), None) => self.positive_pair(teeth, &format!("a number of teeth of `{name}`")),
            (None, Some(ratio)) => {
                self.positive(ratio, &format!("the ratio of `{name}`")).map(|ratio| [1.0, ratio])
            }
            (Some(teeth), Some(ratio)) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{name}` has both `teeth` and `ratio`"))
                        .at(ratio.span(), "the ratio")
                        .and(teeth.span.clone(), "the teeth")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error("missing key `teeth` in gear coupling")
                        .at(table.span.clone(), "this gear coupling needs `teeth`")
                        .help("give `teeth` or `ratio`"),
                );
                None
            }
        };
        let [a, b] = factors?;
        Some(terms(joints?, [a, if table.internal { -b } else { b }]))
    }

    /// displacement − radius θ = const
    fn rack_and_pinion(&mut self, table: &RackAndPinionTable) -> Option<Vec<CouplingTerm>> {
        let joints = self.coupled(&table.joints, ["angle", "displacement"]);
        let radius = self.not_zero(&table.radius, &format!("the radius of `{}`", table.name.value));
        Some(terms(joints?, [-radius?, 1.0]))
    }

    /// ra θa − rb θb = const, crossed ra θa + rb θb = const
    fn belt(&mut self, table: &BeltTable) -> Option<Vec<CouplingTerm>> {
        let joints = self.coupled(&table.joints, ["angle", "angle"]);
        let radii = self.positive_pair(&table.radii, &format!("a radius of `{}`", table.name.value));
        let [a, b] = radii?;
        Some(terms(joints?, [a, if table.crossed { b } else { -b }]))
    }

    /// Σ factor·coordinate = offset
    fn linear(&mut self, table: &LinearTable) -> Option<Vec<CouplingTerm>> {
        let name = &table.name.value;
        let list = &table.terms.value.0;
        if !(2..=4).contains(&list.len()) {
            self.diagnostics.push(
                Diagnostic::error(format!("`{name}` has {} terms", list.len()))
                    .at(table.terms.span.clone(), "two to four are allowed"),
            );
            return None;
        }
        let found: Vec<_> = list.iter().map(|term| self.term(term, name)).collect();
        let found: Vec<CouplingTerm> = found.into_iter().collect::<Option<_>>()?;
        for (i, term) in found.iter().enumerate() {
            let same =
                |other: &CouplingTerm| (other.joint, other.coordinate) == (term.joint, term.coordinate);
            if let Some(before) = found[..i].iter().position(same) {
                let message = format!("`{}` stands in two terms of `{name}`", list[i].coordinate.value);
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(list[i].coordinate.span.clone(), "again here")
                        .and(list[before].coordinate.span.clone(), "first here")
                        .help("add the factors"),
                );
                return None;
            }
        }
        Some(found)
    }

    fn term(&mut self, table: &TermTable, name: &str) -> Option<CouplingTerm> {
        let factor = self.not_zero(&table.factor, &format!("a factor of `{name}`"));
        let (joint, coordinate) = self.joint_coordinate(&table.coordinate)?;
        Some(CouplingTerm { joint, coordinate, factor: factor? })
    }

    /// Two different joints and their coordinates of the given names.
    fn coupled(
        &mut self,
        joints: &Located<[Text; 2]>,
        coordinates: [&str; 2],
    ) -> Option<[(usize, usize); 2]> {
        let [a, b] = &joints.value;
        let found = [(a, coordinates[0]), (b, coordinates[1])].map(|(name, coordinate)| {
            let joint = self.joint_named(name)?;
            Some((joint, self.coordinate_of(joint, coordinate, name.span.clone())?))
        });
        let [first, second] = found;
        let (first, second) = (first?, second?);
        if first == second {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` cannot be coupled with itself", a.value))
                    .at(b.span.clone(), "the same joint again")
                    .and(a.span.clone(), "first joint"),
            );
            return None;
        }
        Some([first, second])
    }

    fn positive_pair(&mut self, pair: &Located<[Number; 2]>, subject: &str) -> Option<[f64; 2]> {
        let [a, b] = pair.value.each_ref().map(|number| self.positive(number, subject));
        Some([a?, b?])
    }
}

fn terms(coordinates: [(usize, usize); 2], factors: [f64; 2]) -> Vec<CouplingTerm> {
    let term = |i: usize| {
        let (joint, coordinate) = coordinates[i];
        CouplingTerm { joint, coordinate, factor: factors[i] }
    };
    vec![term(0), term(1)]
}
