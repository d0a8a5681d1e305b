//! What a coupling declares.

use crate::declared::Declared;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::resolve::Resolver;
use crate::spec::ConstraintSpec;
use crate::value::{Located, Number, Text};

/// What is the same for all couplings of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouplingType {
    /// Its word in the file.
    pub word: &'static str,
    /// What it holds, for the reference page.
    pub relation: &'static str,
    /// Unit of the load: that of a force along a coordinate divided by that of the factor.
    pub load_unit: Option<&'static str>,
    /// A coupling of a model file, for the reference page.
    pub example: &'static str,
}

/// A coupling as the file has it.
pub(crate) trait CouplingEntry: Declared<CouplingType> {
    /// Checks it and finds its terms.
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<CouplingSpec>;

    /// The right side, which may read the running system.
    fn law(&self) -> Option<&Number> {
        None
    }
}

/// A linear relation Σ factor·coordinate = offset between joint coordinates.
#[derive(Clone, Debug)]
pub struct CouplingSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its type.
    pub kind: &'static CouplingType,
    /// The left side.
    pub terms: Vec<CouplingTerm>,
    /// The right side; `None` is the value at the start.
    pub offset: Option<f64>,
    /// The whole relation, if its right side reads the running system.
    pub relation: Option<ConstraintSpec>,
}

/// A joint coordinate with its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingTerm {
    /// Index into [`Model::joints`](crate::Model::joints).
    pub joint: usize,
    /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
    pub coordinate: usize,
    /// The factor, not zero.
    pub factor: f64,
}

impl CouplingSpec {
    /// A coupling of a table.
    pub(super) fn new(table: &dyn Declared<CouplingType>, terms: Vec<CouplingTerm>) -> Self {
        let Text { value, span, .. } = table.name().clone();
        CouplingSpec { name: value, span, kind: table.declaration(), terms, offset: None, relation: None }
    }

    /// A coupling of two coordinates.
    pub(super) fn of_two(
        table: &dyn Declared<CouplingType>,
        coordinates: [(usize, usize); 2],
        factors: [f64; 2],
    ) -> Self {
        let term = |i: usize| {
            let (joint, coordinate) = coordinates[i];
            CouplingTerm { joint, coordinate, factor: factors[i] }
        };
        CouplingSpec::new(table, vec![term(0), term(1)])
    }
}

impl Resolver<'_> {
    /// Two different joints and their coordinates of the given names.
    pub(super) fn coupled(
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

    pub(super) fn positive_pair(&mut self, pair: &Located<[Number; 2]>, subject: &str) -> Option<[f64; 2]> {
        let [a, b] = pair.value.each_ref().map(|number| self.positive(number, subject));
        Some([a?, b?])
    }
}
