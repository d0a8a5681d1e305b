//! Any linear relation.

use super::{CouplingEntry, CouplingSpec, CouplingTerm, CouplingType};
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::read::record;
use crate::resolve::{Resolver, transpose};
use crate::value::{List, Located, Number, Text};

/// What there is to know of the type.
pub const LINEAR: CouplingType = CouplingType {
    word: "linear",
    relation: "Σ factor · coordinate = offset",
    load_unit: None,
    example: r#"[[coupling]]
name = "differential"
type = "linear"
terms = [
  { coordinate = "left.angle", factor = 0.5 },
  { coordinate = "right.angle", factor = 0.5 },
  { coordinate = "cage.angle", factor = -1 },
]"#,
};

declared! {
    /// Any linear relation: Σ factor·coordinate = offset.
    LinearTable "linear coupling" is LINEAR: CouplingType {
        /// Two to four terms.
        terms: Located<List<TermTable>>,
        /// The sum; default: that at the start. A number, or an expression that may use positions of the
        /// running system: the relation is ideal, its force acts on what is read as well.
        offset: Option<Number>,
    }
}

record! {
    /// A term of a linear coupling.
    pub(crate) struct TermTable "term" {
        /// A joint's coordinate, e.g. "hinge.angle".
        coordinate: Text,
        /// The factor, not zero.
        factor: Number,
    }
}

impl CouplingEntry for LinearTable {
    /// Σ factor·coordinate = offset
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<CouplingSpec> {
        let offset = self.offset.as_ref().filter(|number| !resolver.reads_state(number, &[], file));
        let offset = offset.map(|number| resolver.number(number));
        let terms = self.terms(resolver)?;
        Some(CouplingSpec { offset: transpose(offset)?, ..CouplingSpec::new(self, terms) })
    }

    fn law(&self) -> Option<&Number> {
        self.offset.as_ref()
    }
}

impl LinearTable {
    fn terms(&self, resolver: &mut Resolver) -> Option<Vec<CouplingTerm>> {
        let name = &self.name.value;
        let list = &self.terms.value.0;
        if !(2..=4).contains(&list.len()) {
            resolver.diagnostics.push(
                Diagnostic::error(format!("`{name}` has {} terms", list.len()))
                    .at(self.terms.span.clone(), "two to four are allowed"),
            );
            return None;
        }
        let found: Vec<_> = list.iter().map(|term| term.resolve(name, resolver)).collect();
        let found: Vec<CouplingTerm> = found.into_iter().collect::<Option<_>>()?;
        for (i, term) in found.iter().enumerate() {
            let same =
                |other: &CouplingTerm| (other.joint, other.coordinate) == (term.joint, term.coordinate);
            if let Some(before) = found[..i].iter().position(same) {
                let message = format!("`{}` stands in two terms of `{name}`", list[i].coordinate.value);
                resolver.diagnostics.push(
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
}

impl TermTable {
    fn resolve(&self, name: &str, resolver: &mut Resolver) -> Option<CouplingTerm> {
        let factor = resolver.not_zero(&self.factor, &format!("a factor of `{name}`"));
        let (joint, coordinate) = resolver.joint_coordinate(&self.coordinate)?;
        Some(CouplingTerm { joint, coordinate, factor: factor? })
    }
}
